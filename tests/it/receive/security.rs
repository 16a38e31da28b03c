//! Who may send: tokens and browsers.

use std::sync::Arc;

use firstcall::receive::{BearerTokens, Cors, Options};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::client::{export, head, post, read_answer, send};
use super::server::Server;
use super::spans::{framed, one_call};

const TOKEN: &str = "a-token-of-twenty-ch";
const BEARER: &str = "authorization: Bearer a-token-of-twenty-ch";

async fn guarded() -> Server {
    let tokens = BearerTokens::load(None, Some(("X", TOKEN))).unwrap();
    Server::with(Options { tokens: Some(Arc::new(tokens)), ..Options::default() }).await
}

#[tokio::test]
async fn row_19_29_without_a_known_token_nothing_is_taken_over_either_transport() {
    let server = guarded().await;
    for more in [&[][..], &["authorization: Bearer another-token-of-any"], &["authorization: x"]] {
        let answer = post(server.http, &one_call(), more).await;
        assert_eq!(answer.status, 401);
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        let status = answer.status_body();
        assert_eq!(status.code, 16);
        assert!(!status.message.contains("another"));
    }
    let body = framed(0, &one_call());
    let answer = export(server.grpc, &[], body.clone()).await;
    assert_eq!((answer.grpc_status(), answer.has_retry_info()), (16, false));
    let wrong = [("authorization", "Bearer another-token-of-any")];
    assert_eq!(export(server.grpc, &wrong, body.clone()).await.grpc_status(), 16);
    assert_eq!(server.memory.sightings(), 0);

    assert_eq!(post(server.http, &one_call(), &[BEARER]).await.status, 200);
    let right = [("authorization", "Bearer a-token-of-twenty-ch")];
    assert_eq!(export(server.grpc, &right, body).await.grpc_status(), 0);
    assert_eq!(server.memory.sightings(), 2);
}

#[tokio::test]
async fn a_sender_without_a_token_is_answered_before_its_body_is_read_and_whatever_it_asks_for() {
    let server = guarded().await;
    // A client that waits for leave to send: nothing of its body ever comes.
    let mut stream = TcpStream::connect(server.http).await.unwrap();
    let request = format!("{}expect: 100-continue\r\n\r\n", head(900));
    stream.write_all(request.as_bytes()).await.unwrap();
    assert_eq!(read_answer(&mut stream).await.unwrap().status, 401);
    // What is there and what is not is told to nobody unknown.
    let elsewhere = send(server.http, b"GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert_eq!(elsewhere.status, 401);
}

fn preflight(origin: &str) -> Vec<u8> {
    format!(
        "OPTIONS /v1/traces HTTP/1.1\r\nhost: x\r\norigin: {origin}\r\n\
         access-control-request-method: POST\r\n\
         access-control-request-headers: content-type,traceparent\r\n\r\n"
    )
    .into_bytes()
}

#[tokio::test]
async fn bug_13_a_browser_is_answered_where_its_origin_may_send_also_with_an_error() {
    let tokens = BearerTokens::load(None, Some(("X", TOKEN))).unwrap();
    let server = Server::with(Options {
        tokens: Some(Arc::new(tokens)),
        cors: Cors::new(vec!["https://app.example.org".to_owned()]),
        ..Options::default()
    })
    .await;
    let answer = send(server.http, &preflight("https://app.example.org")).await;
    assert_eq!((answer.status, answer.body.len()), (204, 0));
    let origin = Some("https://app.example.org");
    assert_eq!(answer.header("access-control-allow-origin"), origin);
    assert_eq!(answer.header("access-control-allow-methods"), Some("POST"));
    let headers = answer.header("access-control-allow-headers");
    assert_eq!(headers, Some("content-type,traceparent"));
    assert!(answer.header("access-control-max-age").is_some());
    assert_eq!(answer.header("vary"), Some("origin"));

    for (more, status) in [(&[BEARER][..], 200), (&[], 401)] {
        let more = [more, &["origin: https://app.example.org"]].concat();
        let answer = post(server.http, &one_call(), &more).await;
        assert_eq!(answer.status, status);
        assert_eq!(answer.header("access-control-allow-origin"), origin);
    }
    let other = post(server.http, &one_call(), &[BEARER, "origin: https://evil.example"]).await;
    assert_eq!(other.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn bug_13_no_browser_may_send_unless_origins_are_named() {
    let server = Server::start().await;
    let answer = send(server.http, &preflight("https://app.example.org")).await;
    assert_eq!(answer.status, 405);
    let answer = post(server.http, &one_call(), &["origin: https://app.example.org"]).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), None);
}
