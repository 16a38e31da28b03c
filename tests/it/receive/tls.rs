//! TLS: both transports, clients with certificates, and files that are replaced.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use firstcall::receive::{Options, Tls, TlsFiles};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, ServerName};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};

use super::client::{EXPORT, Pieces, call, head, read_answer};
use super::server::Server;
use super::spans::{framed, one_call};

pub(crate) type Identity = CertifiedKey<rcgen::KeyPair>;

pub(crate) fn identity() -> Identity {
    generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap()
}

pub(crate) fn write(folder: &Path, identity: &Identity) -> TlsFiles {
    let files = TlsFiles {
        certificates: folder.join("cert.pem"),
        key: folder.join("key.pem"),
        client_roots: None,
    };
    std::fs::write(&files.certificates, identity.cert.pem()).unwrap();
    std::fs::write(&files.key, identity.signing_key.serialize_pem()).unwrap();
    files
}

async fn serve(files: TlsFiles) -> (Server, Arc<Tls>) {
    let tls = Arc::new(Tls::load(files).unwrap());
    let options = Options { tls: Some(Arc::clone(&tls)), ..Options::default() };
    (Server::with(options).await, tls)
}

/// Connects as a client that trusts `server` alone.
pub(crate) async fn connect(
    address: SocketAddr,
    server: &Identity,
    own: Option<&Identity>,
    version: &'static SupportedProtocolVersion,
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(server.cert.der().clone()).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(roots);
    let config = match own {
        None => builder.with_no_client_auth(),
        Some(own) => {
            let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
            builder.with_client_auth_cert(vec![own.cert.der().clone()], key).unwrap()
        }
    };
    let stream = TcpStream::connect(address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

/// The status of a request over HTTP/1.1; none where the connection ended without an answer.
pub(crate) async fn post(mut stream: TlsStream<TcpStream>) -> Option<u16> {
    let body = one_call();
    let request = [head(body.len()).as_bytes(), b"\r\n", &body].concat();
    stream.write_all(&request).await.ok()?;
    Some(read_answer(&mut stream).await?.status)
}

#[tokio::test]
async fn both_transports_are_spoken_over_tls_of_both_versions_and_not_without() {
    let folder = tempfile::tempdir().unwrap();
    let identity = identity();
    let (server, _tls) = serve(write(folder.path(), &identity)).await;
    for version in [&TLS12, &TLS13] {
        let stream = connect(server.http, &identity, None, version).await.unwrap();
        assert_eq!(post(stream).await, Some(200));
    }
    let stream = connect(server.grpc, &identity, None, &TLS13).await.unwrap();
    let (mut sender, connection) =
        http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let body = Pieces::whole(framed(0, &one_call()));
    assert_eq!(call(&mut sender, EXPORT, &[], body).await.grpc_status(), 0);
    assert_eq!(server.memory.sightings(), 3);

    let mut plain = TcpStream::connect(server.http).await.unwrap();
    plain.write_all(format!("{}\r\n", head(0)).as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    drop(tokio::io::AsyncReadExt::read_to_end(&mut plain, &mut answer).await);
    assert!(!answer.starts_with(b"HTTP"));
}

#[tokio::test]
async fn bug_26_a_new_certificate_is_shown_and_a_broken_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (identity(), identity());
    let files = write(folder.path(), &old);
    let (server, tls) = serve(files.clone()).await;
    assert!(!tls.reload().unwrap());
    std::fs::write(&files.certificates, "-----BEGIN CERTIFICATE-----\nnot quite").unwrap();
    assert!(tls.reload().is_err());
    let stream = connect(server.http, &old, None, &TLS13).await.unwrap();
    assert_eq!(post(stream).await, Some(200));

    // A certificate of another key, as while the two files are being replaced.
    std::fs::write(&files.certificates, new.cert.pem()).unwrap();
    assert!(tls.reload().is_err());
    assert!(connect(server.http, &old, None, &TLS13).await.is_ok());

    write(folder.path(), &new);
    assert!(tls.reload().unwrap());
    assert!(connect(server.http, &old, None, &TLS13).await.is_err());
    let stream = connect(server.http, &new, None, &TLS13).await.unwrap();
    assert_eq!(post(stream).await, Some(200));
}

#[tokio::test]
async fn where_clients_show_certificates_one_without_a_known_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (identity, client, stranger) = (identity(), identity(), identity());
    let roots = folder.path().join("clients.pem");
    std::fs::write(&roots, client.cert.pem()).unwrap();
    let files = TlsFiles { client_roots: Some(roots), ..write(folder.path(), &identity) };
    let (server, _tls) = serve(files).await;
    for (own, status) in [(Some(&client), Some(200)), (Some(&stranger), None), (None, None)] {
        // Under TLS 1.3 a client learns of its refusal only after it has greeted.
        let answered = match connect(server.http, &identity, own, &TLS13).await {
            Ok(stream) => post(stream).await,
            Err(_refused) => None,
        };
        assert_eq!(answered, status);
    }
    assert_eq!(server.memory.sightings(), 1);
}

#[test]
fn files_that_cannot_be_used_are_named_and_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let files = write(folder.path(), &identity());
    std::fs::write(&files.key, "a secret that is no key").unwrap();
    let error = Tls::load(files.clone()).unwrap_err();
    assert!(error.to_string().contains("key.pem"), "{error}");
    assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    std::fs::remove_file(&files.certificates).unwrap();
    assert!(Tls::load(files).unwrap_err().to_string().contains("cert.pem"));
}
