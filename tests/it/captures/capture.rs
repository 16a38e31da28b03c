//! A capture's folder: the requests as they came, and what is expected of them.

use std::io::Read;
use std::path::PathBuf;

use firstcall::call::UnixNanos;
use serde::Deserialize;

use super::expectation::Expected;

/// The folder of all captures.
pub(super) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/captures"))
}

/// What one emitter sent.
#[derive(Debug)]
pub(super) struct Capture {
    pub(super) name: String,
    /// When the recording began.
    pub(super) began: UnixNanos,
    /// In the order they came.
    pub(super) requests: Vec<Request>,
    pub(super) expected: Expected,
}

/// One request as it was on the wire.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    file: String,
    pub(super) path: String,
    pub(super) content_type: String,
    pub(super) encoding: String,
    /// The body, gzip.
    #[serde(skip)]
    gzip: Vec<u8>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    began_unix_s: u64,
    requests: Vec<Request>,
}

impl Request {
    /// The body without an encoding.
    #[expect(clippy::disallowed_types, reason = "a file of this repository, not a request")]
    pub(super) fn inflated(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(self.gzip.as_slice()).read_to_end(&mut bytes).unwrap();
        bytes
    }

    /// The body in the encoding that it came in.
    pub(super) fn body(&self) -> Vec<u8> {
        match self.encoding.as_str() {
            "gzip" => self.gzip.clone(),
            "identity" => self.inflated(),
            other => panic!("{}: encoding {other}", self.file),
        }
    }
}

impl Capture {
    /// Reads the folder `name`.
    pub(super) fn read(name: &str) -> Self {
        let folder = folder().join(name);
        let text = |file: &str| {
            let text = std::fs::read_to_string(folder.join(file));
            text.unwrap_or_else(|error| panic!("{name}/{file}: {error}"))
        };
        let mut listed: Listed = serde_json::from_str(&text("requests.json")).unwrap();
        for request in &mut listed.requests {
            request.gzip = std::fs::read(folder.join(&request.file)).unwrap();
        }
        let expected = yaml_serde::from_str(&text("expected.yaml"))
            .unwrap_or_else(|error| panic!("{name}/expected.yaml: {error}"));
        Self {
            name: name.to_owned(),
            began: UnixNanos::new(listed.began_unix_s * 1_000_000_000),
            requests: listed.requests,
            expected,
        }
    }
}
