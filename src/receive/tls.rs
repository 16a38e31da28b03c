//! TLS: certificate and key from files that may be replaced while the receiver runs.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{self, RootCertStore, ServerConfig, crypto};
use tokio_rustls::server::TlsStream;

/// The files that TLS is made of, all PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, then those that lead to its root.
    pub certificates: PathBuf,
    /// The certificate's private key.
    pub key: PathBuf,
    /// The roots of clients' certificates. Where they are given, a client without one is refused.
    pub client_roots: Option<PathBuf>,
}

/// Why TLS cannot be spoken. Names files, never what is in them.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read `{}`", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// A file does not hold what it should.
    #[error("`{}` holds no {what} in PEM form", .path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        what: &'static str,
    },
    /// The files do not belong together, or hold what cannot be used.
    #[error("`{}`, its key or the clients' roots cannot be used", .path.display())]
    Unusable {
        /// The certificate's file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl TlsError {
    /// What a person can do about it.
    pub const fn help(&self) -> &'static str {
        "receivers.otlp.tls names PEM files: cert_file with the whole chain, key_file with its \
         unencrypted key, and client_ca_file where clients show certificates"
    }
}

/// What the files held when they were last read.
#[derive(PartialEq, Eq)]
struct Contents {
    certificates: Vec<u8>,
    key: Vec<u8>,
    client_roots: Option<Vec<u8>>,
}

/// TLS with the files as they were last found in order. `Debug` names the files.
pub struct Tls {
    files: TlsFiles,
    state: RwLock<(Contents, Arc<ServerConfig>)>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files.fmt(f)
    }
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// Where one cannot be read or used.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let contents = read(&files)?;
        let config = Arc::new(config(&files, &contents)?);
        Ok(Self { files, state: RwLock::new((contents, config)) })
    }

    /// Reads the files again; connections from now on use what is new in them. Where they cannot
    /// be used what was before stays in force. Returns whether there was anything new.
    ///
    /// # Errors
    /// As [`Tls::load`].
    pub fn reload(&self) -> Result<bool, TlsError> {
        let contents = read(&self.files)?;
        if self.state.read().unwrap_or_else(PoisonError::into_inner).0 == contents {
            return Ok(false);
        }
        let config = Arc::new(config(&self.files, &contents)?);
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = (contents, config);
        Ok(true)
    }

    /// Whether clients have to show a certificate.
    pub const fn asks_for_certificates(&self) -> bool {
        self.files.client_roots.is_some()
    }

    /// Greets a client.
    pub(super) async fn greet(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let config = {
            let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(&state.1)
        };
        TlsAcceptor::from(config).accept(stream).await
    }
}

fn read(files: &TlsFiles) -> Result<Contents, TlsError> {
    let read = |path: &Path| {
        std::fs::read(path).map_err(|source| TlsError::Unreadable { path: path.to_owned(), source })
    };
    Ok(Contents {
        certificates: read(&files.certificates)?,
        key: read(&files.key)?,
        client_roots: files.client_roots.as_deref().map(read).transpose()?,
    })
}

fn certificates(path: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let what = "certificate";
    let empty = || TlsError::Empty { path: path.to_owned(), what };
    let found: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(pem).collect();
    found.ok().filter(|found| !found.is_empty()).ok_or_else(empty)
}

fn config(files: &TlsFiles, contents: &Contents) -> Result<ServerConfig, TlsError> {
    fn unusable(
        path: &Path,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> TlsError {
        TlsError::Unusable { path: path.to_owned(), source: source.into() }
    }
    let chain = certificates(&files.certificates, &contents.certificates)?;
    let key = PrivateKeyDer::from_pem_slice(&contents.key)
        .map_err(|_error| TlsError::Empty { path: files.key.clone(), what: "private key" })?;
    let provider = Arc::new(crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
        .map_err(|error| unusable(&files.certificates, error))?;
    let builder = match (&files.client_roots, &contents.client_roots) {
        (Some(path), Some(pem)) => {
            let mut roots = RootCertStore::empty();
            for root in certificates(path, pem)? {
                roots.add(root).map_err(|error| unusable(path, error))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder
                .with_client_cert_verifier(verifier.build().map_err(|error| unusable(path, error))?)
        }
        _ => builder.with_no_client_auth(),
    };
    let mut config = builder
        .with_single_cert(chain, key)
        .map_err(|error| unusable(&files.certificates, error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
