//! Where sightings and figures are kept.

use std::fmt;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use super::folder::Folder;
use super::section::{section, text};

/// The store: a folder of SQLite files, or a ClickHouse database in its place.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Store {
    /// SQLite files in one folder.
    #[serde(default, deserialize_with = "section")]
    pub sqlite: Sqlite,
    /// A ClickHouse database; where it is given, nothing is kept in SQLite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clickhouse: Option<ClickHouse>,
}

impl Store {
    /// Puts the folder for what is kept on this machine.
    pub fn set_folder(&mut self, folder: &Path) {
        self.sqlite.data_dir = Folder::new(folder);
        if let Some(clickhouse) = &mut self.clickhouse {
            clickhouse.folder = Folder::new(folder);
        }
    }
}

/// SQLite files in one folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sqlite {
    /// The data folder; made where it does not exist. `--data-dir` and `FIRSTCALL_DATA_DIR`
    /// lie over it.
    pub data_dir: Folder,
}

impl Default for Sqlite {
    fn default() -> Self {
        Self { data_dir: Folder::new("./firstcall-data") }
    }
}

/// A database in a ClickHouse server or cluster. The file names secrets' places and holds none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "ClickHouseKeys")]
pub struct ClickHouse {
    /// The server's HTTP interface, such as `https://clickhouse:8443`.
    pub url: ServerUrl,
    /// The database; `firstcall` by default.
    pub database: SqlName,
    /// Who firstcall is to the server; `default` by default.
    pub user: String,
    /// A file whose first line is the user's password.
    pub password_file: Option<PathBuf>,
    /// The name of an environment variable that holds the password.
    pub password_env: Option<String>,
    /// Whom to trust and what to show; the system's roots and nothing by default.
    pub tls: ClickHouseTls,
    /// The cluster over which the tables are spread; none for one server.
    pub cluster: Option<SqlName>,
    /// How many replicas must have an insert before it counts; the server's default where not
    /// given.
    pub quorum: Option<Quorum>,
    /// How long one insert or one answer's beginning may take, in seconds; 10 by default.
    pub timeout_s: NonZeroU32,
    /// Whether `serve` makes the schema where there is none.
    pub create_schema: bool,
    /// After how many days the server drops sightings that no pass has erased; 0 for never, and 90
    /// by default. Counted from when they were received; part of the schema.
    pub ttl_days: u32,
    /// A file of 32 bytes, the installation's secret, the same for all receivers. Kept in the
    /// database where it is not given.
    pub secret_file: Option<PathBuf>,
    /// The folder for what is kept on this machine: reports, and parts of a large day while a pass
    /// runs.
    pub folder: Folder,
}

/// TLS towards the server. Files are PEM.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClickHouseTls {
    /// Roots of the server's certificate, in place of the system's.
    pub ca_file: Option<PathBuf>,
    /// The certificate to show.
    pub cert_file: Option<PathBuf>,
    /// Its private key.
    pub key_file: Option<PathBuf>,
}

/// The keys as they stand in the file, not yet held against each other.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClickHouseKeys {
    url: ServerUrl,
    #[serde(default = "SqlName::firstcall")]
    database: SqlName,
    #[serde(default = "default_user")]
    user: String,
    password_file: Option<PathBuf>,
    password_env: Option<String>,
    #[serde(default, deserialize_with = "section")]
    tls: ClickHouseTls,
    cluster: Option<SqlName>,
    quorum: Option<Quorum>,
    #[serde(default = "default_timeout")]
    timeout_s: NonZeroU32,
    #[serde(default)]
    create_schema: bool,
    #[serde(default = "default_ttl")]
    ttl_days: u32,
    secret_file: Option<PathBuf>,
    #[serde(default = "default_folder")]
    folder: Folder,
}

fn default_user() -> String {
    "default".to_owned()
}

fn default_timeout() -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(9)
}

/// After how many days the server drops sightings by itself where nothing else is told.
pub const DEFAULT_TTL_DAYS: u32 = 90;

const fn default_ttl() -> u32 {
    DEFAULT_TTL_DAYS
}

fn default_folder() -> Folder {
    Sqlite::default().data_dir
}

/// Settings of the database that contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClickHouseError {
    /// Two passwords.
    #[error("password_file and password_env are two ways to say the same: give one of them")]
    TwoPasswords,
    /// Half an identity.
    #[error("cert_file and key_file belong together")]
    HalfIdentity,
    /// Files for TLS and an address without it.
    #[error("tls needs a url that begins with https://")]
    TlsWithoutHttps,
}

impl TryFrom<ClickHouseKeys> for ClickHouse {
    type Error = ClickHouseError;

    fn try_from(keys: ClickHouseKeys) -> Result<Self, ClickHouseError> {
        let has_two = keys.password_file.is_some() && keys.password_env.is_some();
        check_access(&keys.url, has_two, &keys.tls)?;
        Ok(Self {
            url: keys.url,
            database: keys.database,
            user: keys.user,
            password_file: keys.password_file,
            password_env: keys.password_env,
            tls: keys.tls,
            cluster: keys.cluster,
            quorum: keys.quorum,
            timeout_s: keys.timeout_s,
            create_schema: keys.create_schema,
            ttl_days: keys.ttl_days,
            secret_file: keys.secret_file,
            folder: keys.folder,
        })
    }
}

/// Holds the keys that say how a server is reached against each other.
pub(super) fn check_access(
    url: &ServerUrl,
    has_two_passwords: bool,
    tls: &ClickHouseTls,
) -> Result<(), ClickHouseError> {
    if has_two_passwords {
        return Err(ClickHouseError::TwoPasswords);
    }
    if tls.cert_file.is_some() != tls.key_file.is_some() {
        return Err(ClickHouseError::HalfIdentity);
    }
    if !url.is_https() && *tls != ClickHouseTls::default() {
        return Err(ClickHouseError::TlsWithoutHttps);
    }
    Ok(())
}

/// The address of a server's HTTP interface: `http://` or `https://`, a host, and a port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerUrl(String);

/// A text that is no such address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an address such as `http://127.0.0.1:8123`, got `{0}`")]
pub struct ParseServerUrlError(String);

impl ServerUrl {
    /// The address, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether TLS is spoken there.
    pub fn is_https(&self) -> bool {
        self.0.starts_with("https://")
    }
}

impl FromStr for ServerUrl {
    type Err = ParseServerUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // What was given is not repeated where it may hold a password.
        let refuse = || {
            let shown = if text.contains('@') { "…" } else { text };
            ParseServerUrlError(shown.chars().take(80).collect())
        };
        let address: http::Uri = text.parse().ok().ok_or_else(refuse)?;
        let is_known = matches!(address.scheme_str(), Some("http" | "https"));
        let host = address.authority().ok_or_else(refuse)?;
        let has_path = !matches!(address.path(), "" | "/");
        if !is_known || has_path || host.as_str().contains('@') || address.query().is_some() {
            return Err(refuse());
        }
        Ok(Self(text.trim_end_matches('/').to_owned()))
    }
}

impl<'de> Deserialize<'de> for ServerUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

/// A name that stands in a statement as it is: letters, digits and underscores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SqlName(String);

/// A text that is no such name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a name of at most 60 letters, digits and underscores that begins with no digit")]
pub struct ParseSqlNameError;

impl SqlName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The database's usual name.
    pub fn firstcall() -> Self {
        Self::of("firstcall")
    }

    /// A name of our own.
    pub(super) fn of(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl fmt::Display for SqlName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for SqlName {
    type Err = ParseSqlNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_sound = text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
        let begins = text.chars().next().is_some_and(|c| !c.is_ascii_digit());
        if is_sound && begins && text.len() <= 60 {
            Ok(Self(text.to_owned()))
        } else {
            Err(ParseSqlNameError)
        }
    }
}

impl<'de> Deserialize<'de> for SqlName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

/// How many replicas must have an insert: a number from 2, or `auto` for more than half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quorum {
    /// More than half.
    Auto,
    /// This many.
    Of(u32),
}

/// A text that is no quorum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected `auto` or a whole number from 2")]
pub struct ParseQuorumError;

impl fmt::Display for Quorum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Of(replicas) => replicas.fmt(f),
        }
    }
}

impl Serialize for Quorum {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::Of(replicas) => serializer.serialize_u32(*replicas),
        }
    }
}

impl<'de> Deserialize<'de> for Quorum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Quorum;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`auto` or a whole number from 2")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Quorum, E> {
                if text == "auto" { Ok(Quorum::Auto) } else { Err(E::custom(ParseQuorumError)) }
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Quorum, E> {
                let replicas = u32::try_from(number).ok().filter(|replicas| *replicas >= 2);
                replicas.map(Quorum::Of).ok_or_else(|| E::custom(ParseQuorumError))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    #[test]
    fn a_database_needs_its_url_alone_and_is_read_back() {
        let config = Config::parse("store: {clickhouse: {url: 'http://db:8123/'}}").unwrap();
        let database = config.store.clickhouse.as_ref().unwrap();
        assert_eq!(
            (database.url.as_str(), database.database.as_str()),
            ("http://db:8123", "firstcall")
        );
        assert_eq!((database.timeout_s.get(), database.ttl_days), (10, 90));
        assert!(!database.create_schema && database.cluster.is_none());
        assert_eq!(Config::parse(&config.to_yaml()).unwrap(), config);
        let text = "store: {clickhouse: {url: 'https://db:8443', database: tools, user: fc, \
            password_env: FC_PASSWORD, tls: {ca_file: a}, cluster: main, quorum: auto, \
            timeout_s: 3, create_schema: true, ttl_days: 0, secret_file: s, folder: /var/lib/fc}}";
        let config = Config::parse(text).unwrap();
        assert_eq!(Config::parse(&config.to_yaml()).unwrap(), config);
        let two = Config::parse("store: {clickhouse: {url: 'http://db:1', quorum: 2}}").unwrap();
        assert_eq!(two.store.clickhouse.unwrap().quorum, Some(Quorum::Of(2)));
    }

    #[test]
    fn what_cannot_be_used_is_refused_and_no_password_is_repeated() {
        for (keys, why) in [
            ("database: a", "url"),
            ("url: 'db:8123'", "expected an address"),
            ("url: 'http://me:secret@db:1'", "got `…`"),
            ("url: 'http://db:1', database: 'a; DROP'", "underscores"),
            ("url: 'http://db:1', cluster: 1a", "begins with no digit"),
            ("url: 'http://db:1', quorum: 1", "from 2"),
            ("url: 'http://db:1', tls: {ca_file: a}", "https://"),
            ("url: 'https://db:1', tls: {cert_file: a}", "belong together"),
            ("url: 'http://db:1', password_env: A, password_file: b", "one of them"),
            ("url: 'http://db:1', timeout_s: 0", "timeout_s"),
        ] {
            let error = Config::parse(&format!("store: {{clickhouse: {{{keys}}}}}")).unwrap_err();
            assert!(error.contains(why) && !error.contains("secret"), "{keys}: {error}");
        }
    }
}
