//! The `firstcall` program.

fn main() -> std::process::ExitCode {
    firstcall::cli::run().into()
}
