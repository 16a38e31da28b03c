//! Rows of OTLP/HTTP alone.

use bytes::Bytes;
use http::Request;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::client::{EXPORT, Pieces, call, connect_h2, exchange, head, post, read_answer, send};
use super::server::Server;
use super::spans::{framed, gzip, one_call};

/// A POST to `path` with this content type.
async fn post_to(server: &Server, path: &str, content_type: &str) -> super::client::Answer {
    let body = one_call();
    let head = head(body.len())
        .replace("/v1/traces", path)
        .replace("application/x-protobuf", content_type);
    send(server.http, &[head.as_bytes(), b"\r\n", &body].concat()).await
}

#[tokio::test]
async fn row_22_paths_are_taken_as_clients_make_them_and_others_are_told_so() {
    let server = Server::start().await;
    for path in ["/v1/traces", "/v1/traces/", "//v1/traces", "/", "/v1/traces?x=y"] {
        assert_eq!(post_to(&server, path, "application/x-protobuf").await.status, 200, "{path}");
    }
    let answer = post_to(&server, "/v2/traces", "application/x-protobuf").await;
    assert_eq!(answer.status, 404);
    assert!(answer.status_body().message.contains("/v1/traces"));
}

#[tokio::test]
async fn rows_24_29_bug_10_only_the_media_type_counts_and_a_wrong_one_is_415_with_a_status() {
    let server = Server::start().await;
    for good in [
        "application/x-protobuf",
        "Application/X-Protobuf",
        "application/x-protobuf; charset=utf-8",
        "application/protobuf",
    ] {
        assert_eq!(post_to(&server, "/v1/traces", good).await.status, 200, "{good}");
    }
    for bad in ["text/plain", "application/x-www-form-urlencoded", "", "\u{e9}"] {
        let answer = post_to(&server, "/v1/traces", bad).await;
        assert_eq!((answer.status, answer.status_body().code), (415, 12), "{bad}");
    }
}

#[tokio::test]
async fn rows_22_29_another_method_is_405_with_a_status_and_the_method_to_use() {
    let server = Server::start().await;
    for method in ["GET", "PUT", "DELETE", "OPTIONS"] {
        let request = format!("{method} /v1/traces HTTP/1.1\r\nhost: x\r\n\r\n");
        let answer = send(server.http, request.as_bytes()).await;
        assert_eq!(answer.status, 405, "{method}");
        assert_eq!(answer.header("allow"), Some("POST"));
        assert_eq!(answer.status_body().code, 12);
    }
}

#[tokio::test]
async fn row_29_an_error_answers_json_with_json() {
    let server = Server::start().await;
    let request = "POST /v1/nothing HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                   content-length: 2\r\n\r\n{}";
    let answer = send(server.http, request.as_bytes()).await;
    assert_eq!(answer.status, 404);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let status: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(status["code"], 12);
}

#[tokio::test]
async fn bug_12_a_success_has_the_requests_type_and_exactly_its_bytes() {
    let server = Server::start().await;
    let answer = post(server.http, &one_call(), &["accept-encoding: gzip"]).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/x-protobuf"));
    assert_eq!(answer.header("content-length"), Some("0"));
    assert_eq!(answer.header("content-encoding"), None);
}

#[tokio::test]
async fn row_23_http2_is_spoken_on_the_http_port_and_grpc_with_it() {
    let server = Server::start().await;
    let mut sender = connect_h2(server.http).await;
    let request = Request::post("http://localhost/v1/traces")
        .header("content-type", "application/x-protobuf")
        .header("content-encoding", "gzip")
        .body(Pieces::whole(gzip(&one_call())))
        .unwrap();
    let answer = exchange(&mut sender, request).await;
    assert_eq!((answer.status, answer.body.len()), (200, 0));
    let answer = call(&mut sender, EXPORT, &[], Pieces::whole(framed(0, &one_call()))).await;
    assert_eq!(answer.grpc_status(), 0);
    assert_eq!(server.memory.sightings(), 2);
}

#[tokio::test]
async fn bug_21_a_chunked_body_is_a_body() {
    let server = Server::start().await;
    let body = one_call();
    let mut request = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\n\
        content-type: application/x-protobuf\r\ntransfer-encoding: chunked\r\n\r\n"
        .to_vec();
    for chunk in body.chunks(7) {
        request.extend(format!("{:x}\r\n", chunk.len()).as_bytes());
        request.extend(chunk);
        request.extend(b"\r\n");
    }
    request.extend(b"0\r\n\r\n");
    assert_eq!(send(server.http, &request).await.status, 200);
    assert_eq!(server.memory.sightings(), 1);
}

#[tokio::test]
async fn row_27_a_chunked_body_over_the_limit_is_413_although_it_never_claimed_its_length() {
    let server = Server::with(firstcall::receive::Limits {
        max_request_bytes: 10_000,
        ..Default::default()
    })
    .await;
    let mut request = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\n\
        content-type: application/x-protobuf\r\ntransfer-encoding: chunked\r\n\r\n2711\r\n"
        .to_vec();
    request.extend([0; 10_001]);
    request.extend(b"\r\n0\r\n\r\n");
    assert_eq!(send(server.http, &request).await.status, 413);
}

#[tokio::test]
async fn row_35_a_connection_is_kept_for_the_next_request_also_after_an_error() {
    let server = Server::start().await;
    let mut stream = TcpStream::connect(server.http).await.unwrap();
    let (good, junk) = (one_call(), b"junk".to_vec());
    for (body, status) in [(&good, 200), (&junk, 400), (&good, 200)] {
        let request = [head(body.len()).as_bytes(), b"\r\n", body].concat();
        stream.write_all(&request).await.unwrap();
        assert_eq!(read_answer(&mut stream).await.unwrap().status, status);
    }
    assert_eq!(server.memory.sightings(), 2);
}

#[tokio::test]
async fn a_client_that_waits_for_leave_to_send_is_refused_before_it_sends() {
    let server = Server::start().await;
    let mut stream = TcpStream::connect(server.http).await.unwrap();
    let request = format!("{}expect: 100-continue\r\n\r\n", head(100 * 1024 * 1024));
    stream.write_all(request.as_bytes()).await.unwrap();
    assert_eq!(read_answer(&mut stream).await.unwrap().status, 413);
}

#[tokio::test]
async fn row_34_a_request_without_its_end_leaves_nothing_behind() {
    let server = Server::start().await;
    let body = one_call();
    let mut stream = TcpStream::connect(server.http).await.unwrap();
    let cut = Bytes::copy_from_slice(&body[..body.len() - 1]);
    stream.write_all(&[head(body.len()).as_bytes(), b"\r\n", &cut].concat()).await.unwrap();
    drop(stream);
    // The next client is served as if nothing had happened.
    assert_eq!(post(server.http, &body, &[]).await.status, 200);
    assert_eq!(server.memory.sightings(), 1);
}

/// Posts JSON.
async fn post_json(server: &Server, body: &[u8], more: &str) -> super::client::Answer {
    let head = head(body.len()).replace("x-protobuf", "json");
    send(server.http, &[head.as_bytes(), more.as_bytes(), b"\r\n", body].concat()).await
}

/// One tool call in OTLP's JSON, with this trace id.
fn json_call(trace_id: &str) -> String {
    let attributes: Vec<_> = [("tool_name", "search"), ("args_hash", "0123456789ab")]
        .map(|(key, text)| serde_json::json!({ "key": key, "value": { "stringValue": text } }))
        .into();
    let span = serde_json::json!({
        "traceId": trace_id,
        "spanId": "00000000000000a1",
        "name": "search",
        "kind": 2,
        "startTimeUnixNano": super::spans::NOON.to_string(),
        "endTimeUnixNano": (super::spans::NOON + 5).to_string(),
        "attributes": attributes,
    });
    let request = serde_json::json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [span] }] }] });
    request.to_string()
}

#[tokio::test]
async fn rows_24_25_26_36_json_is_taken_and_answered_in_json() {
    let server = Server::start().await;
    let body = json_call("0102030405060708090a0b0c0d0e0f10");
    for (body, more) in [
        (body.clone().into_bytes(), ""),
        (gzip(body.as_bytes()), "content-encoding: gzip\r\n"),
        (b"{}".to_vec(), ""),
    ] {
        let answer = post_json(&server, &body, more).await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, b"{}".as_slice()));
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
    assert_eq!(server.memory.sightings(), 2);
}

#[tokio::test]
async fn rows_8_29_37_bug_2_json_is_refused_in_json() {
    let server = Server::start().await;
    let base64 = post_json(&server, json_call("oaGhoaGhoaGhoaGhoaGhoQ==").as_bytes(), "").await;
    assert_eq!(base64.status, 200);
    let reply: serde_json::Value = serde_json::from_slice(&base64.body).unwrap();
    assert_eq!(reply["partialSuccess"]["rejectedSpans"], "1");
    assert!(reply["partialSuccess"]["errorMessage"].as_str().unwrap().contains("hex"));

    let broken = post_json(&server, br#"{"resourceSpans":{}}"#, "").await;
    assert_eq!(broken.status, 400);
    let status: serde_json::Value = serde_json::from_slice(&broken.body).unwrap();
    assert_eq!(status["code"], 3);
    assert!(status["message"].as_str().unwrap().contains("resourceSpans"));
    assert_eq!(status["details"][0]["@type"], "type.googleapis.com/google.rpc.BadRequest");
}
