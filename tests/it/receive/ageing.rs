//! Connections that get old, and clients that ping.

use std::time::{Duration, Instant};

use firstcall::receive::Limits;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::client::{EXPORT, Pieces, call, connect_h2, head, read_answer};
use super::server::Server;
use super::spans::{framed, one_call};

const AGE: Duration = Duration::from_millis(200);
const LONG: Duration = Duration::from_millis(1500);

async fn young_server() -> Server {
    Server::with(Limits { max_connection_age: AGE, ..Limits::default() }).await
}

#[tokio::test]
async fn bug_30_an_old_http1_connection_says_so_with_an_answer_and_no_request_is_lost() {
    let server = young_server().await;
    let body = one_call();
    let request = [head(body.len()).as_bytes(), b"\r\n", &body].concat();
    let (started, mut sent, mut connections) = (Instant::now(), 0, 0);
    while started.elapsed() < LONG {
        let mut stream = TcpStream::connect(server.http).await.unwrap();
        connections += 1;
        loop {
            stream.write_all(&request).await.unwrap();
            let answer = read_answer(&mut stream).await.unwrap();
            assert_eq!(answer.status, 200);
            sent += 1;
            if answer.header("connection") == Some("close") {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    assert!(connections > 2 && sent > connections, "{sent} requests, {connections} connections");
    assert_eq!(server.memory.sightings(), sent);
}

#[tokio::test]
async fn bug_30_an_old_http2_connection_announces_its_end_and_no_call_is_lost() {
    let server = young_server().await;
    let (started, mut sent, mut connections) = (Instant::now(), 0, 0);
    while started.elapsed() < LONG {
        let mut sender = connect_h2(server.grpc).await;
        connections += 1;
        // After its announcement the connection takes no further call.
        while sender.ready().await.is_ok() {
            let body = Pieces::whole(framed(0, &one_call()));
            assert_eq!(call(&mut sender, EXPORT, &[], body).await.grpc_status(), 0);
            sent += 1;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    assert!(connections > 2 && sent > connections, "{sent} calls, {connections} connections");
    assert_eq!(server.memory.sightings(), sent);
}

#[tokio::test]
async fn bug_31_a_client_that_pings_often_is_not_sent_away() {
    let server = Server::start().await;
    let stream = TcpStream::connect(server.grpc).await.unwrap();
    let (mut sender, connection) = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_millis(5))
        .keep_alive_while_idle(true)
        .handshake(TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let body = Pieces::whole(framed(0, &one_call()));
    assert_eq!(call(&mut sender, EXPORT, &[], body).await.grpc_status(), 0);
}
