//! What receiving costs: decoding alone, then whole requests over gRPC on the loopback device.
//!
//! Everything is told as CPU time of the threads that do the work and as ratios within one run,
//! for wall time depends on what else the machine does. Run with
//! `cargo bench --bench ingest [-- decode|serve|memory]`.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    reason = "a program for people who measure"
)]

#[path = "ingest/cpu.rs"]
mod cpu;
#[path = "ingest/decode.rs"]
mod decode;
#[path = "ingest/memory.rs"]
mod memory;
#[path = "ingest/serve.rs"]
mod serve;
#[path = "ingest/traffic.rs"]
mod traffic;

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|one| one == name);
    let requests = traffic::requests();
    let bytes: usize = requests.iter().map(bytes::Bytes::len).sum();
    println!(
        "{} requests of {} spans, {} bytes a span, one span in ten a tool call\n",
        traffic::REQUESTS,
        traffic::SPANS,
        bytes as u64 / (traffic::REQUESTS * traffic::SPANS),
    );
    if is_wanted("decode") {
        decode::run(&requests);
    }
    if is_wanted("serve") {
        serve::run(&requests);
    }
    if is_wanted("memory") {
        memory::run(&requests);
    }
}

/// The middle of some figures.
fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
