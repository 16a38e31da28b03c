//! Configuration: one YAML file in the shape of an OpenTelemetry Collector's, strict, with
//! defaults for everything. Flags and environment lie over it and are read in `cli`.
//!
//! Comes in: the text of a file. Goes out: a [`Config`] in which every value has been checked.
//! An unknown key is refused with its path and line; nothing is guessed. The file holds no
//! secret. `docs/configuration.md` describes every key.

pub mod endpoint;
pub mod exporters;
pub mod folder;
pub mod limits;
pub mod nightly;
pub mod privacy;
pub mod receivers;
pub mod recovery;
pub mod report;
mod section;
pub mod security;
pub mod sessions;
pub mod source;
pub mod store;
pub mod telemetry;
pub mod tools;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use endpoint::Endpoint;
pub use exporters::{Exporters, OtlpExporter, OtlpProtocol};
pub use folder::Folder;
pub use limits::Limits;
pub use nightly::{HourOfDay, Nightly};
pub use privacy::Privacy;
pub use receivers::Receivers;
pub use recovery::Recovery;
pub use report::{Last, PageAssets, Report};
use section::section;
pub use security::{Auth, Cors, Tls};
pub use sessions::Sessions;
pub use source::{ClickHouseOtel, Source};
pub use store::{ClickHouse, ServerUrl, SqlName, Store};
pub use telemetry::{Metrics, Telemetry};
pub use tools::{Empty, Paging, ToolDeclaration, ToolKind, ToolName, Tools};

/// The largest configuration file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Everything that can be configured.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where telemetry is received.
    #[serde(default, deserialize_with = "section")]
    pub receivers: Receivers,
    /// What is read beside that, from where it is kept already.
    #[serde(default, deserialize_with = "section")]
    pub source: Source,
    /// Where sightings and figures are kept.
    #[serde(default, deserialize_with = "section")]
    pub store: Store,
    /// When the nightly pass runs.
    #[serde(default, deserialize_with = "section")]
    pub nightly: Nightly,
    /// What the report shows and where it is written.
    #[serde(default, deserialize_with = "section")]
    pub report: Report,
    /// Where the figures are sent after each pass.
    #[serde(default, deserialize_with = "section")]
    pub exporters: Exporters,
    /// How conversations are found.
    #[serde(default, deserialize_with = "section")]
    pub sessions: Sessions,
    /// What is declared of single tools.
    #[serde(default, deserialize_with = "section")]
    pub tools: Tools,
    /// What is kept of what lies below a call.
    #[serde(default, deserialize_with = "section")]
    pub recovery: Recovery,
    /// What is kept of arguments.
    #[serde(default, deserialize_with = "section")]
    pub privacy: Privacy,
    /// Caps on what a peer may send.
    #[serde(default, deserialize_with = "section")]
    pub limits: Limits,
    /// What the program says of itself.
    #[serde(default, deserialize_with = "section")]
    pub telemetry: Telemetry,
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The file is far too long to be a configuration.
    #[error("the configuration file `{}` is longer than {MAX_FILE_BYTES} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// The file's text is not a configuration: the key path, what is wrong, line and column.
    #[error("the configuration file `{}` is not valid: {what}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The key path, what is wrong with it, line and column.
        what: String,
    },
}

impl ConfigError {
    /// What to do about it.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Unreadable { .. } => "check the path given with --config and its permissions",
            Self::TooLong { .. } => "give the configuration's own file with --config",
            Self::Invalid { .. } => {
                "every key is described in docs/configuration.md; \
                 `firstcall config check` tries a file without starting anything"
            }
        })
    }
}

impl Config {
    /// Reads the file at `path`.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
        if std::fs::metadata(path).map_err(unreadable)?.len() > MAX_FILE_BYTES {
            return Err(ConfigError::TooLong { path: path.to_owned() });
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        Self::parse(&text).map_err(|what| ConfigError::Invalid { path: path.to_owned(), what })
    }

    /// Reads a configuration from its text; an error tells key path, line and column.
    pub fn parse(text: &str) -> Result<Self, String> {
        // A file of comments alone is a configuration of defaults.
        let config: Option<Self> =
            yaml_serde::from_str(text).map_err(|error| in_our_words(&error.to_string()))?;
        Ok(config.unwrap_or_default())
    }

    /// The configuration as the text of a file that says the same.
    pub fn to_yaml(&self) -> String {
        yaml_serde::to_string(self).unwrap_or_default()
    }
}

/// The parser speaks of Rust's structs; the reader of a configuration knows keys.
fn in_our_words(message: &str) -> String {
    message
        .replace("unknown field", "unknown key")
        .replace("duplicate field", "duplicate key")
        .replace("invalid type: unit value", "no value")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_an_empty_file_and_empty_sections_are_the_defaults() {
        for text in ["", "# nothing\n", "receivers:\n", "receivers:\n  otlp:\nnightly:\n"] {
            assert_eq!(Config::parse(text).unwrap(), Config::default(), "{text:?}");
        }
        let config = Config::default();
        assert_eq!(config.receivers.otlp.protocols.grpc.endpoint.as_str(), "127.0.0.1:4317");
        assert_eq!(config.receivers.otlp.protocols.http.endpoint.as_str(), "127.0.0.1:4318");
        assert_eq!(config.store.sqlite.data_dir.as_path(), Path::new("./firstcall-data"));
        assert_eq!((config.nightly.hour.get(), config.report.last.days()), (2, 7));
        assert!(config.privacy.prints && !config.privacy.keyed_hashes);
    }

    #[test]
    fn what_is_printed_is_read_back_as_the_same() {
        let text = "nightly: {hour: 0}\nreport: {last: 30d, out: /srv/report}\n";
        let config = Config::parse(text).unwrap();
        assert_eq!(Config::parse(&config.to_yaml()).unwrap(), config);
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_path_and_line() {
        let text = "receivers:\n  otlp:\n    protocols:\n      grcp:\n        endpoint: a:1\n";
        let error = Config::parse(text).unwrap_err();
        assert!(error.starts_with("receivers.otlp.protocols: unknown key `grcp`"), "{error}");
        assert!(error.contains("line 4"), "{error}");
        let error = Config::parse("nightly:\n  hour: 2\n  minute: 3\n").unwrap_err();
        assert!(error.contains("nightly: unknown key `minute`"), "{error}");
        assert!(error.contains("line 3"), "{error}");
    }

    #[test]
    fn a_wrong_value_is_refused_with_its_path_and_line() {
        for (text, path, line) in [
            ("nightly:\n  hour: 24\n", "nightly.hour", "line 2"),
            ("nightly:\n  hour: two\n", "nightly.hour", "line 2"),
            ("report:\n  last: 0d\n", "report.last", "line 2"),
            ("report:\n\n  last: a week\n", "report.last", "line 3"),
            (
                "receivers:\n  otlp:\n    protocols:\n      http:\n        endpoint: 4318\n",
                "receivers.otlp.protocols.http.endpoint",
                "line 5",
            ),
            ("limits:\n  max_request_bytes: 0\n", "limits.max_request_bytes", "line 2"),
            ("store:\n  sqlite:\n    data_dir: ''\n", "store.sqlite.data_dir", "line 3"),
        ] {
            let error = Config::parse(text).unwrap_err();
            assert!(error.contains(path) && error.contains(line), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_tools_paging_parameters_can_be_declared() {
        let text = "tools:\n  list_rows:\n    paging:\n      position: [row]\n  idle:\n";
        let config = Config::parse(text).unwrap();
        let paging = config.tools.get("list_rows").unwrap().paging.as_ref().unwrap();
        assert_eq!((&paging.position, paging.size.len()), (&vec!["row".to_owned()], 0));
        assert_eq!(Config::parse(&config.to_yaml()).unwrap(), config);
    }

    #[test]
    fn half_a_tls_is_refused() {
        for keys in ["cert_file: a", "key_file: a", "client_ca_file: a"] {
            let text = format!("receivers:\n  otlp:\n    tls:\n      {keys}\n");
            let error = Config::parse(&text).unwrap_err();
            assert!(error.contains("cert_file and key_file belong together"), "{error}");
        }
        let text = "receivers: {otlp: {tls: {cert_file: a, key_file: b}}}";
        let config = Config::parse(text).unwrap();
        assert_eq!(Config::parse(&config.to_yaml()).unwrap(), config);
    }

    #[test]
    fn a_key_given_twice_is_refused() {
        let error = Config::parse("nightly:\n  hour: 2\n  hour: 3\n").unwrap_err();
        assert!(error.contains("duplicate"), "{error}");
    }
}
