//! Peers that are slow, greedy or broken, and the healthy one beside them.

use std::time::Duration;

use firstcall::receive::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::client::{EXPORT, Pieces, call, connect_h2, export, head, post, read_answer};
use super::server::Server;
use super::spans::{call_of_len, framed, one_call};

/// Short enough for a test, long enough for a busy machine to serve a healthy client.
const SHORT: Duration = Duration::from_millis(300);

#[tokio::test]
async fn bug_9_a_body_that_stops_is_given_up_and_told_so() {
    let server = Server::with(Limits { body_timeout: SHORT, ..Limits::default() }).await;
    let mut stream = TcpStream::connect(server.http).await.unwrap();
    let request = [head(900).as_bytes(), b"\r\n", &[0; 200]].concat();
    stream.write_all(&request).await.unwrap();
    let answer = read_answer(&mut stream).await.unwrap();
    assert_eq!(answer.status, 408);
    assert_eq!(stream.read(&mut [0]).await.unwrap(), 0, "and the connection is closed");

    let mut sender = connect_h2(server.grpc).await;
    let half = framed(0, &one_call()).slice(..50);
    let answer = call(&mut sender, EXPORT, &[], Pieces::endless(half)).await;
    assert_eq!(answer.grpc_status(), 4, "DEADLINE_EXCEEDED, which is tried again");
    let healthy = Pieces::whole(framed(0, &one_call()));
    assert_eq!(call(&mut sender, EXPORT, &[], healthy).await.grpc_status(), 0);
}

#[tokio::test]
async fn a_body_that_trickles_is_given_up_although_it_never_stops() {
    let limits = Limits { body_timeout: SHORT, min_body_rate: 1000, ..Limits::default() };
    let server = Server::with(limits).await;
    let stream = TcpStream::connect(server.http).await.unwrap();
    let (mut reader, mut writer) = stream.into_split();
    writer.write_all(format!("{}\r\n", head(900)).as_bytes()).await.unwrap();
    let trickle = tokio::spawn(async move {
        while writer.write_all(b"x").await.is_ok() {
            tokio::time::sleep(SHORT / 10).await;
        }
    });
    assert_eq!(read_answer(&mut reader).await.unwrap().status, 408);
    trickle.abort();
}

#[tokio::test]
async fn bug_29_a_head_that_trickles_is_closed() {
    let server = Server::with(Limits { head_timeout: SHORT, ..Limits::default() }).await;
    for address in [server.grpc, server.http] {
        for start in ["", "P", "POST /v1/traces HTTP/1.1\r\nhost: x\r\n"] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(start.as_bytes()).await.unwrap();
            assert_eq!(stream.read(&mut [0]).await.unwrap_or(0), 0, "{start:?}");
        }
    }
}

#[tokio::test]
async fn a_connection_without_requests_is_kept_past_the_head_timeout_and_closed_when_idle() {
    let limits = Limits { head_timeout: SHORT / 3, idle_timeout: SHORT * 3, ..Limits::default() };
    let server = Server::with(limits).await;
    let body = one_call();
    let request = [head(body.len()).as_bytes(), b"\r\n", &body].concat();
    let mut stream = TcpStream::connect(server.http).await.unwrap();
    stream.write_all(&request).await.unwrap();
    assert_eq!(read_answer(&mut stream).await.unwrap().status, 200);
    tokio::time::sleep(SHORT).await;
    stream.write_all(&request).await.unwrap();
    assert_eq!(read_answer(&mut stream).await.unwrap().status, 200);
    assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
}

#[tokio::test]
async fn bug_28_claims_without_bytes_cost_nothing_and_keep_nobody_out() {
    let limits = Limits {
        max_request_bytes: 1_000_000,
        max_in_flight_bytes: 1_500_000,
        ..Limits::default()
    };
    let server = Server::with(limits).await;
    let claim = framed(0, &[]).len();
    assert_eq!(claim, 5);
    let prefix = [0, 0, 15, 0x42, 0x40]; // 1,000,000
    let mut sender = connect_h2(server.grpc).await;
    let claims: Vec<_> = (0..100)
        .map(|_| {
            let mut sender = sender.clone();
            tokio::spawn(async move {
                let body = Pieces::endless(prefix.to_vec());
                call(&mut sender, EXPORT, &[], body).await
            })
        })
        .collect();
    let body = framed(0, &call_of_len(900_000));
    assert_eq!(call(&mut sender, EXPORT, &[], Pieces::whole(body)).await.grpc_status(), 0);
    claims.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn rows_17_20_bug_28_who_comes_when_the_budget_is_spent_is_asked_to_come_back() {
    let limits = Limits {
        max_request_bytes: 1_000_000,
        max_in_flight_bytes: 1_500_000,
        body_timeout: SHORT,
        ..Limits::default()
    };
    let server = Server::with(limits).await;
    // A request that waits for its commit holds what it took.
    server.memory.gate.forget_permits(usize::MAX >> 3);
    let big = framed(0, &call_of_len(1_000_000));
    let mut sender = connect_h2(server.grpc).await;
    let mut other = sender.clone();
    let waiting = tokio::spawn({
        let big = big.clone();
        async move { call(&mut other, EXPORT, &[], Pieces::whole(big)).await }
    });
    let refused = loop {
        let answer = call(&mut sender, EXPORT, &[], Pieces::endless(big.slice(..5))).await;
        if answer.grpc_status() == 14 {
            break answer;
        }
    };
    assert!(refused.has_retry_info());
    let over_http = post(server.http, &call_of_len(900_000), &[]).await;
    assert_eq!(over_http.status, 503, "one budget over both transports");
    assert!(over_http.header("retry-after").is_some());
    server.memory.gate.add_permits(1000);
    assert_eq!(waiting.await.unwrap().grpc_status(), 0);
    assert_eq!(export(server.grpc, &[], big).await.grpc_status(), 0);
    assert_eq!(server.memory.sightings(), 2);
}

#[tokio::test]
async fn bug_22_a_hundred_thousand_levels_are_taken() {
    let server = Server::start().await;
    // Each level is an array with one element, written from the inside out.
    let mut value: Vec<u8> = Vec::new();
    for _ in 0..100_000 {
        for tag in [0x0a, 0x2a] {
            let mut len = value.len();
            let mut varint = vec![];
            while len >= 0x80 {
                varint.push(len.to_le_bytes()[0] | 0x80);
                len >>= 7;
            }
            varint.push(len.to_le_bytes()[0]);
            value.extend(varint.iter().rev());
            value.push(tag);
        }
    }
    value.reverse();
    let message = |tag: u8, bytes: &[u8]| {
        let mut len = bytes.len();
        let mut out = vec![tag];
        while len >= 0x80 {
            out.push(len.to_le_bytes()[0] | 0x80);
            len >>= 7;
        }
        out.push(len.to_le_bytes()[0]);
        [out, bytes.to_vec()].concat()
    };
    let pair = [message(0x0a, b"args_hash"), message(0x12, &value)].concat();
    let span = message(0x12, &message(0x4a, &pair));
    let request = message(0x0a, &message(0x12, &span));
    assert_eq!(post(server.http, &request, &[]).await.status, 200);
}

#[tokio::test]
async fn a_flood_of_headers_is_refused_and_the_next_client_served() {
    let server = Server::start().await;
    let mut stream = TcpStream::connect(server.http).await.unwrap();
    let flood = format!("{}{}\r\n", head(0), "x: y\r\n".repeat(10_000));
    drop(stream.write_all(flood.as_bytes()).await);
    let answer = read_answer(&mut stream).await;
    assert!(answer.is_none_or(|answer| answer.status == 431));
    assert_eq!(post(server.http, &one_call(), &[]).await.status, 200);
}
