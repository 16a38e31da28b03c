//! The whole program but its edges: the receiver on free ports of loopback, its store, the pass.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use firstcall::call::{CallDuration, UnixNanos};
use firstcall::clock::{Clock, ManualClock};
use firstcall::config::{Config, Endpoint, Folder};
use firstcall::figures::RangeFigures;
use firstcall::nightly::{self, DaysToRun};
use firstcall::server::Server;
use firstcall::shutdown::Stop;
use firstcall::store::Store;

use super::capture::Request;
use crate::receive::client::send;

/// Longer than any replay takes on a loaded machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// Runs the receiver in this process with its clock at `now`, while `client` sends to its
/// OTLP/HTTP address; then runs the next night's pass. The figures of every covered day.
pub(crate) fn receive_and_judge<F: Future<Output = ()>>(
    folder: &Path,
    now: UnixNanos,
    client: impl FnOnce(SocketAddr) -> F,
) -> RangeFigures {
    let data_dir = folder.join("data");
    let mut config = Config::default();
    config.store.sqlite.data_dir = Folder::new(&data_dir);
    config.receivers.otlp.protocols.grpc.endpoint = Endpoint::loopback(0);
    config.receivers.otlp.protocols.http.endpoint = Endpoint::loopback(0);
    let clock = ManualClock::at(now);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let stop = Stop::new();
        let receiver_clock: Arc<dyn Clock> = Arc::new(clock.clone());
        let server = Server::start(&config, receiver_clock, stop.clone()).await.unwrap();
        let http = server.http_address();
        let running = tokio::spawn(server.run());
        tokio::time::timeout(PATIENCE, client(http)).await.unwrap();
        stop.request();
        running.await.unwrap().unwrap();
    });
    // Three hours into the next day's night.
    let night = now.day().plus(1).start().saturating_add(CallDuration::from_secs(3 * 3600));
    clock.advance(night.since(now).unwrap());
    let store = Store::open(&data_dir).unwrap();
    nightly::run(&store, DaysToRun::Due, &clock, &mut |_event| {}).unwrap();
    let days = store.read_days(now.day().minus(1), clock.now().day()).unwrap();
    RangeFigures::of(&days)
}

/// Sends the requests as they came, each answered with success, and judges them.
pub(super) fn replay(folder: &Path, began: UnixNanos, requests: &[&Request]) -> RangeFigures {
    receive_and_judge(
        folder,
        began.saturating_add(CallDuration::from_secs(300)),
        |http| async move {
            for request in requests {
                let body = request.body();
                let mut whole = format!("POST {} HTTP/1.1\r\nhost: x\r\n", request.path);
                write!(whole, "content-type: {}\r\n", request.content_type).unwrap();
                if request.encoding != "identity" {
                    write!(whole, "content-encoding: {}\r\n", request.encoding).unwrap();
                }
                write!(whole, "content-length: {}\r\n\r\n", body.len()).unwrap();
                let answer = send(http, &[whole.as_bytes(), &body].concat()).await;
                assert_eq!(answer.status, 200, "{}", request.path);
            }
        },
    )
}
