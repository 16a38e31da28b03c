//! The way to the server: plain or over TLS, with the configuration's user and password.

use std::fs;
use std::path::Path;
use std::time::Duration;

use clickhouse::Client;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio_rustls::rustls::ClientConfig;

use crate::config::store::{ClickHouseTls, ServerUrl};
use crate::config::{ClickHouse, ClickHouseOtel, SqlName};
use crate::store::error::StoreError;
use crate::tls_client::{TlsClientError, TlsClientFiles};

/// Servers close a quiet connection after 3 s where nothing else is configured; one that is closed
/// by us is never closed under a request.
const IDLE: Duration = Duration::from_secs(2);

/// Lets the system notice a peer that is gone.
const KEEPALIVE: Duration = Duration::from_mins(1);

/// Which database of which server, and who firstcall is there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access<'c> {
    url: &'c ServerUrl,
    database: &'c SqlName,
    user: Option<&'c str>,
    password_file: Option<&'c Path>,
    password_env: Option<&'c str>,
    tls: &'c ClickHouseTls,
}

impl<'c> From<&'c ClickHouse> for Access<'c> {
    fn from(config: &'c ClickHouse) -> Self {
        Self {
            url: &config.url,
            database: &config.database,
            user: Some(&config.user),
            password_file: config.password_file.as_deref(),
            password_env: config.password_env.as_deref(),
            tls: &config.tls,
        }
    }
}

impl<'c> From<&'c ClickHouseOtel> for Access<'c> {
    fn from(config: &'c ClickHouseOtel) -> Self {
        Self {
            url: &config.url,
            database: &config.database,
            user: config.user.as_deref(),
            password_file: config.password_file.as_deref(),
            password_env: config.password_env.as_deref(),
            tls: &config.tls,
        }
    }
}

/// A client of the database. Nothing is sent yet.
pub(crate) fn client<'c>(access: impl Into<Access<'c>>) -> Result<Client, StoreError> {
    let access = access.into();
    let mut plain = HttpConnector::new();
    plain.set_keepalive(Some(KEEPALIVE));
    plain.set_nodelay(true);
    let mut pool = HttpClient::builder(TokioExecutor::new());
    pool.pool_idle_timeout(IDLE);
    let client = if access.url.is_https() {
        plain.enforce_http(false);
        let tls = HttpsConnectorBuilder::new().with_tls_config(tls(access.tls)?);
        Client::with_http_client(pool.build(tls.https_only().enable_http1().wrap_connector(plain)))
    } else {
        Client::with_http_client(pool.build(plain))
    };
    let client = client
        .with_url(access.url.as_str())
        .with_database(access.database.as_str())
        .with_product_info("firstcall", env!("CARGO_PKG_VERSION"));
    let client = match access.user {
        Some(user) => client.with_user(user),
        None => client,
    };
    Ok(match password(&access)? {
        Some(password) => client.with_password(password),
        None => client,
    })
}

/// The password, from where the configuration says that it is.
fn password(access: &Access<'_>) -> Result<Option<String>, StoreError> {
    if let Some(file) = access.password_file {
        let text = fs::read_to_string(file).map_err(|error| StoreError::io(file, error))?;
        return Ok(Some(text.lines().next().unwrap_or_default().to_owned()));
    }
    let Some(name) = access.password_env else { return Ok(None) };
    let value = std::env::var(name);
    value.map(Some).map_err(|_error| StoreError::NoPassword { variable: name.to_owned() })
}

fn tls(files: &ClickHouseTls) -> Result<ClientConfig, StoreError> {
    let identity = files.cert_file.as_deref().zip(files.key_file.as_deref());
    let files = TlsClientFiles { roots: files.ca_file.as_deref(), identity };
    files.config().map_err(|TlsClientError { path, source }| StoreError::io(&path, source))
}
