//! What a process used, as Linux tells it.

use std::fs;
use std::time::Instant;

/// Wall and CPU time of a process since it was made.
pub(crate) struct Meter {
    process: String,
    began: Instant,
    cpu: f64,
}

impl Meter {
    pub(crate) fn start() -> Self {
        Self::of("self")
    }

    /// Of another process, by its number.
    pub(crate) fn of(process: &str) -> Self {
        let process = process.to_owned();
        Self { began: Instant::now(), cpu: cpu_seconds(&process), process }
    }

    /// Wall seconds, CPU seconds.
    pub(crate) fn read(&self) -> (f64, f64) {
        (self.began.elapsed().as_secs_f64(), cpu_seconds(&self.process) - self.cpu)
    }
}

/// User and system time of a process, all threads, in seconds.
fn cpu_seconds(process: &str) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 =
        after_name.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
    // Linux counts them in hundredths of a second for every process.
    ticks as f64 / 100.0
}

/// The most memory that a process held, in MiB.
pub(crate) fn peak_mib(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    let kib: u64 = line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    kib / 1024
}
