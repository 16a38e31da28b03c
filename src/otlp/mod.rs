//! OTLP bytes as borrowed spans: framing checked throughout, only what is wanted read.

pub mod span_view;
pub mod value;

pub use span_view::{EventView, ResourceView, ScopeView, SpanView, StatusCode, StatusView};
pub use value::{Attributes, Value};
