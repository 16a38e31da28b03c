//! TLS towards another server: whom to trust and what to show, from PEM files.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// The files, all PEM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TlsClientFiles<'f> {
    /// Roots of the server's certificate, in place of the system's.
    pub roots: Option<&'f Path>,
    /// The certificate to show, with those that lead to its root, and its private key.
    pub identity: Option<(&'f Path, &'f Path)>,
}

/// A file that cannot be read or used. Names it, never what is in it.
#[derive(Debug, thiserror::Error)]
#[error("cannot use `{}` for TLS", path.display())]
pub struct TlsClientError {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    pub source: io::Error,
}

impl TlsClientError {
    fn unusable(path: &Path, why: &str) -> Self {
        let source = io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
        Self { path: path.to_owned(), source }
    }
}

impl TlsClientFiles<'_> {
    /// Reads the files.
    ///
    /// # Errors
    /// Where one cannot be read or used.
    pub fn config(self) -> Result<ClientConfig, TlsClientError> {
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        // Fails only where a provider has no suite for a version, and ring has.
        let builder = builder
            .with_safe_default_protocol_versions()
            .map_err(|_error| TlsClientError::unusable(Path::new("tls"), "no version of TLS"))?;
        let builder = builder.with_root_certificates(self.read_roots()?);
        let Some((certificate, key)) = self.identity else {
            return Ok(builder.with_no_client_auth());
        };
        let chain = certificates(certificate)?;
        let read = PrivateKeyDer::from_pem_slice(&read(key)?)
            .map_err(|_error| TlsClientError::unusable(key, "it holds no private key in PEM"))?;
        builder.with_client_auth_cert(chain, read).map_err(|_error| {
            TlsClientError::unusable(key, "the key and the certificate do not fit")
        })
    }

    fn read_roots(self) -> Result<RootCertStore, TlsClientError> {
        let mut roots = RootCertStore::empty();
        let Some(file) = self.roots else {
            // Those of the system that cannot be read are none that a server would be trusted by.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            return Ok(roots);
        };
        for root in certificates(file)? {
            roots
                .add(root)
                .map_err(|_error| TlsClientError::unusable(file, "a certificate cannot be used"))?;
        }
        Ok(roots)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, TlsClientError> {
    std::fs::read(path).map_err(|source| TlsClientError { path: path.to_owned(), source })
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsClientError> {
    let pem = read(path)?;
    let found: Vec<_> = CertificateDer::pem_slice_iter(&pem).filter_map(Result::ok).collect();
    if found.is_empty() {
        return Err(TlsClientError::unusable(path, "it holds no certificate in PEM"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_named_where_it_cannot_be_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let own = || rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let (one, other) = (own(), own());
        std::fs::write(path("cert.pem"), one.cert.pem()).unwrap();
        std::fs::write(path("key.pem"), one.signing_key.serialize_pem()).unwrap();
        std::fs::write(path("other.pem"), other.signing_key.serialize_pem()).unwrap();
        std::fs::write(path("empty.pem"), "").unwrap();
        let config = |roots: Option<&str>, identity: Option<(&str, &str)>| {
            let (roots, identity) = (roots.map(path), identity.map(|(a, b)| (path(a), path(b))));
            let files = TlsClientFiles {
                roots: roots.as_deref(),
                identity: identity.as_ref().map(|(a, b)| (a.as_path(), b.as_path())),
            };
            files.config().map(drop)
        };
        config(None, None).unwrap();
        config(Some("cert.pem"), Some(("cert.pem", "key.pem"))).unwrap();
        for (roots, identity, named, why) in [
            (Some("nowhere.pem"), None, "nowhere.pem", "No such file"),
            (Some("empty.pem"), None, "empty.pem", "no certificate"),
            (Some("key.pem"), None, "key.pem", "no certificate"),
            (None, Some(("empty.pem", "key.pem")), "empty.pem", "no certificate"),
            (None, Some(("cert.pem", "cert.pem")), "cert.pem", "no private key"),
            (None, Some(("cert.pem", "other.pem")), "other.pem", "do not fit"),
        ] {
            let error = config(roots, identity).unwrap_err();
            assert_eq!(error.path, path(named));
            assert!(error.source.to_string().contains(why), "{error}: {}", error.source);
        }
    }
}
