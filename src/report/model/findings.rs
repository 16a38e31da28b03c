//! Findings as pages show them.

use super::facts::Facts;
use crate::call::{ClientName, ToolKey};
use crate::figures::{Finding, Sentence};
use crate::report::names;

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingText {
    /// Its place on a page, the same every night.
    pub anchor: String,
    /// `high`, `medium` or `note`.
    pub severity: &'static str,
    /// The slug of the tool that it is about.
    pub tool_slug: String,
    /// The tool's service, where another service has a tool of this name.
    pub service: Option<String>,
    /// What was found.
    pub sentence: Sentence,
    /// What to do about it.
    pub advice: Sentence,
}

impl FindingText {
    fn of(facts: &Facts<'_>, finding: &Finding) -> Self {
        let tool_slug = facts.tool_slug(&finding.tool);
        let client = finding.client.as_ref().map(|client| facts.client_slug(client));
        let rule = finding.rule.word().replace('_', "-");
        Self {
            anchor: match client {
                Some(client) => format!("{rule}-{tool_slug}-{client}"),
                None => format!("{rule}-{tool_slug}"),
            },
            severity: finding.severity.word(),
            tool_slug,
            service: facts
                .has_namesake(&finding.tool)
                .then(|| names::shown(finding.tool.service.as_str())),
            sentence: finding.sentence.clone(),
            advice: finding.advice.clone(),
        }
    }
}

/// All findings, the most severe first.
pub fn all(facts: &Facts<'_>) -> Vec<FindingText> {
    facts.findings.iter().map(|finding| FindingText::of(facts, finding)).collect()
}

/// The findings about recovery.
pub fn of_recovery(facts: &Facts<'_>) -> Vec<FindingText> {
    let of_it = facts.findings.iter().filter(|finding| finding.rule.is_about_recovery());
    of_it.map(|finding| FindingText::of(facts, finding)).collect()
}

/// A tool's findings.
pub fn of_tool(facts: &Facts<'_>, key: &ToolKey) -> Vec<FindingText> {
    let of_it = facts.findings.iter().filter(|finding| finding.tool == *key);
    of_it.map(|finding| FindingText::of(facts, finding)).collect()
}

/// The findings that are about this client alone.
pub fn of_client(facts: &Facts<'_>, client: &ClientName) -> Vec<FindingText> {
    let of_it = facts.findings.iter().filter(|finding| finding.client.as_ref() == Some(client));
    of_it.map(|finding| FindingText::of(facts, finding)).collect()
}
