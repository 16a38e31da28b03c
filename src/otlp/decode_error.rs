//! Why bytes are not the OTLP message that they should be.

/// The request cannot be read. Names no content and no position: the sender's library, not its
/// data, is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// A length promises more bytes than there are, or a field stops in its middle.
    #[error("message ends in the middle of a field")]
    Truncated,
    /// A variable-length number of more than 64 bits.
    #[error("variable-length number has more than 64 bits")]
    Varint,
    /// A field number of zero or past the last one, or a wire type that does not exist.
    #[error("field tag is not valid")]
    Tag,
    /// A known field was sent in another field's wire type.
    #[error("known field has the wrong wire type")]
    WireType,
    /// The JSON is not well-formed.
    #[error("JSON is not well-formed")]
    Json,
    /// A member of the JSON has a value of another kind than OTLP gives it.
    #[error("`{0}` has a value of another kind than in OTLP's JSON")]
    Shape(&'static str),
}

impl DecodeError {
    /// What the operator of the sender can do.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Truncated => {
                "look for a proxy or exporter that cuts bodies, or that sends a wrong length"
            }
            Self::Json | Self::Shape(_) => {
                "check that the exporter writes OTLP/JSON: lists where OTLP has lists, ids in hex"
            }
            Self::Varint | Self::Tag | Self::WireType => {
                "check that the exporter speaks OTLP, and that what it compresses it also labels"
            }
        }
    }
}
