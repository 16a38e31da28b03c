//! The real program, killed at the worst moments: what it answered with OK is there afterwards,
//! and what was sent again is counted once.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use firstcall::call::{CallDuration, Day, UnixNanos};
use firstcall::clock::{Clock, SystemClock};
use firstcall::store::Store;
use prost::Message;
use tokio::io::AsyncWriteExt;

use super::receive::client::{EXPORT, Pieces, call, connect_h2, head, post};
use super::receive::spans::{call_at, framed, request};

/// A running `firstcall serve`.
struct Program {
    child: Child,
    grpc: SocketAddr,
    http: SocketAddr,
}

impl Program {
    fn start(data_dir: &Path) -> Self {
        let mut child = firstcall(data_dir)
            .args(["serve", "--grpc-endpoint", "127.0.0.1:0", "--http-endpoint", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = |name: &str| {
            let word = line.split_whitespace().find_map(|word| word.strip_prefix(name));
            word.unwrap().parse().unwrap()
        };
        Self { grpc: address("grpc="), http: address("http="), child }
    }

    /// SIGKILL: nothing of the program runs after it.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, and the program's own end.
    fn terminate(mut self) -> ExitStatus {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap()
    }
}

fn firstcall(data_dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_firstcall"));
    command.arg("--data-dir").arg(data_dir).env("FIRSTCALL_LOG_LEVEL", "error");
    command
}

/// Noon of the day before yesterday: a whole day that may be covered.
fn noon() -> UnixNanos {
    let day = SystemClock.now().day().minus(2);
    day.start().saturating_add(CallDuration::from_secs(12 * 3600))
}

/// A request with one call; the number is in its trace id and sets its start.
fn body(number: u64) -> Vec<u8> {
    // Within half a day, so that all calls belong to one day.
    let start = noon().saturating_add(CallDuration::from_millis(number * 10));
    request(vec![call_at(number, start.get())]).encode_to_vec()
}

/// The numbers of the calls that are in the data folder.
pub(crate) fn stored(data_dir: &Path) -> BTreeSet<u64> {
    let store = Store::open(data_dir).unwrap();
    let mut numbers = BTreeSet::new();
    for day in store.sighting_days().unwrap() {
        let mut visit = |sighting: firstcall::call::Sighting| {
            let number = sighting.trace_id.as_bytes().last_chunk().unwrap();
            numbers.insert(u64::from_be_bytes(*number));
        };
        store.read_sightings(day, day.start(), day.end(), &mut visit).unwrap();
    }
    numbers
}

/// Calls that the pass counts on `day`.
fn counted(data_dir: &Path, day: Day) -> u64 {
    let status = firstcall(data_dir).args(["nightly", "--day", &day.to_string()]).status().unwrap();
    assert!(status.success());
    let days = Store::open(data_dir).unwrap().read_days(day, day).unwrap();
    days.iter().flat_map(|day| day.tools.values()).map(|figures| figures.calls).sum()
}

/// Sends calls over four connections, each as fast as it is answered, until the peer is gone.
/// Returns the numbers that were answered with OK. `on_answer` hears of each.
async fn send_until_gone(
    address: SocketAddr,
    next: &Arc<AtomicU64>,
    on_answer: impl Fn() + Clone + Send + 'static,
) -> BTreeSet<u64> {
    let lanes: Vec<_> = (0..4)
        .map(|_| {
            let (next, on_answer) = (Arc::clone(next), on_answer.clone());
            tokio::spawn(async move {
                let mut sender = connect_h2(address).await;
                let mut answered = BTreeSet::new();
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    let request = http::Request::post(format!("http://localhost{EXPORT}"))
                        .header("content-type", "application/grpc")
                        .body(Pieces::whole(framed(0, &body(number))))
                        .unwrap();
                    if sender.ready().await.is_err() {
                        return answered;
                    }
                    let Ok(response) = sender.send_request(request).await else { return answered };
                    // Success has its status in the trailers: headers alone are no answer yet.
                    let Ok(whole) = http_body_util::BodyExt::collect(response.into_body()).await
                    else {
                        return answered;
                    };
                    if whole.trailers().and_then(|trailers| trailers.get("grpc-status")).is_some() {
                        answered.insert(number);
                        on_answer();
                    }
                }
            })
        })
        .collect();
    let mut all = BTreeSet::new();
    for lane in lanes {
        all.extend(lane.await.unwrap());
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bug_23_what_was_answered_survives_a_kill_and_what_is_sent_again_is_counted_once() {
    kill_and_count(4, |round| Moment { answers: round * round * 4, then: Duration::ZERO }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: twenty-five kills"]
async fn bug_23_twenty_five_kills_at_random_moments_lose_nothing_that_was_answered() {
    let seed = std::collections::hash_map::RandomState::new();
    kill_and_count(25, |round| {
        let random = std::hash::BuildHasher::hash_one(&seed, round);
        Moment { answers: random % 150, then: Duration::from_micros(random / 150 % 40_000) }
    })
    .await;
}

/// When a program is killed: so long after so many answers.
struct Moment {
    answers: u64,
    then: Duration,
}

async fn kill_and_count(rounds: u64, moment: impl Fn(u64) -> Moment) {
    let folder = tempfile::tempdir().unwrap();
    let next = Arc::new(AtomicU64::new(0));
    let mut answered = BTreeSet::new();
    for round in 1..=rounds {
        let program = Program::start(folder.path());
        let address = program.grpc;
        let (first_answers, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let on_answer = move || first_answers.send(()).unwrap_or_default();
        let sending = {
            let next = Arc::clone(&next);
            tokio::spawn(async move { send_until_gone(address, &next, on_answer).await })
        };
        // Killed at another moment in each round, with requests on their way.
        let moment = moment(round);
        for _ in 0..moment.answers {
            heard.recv().await.unwrap();
        }
        tokio::time::sleep(moment.then).await;
        program.kill();
        answered.extend(sending.await.unwrap());
        let stored = stored(folder.path());
        assert!(answered.is_subset(&stored), "lost: {:?}", answered.difference(&stored));
    }

    // What was not answered is sent again, as a client would, and half of what was.
    let sent = next.load(Ordering::SeqCst);
    let program = Program::start(folder.path());
    for number in (0..sent).filter(|number| !answered.contains(number) || number % 2 == 0) {
        assert_eq!(post(program.http, &body(number), &[]).await.status, 200);
    }
    program.kill();
    assert_eq!(stored(folder.path()), (0..sent).collect());
    assert_eq!(counted(folder.path(), noon().day()), sent);
}

#[tokio::test]
async fn bug_24_the_same_request_twice_and_again_after_a_restart_is_one_call() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let program = Program::start(folder.path());
        let mut sender = connect_h2(program.grpc).await;
        for _ in 0..2 {
            let message = Pieces::whole(framed(0, &body(7)));
            assert_eq!(call(&mut sender, EXPORT, &[], message).await.grpc_status(), 0);
        }
        program.kill();
    }
    assert_eq!(counted(folder.path(), noon().day()), 1);
}

/// Calls of one request that is cancelled.
const CALLS: u64 = 200;

/// A request with the calls of a round.
fn several(round: u64) -> Vec<u8> {
    let start = |number: u64| noon().saturating_add(CallDuration::from_millis(number * 10)).get();
    let numbers = round * CALLS..(round + 1) * CALLS;
    request(numbers.map(|number| call_at(number, start(number))).collect()).encode_to_vec()
}

/// Sends a request over gRPC and cancels it after `patience`, whatever has become of it.
async fn cancel_over_grpc(address: SocketAddr, body: &[u8], patience: Duration) {
    let mut sender = connect_h2(address).await;
    let request = http::Request::post(format!("http://localhost{EXPORT}"))
        .header("content-type", "application/grpc")
        .header("grpc-timeout", format!("{}u", patience.as_micros()))
        .body(Pieces::whole(framed(0, body)))
        .unwrap();
    sender.ready().await.unwrap();
    let answering = async { sender.send_request(request).await.map(|_head| ()) };
    // Dropped here, which resets the stream.
    drop(tokio::time::timeout(patience, answering).await);
}

/// The same over HTTP/1.1, of which so much is sent; then the connection is closed.
async fn cancel_over_http(address: SocketAddr, body: &[u8], sent: usize, patience: Duration) {
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = format!("{}\r\n", head(body.len()));
    stream.write_all(&[head.as_bytes(), &body[..sent]].concat()).await.unwrap();
    tokio::time::sleep(patience).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_request_leaves_all_or_nothing_and_its_resend_counts_once_after_a_restart_too()
{
    const ROUNDS: u64 = 24;
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start(folder.path());
    for round in 0..ROUNDS {
        let body = several(round);
        let patience = match round {
            // Some are long done when they are cancelled.
            20.. => Duration::from_millis(500),
            _ => Duration::from_micros(round * 400),
        };
        match round % 4 {
            0 => cancel_over_http(program.http, &body, body.len() / 2, patience).await,
            1 => cancel_over_http(program.http, &body, body.len(), patience).await,
            _ => cancel_over_grpc(program.grpc, &body, patience).await,
        }
    }
    assert_eq!(program.terminate().code(), Some(0));
    let kept = stored(folder.path());
    let whole = |round: &u64| {
        let of_round = kept.range(round * CALLS..(round + 1) * CALLS).count() as u64;
        assert!(of_round == 0 || of_round == CALLS, "{of_round} of round {round}");
        of_round == CALLS
    };
    let whole: Vec<u64> = (0..ROUNDS).filter(whole).collect();
    assert!([21, 22, 23].iter().all(|round| whole.contains(round)), "{whole:?}");
    assert!(!whole.iter().any(|round| round % 4 == 0), "half sent: {whole:?}");

    // Nobody was answered: each is sent again, and again after another restart.
    for _ in 0..2 {
        let program = Program::start(folder.path());
        for round in 0..ROUNDS {
            assert_eq!(post(program.http, &several(round), &[]).await.status, 200);
        }
        program.kill();
    }
    assert_eq!(stored(folder.path()), (0..ROUNDS * CALLS).collect());
    assert_eq!(counted(folder.path(), noon().day()), ROUNDS * CALLS);
}

/// The writer waits for a lock while the sender's patience ends: the sender is told in time to send
/// again, what was queued is committed whole, and both together count once.
#[tokio::test]
async fn bug_24_a_deadline_that_passes_while_the_commit_waits_is_told_in_time_and_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start(folder.path());
    assert_eq!(post(program.http, &body(10_000), &[]).await.status, 200);
    let file = folder.path().join(format!("sightings/{}.sqlite", noon().day()));
    let other = rusqlite::Connection::open(file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut sender = connect_h2(program.grpc).await;
    let message = framed(0, &several(0));
    let started = std::time::Instant::now();
    let patience = [("grpc-timeout", "300m")];
    let answer = call(&mut sender, EXPORT, &patience, Pieces::whole(message.clone())).await;
    assert_eq!(answer.grpc_status(), 4, "DEADLINE_EXCEEDED");
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    assert!(!answer.has_retry_info());
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(call(&mut sender, EXPORT, &[], Pieces::whole(message)).await.grpc_status(), 0);
    assert_eq!(program.terminate().code(), Some(0));
    let expected: BTreeSet<u64> = (0..CALLS).chain([10_000]).collect();
    assert_eq!(stored(folder.path()), expected);
    assert_eq!(counted(folder.path(), noon().day()), CALLS + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bug_25_a_stop_under_load_loses_nothing_that_was_answered() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start(folder.path());
    let address = program.grpc;
    let (first_answers, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let on_answer = move || first_answers.send(()).unwrap_or_default();
    let next = Arc::new(AtomicU64::new(0));
    let sending = tokio::spawn(async move { send_until_gone(address, &next, on_answer).await });
    for _ in 0..50 {
        heard.recv().await.unwrap();
    }
    let status = tokio::task::spawn_blocking(move || program.terminate()).await.unwrap();
    assert_eq!(status.code(), Some(0));
    let answered = sending.await.unwrap();
    assert!(answered.len() >= 50);
    assert!(answered.is_subset(&stored(folder.path())));
}
