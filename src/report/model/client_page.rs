//! A client's page, and the list of all clients.

use super::facts::Facts;
use super::figures_text::Term;
use super::findings;
use super::frame::Frame;
use super::grid::{ClientLabel, clients_by_calls};
use super::quality::{SESSION_GRADES, grade_words};
use super::table::{self, Status, ToolLabel};
use super::tool_page::{self, PartFigures, PartRow, SubjectFigures, SubjectParts, part, subject};
use crate::call::{ClientName, ToolKey};
use crate::figures::format::{count, counted};
use crate::figures::{Figures, SessionCounts, ToolFigures};
use crate::report::names;

/// What a client's page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientPage {
    /// The frame.
    pub frame: Frame,
    /// The client's whole name.
    pub name: String,
    /// The slug of its page.
    pub slug: String,
    /// Whether it is the client that telemetry does not name.
    pub is_unknown: bool,
    /// That the range has no call of it, and when the last one was; none of one that called.
    pub not_called: Option<String>,
    /// The figures.
    pub figures: SubjectFigures,
    /// By tool, the most that was not right the first time first.
    pub tools: Vec<PartRow>,
    /// Its sessions, and calls of tools that are not there.
    pub sessions: Vec<Term>,
}

/// The page of a client.
pub fn client_page(facts: &Facts<'_>, client: &ClientName) -> ClientPage {
    let figures = facts.client(client);
    let slug = facts.client_slug(client);
    let parts = SubjectParts {
        figures,
        before: facts.before.clients.get(client),
        status: Status::of(figures),
        schema_bytes: None,
        // What was shown before is kept per tool only.
        shown_before: None,
        line: table::line_of_days(facts, facts.input.lines.client(client), tool_page::LINE),
        days: tool_page::days(facts, facts.input.lines.client(client)),
        findings: findings::of_client(facts, client),
    };
    ClientPage {
        frame: Frame::below(facts, names::shown(client.as_str()))
            .with_twin(format!("clients/{slug}.md")),
        name: names::shown_whole(client.as_str()),
        is_unknown: client.is_unknown(),
        not_called: (figures.calls == 0).then(|| {
            let days = facts.input.lines.client(client);
            tool_page::not_called("It called no tool in this range.", days)
        }),
        figures: subject(facts, parts),
        tools: tools(facts, client),
        sessions: sessions(facts, client, figures),
        slug,
    }
}

fn tools(facts: &Facts<'_>, client: &ClientName) -> Vec<PartRow> {
    let of_tool = |(key, tool): (_, &ToolFigures)| {
        let figures = tool.clients.get(client)?.figures();
        Some((table::need(&figures), key, PartFigures::of(&figures)))
    };
    let mut tools: Vec<(_, &ToolKey, _)> = facts.now.tools.iter().filter_map(of_tool).collect();
    tools.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    tools
        .into_iter()
        .map(|(_, key, figures)| {
            let label = ToolLabel::of(facts, key);
            let names = (label.name, label.service, label.slug);
            part(names, &figures, facts.cell_before(key, client).as_ref())
        })
        .collect()
}

fn sessions(facts: &Facts<'_>, client: &ClientName, figures: &Figures) -> Vec<Term> {
    let none = SessionCounts::default();
    let counts = facts.now.sessions.get(client).unwrap_or(&none);
    let grades: Vec<String> = SESSION_GRADES
        .iter()
        .filter(|grade| counts.sessions.get(**grade) > 0)
        .map(|grade| format!("{} {}", count(counts.sessions.get(*grade)), grade_words(*grade)))
        .collect();
    let term = |term, value, note| Term { term, value, before: String::new(), note };
    let mut terms = vec![
        term("Sessions", count(counts.sessions.total()), grades.join(", ")),
        term(
            "With one call",
            count(counts.single_call),
            if counts.is_fragmented() {
                "fragmented: every request seems to open a session".to_owned()
            } else {
                String::new()
            },
        ),
        term(
            "Shared keys",
            count(counts.shared),
            if counts.shared > 0 {
                "two or more clients, or more than 24 hours".to_owned()
            } else {
                String::new()
            },
        ),
        term(
            "Unknown tools",
            count(figures.unknown_tool_calls),
            "calls of tools that are not there; not among its calls".to_owned(),
        ),
    ];
    if figures.ok_low_confidence > 0 {
        terms.push(term(
            "Low confidence",
            count(figures.ok_low_confidence),
            format!(
                "{} by an instrumentation that may hide failures",
                if figures.ok_low_confidence == 1 { "good answer" } else { "good answers" }
            ),
        ));
    }
    terms
}

/// What the list of clients says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientList {
    /// The frame.
    pub frame: Frame,
    /// The clients, the busiest first, then those that did not call in the range.
    pub clients: Vec<PartRow>,
    /// The period before, in words.
    pub against: Option<String>,
}

/// The list of all clients.
pub fn client_list(facts: &Facts<'_>) -> ClientList {
    let mut clients = clients_by_calls(facts);
    clients.extend(facts.clients.keys().filter(|client| !facts.now.clients.contains_key(client)));
    let row = |client: &ClientName| {
        let label = ClientLabel::of(facts, client);
        let figures = facts.client(client);
        let beneath = (figures.unknown_tool_calls > 0).then(|| {
            let many = "calls of tools that are not there";
            counted(figures.unknown_tool_calls, "call of a tool that is not there", many)
        });
        let before = facts.before.clients.get(client);
        part((label.name, beneath, label.slug), &PartFigures::of(figures), before)
    };
    ClientList {
        frame: Frame::below(facts, "Clients"),
        clients: clients.into_iter().map(row).collect(),
        against: table::against(facts),
    }
}
