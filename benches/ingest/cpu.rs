//! Time that threads have spent on a processor, from the kernel's own count in nanoseconds.
//! On a machine that does other things too, it says more than the wall.

use std::time::Duration;

/// CPU time of the thread with this kernel id, or of the whole process where it is none.
pub(crate) fn of_thread(id: &str) -> Duration {
    let text =
        std::fs::read_to_string(format!("/proc/self/task/{id}/schedstat")).unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// The calling thread's kernel id.
pub(crate) fn this_thread() -> String {
    let link = std::fs::read_link("/proc/thread-self").unwrap_or_default();
    link.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// CPU time of every thread of this process whose name starts so.
pub(crate) fn of_named(prefix: &str) -> Duration {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return Duration::ZERO };
    let ids = threads.flatten().filter(|thread| {
        std::fs::read_to_string(thread.path().join("comm"))
            .is_ok_and(|name| name.starts_with(prefix))
    });
    ids.map(|thread| of_thread(&thread.file_name().to_string_lossy())).sum()
}

/// CPU time of the calling thread while `work` runs.
pub(crate) fn spent_by(work: impl FnOnce()) -> Duration {
    let id = this_thread();
    let before = of_thread(&id);
    work();
    of_thread(&id).saturating_sub(before)
}
