//! Rows of OTLP/gRPC alone.

use http::Request;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_client::TraceServiceClient;
use prost::Message as _;
use tonic::codec::CompressionEncoding;
use tonic::transport::Channel;

use super::client::{EXPORT, Pieces, call, connect_h2, exchange, export, head, send};
use super::server::Server;
use super::spans::{call as tool_call, call_of_len, framed, gzip, one_call, ordinary, request};

async fn real_client(server: &Server) -> TraceServiceClient<Channel> {
    TraceServiceClient::connect(format!("http://{}", server.grpc)).await.unwrap()
}

#[tokio::test]
async fn row_14_the_real_client_is_served_plain_and_with_gzip_and_zstd_refused_politely() {
    let server = Server::start().await;
    let mut plain = real_client(&server).await;
    let mut packed = plain
        .clone()
        .send_compressed(CompressionEncoding::Gzip)
        .accept_compressed(CompressionEncoding::Gzip);
    for client in [&mut plain, &mut packed] {
        let spans = vec![tool_call(1), ordinary(2), tool_call(3)];
        let reply = client.export(request(spans)).await.unwrap().into_inner();
        assert_eq!(reply.partial_success, None);
    }
    assert_eq!(server.memory.sightings(), 4);

    let mut bad = tool_call(4);
    bad.trace_id.clear();
    let reply = plain.export(request(vec![bad])).await.unwrap().into_inner();
    assert_eq!(reply.partial_success.unwrap().rejected_spans, 1);
}

#[tokio::test]
async fn the_real_client_reads_our_errors() {
    let server = Server::start().await;
    server.memory.set_trouble(Some(firstcall::store::StoreError::WriterStopped));
    let error = real_client(&server).await.export(request(vec![tool_call(1)])).await.unwrap_err();
    assert_eq!(error.code(), tonic::Code::Unavailable);
    assert_eq!(error.message(), "store cannot take data at the moment");
    assert!(!error.details().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn row_15_a_thousand_calls_are_in_flight_on_one_connection() {
    let server = Server::start().await;
    server.memory.gate.forget_permits(usize::MAX >> 3);
    let client = real_client(&server).await;
    let calls: Vec<_> = (0..1000)
        .map(|number| {
            let mut client = client.clone();
            tokio::spawn(async move { client.export(request(vec![tool_call(number)])).await })
        })
        .collect();
    // None is answered before it is committed.
    tokio::task::yield_now().await;
    assert_eq!(server.memory.sightings(), 0);
    assert!(calls.iter().all(|call| !call.is_finished()));
    server.memory.gate.add_permits(1000);
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(server.memory.sightings(), 1000);
}

#[tokio::test]
async fn a_message_may_come_in_pieces_of_any_length() {
    let server = Server::start().await;
    let mut sender = connect_h2(server.grpc).await;
    let bytes = framed(0, &one_call());
    for len in [1, 3, 5, 6, 100] {
        let answer = call(&mut sender, EXPORT, &[], Pieces::of_len(&bytes, len)).await;
        assert_eq!(answer.grpc_status(), 0, "pieces of {len} bytes");
    }
    assert_eq!(server.memory.sightings(), 5);
}

#[tokio::test]
async fn row_21_what_grpc_itself_asks_for() {
    let server = Server::start().await;
    let mut sender = connect_h2(server.grpc).await;
    let body = || Pieces::whole(framed(0, &one_call()));
    let unknown = "/opentelemetry.proto.collector.trace.v1.TraceService/Import";
    assert_eq!(call(&mut sender, unknown, &[], body()).await.grpc_status(), 12);
    let grpc_proto = [("content-type", "application/grpc+proto")];
    assert_eq!(call(&mut sender, EXPORT, &grpc_proto, body()).await.grpc_status(), 0);
    for other in ["application/json", "text/plain", "application/grpc-web"] {
        let answer = call(&mut sender, EXPORT, &[("content-type", other)], body()).await;
        assert_eq!(answer.status, 415, "{other}");
    }
    let get = Request::get(format!("http://localhost{EXPORT}"))
        .header("content-type", "application/grpc")
        .body(Pieces::whole(""))
        .unwrap();
    assert_eq!(exchange(&mut sender, get).await.status, 405);
}

#[tokio::test]
async fn a_unary_call_has_exactly_one_message() {
    let server = Server::start().await;
    let message = framed(0, &one_call());
    let twice = [&message[..], &message].concat();
    assert_eq!(export(server.grpc, &[], twice).await.grpc_status(), 3);
    let and_a_byte = [&message[..], b"x"].concat();
    assert_eq!(export(server.grpc, &[], and_a_byte).await.grpc_status(), 3);
    assert_eq!(export(server.grpc, &[], "").await.grpc_status(), 3);
    let cut = message.slice(..message.len() - 1);
    assert_eq!(export(server.grpc, &[], cut).await.grpc_status(), 3);
    assert_eq!(export(server.grpc, &[], message.slice(..4)).await.grpc_status(), 3);
    assert_eq!(export(server.grpc, &[], framed(2, b"")).await.grpc_status(), 3);
    assert_eq!(server.memory.batches().len(), 0);
}

#[tokio::test]
async fn a_compressed_message_needs_a_named_encoding() {
    let server = Server::start().await;
    let answer = export(server.grpc, &[], framed(1, &gzip(&one_call()))).await;
    assert_eq!(answer.grpc_status(), 13, "INTERNAL, as gRPC's compression has it");
}

#[tokio::test]
async fn row_16_an_oversize_call_is_told_so_while_it_is_still_writing() {
    let server = Server::with(firstcall::receive::Limits {
        max_request_bytes: 1024 * 1024,
        ..Default::default()
    })
    .await;
    let message = framed(0, &call_of_len(3 * 1024 * 1024));
    for _ in 0..20 {
        let mut sender = connect_h2(server.grpc).await;
        let body = Pieces::of_len(&message, 10_000);
        assert_eq!(call(&mut sender, EXPORT, &[], body).await.grpc_status(), 8);
    }
}

/// The client has given up by then and sends the same again: code 4 is in its table of those.
#[tokio::test]
async fn bug_24_a_call_whose_deadline_passes_before_its_commit_is_told_so_and_kept_whole_or_not() {
    let server = Server::start().await;
    server.memory.gate.forget_permits(usize::MAX >> 3);
    let message = framed(0, &request(vec![tool_call(1), tool_call(2)]).encode_to_vec());
    let mut sender = connect_h2(server.grpc).await;
    let timeout = [("grpc-timeout", "80m")];
    let started = std::time::Instant::now();
    let answer = call(&mut sender, EXPORT, &timeout, Pieces::whole(message.clone())).await;
    let took = started.elapsed();
    assert_eq!(answer.grpc_status(), 4, "DEADLINE_EXCEEDED");
    assert!((80..2000).contains(&took.as_millis()), "{took:?}");
    server.memory.gate.add_permits(10);
    // The commit waits in the future that was dropped: nothing is kept.
    assert_eq!(server.memory.sightings(), 0);
    let patient = [("grpc-timeout", "10S")];
    let answer = call(&mut sender, EXPORT, &patient, Pieces::whole(message)).await;
    assert_eq!(answer.grpc_status(), 0);
    assert_eq!(server.memory.sightings(), 2);
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_any_more_is_not_begun_and_no_timeout_means_forever() {
    let server = Server::start().await;
    let mut sender = connect_h2(server.grpc).await;
    for over in ["0S", "1n", "00000000H"] {
        let body = Pieces::whole(framed(0, &one_call()));
        let answer = call(&mut sender, EXPORT, &[("grpc-timeout", over)], body).await;
        assert_eq!(answer.grpc_status(), 4, "{over}");
    }
    assert_eq!(server.memory.sightings(), 0);
    for unreadable in ["", "soon", "10s", "123456789S"] {
        let body = Pieces::whole(framed(0, &one_call()));
        let answer = call(&mut sender, EXPORT, &[("grpc-timeout", unreadable)], body).await;
        assert_eq!(answer.grpc_status(), 0, "{unreadable:?}");
    }
    assert_eq!(server.memory.sightings(), 4);
}

#[tokio::test]
async fn bug_35_http1_on_the_grpc_port_is_served_and_grpc_over_http1_is_told_why_not() {
    let server = Server::start().await;
    let body = one_call();
    let answer = super::client::post(server.grpc, &body, &[]).await;
    assert_eq!(answer.status, 200);
    let grpc = head(body.len()).replace("/v1/traces", EXPORT).replace("x-protobuf", "grpc");
    let answer = send(server.grpc, &[grpc.as_bytes(), b"\r\n", &body].concat()).await;
    assert_eq!(answer.status, 415);
    assert!(answer.status_body().message.contains("HTTP/2"));
}
