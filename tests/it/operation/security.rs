//! What the program refuses to listen on, and tokens that are replaced while it runs.

use std::path::Path;
use std::time::Duration;

use tokio_rustls::rustls::version::TLS13;

use crate::receive::client::post;
use crate::receive::tls;
use crate::support::{self, RunningServer, stderr};

const OLD: &str = "old-token-0123456789";
const NEW: &str = "new-token-0123456789";

#[test]
fn an_address_that_others_can_reach_is_refused_and_told_what_it_means() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    for flag in ["--grpc-endpoint", "--http-endpoint"] {
        let other = if flag == "--grpc-endpoint" { "--http-endpoint" } else { "--grpc-endpoint" };
        let args = ["serve", flag, "0.0.0.0:0", other, "127.0.0.1:0"];
        let output = support::firstcall(&data_dir, &args);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(3), "{text}");
        for part in ["0.0.0.0:", "without TLS and authentication", "--insecure-listen"] {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
        assert!(!data_dir.exists(), "nothing has begun");
    }
}

#[test]
fn an_address_that_others_can_reach_is_listened_on_where_that_is_wanted_and_said_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = support::command(&folder.path().join("data"));
    command.args(["serve", "--grpc-endpoint", "0.0.0.0:0", "--http-endpoint", "127.0.0.1:0"]);
    command.arg("--insecure-listen");
    let stopped = RunningServer::spawn(command).stop();
    let log = String::from_utf8(stopped.log).unwrap();
    assert_eq!(log.matches("without TLS and authentication").count(), 1, "{log}");
}

fn guarded(folder: &Path, tokens: &Path) -> RunningServer {
    let config = folder.join("firstcall.yaml");
    let text =
        format!("receivers: {{otlp: {{auth: {{bearer_tokens_file: '{}'}}}}}}\n", tokens.display());
    std::fs::write(&config, text).unwrap();
    let args = ["--config", config.to_str().unwrap(), "--log-level", "trace"];
    RunningServer::start_with(&folder.join("data"), &args, &[])
}

#[tokio::test]
async fn a_token_is_replaced_while_the_program_runs_and_stands_in_no_log_line() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, OLD).unwrap();
    let server = guarded(folder.path(), &tokens);
    let status = async |token: &str| {
        post(server.http, b"", &[&format!("authorization: Bearer {token}")]).await.status
    };
    assert_eq!((status(OLD).await, status(NEW).await), (200, 401));
    std::fs::write(&tokens, NEW).unwrap();
    while status(NEW).await != 200 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(status(OLD).await, 401);
    let log = String::from_utf8(server.stop().log).unwrap();
    assert!(log.contains("the new ones are in force"), "{log}");
    assert!(!log.contains(OLD) && !log.contains(NEW), "{log}");
}

#[tokio::test]
async fn bug_26_a_certificate_is_replaced_while_the_program_runs_and_its_key_stands_in_no_log_line()
{
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (tls::identity(), tls::identity());
    let files = tls::write(folder.path(), &old);
    let config = folder.path().join("firstcall.yaml");
    let (cert, key) = (files.certificates.display(), files.key.display());
    let tls = format!("tls: {{cert_file: '{cert}', key_file: '{key}'}}");
    std::fs::write(&config, format!("receivers: {{otlp: {{{tls}}}}}\n")).unwrap();
    let args = ["--config", config.to_str().unwrap(), "--log-level", "trace"];
    let server = RunningServer::start_with(&folder.path().join("data"), &args, &[]);
    let stream = tls::connect(server.http, &old, None, &TLS13).await.unwrap();
    assert_eq!(tls::post(stream).await, Some(200));

    tls::write(folder.path(), &new);
    let stream = loop {
        match tls::connect(server.http, &new, None, &TLS13).await {
            Ok(stream) => break stream,
            Err(_refused) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    };
    assert_eq!(tls::post(stream).await, Some(200));
    assert!(tls::connect(server.http, &old, None, &TLS13).await.is_err());
    let log = String::from_utf8(server.stop().log).unwrap();
    for identity in [&old, &new] {
        let key = identity.signing_key.serialize_pem();
        assert!(!log.contains(key.lines().nth(1).unwrap()), "{log}");
    }
}

#[test]
fn a_file_without_tokens_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("firstcall.yaml");
    std::fs::write(&config, "receivers: {otlp: {auth: {bearer_tokens_env: NO_SUCH_TOKENS}}}\n")
        .unwrap();
    let data_dir = folder.path().join("data");
    let args = ["serve", "--config", config.to_str().unwrap(), "--grpc-endpoint", "127.0.0.1:0"];
    let output = support::firstcall(&data_dir, &args);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("`NO_SUCH_TOKENS` holds no bearer token"));
}

#[test]
fn config_print_shows_where_tokens_are_and_not_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("firstcall.yaml");
    std::fs::write(&config, "receivers: {otlp: {auth: {bearer_tokens_env: OUR_TOKENS}}}\n")
        .unwrap();
    let mut command = support::command(folder.path());
    command.args(["config", "print", "--config", config.to_str().unwrap()]);
    let output = command.env("OUR_TOKENS", OLD).output().unwrap();
    let text = support::stdout(&output);
    assert!(text.contains("bearer_tokens_env: OUR_TOKENS") && !text.contains(OLD), "{text}");
}

#[tokio::test]
async fn bug_33_the_start_up_line_says_whether_ipv4_is_heard_too() {
    let folder = tempfile::tempdir().unwrap();
    if std::net::TcpListener::bind("[::]:0").is_err() {
        eprintln!("skipped: this machine has no IPv6");
        return;
    }
    let mut command = support::command(&folder.path().join("data"));
    command.args(["serve", "--insecure-listen", "--grpc-endpoint", "[::]:0"]);
    command.args(["--http-endpoint", "127.0.0.1:0"]);
    let server = RunningServer::spawn(command);
    let over_ipv4 = std::net::SocketAddr::from(([127, 0, 0, 1], server.grpc.port()));
    let hears_ipv4 = std::net::TcpStream::connect(over_ipv4).is_ok();
    let (grpc, http) = (server.grpc, server.http);
    let log = String::from_utf8(server.stop().log).unwrap();
    let which = if hears_ipv4 { "IPv6 and IPv4" } else { "IPv6 only" };
    let line = format!("receiving OTLP/gRPC on {grpc} ({which}) and OTLP/HTTP on {http} ");
    assert!(log.contains(&line), "{log}");
}
