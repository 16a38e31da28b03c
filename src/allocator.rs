//! What the system's allocator keeps of memory that is no longer used.

/// Asks glibc to give large blocks back as soon as they are freed, and to keep one pool of memory
/// for each processor; elsewhere nothing is asked. To be called before any other thread begins.
///
/// Left alone, glibc keeps eight pools for each processor, and serves blocks of up to 32 MiB out of
/// them once such were freed. A receiver's requests are large and come on every thread, so that the
/// pools come to hold far more than is in use: with 64 senders of requests of 0.8 MB on two
/// processors a peak of 113 to 128 MiB, and 64 MiB with these two settings.
/// `cargo bench --bench ingest -- memory` measures it.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    ask();
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator is asked in no other way; the proof is below")]
fn ask() {
    /// Blocks of more bytes than that are the system's own.
    const LARGE: libc::c_int = 128 * 1024;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let pools = libc::c_int::try_from(processors).unwrap_or(libc::c_int::MAX);
    // SAFETY: `mallopt` takes two integers, no pointer, and sets a number of the allocator's while
    // it holds the allocator's lock; of a parameter or value that it does not know it says so and
    // changes nothing. glibc's manual calls it unsafe only beside a first use of the allocator by
    // another thread, and there is no other thread yet.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, pools);
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
    }
}
