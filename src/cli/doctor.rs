//! `firstcall doctor`: what has arrived lately, what it lacks, what would mend it.

use std::fmt::Write;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use clap::Args;
use serde_json::{Map, Value, json};

use super::{Failure, Globals, print};
use crate::call::hidden::plain;
use crate::clock::{Clock, SystemClock};
use crate::config::{Config, Endpoint};
use crate::doctor::{self, Diagnosis};
use crate::store::{Store, StoreError};
use crate::terminal::wants_colours;

/// How long an address may take to answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// Arguments of `firstcall doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// How far to look back, in hours, at most a week
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=168))]
    hours: u32,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &DoctorArgs, globals: &Globals) -> Result<(), Failure> {
    let config = globals.load()?;
    let now = SystemClock.now();
    let mut around = Around::look(&config);
    let diagnosis = match Store::open_configured(&config.store) {
        Ok(store) => {
            around.has_data = true;
            around.process = store.receiving_process()?;
            doctor::diagnose(&store, args.hours, now)?
        }
        Err(StoreError::NothingThere { .. }) => Diagnosis::nothing(args.hours, now),
        Err(error) => return Err(error.into()),
    };
    if args.json {
        let document = doctor::json(&diagnosis, around.json());
        return print(&format!("{document:#}\n"));
    }
    let mut text = around.text(&diagnosis);
    if diagnosis.is_empty() {
        text.push_str(&around.checks());
    } else {
        text.push_str(&doctor::text(&diagnosis, wants_colours()));
    }
    print(&text)
}

/// What is known of the program that receives.
struct Around {
    /// The data folder, or the database's place.
    data_dir: String,
    is_database: bool,
    has_data: bool,
    process: Option<String>,
    grpc: Listening,
    http: Listening,
    scheme: &'static str,
    wants_token: bool,
}

/// An address of the configuration, and whether something answers there.
struct Listening {
    endpoint: String,
    answers: bool,
}

impl Listening {
    fn look(endpoint: &Endpoint) -> Self {
        let endpoint = endpoint.as_str().to_owned();
        let addresses = endpoint.to_socket_addrs().map(Iterator::collect::<Vec<_>>);
        let answers = addresses.unwrap_or_default().into_iter().map(reachable).any(|address| {
            // A listener that takes connections answers at once.
            TcpStream::connect_timeout(&address, PATIENCE).is_ok()
        });
        Self { endpoint, answers }
    }
}

/// Where calls are kept.
fn place(store: &crate::config::Store) -> String {
    match &store.clickhouse {
        Some(database) => {
            format!("Database {} of ClickHouse at {}", database.database, database.url.as_str())
        }
        None => store.sqlite.data_dir.as_path().display().to_string(),
    }
}

/// What listens everywhere is reached on the machine itself.
fn reachable(address: SocketAddr) -> SocketAddr {
    let mut address = address;
    if address.ip().is_unspecified() {
        let own = if address.is_ipv4() {
            [127, 0, 0, 1].into()
        } else {
            std::net::Ipv6Addr::LOCALHOST.into()
        };
        address.set_ip(own);
    }
    address
}

impl Around {
    fn look(config: &Config) -> Self {
        let otlp = &config.receivers.otlp;
        let protocols = &otlp.protocols;
        Self {
            data_dir: place(&config.store),
            is_database: config.store.clickhouse.is_some(),
            has_data: false,
            process: None,
            grpc: Listening::look(&protocols.grpc.endpoint),
            http: Listening::look(&protocols.http.endpoint),
            scheme: if otlp.tls.cert_file.is_some() { "https" } else { "http" },
            wants_token: otlp.auth.is_on(),
        }
    }

    fn json(&self) -> Map<String, Value> {
        let listening = |of: &Listening| json!({ "endpoint": of.endpoint, "answers": of.answers });
        let around = json!({
            "data_dir": self.data_dir,
            "has_data": self.has_data,
            "receiving_process": self.process.as_ref().and_then(|pid| pid.parse::<u32>().ok()),
            "listening": { "grpc": listening(&self.grpc), "http": listening(&self.http) },
        });
        around.as_object().cloned().unwrap_or_default()
    }

    /// The first lines of every screen.
    fn text(&self, diagnosis: &Diagnosis) -> String {
        let since = doctor::time(diagnosis.since);
        let hours = diagnosis.hours;
        let data_dir = plain(&self.data_dir);
        let data_dir = if self.is_database { data_dir } else { format!("Data folder {data_dir}") };
        let running = match (&self.process, self.has_data) {
            (Some(pid), _) => format!("process {} receives into it", plain(pid)),
            (None, true) => "no process receives into it now".to_owned(),
            (None, false) => "nothing of firstcall's is there".to_owned(),
        };
        format!("The last {hours} hours, from {since}\n{data_dir}: {running}\n\n")
    }

    /// What to check where nothing has arrived.
    fn checks(&self) -> String {
        let mut text = String::from("Nothing has arrived. What to check:\n\n");
        // Writing to a text cannot fail.
        let mut line = |question: &str, answer: &str| writeln!(text, "{question:<27}{answer}").ok();
        match (&self.process, self.has_data) {
            (Some(pid), _) => {
                line("1 Does firstcall run?", &format!("yes, process {}", plain(pid)))
            }
            (None, true) => line("1 Does firstcall run?", "no: start it with `firstcall serve`"),
            (None, false) => {
                line("1 Does firstcall run?", "never here: start it with `firstcall serve`,");
                line("", "or name its folder with --data-dir")
            }
        };
        for (question, of, over) in
            [("2 Does it listen?", &self.http, "HTTP"), ("", &self.grpc, "gRPC")]
        {
            let answers = if of.answers { "answers" } else { "nothing answers there" };
            line(question, &format!("{} (OTLP/{over}): {answers}", plain(&of.endpoint)));
        }
        if self.process.is_some() && !self.http.answers && !self.grpc.answers {
            line("", "the server's first line says where it listens");
        }
        let url = format!("{}://{}", self.scheme, plain(&self.http.endpoint));
        line("3 Does it take a request?", "this prints {}:\n");
        text.push_str("    curl -sS -H 'content-type: application/json'");
        if self.wants_token {
            text.push_str(" -H \"authorization: Bearer $TOKEN\"");
        }
        writeln!(text, " \\\n      -d '{{\"resourceSpans\":[]}}' {url}/v1/traces\n").ok();
        text.push_str("4 Is a sender pointed here? In the shell that starts it:\n\n");
        writeln!(text, "    export OTEL_EXPORTER_OTLP_ENDPOINT={url}").ok();
        text.push_str("    export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\n");
        if self.wants_token {
            text.push_str(
                "    export OTEL_EXPORTER_OTLP_HEADERS=\"authorization=Bearer%20$TOKEN\"\n",
            );
        }
        text.push_str(FURTHER_CHECKS);
        text
    }
}

/// What else goes wrong with a first sender.
const FURTHER_CHECKS: &str = "
5 Still nothing?
    Address and protocol belong together: HTTP has one port, gRPC another.
    In a container 127.0.0.1 is the container itself: use the host's address.
    A program that ends at once sends nothing: flush its exporter first.
    Codex wants the whole path, /v1/logs; most others add it themselves.
    A server with another data folder fills that one: see the path above.

docs/instrumentation.md has the settings of every instrumentation.
";
