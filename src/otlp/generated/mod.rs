//! Protobuf messages generated from `proto/`, which documents them. Never edited: the test
//! `generated_code` compares.

/// Google's messages that OTLP's errors are made of.
pub mod google {
    /// The types behind every protobuf library.
    pub mod protobuf {
        include!("google.protobuf.rs");
    }
    /// Errors and advice for the sender.
    pub mod rpc {
        include!("google.rpc.rs");
    }
}

/// OTLP's own messages.
pub mod opentelemetry {
    /// All of them.
    pub mod proto {
        /// What travels between a sender and a receiver.
        pub mod collector {
            /// For log records.
            pub mod logs {
                /// Version 1.
                pub mod v1 {
                    include!("opentelemetry.proto.collector.logs.v1.rs");
                }
            }
            /// For spans.
            pub mod trace {
                /// Version 1.
                pub mod v1 {
                    include!("opentelemetry.proto.collector.trace.v1.rs");
                }
            }
        }
        /// Values and scopes.
        pub mod common {
            /// Version 1.
            pub mod v1 {
                include!("opentelemetry.proto.common.v1.rs");
            }
        }
        /// Programs.
        pub mod resource {
            /// Version 1.
            pub mod v1 {
                include!("opentelemetry.proto.resource.v1.rs");
            }
        }
        /// Spans.
        pub mod trace {
            /// Version 1.
            pub mod v1 {
                include!("opentelemetry.proto.trace.v1.rs");
            }
        }
    }
}
