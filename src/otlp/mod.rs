//! OTLP bytes as borrowed spans and log records: framing checked throughout, only what is wanted
//! read.

mod decode_error;
pub mod generated;
mod json;
mod json_logs;
mod json_number;
mod json_text;
pub mod log_view;
mod protobuf;
mod protobuf_logs;
mod read_child;
mod read_json_span;
mod read_span;
mod sent;
mod signal;
pub mod span_view;
#[cfg(test)]
mod test_requests;
pub mod value;
mod visitor;
mod wire;

pub use decode_error::DecodeError;
pub use log_view::{EVENT_NAME, LogView};
pub use read_span::{MAX_DEPTH, MAX_VALUES};
pub use sent::{Sent, sent};
pub use signal::{Signal, signal_of};
pub use span_view::{EventView, ResourceView, ScopeView, SpanView, StatusCode, StatusView};
pub use value::{Attributes, Value};
pub use visitor::{LogVisitor, Outline, Visitor};

/// The two ways in which OTLP writes its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Protobuf.
    Protobuf,
    /// OTLP's JSON: proto3's mapping, with ids in hex.
    Json,
}

/// Walks an `ExportTraceServiceRequest` and shows its spans to `visitor`. On an error the visitor
/// may have seen a part of the request: it must drop it.
///
/// # Errors
/// Where the request is not what its format says.
pub fn walk(request: &[u8], format: Format, visitor: &mut impl Visitor) -> Result<(), DecodeError> {
    match format {
        Format::Protobuf => protobuf::walk(request, visitor),
        Format::Json => json::walk(request, visitor),
    }
}

/// Walks an `ExportLogsServiceRequest` and shows its log records to `visitor`. On an error the
/// visitor may have seen a part of the request: it must drop it.
///
/// # Errors
/// Where the request is not what its format says.
pub fn walk_logs(
    request: &[u8],
    format: Format,
    visitor: &mut impl LogVisitor,
) -> Result<(), DecodeError> {
    match format {
        Format::Protobuf => protobuf_logs::walk(request, visitor),
        Format::Json => json_logs::walk(request, visitor),
    }
}
