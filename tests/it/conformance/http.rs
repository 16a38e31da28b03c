//! Rows 22 to 36: HTTP.

use http::Request;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::target::{Target, json_call, one_call};
use crate::receive::client::{Pieces, connect_h2, exchange, head, read_answer, send};
use crate::receive::spans::gzip;

#[tokio::test]
async fn rows_22_29_bug_11_other_paths_methods_and_types_have_their_codes_and_a_status() {
    let target = Target::get();
    let request = |line: &str, media_type: &str| {
        format!(
            "{line} HTTP/1.1\r\nhost: x\r\ncontent-type: {media_type}\r\ncontent-length: 0\r\n\r\n"
        )
    };
    let protobuf = "application/x-protobuf";
    for (line, media_type, status) in [
        ("POST /v1/nothing", protobuf, 404),
        ("GET /v1/traces", protobuf, 405),
        ("PUT /v1/traces", protobuf, 405),
        ("POST /v1/traces", "text/plain", 415),
        ("POST /v1/traces/", protobuf, 200),
    ] {
        let answer = send(target.http, request(line, media_type).as_bytes()).await;
        assert_eq!(answer.status, status, "{line} {media_type}");
        if status != 200 {
            answer.status_body();
        }
        assert_eq!(answer.header("allow").is_some(), status == 405, "{line}");
    }
}

#[tokio::test]
async fn row_23_bug_35_http2_on_the_http_port() {
    let target = Target::get();
    let mut sender = connect_h2(target.http).await;
    let request = Request::post("http://localhost/v1/traces")
        .header("content-type", "application/x-protobuf")
        .body(Pieces::whole(one_call()))
        .unwrap();
    assert_eq!(exchange(&mut sender, request).await.status, 200);
}

#[tokio::test]
async fn rows_24_25_28_bug_10_the_reply_has_the_requests_type_whatever_its_case_and_parameters() {
    let target = Target::get();
    let json = json_call(&serde_json::json!({})).to_string().into_bytes();
    for (sent, told, body) in [
        ("application/x-protobuf", "application/x-protobuf", one_call()),
        ("Application/X-Protobuf; v=1", "application/x-protobuf", one_call()),
        ("application/json", "application/json", json.clone()),
        ("application/JSON;charset=utf-8", "application/json", json),
    ] {
        let head = head(body.len()).replace("application/x-protobuf", sent);
        let answer = send(target.http, &[head.as_bytes(), b"\r\n", &body].concat()).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(told)));
    }
}

#[tokio::test]
async fn row_26_bug_40_json_may_be_gzip_and_the_reply_is_not_unless_asked() {
    let target = Target::get();
    let body = gzip(json_call(&serde_json::json!({})).to_string().as_bytes());
    let head = head(body.len()).replace("x-protobuf", "json");
    let request = [head.as_bytes(), b"content-encoding: gzip\r\n\r\n", &body].concat();
    let answer = send(target.http, &request).await;
    assert_eq!((answer.status, answer.body.as_slice()), (200, b"{}".as_slice()));
    assert_eq!(answer.header("content-encoding"), None);
}

#[tokio::test]
async fn rows_29_30_36_an_error_is_answered_in_the_requests_type() {
    let target = Target::get();
    let answer = target.post_json("[").await;
    assert_eq!((answer.status, answer.header("content-type")), (400, Some("application/json")));
    let status: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert!(status["message"].as_str().is_some_and(|message| !message.is_empty()), "{status}");
}

#[tokio::test]
async fn row_34_a_request_that_breaks_off_leaves_the_receiver_as_it_was() {
    let target = Target::get();
    let mut stream = TcpStream::connect(target.http).await.unwrap();
    stream.write_all(format!("{}\r\nhalf", head(900)).as_bytes()).await.unwrap();
    drop(stream);
    assert_eq!(target.post(&one_call(), &[]).await.status, 200);
}

#[tokio::test]
async fn row_35_a_connection_is_kept_after_a_success_and_after_an_error() {
    let target = Target::get();
    let mut stream = TcpStream::connect(target.http).await.unwrap();
    for (body, status) in [(one_call(), 200), (b"junk".to_vec(), 400), (one_call(), 200)] {
        let request = [head(body.len()).as_bytes(), b"\r\n", &body].concat();
        stream.write_all(&request).await.unwrap();
        assert_eq!(read_answer(&mut stream).await.unwrap().status, status);
    }
}
