//! What is declared of single tools, by their names or by patterns.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::section::{section, text};

/// Declarations by tool name, byte for byte as telemetry sends it, or by a pattern in which `*`
/// stands for any text and `?` for one character. Of each key the name's own declaration holds,
/// else that of the pattern which spells out the most.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Tools(BTreeMap<String, ToolDeclaration>);

/// What is declared of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolDeclaration {
    /// What calling it does; what its spans tell goes before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<ToolKind>,
    /// The tool of the same service that tells what became of a call of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_tool: Option<ToolName>,
    /// Whether it answers with nothing by design; such a tool has no emptiness.
    #[serde(skip_serializing_if = "is_false")]
    pub returns_nothing: bool,
    /// What an empty answer looks like, beside those that the method names.
    #[serde(deserialize_with = "section", skip_serializing_if = "Option::is_none")]
    pub empty: Option<Empty>,
    /// Its paging parameters; the known names hold where nothing is declared.
    #[serde(deserialize_with = "section", skip_serializing_if = "Option::is_none")]
    pub paging: Option<Paging>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// What calling a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// It changes nothing.
    Read,
    /// It changes something, and doing it twice does no more than doing it once.
    IdempotentWrite,
    /// It changes something each time.
    Write,
}

/// A text that is no kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected `read`, `idempotent_write` or `write`, got `{0}`")]
pub struct ParseToolKindError(String);

impl ToolKind {
    const ALL: [(Self, &str); 3] =
        [(Self::Read, "read"), (Self::IdempotentWrite, "idempotent_write"), (Self::Write, "write")];

    /// Its word, in the configuration and on spans.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, word)| word)
    }
}

impl std::str::FromStr for ToolKind {
    type Err = ParseToolKindError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().find(|(_, word)| *word == text).map(|(kind, _)| *kind);
        found.ok_or_else(|| ParseToolKindError(text.chars().take(40).collect()))
    }
}

impl<'de> Deserialize<'de> for ToolKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

impl Serialize for ToolKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// One tool's name: no pattern, and never empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ToolName(String);

/// A text that is no tool's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected the name of one tool, without `*` and `?`, got `{0}`")]
pub struct ParseToolNameError(String);

impl ToolName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for ToolName {
    type Err = ParseToolNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().is_empty() || text.contains(['*', '?']) {
            return Err(ParseToolNameError(text.chars().take(80).collect()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for ToolName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

/// What an empty answer of one tool looks like.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Empty {
    /// Whole answers that mean that nothing was found, such as `No orders found.`; blanks around
    /// them do not matter.
    pub texts: Vec<String>,
    /// Top-level fields of a structured answer. Where every one of them that is there holds
    /// nothing or zero, and one is there, the answer is empty whatever else it holds.
    pub fields: Vec<String>,
}

/// A tool's paging parameters, by their top-level names (METHOD section 7, `paging`). They
/// replace the known names for this tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Paging {
    /// Parameters that say where in the answer to go on, such as a cursor.
    pub position: Vec<String>,
    /// Parameters that say how much to answer at once.
    pub size: Vec<String>,
    /// Parameters that say nothing about what is asked for.
    pub ignore: Vec<String>,
}

impl Tools {
    /// Every declaration by its name or pattern.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ToolDeclaration)> {
        self.0.iter().map(|(name, declared)| (name.as_str(), declared))
    }

    /// The declaration under exactly this name or pattern.
    pub fn get(&self, name: &str) -> Option<&ToolDeclaration> {
        self.0.get(name)
    }
}

impl<'de> Deserialize<'de> for Tools {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A tool that is named and left empty declares nothing.
        let tools: BTreeMap<String, Option<ToolDeclaration>> = BTreeMap::deserialize(deserializer)?;
        let mut checked = BTreeMap::new();
        for (name, declared) in tools {
            let declared = declared.unwrap_or_default();
            if let Some(trouble) = trouble(&name, &declared) {
                return Err(serde::de::Error::custom(trouble));
            }
            checked.insert(name, declared);
        }
        Ok(Self(checked))
    }
}

/// What cannot be meant.
fn trouble(name: &str, declared: &ToolDeclaration) -> Option<String> {
    let shown = Shown(name);
    if name.trim().is_empty() {
        return Some("a tool's name is empty".to_owned());
    }
    if declared.status_tool.as_ref().is_some_and(|status| status.as_str() == name) {
        return Some(format!("{shown}.status_tool: a tool cannot be its own status tool"));
    }
    if declared.status_tool.is_some() && declared.kind == Some(ToolKind::Read) {
        return Some(format!(
            "{shown}.status_tool: a tool of kind `read` needs none, for it can be called again"
        ));
    }
    let empty = declared.empty.as_ref();
    if declared.returns_nothing && empty.is_some() {
        return Some(format!(
            "{shown}: a tool that returns nothing by design has no emptiness, so `empty` has no \
             meaning beside `returns_nothing`"
        ));
    }
    if empty.is_some_and(|empty| empty.texts.is_empty() && empty.fields.is_empty()) {
        return Some(format!("{shown}.empty: give `texts` or `fields`"));
    }
    None
}

struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().take(80).try_for_each(|letter| write!(f, "{letter}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    fn tools(text: &str) -> Result<Tools, String> {
        Config::parse(text).map(|config| config.tools)
    }

    #[test]
    fn everything_about_a_tool_can_be_declared_and_is_printed_back() {
        let text = "
tools:
  create_order:
    kind: write
    status_tool: get_order_status
  'search_*':
    kind: read
    empty: {texts: [No orders found.], fields: [items]}
    paging: {position: [row]}
  think: {returns_nothing: true}
  idle:
";
        let found = tools(text).unwrap();
        let order = found.get("create_order").unwrap();
        assert_eq!(order.kind, Some(ToolKind::Write));
        assert_eq!(order.status_tool.as_ref().unwrap().as_str(), "get_order_status");
        assert!(found.get("think").unwrap().returns_nothing);
        assert_eq!(found.get("idle"), Some(&ToolDeclaration::default()));
        let printed = Config { tools: found.clone(), ..Config::default() }.to_yaml();
        assert_eq!(tools(&printed).unwrap(), found);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_its_place() {
        for (declared, expected) in [
            ("x: {kind: writes}", "tools.x.kind: expected `read`, `idempotent_write` or `write`"),
            ("x: {kind: write, status_tool: x}", "x.status_tool: a tool cannot be its own"),
            ("x: {kind: read, status_tool: y}", "x.status_tool: a tool of kind `read` needs none"),
            ("x: {status_tool: 'get_*'}", "expected the name of one tool"),
            ("x: {status_tool: ''}", "expected the name of one tool"),
            ("x: {empty: {}}", "x.empty: give `texts` or `fields`"),
            ("x: {returns_nothing: true, empty: {texts: [a]}}", "has no emptiness"),
            ("x: {sort: write}", "unknown key `sort`"),
            ("'': {kind: read}", "a tool's name is empty"),
        ] {
            let error = tools(&format!("tools:\n  {declared}\n")).unwrap_err();
            assert!(error.contains(expected), "{declared}: {error}");
        }
    }
}
