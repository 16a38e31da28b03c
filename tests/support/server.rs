//! `firstcall serve` as a child process: ready when it says so, stopped by signal.
#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Longer than any start or drain should take on a loaded machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server that runs until it is stopped; dropping it kills it.
#[derive(Debug)]
pub(crate) struct RunningServer {
    child: Child,
    /// Where OTLP/gRPC is served.
    pub(crate) grpc: SocketAddr,
    /// Where OTLP/HTTP is served.
    pub(crate) http: SocketAddr,
    /// Where metrics are served, where they are.
    pub(crate) metrics: Option<SocketAddr>,
    log: Option<JoinHandle<Vec<u8>>>,
}

/// How a server ended.
#[derive(Debug)]
pub(crate) struct Stopped {
    /// Its exit status; a server killed by a signal has no code.
    pub(crate) status: ExitStatus,
    /// Everything that it wrote to standard error.
    pub(crate) log: Vec<u8>,
    /// From the signal to the end.
    pub(crate) took: Duration,
}

impl RunningServer {
    /// Starts the server on free ports with the data folder `data_dir`.
    #[track_caller]
    pub(crate) fn start(data_dir: &Path) -> Self {
        Self::start_with(data_dir, &[], &[])
    }

    /// Starts it with further arguments and environment variables.
    #[track_caller]
    pub(crate) fn start_with(data_dir: &Path, args: &[&str], envs: &[(&str, &str)]) -> Self {
        let mut command = super::command(data_dir);
        command.arg("serve").args(["--grpc-endpoint", "127.0.0.1:0"]);
        command.args(["--http-endpoint", "127.0.0.1:0"]).args(args).envs(envs.iter().copied());
        Self::spawn(command)
    }

    /// Starts `command` and waits for the line that says where it listens.
    #[track_caller]
    pub(crate) fn spawn(mut command: Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut stderr = child.stderr.take().expect("standard error is piped");
        let log = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stderr.read_to_end(&mut bytes).expect("standard error can be read");
            bytes
        });
        let stdout = child.stdout.take().expect("standard output is piped");
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = BufReader::new(stdout).read_line(&mut line);
            send.send(read.map(|_| line)).ok();
        });
        let line = receive.recv_timeout(PATIENCE).expect("the server says something");
        let line = line.expect("standard output can be read");
        let Some((grpc, http, metrics)) = listening(&line) else {
            child.kill().ok();
            let status = child.wait();
            let log = String::from_utf8_lossy(&log.join().unwrap_or_default()).into_owned();
            panic!("no start-up line but {line:?}, {status:?}, standard error:\n{log}");
        };
        Self { child, grpc, http, metrics, log: Some(log) }
    }

    /// The process's id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The address of OTLP/gRPC as an exporter takes it.
    pub(crate) fn grpc_url(&self) -> String {
        format!("http://{}", self.grpc)
    }

    /// The address of OTLP/HTTP as an exporter takes it, without a path.
    pub(crate) fn http_url(&self) -> String {
        format!("http://{}", self.http)
    }

    /// Sends a signal by its name, such as `TERM` or `INT`.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status().expect("kill runs");
        assert!(sent.success(), "no process {id}");
    }

    /// Asks the server to stop and waits until it has.
    #[track_caller]
    pub(crate) fn stop(self) -> Stopped {
        self.stop_by("TERM")
    }

    /// Sends the signal `name` and waits until the server has ended.
    #[track_caller]
    pub(crate) fn stop_by(self, name: &str) -> Stopped {
        self.signal(name);
        self.wait()
    }

    /// Waits until the server, which was asked to stop, has ended.
    #[track_caller]
    pub(crate) fn wait(mut self) -> Stopped {
        let since = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("the child can be waited for") {
                break status;
            }
            assert!(since.elapsed() < PATIENCE, "the server did not end");
            std::thread::sleep(Duration::from_millis(5));
        };
        let log = self.log.take().expect("a server is stopped once").join();
        Stopped { status, log: log.expect("standard error was read"), took: since.elapsed() }
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The addresses in `listening grpc=127.0.0.1:1 http=127.0.0.1:2`; a third may follow.
fn listening(line: &str) -> Option<(SocketAddr, SocketAddr, Option<SocketAddr>)> {
    let words = line.trim().strip_prefix("listening ")?;
    let value = |key: &str| {
        words.split(' ').find_map(|word| word.strip_prefix(key)).and_then(|text| text.parse().ok())
    };
    Some((value("grpc=")?, value("http=")?, value("metrics=")))
}
