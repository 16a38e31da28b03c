//! A day of agents' traffic: the same for the same size, made piece by piece.
//!
//! Sessions, tools and clients are Zipf-distributed. A session works in bursts of calls of one
//! tool or of changing ones, rewords after failures, polls, pages and loops over ids.

use firstcall::call::{
    ArgsForm, ArgsHash, ArgumentPrint, Arguments, ClientName, Confidence, Day, Emptiness, Name,
    Outcome, SessionClaim, SessionKey, Sighting, SpanId, SpanKind, TraceId, UnixNanos,
};

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
/// How much earlier and later than its server a client sees a call.
const AROUND: u64 = 1_000_000;

/// How large the day is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) calls: u64,
    pub(crate) sessions: u64,
    pub(crate) tools: u64,
    pub(crate) clients: u64,
    /// Of a hundred calls, how many are also seen by their client.
    pub(crate) seen_twice: u64,
}

/// Makes the day.
pub(crate) struct Generator {
    day: Day,
    size: Size,
    random: Random,
    sessions: Zipf,
    tools: Zipf,
    clients: Zipf,
    names: Names,
    made: u64,
}

struct Names {
    tools: Vec<(Name, Name)>,
    clients: Vec<ClientName>,
    server: Name,
    client: Name,
    dialect: Name,
    source: Name,
    parameters: [Name; 3],
}

impl Generator {
    pub(crate) fn new(day: Day, size: Size) -> Self {
        let name = |text: String| Name::cut(&text);
        let tools = (0..size.tools)
            .map(|tool| (name(format!("service-{}", tool % 25)), name(format!("tool_{tool}"))))
            .collect();
        let clients =
            (0..size.clients).map(|c| ClientName::new(name(format!("client-{c}")))).collect();
        Self {
            day,
            size,
            random: Random(7),
            sessions: Zipf::new(size.sessions),
            tools: Zipf::new(size.tools),
            clients: Zipf::new(size.clients),
            names: Names {
                tools,
                clients,
                server: Name::cut("mcp.server"),
                client: Name::cut("mcp.client"),
                dialect: Name::cut("otel-mcp"),
                source: Name::cut("mcp.server gen_ai.tool.call.arguments jcs1"),
                parameters: ["cursor", "limit", "query"].map(Name::cut),
            },
            made: 0,
        }
    }

    /// The next burst's sightings; none once the day is full.
    pub(crate) fn burst(&mut self) -> Option<Vec<Sighting>> {
        if self.made >= self.size.calls {
            return None;
        }
        let session = self.sessions.draw(&mut self.random);
        // A session keeps its client; two in a hundred of its tools' calls are its own functions.
        let client = self.clients.at(mix(session) % 1_000_000);
        let length = 1 + self.random.below(12).min(self.size.calls - self.made - 1);
        let span = 86_400 * SECOND + 20 * MINUTE;
        // As in life, what happened earlier arrives earlier, give or take a minute.
        let share = u128::from(span) * u128::from(self.made) / u128::from(self.size.calls);
        let mut start = self.day.start().get() - 10 * MINUTE
            + u64::try_from(share).unwrap()
            + self.random.below(MINUTE);
        let mut tool = self.tools.draw(&mut self.random);
        let (mut query, mut page) = (self.random.below(1000), 0);
        let mut sightings = Vec::new();
        for _ in 0..length {
            let seed = self.random.next();
            match seed % 10 {
                0..3 => tool = self.tools.draw(&mut self.random),
                3..5 => (query, page) = (query + 1, 0),
                5 => page += 1,
                6..8 => query = self.random.below(1000),
                _ => {}
            }
            let took = 20_000_000 + self.random.below(3 * SECOND);
            let call = Call { session, client, tool, query, page, start, took, seed };
            self.push(&call, &mut sightings);
            self.made += 1;
            start += took + self.random.below(20 * SECOND);
        }
        Some(sightings)
    }

    fn push(&mut self, call: &Call, sightings: &mut Vec<Sighting>) {
        let (service, tool) = self.names.tools[usize::try_from(call.tool).unwrap()].clone();
        let trace = [mix(self.made), mix(self.made ^ 0x5bd1)].map(u64::to_be_bytes).concat();
        let id = |side: u64| SpanId::from_bytes(&mix(self.made * 2 + side).to_be_bytes());
        let outcome = match call.seed >> 8 & 127 {
            0..3 => Outcome::BadArgs,
            3..6 => Outcome::ToolError,
            6 => Outcome::Timeout,
            _ => Outcome::Ok,
        };
        let is_seen_twice = mix(call.seed) % 100 < self.size.seen_twice;
        let server = Sighting {
            trace_id: TraceId::from_bytes(&trace).unwrap(),
            span_id: id(0).unwrap(),
            parent_span_id: if is_seen_twice { id(1) } else { None },
            kind: SpanKind::Server,
            scope: self.names.server.clone(),
            dialect: self.names.dialect.clone(),
            emitter: Some(service.clone()),
            service: Some(service),
            tool: Some(tool),
            client: Some(self.names.clients[usize::try_from(call.client).unwrap()].clone()),
            client_version: None,
            session: Some(SessionClaim::Conversation(session_key(call.session))),
            start: UnixNanos::new(call.start),
            end: UnixNanos::new(call.start + call.took),
            is_time_known: true,
            arguments: Some(self.arguments(call)),
            outcome,
            confidence: Confidence::High,
            emptiness: if call.seed.is_multiple_of(31) { Emptiness::Yes } else { Emptiness::No },
            result_bytes: Some(200 + call.seed % 8000),
            call_id: None,
            request_id: None,
            is_sampled: false,
            recovery: None,
            is_label: false,
            received: UnixNanos::new(call.start + call.took + SECOND),
        };
        if is_seen_twice {
            sightings.push(Sighting {
                span_id: id(1).unwrap(),
                parent_span_id: None,
                kind: SpanKind::Client,
                scope: self.names.client.clone(),
                emitter: None,
                service: None,
                start: UnixNanos::new(call.start - AROUND),
                end: UnixNanos::new(call.start + call.took + AROUND),
                arguments: None,
                result_bytes: None,
                ..server.clone()
            });
        }
        sightings.push(server);
    }

    fn arguments(&self, call: &Call) -> Arguments {
        let hash = |of: u64| ArgsHash::from_bytes(*mix(of).to_be_bytes().first_chunk().unwrap());
        let print = |at: usize, value: u64| {
            let print = *mix(value).to_be_bytes().first_chunk().unwrap();
            ArgumentPrint { name: self.names.parameters[at].clone(), print }
        };
        let core = call.query * 1000;
        let mut prints = vec![print(1, 10), print(2, call.query)];
        if call.page > 0 {
            prints.insert(0, print(0, call.page));
        }
        Arguments {
            form: ArgsForm::Json,
            source: self.names.source.clone(),
            hash: hash(core + call.page),
            exact: None,
            core: Some(hash(core)),
            pos: (call.page > 0).then(|| hash(call.page)),
            hides: false,
            prints,
        }
    }
}

/// A server's sighting as numbers: session, tool, client, start, duration, span, args_hash,
/// outcome, emptiness and size, with commas between. Equal numbers are equal names.
pub(crate) fn numbers(call: &Sighting) -> String {
    let number = |name: &str| name.rsplit(['_', '-']).next().unwrap().to_owned();
    let first = |bytes: &[u8]| bytes.iter().take(6).fold(0, |n, byte| n << 8 | u64::from(*byte));
    let Some(SessionClaim::Conversation(session)) = call.session else { unreachable!() };
    [
        first(session.as_bytes()).to_string(),
        number(call.tool.as_ref().unwrap().as_str()),
        number(call.client.as_ref().unwrap().as_str()),
        // Where the client saw it as well, the call began with the client's sighting.
        (call.start.get() - if call.parent_span_id.is_some() { AROUND } else { 0 }).to_string(),
        (call.end.get() - call.start.get()).to_string(),
        first(call.span_id.as_bytes()).to_string(),
        first(call.arguments.as_ref().unwrap().hash.as_bytes()).to_string(),
        call.outcome.index().to_string(),
        u8::from(call.emptiness == Emptiness::Yes && call.outcome == Outcome::Ok).to_string(),
        call.result_bytes.unwrap().to_string(),
    ]
    .join(",")
}

struct Call {
    session: u64,
    client: u64,
    tool: u64,
    query: u64,
    page: u64,
    start: u64,
    took: u64,
    seed: u64,
}

fn session_key(session: u64) -> SessionKey {
    let bytes = [mix(session), mix(session ^ 0xabcd)].map(u64::to_be_bytes);
    let mut key = [0; 16];
    key[..8].copy_from_slice(&bytes[0]);
    key[8..].copy_from_slice(&bytes[1]);
    SessionKey::from_bytes(key)
}

/// A number spread over all bits, never zero for the numbers used here.
fn mix(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) | 1 << 63
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(1);
        mix(self.0) & !(1 << 63)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }
}

/// Ranks with weight 1/rank.
struct Zipf(Vec<u64>);

impl Zipf {
    /// Cumulated weights in millionths of the whole.
    fn new(count: u64) -> Self {
        let weights = || (1..=count).map(|rank| 1.0 / rank as f64);
        let whole: f64 = weights().sum();
        let mut sum = 0.0;
        let cumulated = weights().map(|weight| {
            sum += weight;
            (sum / whole * 1e12) as u64
        });
        Self(cumulated.collect())
    }

    fn draw(&self, random: &mut Random) -> u64 {
        self.find(random.below(1_000_000_000_000))
    }

    fn at(&self, millionths: u64) -> u64 {
        self.find(millionths * 1_000_000)
    }

    fn find(&self, point: u64) -> u64 {
        let rank = self.0.partition_point(|sum| *sum <= point).min(self.0.len() - 1);
        u64::try_from(rank).unwrap()
    }
}
