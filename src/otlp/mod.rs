//! OTLP bytes as borrowed spans: framing checked throughout, only what is wanted read.

mod decode_error;
pub mod generated;
mod json;
mod json_number;
mod json_text;
mod protobuf;
mod read_json_span;
mod read_span;
mod signal;
pub mod span_view;
#[cfg(test)]
mod test_requests;
pub mod value;
mod visitor;
mod wire;

pub use decode_error::DecodeError;
pub use read_span::{MAX_DEPTH, MAX_VALUES};
pub use signal::{Signal, signal_of};
pub use span_view::{EventView, ResourceView, ScopeView, SpanView, StatusCode, StatusView};
pub use value::{Attributes, Value};
pub use visitor::Visitor;

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
