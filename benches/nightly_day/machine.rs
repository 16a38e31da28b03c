//! What a process used, as Linux tells it.

use std::fs;
use std::time::Instant;

/// Wall and CPU time since it was made.
pub(crate) struct Meter {
    began: Instant,
    cpu: f64,
}

impl Meter {
    pub(crate) fn start() -> Self {
        Self { began: Instant::now(), cpu: cpu_seconds() }
    }

    /// Wall seconds, CPU seconds.
    pub(crate) fn read(&self) -> (f64, f64) {
        (self.began.elapsed().as_secs_f64(), cpu_seconds() - self.cpu)
    }
}

/// User and system time of this process, all threads, in seconds.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 =
        after_name.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
    // Linux counts them in hundredths of a second for every process.
    ticks as f64 / 100.0
}

/// The most memory that this process held, in MiB.
pub(crate) fn peak_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    let kib: u64 = line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    kib / 1024
}
