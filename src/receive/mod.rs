//! Receive: OTLP over gRPC and HTTP, admission, limits, inflating, replies.
