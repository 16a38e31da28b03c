//! Telemetry that is already kept elsewhere and is read from there.

use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::report::Last;
use super::store::{ServerUrl, SqlName};

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
    pub url: ServerUrl,
    /// The database that holds the tables; `default` by default, as for the exporter.
    #[serde(default = "default_database")]
    pub database: SqlName,
    /// The table of spans; `otel_traces` by default. One that is not there is left out.
    #[serde(default = "default_traces")]
    pub traces_table: SqlName,
    /// The table of log records; `otel_logs` by default. One that is not there is left out.
    #[serde(default = "default_logs")]
    pub logs_table: SqlName,
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
    pub fn at(url: ServerUrl) -> Self {
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

fn default_database() -> SqlName {
    SqlName::of("default")
}

fn default_traces() -> SqlName {
    SqlName::of("otel_traces")
}

fn default_logs() -> SqlName {
    SqlName::of("otel_logs")
}

fn default_timeout() -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(59)
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
        assert_eq!(names.map(SqlName::as_str), ["default", "otel_traces", "otel_logs"]);
        assert_eq!((tables.since.days(), tables.timeout_s.get()), (7, 60));
        assert_eq!(*tables, ClickHouseOtel::at("http://db:8123".parse().unwrap()));
        assert_eq!(Config::parse(&config.to_yaml()).unwrap(), config);
        let text = "source: {clickhouse_otel: {url: 'https://db:8443', database: otel, \
            traces_table: t, logs_table: l_1, user: reader, password_env: PASSWORD, since: 30d, \
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
