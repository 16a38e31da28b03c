//! Whole requests over gRPC on the loopback device, against a server of one thread.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use firstcall::ingest::{Commit, Ingest};
use firstcall::receive::{Limits, Listeners};
use firstcall::shutdown::Stop;
use firstcall::store::{Store, Writer, WriterOptions};
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};

use super::decode::{Nowhere, ingest};
use super::memory::mib;
use super::{cpu, median, traffic};

const ROUNDS: usize = 5;
/// Requests of one round.
const REQUESTS: u64 = 480;
/// Requests in flight at once.
const IN_FLIGHT: u64 = 4;

/// Something that serves OTLP/gRPC on one thread of that name until it is told to stop.
type Server = fn(&mpsc::Sender<SocketAddr>, &Stop);

/// Measures and prints.
pub(crate) fn run(requests: &[Bytes]) {
    let plain: Vec<Bytes> = requests.iter().map(|bytes| framed(0, bytes)).collect();
    let unread: Vec<Bytes> = requests.iter().map(|bytes| framed(0, &unknown(bytes))).collect();
    let packed: Vec<Bytes> = requests.iter().map(|bytes| framed(1, &gzip(bytes))).collect();
    let servers: [(&str, Server, &[Bytes], bool); 7] = [
        ("tonic, full decode, dropped", tonic_server, &plain, false),
        ("floor: the same transport, unread", firstcall_server, &unread, false),
        ("calls, committed nowhere", calls_server, &plain, false),
        ("calls and attempts, committed nowhere", firstcall_server, &plain, false),
        ("calls, committed and synced", durable_calls_server, &plain, false),
        ("calls and attempts, committed, synced", durable_server, &plain, false),
        ("the same from gzip, committed nowhere", firstcall_server, &packed, true),
    ];
    let mut figures = vec![Vec::new(); servers.len()];
    for _ in 0..ROUNDS {
        for ((_, server, bodies, is_packed), figures) in servers.iter().zip(&mut figures) {
            figures.push(round(*server, bodies, *is_packed));
        }
    }
    let spans = (REQUESTS * traffic::SPANS) as f64;
    println!(
        "over gRPC, server of one thread          us CPU/span  spans/CPU s  times tonic  spans/s"
    );
    let mut base = f64::NAN;
    for ((name, ..), rounds) in servers.iter().zip(figures) {
        let cpu = median(rounds.iter().map(|(cpu, _)| cpu.as_secs_f64()).collect()) / spans;
        let wall = median(rounds.iter().map(|(_, wall)| wall.as_secs_f64()).collect()) / spans;
        if base.is_nan() {
            base = cpu;
        }
        let times = base / cpu;
        let (per_cpu, per_wall) = (1.0 / cpu, 1.0 / wall);
        println!("  {name:<38}{:>12.2}{per_cpu:>13.0}{times:>13.1}{per_wall:>9.0}", cpu * 1e6);
    }
    println!("peak memory of this whole process: {} MiB", mib("self", "VmHWM:"));
}

/// CPU time of the server's threads, and the time it took.
fn round(server: Server, bodies: &[Bytes], is_packed: bool) -> (Duration, Duration) {
    let (send, receive) = mpsc::channel();
    let stop = Stop::new();
    let serving = {
        let stop = stop.clone();
        let thread = std::thread::Builder::new().name("server".to_owned());
        thread.spawn(move || server(&send, &stop)).unwrap()
    };
    let address = receive.recv().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // The first requests make the server's buffers.
    runtime.block_on(send_all(address, bodies, IN_FLIGHT * 8, is_packed));
    let before = server_cpu();
    let start = Instant::now();
    runtime.block_on(send_all(address, bodies, REQUESTS, is_packed));
    let (wall, cpu) = (start.elapsed(), server_cpu().saturating_sub(before));
    stop.request();
    drop(runtime);
    serving.join().unwrap();
    (cpu, wall)
}

/// Everything but the client's thread: the server's own, the store's writer, and the pool that
/// opens large bodies.
fn server_cpu() -> Duration {
    cpu::of_named("").saturating_sub(cpu::of_thread(&cpu::this_thread()))
}

async fn send_all(address: SocketAddr, bodies: &[Bytes], count: u64, is_packed: bool) {
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let (sender, connection) =
        http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let connection = tokio::spawn(connection);
    let bodies: Arc<[Bytes]> = bodies.into();
    let lanes = (0..IN_FLIGHT).map(|lane| {
        let (mut sender, bodies) = (sender.clone(), Arc::clone(&bodies));
        tokio::spawn(async move {
            for at in (lane..count).step_by(usize::try_from(IN_FLIGHT).unwrap()) {
                let body = bodies.iter().cycle().nth(usize::try_from(at).unwrap()).unwrap();
                send(&mut sender, body.clone(), is_packed).await;
            }
        })
    });
    for lane in lanes.collect::<Vec<_>>() {
        lane.await.unwrap();
    }
    connection.abort();
}

pub(crate) async fn send(
    sender: &mut http2::SendRequest<Full<Bytes>>,
    body: Bytes,
    is_packed: bool,
) {
    let path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
    let mut request = Request::post(format!("http://localhost{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    if is_packed {
        request = request.header("grpc-encoding", "gzip");
    }
    sender.ready().await.unwrap();
    let response = sender.send_request(request.body(Full::new(body)).unwrap()).await.unwrap();
    let body = response.into_body().collect().await.unwrap();
    let status = body.trailers().and_then(|trailers| trailers.get("grpc-status"));
    assert_eq!(status.unwrap(), "0");
}

pub(crate) fn framed(flag: u8, message: &[u8]) -> Bytes {
    let len = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[flag][..], &len, message].concat().into()
}

/// A request of the same size that is one field nobody knows: skipped in one step.
fn unknown(bytes: &[u8]) -> Vec<u8> {
    const FIELD_15: u8 = 15 << 3 | 2;
    let mut message = vec![FIELD_15];
    prost::encoding::encode_varint(bytes.len() as u64, &mut message);
    message.extend_from_slice(bytes);
    message
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn block_on(future: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(future);
}

fn serve<C: Commit>(ingest: Ingest<C>, ready: &mpsc::Sender<SocketAddr>, stop: &Stop) {
    block_on(async {
        let listeners = Listeners::bind("127.0.0.1:0", "127.0.0.1:0").await.unwrap();
        ready.send(listeners.grpc_address()).unwrap();
        listeners.serve(ingest, Limits::default(), stop.clone()).await;
    });
}

fn firstcall_server(ready: &mpsc::Sender<SocketAddr>, stop: &Stop) {
    serve(ingest(Nowhere), ready, stop);
}

fn calls_server(ready: &mpsc::Sender<SocketAddr>, stop: &Stop) {
    serve(ingest(Nowhere).without_attempts(), ready, stop);
}

fn durable_server(ready: &mpsc::Sender<SocketAddr>, stop: &Stop) {
    with_store(|writer| serve(ingest(writer), ready, stop));
}

fn durable_calls_server(ready: &mpsc::Sender<SocketAddr>, stop: &Stop) {
    with_store(|writer| serve(ingest(writer).without_attempts(), ready, stop));
}

fn with_store(work: impl FnOnce(Arc<Writer>)) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let writer = Arc::new(Writer::start(&store, WriterOptions::default()).unwrap());
    work(Arc::clone(&writer));
    writer.close().unwrap();
}

/// What most receivers in Rust do: tonic with its largest message raised, everything decoded.
struct Dropping;

#[tonic::async_trait]
impl TraceService for Dropping {
    async fn export(
        &self,
        request: tonic::Request<ExportTraceServiceRequest>,
    ) -> Result<tonic::Response<ExportTraceServiceResponse>, tonic::Status> {
        drop(std::hint::black_box(request.into_inner()));
        Ok(tonic::Response::new(ExportTraceServiceResponse::default()))
    }
}

fn tonic_server(ready: &mpsc::Sender<SocketAddr>, stop: &Stop) {
    block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        ready.send(listener.local_addr().unwrap()).unwrap();
        let service = TraceServiceServer::new(Dropping)
            .max_decoding_message_size(64 * 1024 * 1024)
            .accept_compressed(tonic::codec::CompressionEncoding::Gzip);
        let incoming =
            tonic::transport::server::TcpIncoming::from(listener).with_nodelay(Some(true));
        let server = tonic::transport::Server::builder().add_service(service);
        server.serve_with_incoming_shutdown(incoming, stop.requested()).await.unwrap();
    });
}
