//! The figures as OTLP metrics, sent after each pass.
//!
//! Comes in: the figures of a range and where to send them. Goes out: one gauge per figure of
//! METHOD section 13, under the same name (`docs/metrics.md` lists them). It reads figures and
//! never sightings, and what it cannot send is told to the caller: a pass never fails by it.
//! Beside it [`OwnMetrics`] sends what the program says of itself.

mod metrics;
mod otlp;
mod over_http;
mod own;

pub use own::OwnMetrics;

use std::path::PathBuf;

use crate::call::{ClientName, Day, ToolKey};
use crate::config::OtlpExporter;
use crate::figures::finding::nameable;
use crate::figures::{Figures, RangeFigures};

/// What was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sent {
    /// Data points.
    pub points: u64,
    /// Requests in which they went.
    pub requests: u64,
}

/// Why the figures could not be sent, or not all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A file of the TLS settings cannot be read or used.
    #[error("cannot use `{}` for TLS", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The settings make no exporter.
    #[error("the exporter cannot be made")]
    Settings(#[source] opentelemetry_otlp::ExporterBuildError),
    /// The system gave no thread for it.
    #[error("the exporter cannot be started")]
    Start(#[source] std::io::Error),
    /// The receiver did not take them.
    #[error("the receiver at `{endpoint}` did not take the figures: {why}")]
    Refused {
        /// Where they were sent.
        endpoint: String,
        /// What the exporter says of it.
        why: String,
    },
}

impl ExportError {
    /// What to do about it.
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Unusable { .. } => "check exporters.otlp.tls and the files' permissions",
            Self::Settings(_) => "check exporters.otlp",
            Self::Start(_) => "the next pass tries again",
            Self::Refused { .. } => {
                "check exporters.otlp.endpoint and protocol, and that metrics are received there; \
                 the next pass sends the figures again"
            }
        }
    }
}

/// Whose figures a data point is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of<'f> {
    Overall,
    Tool(&'f ToolKey),
    Client(&'f ClientName),
    ToolClient(&'f ToolKey, &'f ClientName),
}

/// Sends the figures of the range that ends with `as_of`; nothing where there is no covered day.
///
/// # Errors
/// Where the settings make no exporter, or the receiver does not take a request; those before it
/// were taken. Blocks for as long as the receiver takes, within the timeout of the settings.
pub fn send(
    settings: &OtlpExporter,
    range: &RangeFigures,
    as_of: Option<Day>,
) -> Result<Sent, ExportError> {
    let (Some(endpoint), Some(as_of)) = (&settings.endpoint, as_of) else {
        return Ok(Sent::default());
    };
    let mut pipeline = otlp::Pipeline::start(settings, endpoint)?;
    pipeline.add_range(as_of, range.covered.len() as u64);
    let nameable = nameable(range);
    let named = |figures: &Figures| {
        let mut figures = figures.clone();
        figures.reworded.retain(|name, _| nameable.contains(name));
        figures
    };
    pipeline.add(Of::Overall, &named(&range.overall))?;
    for (key, tool) in &range.tools {
        pipeline.add(Of::Tool(key), &tool.all)?;
        for (client, packed) in &tool.clients {
            pipeline.add(Of::ToolClient(key, client), &packed.figures())?;
        }
    }
    for (client, figures) in &range.clients {
        pipeline.add(Of::Client(client), &named(figures))?;
    }
    pipeline.finish()
}
