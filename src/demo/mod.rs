//! The demo: the whole of firstcall in one command, on traffic whose figures are known.
//!
//! It starts the real receiver on free ports, sends two weeks of conversations through the real
//! OpenTelemetry SDK and OTLP exporter, runs the pass, writes the reports. `scenario` says what
//! a conversation is, `world`, `plays` and `plans` are the data, `expected` sums what the report
//! must show; none of these knows the judge.

pub mod expected;
mod ids;
pub mod plans;
pub mod plays;
mod programs;
pub mod progress;
pub mod run;
pub mod scenario;
mod spans;
pub mod world;

use std::path::PathBuf;

pub use run::{Finished, run};

/// Why the demo could not be played to its end.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The folder holds something that is not an earlier demo.
    #[error("the folder `{}` is not empty and holds no earlier demo", .0.display())]
    NotOurs(PathBuf),
    /// The folder cannot be made, emptied or written.
    #[error("cannot use the folder `{}`", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The exporter could not be made.
    #[error("cannot make the OTLP exporter")]
    Exporter(#[source] opentelemetry_otlp::ExporterBuildError),
    /// Spans could not be delivered.
    #[error("cannot deliver the demo's spans")]
    Export(#[source] opentelemetry_sdk::error::OTelSdkError),
    /// A plan names a program that was not started.
    #[error("no program is called `{0}`")]
    NoProgram(String),
    /// A conversation's arguments are not JSON.
    #[error("a conversation's arguments cannot be hashed: {0}")]
    Arguments(String),
    /// The receiver could not be started or stopped.
    #[error("the demo's receiver failed")]
    Server(#[from] crate::server::ServerError),
    /// The pass failed.
    #[error("the demo's pass failed")]
    Nightly(#[from] crate::nightly::NightlyError),
    /// The figures cannot be read.
    #[error("the demo's figures cannot be read")]
    Store(#[from] crate::store::StoreError),
    /// The reports cannot be written.
    #[error("the demo's reports cannot be written")]
    Publish(#[from] crate::report::PublishError),
}
