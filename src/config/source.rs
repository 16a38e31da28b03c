//! Telemetry that is already kept elsewhere and is read from there.

use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::report::Last;
use super::section::section;
use super::store::{self, ClickHouseTls, ServerUrl, SqlName};

/// Where telemetry is read beside what is received; nowhere by default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Source {
    /// The tables of an OpenTelemetry Collector's ClickHouse exporter.
    pub clickhouse_otel: Option<ClickHouseOtel>,
}

/// Tables as an OpenTelemetry Collector's ClickHouse exporter lays them out.
// Derived as functions of its own, for its keys are held against each other after they are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
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
    /// Whom to trust and what to show; the system's roots and nothing by default.
    #[serde(default, deserialize_with = "section")]
    pub tls: ClickHouseTls,
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
            tls: ClickHouseTls::default(),
            since: Last::default(),
            timeout_s: default_timeout(),
        }
    }
}

impl<'de> Deserialize<'de> for ClickHouseOtel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The derived function, which is no trait's.
        let keys = Self::deserialize(deserializer)?;
        let has_two = keys.password_file.is_some() && keys.password_env.is_some();
        store::check_access(&keys.url, has_two, &keys.tls).map_err(D::Error::custom)?;
        Ok(keys)
    }
}

impl Serialize for ClickHouseOtel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
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
            tls: {ca_file: /ca.pem, cert_file: /own.pem, key_file: /own.key}, timeout_s: 5}}";
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
            ("url: 'http://db:1', password_file: a, password_env: B", "password_file"),
            ("url: 'http://db:1', tls: {ca_file: a}", "https://"),
            ("url: 'https://db:1', tls: {cert_file: a}", "key_file"),
        ] {
            let text = format!("source: {{clickhouse_otel: {{{keys}}}}}");
            let error = Config::parse(&text).unwrap_err();
            assert!(error.contains(why) && !error.contains("secret"), "{keys}: {error}");
        }
    }
}
