//! The way to the server: plain or over TLS, with the configuration's user and password.

use std::fs;
use std::time::Duration;

use clickhouse::Client;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio_rustls::rustls::ClientConfig;

use crate::config::ClickHouse;
use crate::config::store::ClickHouseTls;
use crate::store::error::StoreError;
use crate::tls_client::{TlsClientError, TlsClientFiles};

/// Servers close a quiet connection after 3 s where nothing else is configured; one that is closed
/// by us is never closed under a request.
const IDLE: Duration = Duration::from_secs(2);

/// Lets the system notice a peer that is gone.
const KEEPALIVE: Duration = Duration::from_mins(1);

/// A client of the database. Nothing is sent yet.
pub(super) fn client(config: &ClickHouse) -> Result<Client, StoreError> {
    let mut plain = HttpConnector::new();
    plain.set_keepalive(Some(KEEPALIVE));
    plain.set_nodelay(true);
    let mut pool = HttpClient::builder(TokioExecutor::new());
    pool.pool_idle_timeout(IDLE);
    let client = if config.url.is_https() {
        plain.enforce_http(false);
        let tls = HttpsConnectorBuilder::new().with_tls_config(tls(&config.tls)?);
        Client::with_http_client(pool.build(tls.https_only().enable_http1().wrap_connector(plain)))
    } else {
        Client::with_http_client(pool.build(plain))
    };
    let client = client
        .with_url(config.url.as_str())
        .with_database(config.database.as_str())
        .with_user(config.user.as_str())
        .with_product_info("firstcall", env!("CARGO_PKG_VERSION"));
    Ok(match password(config)? {
        Some(password) => client.with_password(password),
        None => client,
    })
}

/// The password, from where the configuration says that it is.
fn password(config: &ClickHouse) -> Result<Option<String>, StoreError> {
    if let Some(file) = &config.password_file {
        let text = fs::read_to_string(file).map_err(|error| StoreError::io(file, error))?;
        return Ok(Some(text.lines().next().unwrap_or_default().to_owned()));
    }
    let Some(name) = &config.password_env else { return Ok(None) };
    let value = std::env::var(name);
    value.map(Some).map_err(|_error| StoreError::NoPassword { variable: name.clone() })
}

fn tls(files: &ClickHouseTls) -> Result<ClientConfig, StoreError> {
    let identity = files.cert_file.as_deref().zip(files.key_file.as_deref());
    let files = TlsClientFiles { roots: files.ca_file.as_deref(), identity };
    files.config().map_err(|TlsClientError { path, source }| StoreError::io(&path, source))
}
