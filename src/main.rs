//! The `firstcall` program.

// Requests of a megabyte come and go: the system's allocator hands each back, page by page.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    firstcall::cli::run().into()
}
