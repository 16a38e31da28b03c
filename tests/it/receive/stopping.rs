//! How the receiver begins and ends.

use std::time::Duration;

use firstcall::receive::{Limits, Listeners, Transport};
use tokio::net::{TcpListener, TcpStream};

use super::client::{EXPORT, Pieces, call, connect_h2, post};
use super::server::Server;
use super::spans::{framed, one_call};

#[tokio::test]
async fn bug_34_a_taken_port_is_named_with_what_to_change_and_nothing_is_left_listening() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let http = taken.local_addr().unwrap().to_string();
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let error = Listeners::bind(&free.to_string(), &http).await.unwrap_err();
    assert_eq!(error.transport, Transport::Http);
    assert_eq!(error.to_string(), format!("failed to listen for OTLP/http on `{http}`"));
    assert!(error.help().contains("--http-endpoint"), "{}", error.help());
    assert!(TcpStream::connect(free).await.is_err());
}

#[tokio::test]
async fn bug_33_an_address_without_brackets_is_refused_with_an_example() {
    let error = Listeners::bind("2001:db8::1:4317", "127.0.0.1:0").await.unwrap_err();
    assert_eq!(error.transport, Transport::Grpc);
    assert!(error.help().contains("[::1]:4317"), "{}", error.help());
}

#[tokio::test]
async fn bug_25_a_stop_finishes_what_is_in_flight_and_takes_nothing_new() {
    let server = Server::start().await;
    server.memory.gate.forget_permits(usize::MAX >> 3);
    let mut sender = connect_h2(server.grpc).await;
    let body = || Pieces::whole(framed(0, &one_call()));
    let in_flight = {
        let mut sender = sender.clone();
        tokio::spawn(async move { call(&mut sender, EXPORT, &[], body()).await })
    };
    let (grpc, http) = (server.grpc, server.http);
    // An answer on the same connection shows that the call before it has arrived.
    let empty = Pieces::whole(framed(0, b"junk"));
    assert_eq!(call(&mut sender, EXPORT, &[], empty).await.grpc_status(), 3);
    let gate = server.memory.gate.clone();
    let memory = server.memory.clone();
    server.stop();
    while TcpStream::connect(grpc).await.is_ok() || TcpStream::connect(http).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(!in_flight.is_finished());
    gate.add_permits(1);
    assert_eq!(in_flight.await.unwrap().grpc_status(), 0);
    assert_eq!(server.stopped().await.cut, 0);
    assert_eq!(memory.sightings(), 1);
}

#[tokio::test]
async fn a_stop_does_not_wait_for_idle_connections_nor_for_ever() {
    let server =
        Server::with(Limits { drain_timeout: Duration::from_millis(300), ..Limits::default() })
            .await;
    let idle = TcpStream::connect(server.http).await.unwrap();
    assert_eq!(post(server.http, &one_call(), &[]).await.status, 200);
    server.memory.gate.forget_permits(usize::MAX >> 3);
    let mut sender = connect_h2(server.grpc).await;
    let stuck = tokio::spawn(async move {
        sender.ready().await.unwrap();
        let request = http::Request::post(format!("http://localhost{EXPORT}"))
            .header("content-type", "application/grpc")
            .body(Pieces::whole(framed(0, &one_call())))
            .unwrap();
        sender.send_request(request).await.map(drop)
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.stop();
    assert_eq!(server.stopped().await.cut, 1);
    assert!(stuck.await.unwrap().is_err());
    drop(idle);
}
