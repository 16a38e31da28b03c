//! Servers behind TLS, as a source and as a store: trusted by the root that the configuration names
//! and by no other, and shown a certificate where they ask for one.

use std::net::SocketAddr;
use std::num::NonZeroU32;

use firstcall::config::store::ClickHouseTls;
use firstcall::store::StoreError;
use rcgen::CertifiedKey;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use super::*;
use crate::receive::tls::{Identity, identity, write};

/// TLS in front of the engine, which speaks none, until it is dropped.
struct Front {
    port: u16,
    _until: oneshot::Sender<()>,
}

impl Front {
    /// Asks clients for a certificate that is `client` itself.
    fn start(engine: &ClickHouse, server: &Identity, client: &Identity) -> Self {
        let to: SocketAddr = engine.url().trim_start_matches("http://").parse().unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(client.cert.der().clone()).unwrap();
        let provider = Arc::new(default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let CertifiedKey { cert, signing_key } = server;
        let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier.build().unwrap())
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let (tell, told) = std::sync::mpsc::channel();
        let (until, ended) = oneshot::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap().port()).unwrap();
                tokio::select! {
                    () = serve(listener, TlsAcceptor::from(Arc::new(config)), to) => {}
                    _ended = ended => {}
                }
            });
        });
        Self { port: told.recv().unwrap(), _until: until }
    }

    fn url(&self) -> String {
        format!("https://localhost:{}", self.port)
    }
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, to: SocketAddr) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            // A client that does not trust us, or whom we do not know, goes away.
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            let mut engine = TcpStream::connect(to).await.unwrap();
            tokio::io::copy_bidirectional(&mut stream, &mut engine).await.ok();
        });
    }
}

/// Files of a client that trusts `server` and shows `own`.
fn files(folder: &Path, server: &Identity, own: &Identity) -> ClickHouseTls {
    let ca = folder.join("ca.pem");
    std::fs::write(&ca, server.cert.pem()).unwrap();
    let own = write(folder, own);
    let (cert_file, key_file) = (Some(own.certificates), Some(own.key));
    ClickHouseTls { ca_file: Some(ca), cert_file, key_file }
}

#[test]
fn a_source_behind_tls_is_read_where_it_is_trusted_and_knows_us() {
    let place = Place::clickhouse();
    let engine = place.engine().unwrap();
    if !engine.can_fail() {
        return; // its address has TLS of its own or none
    }
    let bodies: Vec<Body> = traffic::traffic(traffic::Timeless::LeftOut)
        .into_iter()
        .filter(|body| body.name == "semconv_mcp_server")
        .collect();
    Layout::Maps.hold(engine, &bodies);
    let (server, own, other) = (identity(), identity(), identity());
    let front = Front::start(engine, &server, &own);
    let plain = World::new(traffic::NOW, None);
    let calls = plain.read(engine).unwrap().calls();
    assert!(calls > 0);
    let tables = |tls: ClickHouseTls| ClickHouseOtel {
        url: front.url().parse().unwrap(),
        timeout_s: NonZeroU32::new(20).unwrap(),
        tls,
        ..source(engine)
    };
    let folder = place.home();
    let trusted = files(folder, &server, &own);
    let world = World::new(traffic::NOW, Some(&plain));
    let read =
        otel_tables::run(&tables(trusted.clone()), &world.config, &world.clock(), &mut Silent);
    assert_eq!(read.unwrap().calls(), calls);
    assert_eq!(world.sightings(), plain.sightings());
    let unknown = ClickHouseTls { cert_file: None, key_file: None, ..trusted.clone() };
    let untrusted = ClickHouseTls { ca_file: None, ..trusted.clone() };
    let elsewhere = tempfile::tempdir().unwrap();
    let of_other =
        ClickHouseTls { ca_file: files(elsewhere.path(), &other, &own).ca_file, ..trusted.clone() };
    for tls in [unknown, untrusted, of_other] {
        let world = World::new(traffic::NOW, Some(&plain));
        let read =
            otel_tables::run(&tables(tls.clone()), &world.config, &world.clock(), &mut Silent);
        let error = read.unwrap_err();
        let is_told =
            matches!(error, ImportError::Tables(otel_tables::TablesError::Unreachable { .. }));
        assert!(is_told, "{tls:?}: {error}");
    }
    let gone = ClickHouseTls { ca_file: Some(folder.join("gone.pem")), ..trusted };
    let read = otel_tables::run(&tables(gone), &world.config, &world.clock(), &mut Silent);
    assert!(read.unwrap_err().to_string().contains("gone.pem"));
}

#[test]
fn a_store_behind_tls_is_used_where_it_is_trusted_and_knows_us() {
    let place = Place::clickhouse();
    let engine = place.engine().unwrap();
    if !engine.can_fail() {
        return; // its address has TLS of its own or none
    }
    let (server, own) = (identity(), identity());
    let front = Front::start(engine, &server, &own);
    let mut config = place.config();
    let database = config.clickhouse.as_mut().unwrap();
    database.url = front.url().parse().unwrap();
    let untrusted = Store::create_configured(&config).unwrap_err();
    assert!(matches!(untrusted, StoreError::Unreachable { .. }), "{untrusted}");
    config.clickhouse.as_mut().unwrap().tls = files(place.home(), &server, &own);
    let store = Store::create_configured(&config).unwrap();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    let batch =
        firstcall::store::Batch::of(crate::store::day().start(), vec![crate::store::sighting(1)]);
    block_on(writer.commit(batch)).unwrap();
    assert_eq!(crate::store::numbers(&store), [1]);
}
