//! An earlier report, read back from its `report.json`, to compare with.
//!
//! Only the headline figures are read. A document of another version, or of other rules, is
//! refused: two figures are only compared under one rule id (METHOD section 7).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::json::SCHEMA_VERSION;
use crate::call::{ClientName, Day, Name, ToolKey};
use crate::figures::{Figures, PackedFigures, RangeFigures, Rule, ToolFigures};

/// The largest document that is read, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// An earlier report's headline figures, with its name and dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    /// What it is called where it is shown.
    pub name: String,
    /// Its range's first day.
    pub from: Day,
    /// Its range's last day.
    pub to: Day,
    /// The ids of the rules that its figures were made by.
    pub rules: Vec<String>,
    /// Its figures: calls, judged calls and successes; everything else is zero.
    pub figures: RangeFigures,
}

/// Why an earlier report cannot be compared with.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The file cannot be read.
    #[error("cannot read the baseline `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The file is too long to be a report.
    #[error("the baseline `{}` is longer than {MAX_BYTES} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// The file is no report.
    #[error("the baseline `{}` is no report.json of firstcall", path.display())]
    NoReport {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        source: serde_json::Error,
    },
    /// A figure cannot be: more successes than judged calls.
    #[error("the baseline `{}` has more successes than judged calls", path.display())]
    Impossible {
        /// The file.
        path: PathBuf,
    },
    /// The document is of a version that this program does not know.
    #[error("the baseline `{}` has schema_version {found}, and {SCHEMA_VERSION} is known", path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The version it has.
        found: u64,
    },
    /// Its figures were made by other rules.
    #[error("the baseline `{name}` was made by the rules {found}, and not by `{}`", rule.id())]
    OtherRule {
        /// The baseline's name.
        name: String,
        /// Its rules.
        found: String,
        /// The rule that is asked for.
        rule: Rule,
    },
}

impl BaselineError {
    /// What to do about it.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Unreadable { .. } => "check the path given with --baseline and its permissions",
            Self::TooLong { .. } | Self::NoReport { .. } | Self::Impossible { .. } => {
                "give the report.json that `firstcall report` has written"
            }
            Self::OtherVersion { .. } => "write the baseline again with this version of firstcall",
            Self::OtherRule { .. } => {
                "figures are compared under one rule only: write the baseline again with this \
                 version of firstcall, from the same days"
            }
        })
    }
}

#[derive(Deserialize)]
struct Version {
    schema_version: u64,
}

#[derive(Deserialize)]
struct Document {
    #[serde(deserialize_with = "day")]
    from: Day,
    #[serde(deserialize_with = "day")]
    to: Day,
    covered_days: Vec<CoveredDay>,
    rules: Vec<String>,
    overall: Headline,
    tools: Vec<Tool>,
}

#[derive(Deserialize)]
#[serde(transparent)]
struct CoveredDay {
    #[serde(deserialize_with = "day")]
    day: Day,
}

#[derive(Deserialize)]
struct Headline {
    calls: u64,
    judged: u64,
    first_call_successes: u64,
    confirmed_first_call_successes: u64,
}

#[derive(Deserialize)]
struct Tool {
    service: String,
    #[serde(rename = "tool")]
    name: String,
    clients: Vec<Client>,
    #[serde(flatten)]
    headline: Headline,
}

#[derive(Deserialize)]
struct Client {
    client: String,
    #[serde(flatten)]
    headline: Headline,
}

fn day<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Day, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(serde::de::Error::custom)
}

impl Headline {
    fn is_possible(&self) -> bool {
        self.judged <= self.calls
            && self.first_call_successes <= self.judged
            && self.confirmed_first_call_successes <= self.judged
    }

    fn figures(&self) -> Figures {
        Figures {
            calls: self.calls,
            judged: self.judged,
            first_call_successes: self.first_call_successes,
            confirmed_first_call_successes: self.confirmed_first_call_successes,
            ..Figures::default()
        }
    }
}

impl Baseline {
    /// Reads the document at `path`; it is called `name`, or by its file's name.
    pub fn read(path: &Path, name: Option<&str>) -> Result<Self, BaselineError> {
        let unreadable = |source| BaselineError::Unreadable { path: path.to_owned(), source };
        let file = File::open(path).map_err(unreadable)?;
        if file.metadata().map_err(unreadable)?.len() > MAX_BYTES {
            return Err(BaselineError::TooLong { path: path.to_owned() });
        }
        let of_file = || path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.map(str::to_owned).or_else(of_file).unwrap_or_default();
        Self::parse(&mut BufReader::new(file), name, path)
    }

    /// Reads as it goes, so that a large document is never held as a whole.
    fn parse<R: Read + Seek>(
        document: &mut R,
        name: String,
        path: &Path,
    ) -> Result<Self, BaselineError> {
        let path = || path.to_owned();
        let no_report = |source: serde_json::Error| {
            if source.is_io() {
                return BaselineError::Unreadable { path: path(), source: source.into() };
            }
            BaselineError::NoReport { path: path(), source }
        };
        let version: Version = serde_json::from_reader(&mut *document).map_err(no_report)?;
        if version.schema_version != u64::from(SCHEMA_VERSION) {
            let found = version.schema_version;
            return Err(BaselineError::OtherVersion { path: path(), found });
        }
        document.rewind().map_err(|source| BaselineError::Unreadable { path: path(), source })?;
        let document: Document = serde_json::from_reader(document).map_err(no_report)?;
        let clients = document.tools.iter().flat_map(|tool| &tool.clients);
        let mut all = document.tools.iter().map(|tool| &tool.headline);
        let is_possible = document.overall.is_possible()
            && all.all(Headline::is_possible)
            && clients.map(|client| &client.headline).all(Headline::is_possible);
        if !is_possible {
            return Err(BaselineError::Impossible { path: path() });
        }
        Ok(Self {
            name,
            from: document.from,
            to: document.to,
            figures: RangeFigures {
                covered: document.covered_days.iter().map(|covered| covered.day).collect(),
                overall: document.overall.figures(),
                tools: document.tools.iter().map(tool).collect(),
                ..RangeFigures::default()
            },
            rules: document.rules,
        })
    }

    /// Refuses a baseline whose figures were not made by `rule`.
    pub fn require(&self, rule: Rule) -> Result<(), BaselineError> {
        if self.rules.iter().any(|id| id == rule.id()) {
            return Ok(());
        }
        let ids: Vec<String> = self.rules.iter().map(|id| format!("`{id:.64}`")).collect();
        let found = if ids.is_empty() { "(none)".to_owned() } else { ids.join(", ") };
        Err(BaselineError::OtherRule { name: self.name.clone(), found, rule })
    }
}

fn tool(tool: &Tool) -> (ToolKey, ToolFigures) {
    let key = ToolKey { service: Name::cut(&tool.service), tool: Name::cut(&tool.name) };
    let packed = |client: &Client| {
        let figures = PackedFigures::of_counts(&client.headline.figures());
        (ClientName::new(Name::cut(&client.client)), figures)
    };
    let clients: BTreeMap<ClientName, PackedFigures> = tool.clients.iter().map(packed).collect();
    (key, ToolFigures { all: tool.headline.figures(), clients })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(change: impl Fn(&mut serde_json::Value)) -> Result<Baseline, BaselineError> {
        let headline = serde_json::json!({
            "calls": 120, "judged": 100,
            "first_call_successes": 70, "confirmed_first_call_successes": 80,
        });
        let mut tool = headline.clone();
        tool["service"] = "orders".into();
        tool["tool"] = "search".into();
        let mut client = headline.clone();
        client["client"] = "ide".into();
        tool["clients"] = vec![client].into();
        let mut json = serde_json::json!({
            "schema_version": 1, "from": "2026-11-01", "to": "2026-11-07",
            "covered_days": ["2026-11-01"], "rules": ["window-30s", "window-30s+evidence/1"],
            "overall": headline, "tools": [tool], "a_later_name": 3,
        });
        change(&mut json);
        let mut bytes = std::io::Cursor::new(json.to_string());
        Baseline::parse(&mut bytes, "main".to_owned(), Path::new("b.json"))
    }

    #[test]
    fn headline_figures_are_read_back() {
        let baseline = document(|_| {}).unwrap();
        assert_eq!(baseline.to.to_string(), "2026-11-07");
        let (key, tool) = baseline.figures.tools.first_key_value().unwrap();
        assert_eq!((key.service.as_str(), key.tool.as_str()), ("orders", "search"));
        assert_eq!((tool.all.judged, tool.all.confirmed_first_call_successes), (100, 80));
        assert_eq!(tool.clients.values().next().unwrap().counts().first_call_successes, 70);
        assert_eq!(baseline.figures.overall.calls, 120);
    }

    #[test]
    fn other_rules_other_versions_and_nonsense_are_refused() {
        let refused = |change: fn(&mut serde_json::Value)| document(change).unwrap_err();
        let other = document(|json| json["rules"] = serde_json::json!(["window-30s"])).unwrap();
        assert!(other.require(Rule::Window).is_ok());
        assert_eq!(
            other.require(Rule::Confirmed).unwrap_err().to_string(),
            "the baseline `main` was made by the rules `window-30s`, \
             and not by `window-30s+evidence/1`"
        );
        let error = refused(|json| json["schema_version"] = 2.into());
        assert!(error.to_string().contains("schema_version 2"), "{error}");
        let error = refused(|json| json["overall"]["first_call_successes"] = 101.into());
        assert!(matches!(error, BaselineError::Impossible { .. }));
        let error = refused(|json| json["from"] = "yesterday".into());
        assert!(matches!(error, BaselineError::NoReport { .. }));
        let mut list = std::io::Cursor::new("[]");
        assert!(Baseline::parse(&mut list, String::new(), Path::new("b.json")).is_err());
    }
}
