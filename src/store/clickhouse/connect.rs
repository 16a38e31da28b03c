//! The way to the server: plain or over TLS, with the configuration's user and password.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clickhouse::Client;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::config::store::{ClickHouseTls, ServerUrl};
use crate::config::{ClickHouse, ClickHouseOtel, SqlName};
use crate::store::error::StoreError;

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
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    // Fails only where a provider has no suite for a version, and ring has.
    let builder = builder.with_safe_default_protocol_versions();
    let unusable = |path: &Path, why: &str| {
        StoreError::io(path, io::Error::new(io::ErrorKind::InvalidData, why.to_owned()))
    };
    let builder = builder.map_err(|_error| unusable(Path::new("tls"), "no protocol version"))?;
    let mut roots = RootCertStore::empty();
    if let Some(file) = &files.ca_file {
        for root in certificates(file)? {
            roots.add(root).map_err(|_error| unusable(file, "a certificate cannot be used"))?;
        }
    } else {
        let found = rustls_native_certs::load_native_certs();
        // Those of the system that cannot be read are none that a server would be trusted by.
        roots.add_parsable_certificates(found.certs);
    }
    let builder = builder.with_root_certificates(roots);
    match (&files.cert_file, &files.key_file) {
        (Some(certificate), Some(key)) => {
            let chain = certificates(certificate)?;
            let read = fs::read(key).map_err(|error| StoreError::io(key, error))?;
            let read = PrivateKeyDer::from_pem_slice(&read)
                .map_err(|_error| unusable(key, "it holds no private key in PEM"))?;
            builder
                .with_client_auth_cert(chain, read)
                .map_err(|_error| unusable(key, "the key and the certificate do not fit"))
        }
        _ => Ok(builder.with_no_client_auth()),
    }
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, StoreError> {
    let pem = fs::read(file).map_err(|error| StoreError::io(file, error))?;
    let found: Vec<_> = CertificateDer::pem_slice_iter(&pem).filter_map(Result::ok).collect();
    if found.is_empty() {
        let error = io::Error::new(io::ErrorKind::InvalidData, "it holds no certificate in PEM");
        return Err(StoreError::io(file, error));
    }
    Ok(found)
}
