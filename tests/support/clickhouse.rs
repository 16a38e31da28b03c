//! The ClickHouse engine for tests: the real one behind a front of ours (`clickhouse/front.py`
//! says what it cannot show), or the server that `FIRSTCALL_TEST_CLICKHOUSE_URL` names.
#![allow(clippy::allow_attributes, reason = "in the library's own tests there is nothing to allow")]
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, reason = "helpers of tests")]

use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use clickhouse::Client;
use firstcall::clock::{Clock, SystemClock};

/// Names a real server instead, such as `http://user:password@127.0.0.1:8123`. Each test makes
/// a database of its own there and drops it.
const REAL_SERVER: &str = "FIRSTCALL_TEST_CLICKHOUSE_URL";

/// What can be asked to go wrong; `clickhouse/faults.py` says what each does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The statement waits this long before it is run.
    Delay(Duration),
    /// The connection is closed without an answer; nothing is run.
    Refuse,
    /// The statement is answered with this error code of the engine; nothing is run.
    Fail(u32),
    /// The engine is killed after the request was read and before it is run.
    StopBefore,
    /// The engine is killed after the statement was run and before it is answered.
    StopAfter,
    /// The engine is killed after the first part of a streamed answer was written.
    StopWithin,
    /// This statement is run first, in the same database, as another client's.
    First(&'static str),
}

/// A fault of statements that contain a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    kind: FaultKind,
    of: &'static str,
    skip: u32,
    times: Option<u32>,
}

impl Fault {
    /// A fault of every statement, until it is healed.
    pub(crate) const fn new(kind: FaultKind) -> Self {
        Self { kind, of: "", skip: 0, times: None }
    }

    /// Only of statements that contain `text`.
    pub(crate) const fn of(self, text: &'static str) -> Self {
        Self { of: text, ..self }
    }

    /// Only after this many of them.
    pub(crate) const fn after(self, statements: u32) -> Self {
        Self { skip: statements, ..self }
    }

    /// Not more often than this.
    pub(crate) const fn times(self, times: u32) -> Self {
        Self { times: Some(times), ..self }
    }

    fn to_json(self) -> String {
        let Self { kind, of, skip, times } = self;
        let (mut ms, mut code, mut sql) = (0, 0, "");
        let kind = match kind {
            FaultKind::Delay(time) => {
                ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                "delay"
            }
            FaultKind::Fail(of_engine) => {
                code = of_engine;
                "fail"
            }
            FaultKind::First(statement) => {
                sql = statement;
                "first"
            }
            FaultKind::Refuse => "refuse",
            FaultKind::StopBefore => "stop_before",
            FaultKind::StopAfter => "stop_after",
            FaultKind::StopWithin => "stop_within",
        };
        serde_json::json!({
            "kind": kind, "ms": ms, "code": code, "sql": sql, "of": of, "skip": skip,
            "times": times,
        })
        .to_string()
    }
}

/// A ClickHouse that a test has for itself; dropping it stops it and deletes what it held.
#[derive(Debug)]
pub(crate) struct ClickHouse {
    url: String,
    database: String,
    user: Option<(String, String)>,
    engine: Option<Engine>,
}

/// The engine as a child process.
#[derive(Debug)]
struct Engine {
    child: Child,
    folder: tempfile::TempDir,
}

impl ClickHouse {
    /// Starts an engine, waits until it answers, and makes an empty database.
    #[track_caller]
    pub(crate) fn start() -> Self {
        let database = database_name();
        let found = if let Ok(real) = env::var(REAL_SERVER) {
            let (url, user) = parted(&real);
            Self { url, database, user, engine: None }
        } else {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let (child, url) = spawn(folder.path(), 0);
            Self { url, database, user: None, engine: Some(Engine { child, folder }) }
        };
        found.execute(&format!("CREATE DATABASE `{}`", found.database));
        found
    }

    /// Whether this is a real server. It can be asked for no faults.
    pub(crate) const fn is_real(&self) -> bool {
        self.engine.is_none()
    }

    /// Whether it can be asked for faults. Where it cannot, says which test is left out and why.
    pub(crate) fn can_fail(&self) -> bool {
        if self.is_real() {
            let test = std::thread::current().name().unwrap_or("a test").to_owned();
            eprintln!(
                "skipped: {test} needs an engine that can be killed, slowed down and told to fail; \
                 {REAL_SERVER} names a server that cannot"
            );
        }
        !self.is_real()
    }

    /// Where it listens, as `http://127.0.0.1:8123`.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The test's own database.
    pub(crate) fn database(&self) -> &str {
        &self.database
    }

    /// The user and the password that the server asks for; none of the front.
    pub(crate) fn user(&self) -> Option<(&str, &str)> {
        self.user.as_ref().map(|(user, password)| (user.as_str(), password.as_str()))
    }

    /// A client of the test's own database.
    pub(crate) fn client(&self) -> Client {
        self.client_of_server().with_database(&self.database)
    }

    fn client_of_server(&self) -> Client {
        let client = Client::default().with_url(&self.url);
        match self.user() {
            Some((user, password)) => client.with_user(user).with_password(password),
            None => client,
        }
    }

    /// Runs one statement without an answer, outside any runtime.
    #[track_caller]
    pub(crate) fn execute(&self, sql: &str) {
        let client = if sql.starts_with("CREATE DATABASE") || sql.starts_with("DROP DATABASE") {
            self.client_of_server()
        } else {
            self.client()
        };
        let done = block_on(client.query_raw(sql).execute());
        done.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// What a statement answers, in ClickHouse's TabSeparated form.
    #[track_caller]
    pub(crate) fn ask(&self, sql: &str) -> String {
        let answer = block_on(async {
            self.client().query_raw(sql).fetch_bytes("TabSeparated")?.collect().await
        });
        let answer = answer.unwrap_or_else(|error| panic!("{sql}: {error}"));
        String::from_utf8(answer.to_vec()).expect("an answer is UTF-8")
    }

    /// Asks for a fault. Where [`Self::is_real`], no test may.
    #[track_caller]
    pub(crate) fn fault(&self, fault: Fault) {
        self.tell(&fault.to_json());
    }

    /// Takes every fault back.
    #[track_caller]
    pub(crate) fn heal(&self) {
        self.tell("");
    }

    fn tell(&self, fault: &str) {
        assert!(!self.is_real(), "a real server has no fault switches");
        let address = self.url.trim_start_matches("http://").to_owned();
        let length = fault.len();
        let request = format!(
            "POST /faults HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
             Content-Length: {length}\r\n\r\n{fault}"
        );
        let mut stream = std::net::TcpStream::connect(&address).expect("the front listens");
        std::io::Write::write_all(&mut stream, request.as_bytes()).expect("the front listens");
        let mut answer = String::new();
        std::io::Read::read_to_string(&mut stream, &mut answer).expect("the front answers");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    /// Kills the engine as a lost power would (signal 9) and waits until it is gone. A fault may
    /// have killed it already.
    pub(crate) fn kill(&mut self) {
        let engine = self.engine.as_mut().expect("a real server is not killed");
        engine.child.kill().expect("the engine can be killed");
        engine.child.wait().expect("the engine can be waited for");
    }

    /// Waits until a fault has killed the engine.
    #[track_caller]
    pub(crate) fn wait_until_stopped(&mut self) {
        let engine = self.engine.as_mut().expect("a real server is not stopped");
        let since = Instant::now();
        while engine.child.try_wait().expect("the engine can be waited for").is_none() {
            assert!(since.elapsed() < Duration::from_mins(1), "the engine goes on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Starts the engine again at the same address, on what the last one left on disk.
    #[track_caller]
    pub(crate) fn restart(&mut self) {
        self.kill();
        let port = self.url.rsplit(':').next().and_then(|port| port.parse().ok());
        let engine = self.engine.as_mut().expect("a real server is not started");
        (engine.child, self.url) = spawn(engine.folder.path(), port.expect("a port"));
    }
}

impl Drop for ClickHouse {
    fn drop(&mut self) {
        if let Some(engine) = &mut self.engine {
            engine.child.kill().ok();
            engine.child.wait().ok();
        } else {
            let sql = format!("DROP DATABASE IF EXISTS `{}`", self.database);
            block_on(self.client_of_server().query_raw(&sql).execute()).ok();
        }
    }
}

/// Starts the front; its standard input is ours, so that it ends when we do.
#[track_caller]
fn spawn(folder: &Path, port: u16) -> (Child, String) {
    let mut command = Command::new(interpreter());
    command.arg(scripts().join("support/clickhouse/front.py"));
    command.arg(folder).arg(port.to_string()).env("PYTHONDONTWRITEBYTECODE", "1");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the interpreter starts");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("standard output is piped");
    BufReader::new(stdout).read_line(&mut line).expect("the front says something");
    let address = line.trim().strip_prefix("listening ");
    let address = address.unwrap_or_else(|| panic!("no start-up line of the front but {line:?}"));
    let url = format!("http://{address}");
    (child, url)
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The Python that has the engine.
fn interpreter() -> &'static str {
    static FOUND: OnceLock<String> = OnceLock::new();
    FOUND.get_or_init(|| {
        let found = Command::new(scripts().join("python/interpreter")).output();
        let found = found.expect("bash runs");
        assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
        String::from_utf8_lossy(&found.stdout).trim().to_owned()
    })
}

fn database_name() -> String {
    format!("firstcall_test_{}_{}", std::process::id(), SystemClock.now().get())
}

/// A URL without its user and password, and these.
fn parted(url: &str) -> (String, Option<(String, String)>) {
    let Some((scheme, rest)) = url.split_once("://") else { return (url.to_owned(), None) };
    let Some((user, host)) = rest.rsplit_once('@') else { return (url.to_owned(), None) };
    let (user, password) = user.split_once(':').unwrap_or((user, ""));
    (format!("{scheme}://{host}"), Some((user.to_owned(), password.to_owned())))
}

/// Runs a future of the client to its end, in a thread and a runtime of its own: the caller may
/// be in a runtime itself.
#[track_caller]
pub(crate) fn block_on<F: Future<Output: Send> + Send>(future: F) -> F::Output {
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(future)
    };
    std::thread::scope(|scope| scope.spawn(run).join().expect("the future ends"))
}
