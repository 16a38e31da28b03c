//! Telemetry that is already kept elsewhere and is read from there.

use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use super::exporters::Receiver;
use super::report::Last;
use super::section::text;

/// Where telemetry is read beside what is received; nowhere by default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Source {
    /// The tables of an OpenTelemetry Collector's ClickHouse exporter.
    pub clickhouse_otel: Option<ClickHouseOtel>,
}

/// Tables as an OpenTelemetry Collector's ClickHouse exporter lays them out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClickHouseOtel {
    /// The server's HTTP interface, such as `http://127.0.0.1:8123`.
    pub url: Receiver,
    /// The database that holds the tables; `default` by default, as for the exporter.
    #[serde(default = "default_database")]
    pub database: TableName,
    /// The table of spans; `otel_traces` by default. One that is not there is left out.
    #[serde(default = "default_traces")]
    pub traces_table: TableName,
    /// The table of log records; `otel_logs` by default. One that is not there is left out.
    #[serde(default = "default_logs")]
    pub logs_table: TableName,
    /// Who firstcall is to the server; nobody is named by default.
    #[serde(default)]
    pub user: Option<String>,
    /// A file whose first line is the user's password.
    #[serde(default)]
    pub password_file: Option<PathBuf>,
    /// The name of an environment variable that holds the password.
    #[serde(default)]
    pub password_env: Option<String>,
    /// How far back the tables are looked through for what was not read yet; 7d by default.
    #[serde(default)]
    pub since: Last,
    /// How long the server may be silent, in seconds; 60 by default.
    #[serde(default = "default_timeout")]
    pub timeout_s: NonZeroU32,
}

impl ClickHouseOtel {
    /// The exporter's own names at `url`.
    pub fn at(url: Receiver) -> Self {
        Self {
            url,
            database: default_database(),
            traces_table: default_traces(),
            logs_table: default_logs(),
            user: None,
            password_file: None,
            password_env: None,
            since: Last::default(),
            timeout_s: default_timeout(),
        }
    }
}

fn default_database() -> TableName {
    TableName("default".to_owned())
}

fn default_traces() -> TableName {
    TableName("otel_traces".to_owned())
}

fn default_logs() -> TableName {
    TableName("otel_logs".to_owned())
}

fn default_timeout() -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(59)
}

/// The name of a table or a database: letters, digits, underscores and hyphens. It can stand in a
/// statement between backticks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableName(String);

/// A text that is no such name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a name of at most 128 letters, digits, underscores and hyphens")]
pub struct ParseTableNameError;

impl TableName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for TableName {
    type Err = ParseTableNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_sound = |c: char| c == '_' || c == '-' || c.is_ascii_alphanumeric();
        if (1..=128).contains(&text.len()) && text.chars().all(is_sound) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ParseTableNameError)
        }
    }
}

impl<'de> Deserialize<'de> for TableName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    #[test]
    fn tables_need_their_url_alone_and_are_read_back() {
        assert_eq!(Config::parse("source:\n").unwrap().source.clickhouse_otel, None);
        let config = Config::parse("source: {clickhouse_otel: {url: 'http://db:8123/'}}").unwrap();
        let tables = config.source.clickhouse_otel.as_ref().unwrap();
        let names = [&tables.database, &tables.traces_table, &tables.logs_table];
        assert_eq!(names.map(TableName::as_str), ["default", "otel_traces", "otel_logs"]);
        assert_eq!((tables.since.days(), tables.timeout_s.get()), (7, 60));
        assert_eq!(*tables, ClickHouseOtel::at("http://db:8123".parse().unwrap()));
        assert_eq!(Config::parse(&config.to_yaml()).unwrap(), config);
        let text = "source: {clickhouse_otel: {url: 'https://db:8443', database: otel, \
            traces_table: t, logs_table: l-1, user: reader, password_env: PASSWORD, since: 30d, \
            timeout_s: 5}}";
        let config = Config::parse(text).unwrap();
        assert_eq!(Config::parse(&config.to_yaml()).unwrap(), config);
    }

    #[test]
    fn what_cannot_be_used_is_refused_and_no_password_is_repeated() {
        for (keys, why) in [
            ("database: a", "url"),
            ("url: 'http://me:secret@db:1'", "got `…`"),
            ("url: 'http://db:1', traces_table: 'a`; DROP'", "underscores"),
            ("url: 'http://db:1', traces_table: ''", "underscores"),
            ("url: 'http://db:1', since: 0d", "since"),
            ("url: 'http://db:1', password: secret", "unknown key `password`"),
        ] {
            let text = format!("source: {{clickhouse_otel: {{{keys}}}}}");
            let error = Config::parse(&text).unwrap_err();
            assert!(error.contains(why) && !error.contains("secret"), "{keys}: {error}");
        }
    }
}
