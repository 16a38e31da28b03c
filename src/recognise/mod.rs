//! Recognise: is a span a tool call, and in whose dialect?
