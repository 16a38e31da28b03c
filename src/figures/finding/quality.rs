//! Findings about telemetry that keeps figures from being made.

use super::{Finding, FindingRule, Severity, Subject, at_least, percent};
use crate::call::{ClientName, Name, Outcome, ToolKey};
use crate::figures::counts::UnjudgedReason;
use crate::figures::format::{count, counted};
use crate::figures::range::RangeFigures;
use crate::figures::rate::FEW_CALLS;
use crate::figures::sentence::Sentence;

pub(super) fn of_tool(subject: &Subject<'_>) -> impl Iterator<Item = Finding> {
    [hashes(subject), emptiness(subject)].into_iter().flatten()
}

fn hashes(subject: &Subject<'_>) -> Option<Finding> {
    let figures = subject.figures();
    let missing = figures.unjudged.get(UnjudgedReason::NoArgsHash);
    if figures.calls < FEW_CALLS || !at_least(missing, figures.calls, 20) {
        return None;
    }
    let sentence = Sentence::words(format!("{} of ", percent(missing, figures.calls)))
        .name(&subject.key.tool)
        .say(format!(
            "'s {} carry no args_hash and are not judged.",
            counted(figures.calls, "call", "calls")
        ));
    let advice = Sentence::words("Send ")
        .name(&Name::cut("args_hash"))
        .say(", or the arguments themselves, which are hashed on arrival and dropped.");
    Some(subject.finding(Severity::Note, FindingRule::HashesMissing, missing, [sentence, advice]))
}

fn emptiness(subject: &Subject<'_>) -> Option<Finding> {
    let figures = subject.figures();
    let ok = figures.outcomes.get(Outcome::Ok);
    let unknown = ok.saturating_sub(figures.emptiness_known);
    if ok < FEW_CALLS || !at_least(unknown, ok, 50) {
        return None;
    }
    let sentence = Sentence::words(format!(
        "{} of {} of ",
        percent(unknown, ok),
        counted(ok, "good answer", "good answers"),
    ))
    .name(&subject.key.tool)
    .say(" do not tell whether they were empty, and count as not empty.");
    let advice = Sentence::words("Send ")
        .name(&Name::cut("is_empty"))
        .say(", or the result itself, which is looked at on arrival and dropped.");
    Some(subject.finding(
        Severity::Note,
        FindingRule::EmptinessMissing,
        unknown,
        [sentence, advice],
    ))
}

/// Sessions are a client's; the finding names the tool that the client called most.
pub(super) fn of_sessions(now: &RangeFigures) -> Vec<Finding> {
    let mut found = Vec::new();
    for (client, sessions) in &now.sessions {
        let Some((tool, others)) = most_called(now, client) else { continue };
        let total = sessions.sessions.total();
        if sessions.is_fragmented() {
            let sentence = Sentence::words(format!(
                "{} of {} of ",
                percent(sessions.single_call, total),
                counted(total, "session", "sessions"),
            ))
            .name(client.name())
            .say(" hold one call: retries of ")
            .name(&tool.tool)
            .say(others_text(others))
            .say(" cannot be seen, and a rate of them reads too high.");
            let advice = Sentence::words("Send ")
                .name(&Name::cut("gen_ai.conversation.id"))
                .say(" or ")
                .name(&Name::cut("session.id"))
                .say(", or carry the agent's trace context to the server.");
            found.push(finding(
                FindingRule::FragmentedSessions,
                (tool, client),
                sessions.single_call,
                [sentence, advice],
            ));
        }
        if sessions.shared > 0 {
            let sentence = Sentence::words(format!(
                "{} of {} of ",
                count(sessions.shared),
                counted(total, "session key", "session keys"),
            ))
            .name(client.name())
            .say(" held two or more clients, or calls over more than 24 hours: calls of ")
            .name(&tool.tool)
            .say(others_text(others))
            .say(" may be taken for retries of another conversation's.");
            let advice = Sentence::words("Name an attribute that tells conversations apart in ")
                .name(&Name::cut("sessions.conversation_attributes"))
                .say(".");
            found.push(finding(
                FindingRule::SharedSessions,
                (tool, client),
                sessions.shared,
                [sentence, advice],
            ));
        }
    }
    found
}

fn finding(
    rule: FindingRule,
    (tool, client): (&ToolKey, &ClientName),
    count: u64,
    [sentence, advice]: [Sentence; 2],
) -> Finding {
    let severity = match rule {
        FindingRule::FragmentedSessions => Severity::Medium,
        _ => Severity::Note,
    };
    Finding {
        severity,
        rule,
        tool: tool.clone(),
        client: Some(client.clone()),
        count,
        sentence,
        advice,
    }
}

fn most_called<'a>(now: &'a RangeFigures, client: &ClientName) -> Option<(&'a ToolKey, usize)> {
    let calls = |(key, tool): (&'a ToolKey, &'a crate::figures::ToolFigures)| {
        tool.clients.get(client).map(|packed| (key, packed.counts().calls))
    };
    let tools = now.tools.iter().filter_map(calls);
    let others = tools.clone().count().checked_sub(1)?;
    let (tool, _) = tools.rev().max_by_key(|(_, calls)| *calls)?;
    Some((tool, others))
}

fn others_text(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => " and of one other tool".to_owned(),
        others => format!(" and of {others} other tools"),
    }
}
