//! What several tests share: the real binary, started, watched and stopped.
#![expect(clippy::expect_used, reason = "helpers of tests")]

pub(crate) mod clickhouse;
pub(crate) mod files;
pub(crate) mod server;
pub(crate) mod stores;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

pub(crate) use server::RunningServer;

/// The real binary with an environment of its own, so that no test sees the developer's settings.
pub(crate) fn command(data_dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_firstcall"));
    command.env_remove("FIRSTCALL_CONFIG").env_remove("RUST_LOG").env("NO_COLOR", "1");
    command.env("FIRSTCALL_DATA_DIR", data_dir).stdin(Stdio::null());
    // Relative paths lead beside the data folder, into the test's own temporary folder.
    if let Some(beside) = data_dir.ancestors().skip(1).find(|folder| folder.is_dir()) {
        command.current_dir(beside);
    }
    command
}

/// Where an ignored test that runs as a process of its own finds its folder.
pub(crate) const FOLDER: &str = "FIRSTCALL_TEST_FOLDER";

/// Starts an ignored test of this program as a process of its own, to be killed.
pub(crate) fn start_ignored(test: &str, folder: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("this program starts")
}

/// Runs the real binary to its end.
pub(crate) fn firstcall<S: AsRef<OsStr>>(data_dir: &Path, args: &[S]) -> Output {
    command(data_dir).args(args).output().expect("the binary starts")
}

/// What a finished program wrote to standard output, as text.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("standard output is UTF-8")
}

/// What a finished program wrote to standard error, as text.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("standard error is UTF-8")
}

/// Runs the real binary to its end and asserts that it said it was done.
#[track_caller]
pub(crate) fn succeed<S: AsRef<OsStr>>(data_dir: &Path, args: &[S]) -> Output {
    let output = firstcall(data_dir, args);
    assert_eq!(output.status.code(), Some(0), "standard error:\n{}", stderr(&output));
    output
}
