//! Where the figures are sent after each pass.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use super::section::{section, text};

/// The exporters; OTLP is the only one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exporters {
    /// The figures as metrics over the OpenTelemetry Protocol.
    #[serde(default, deserialize_with = "section")]
    pub otlp: OtlpExporter,
}

/// The OTLP exporter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, try_from = "OtlpExporterKeys")]
pub struct OtlpExporter {
    /// Where the figures are sent, such as `http://127.0.0.1:4317`; nothing is sent where it is
    /// not given.
    pub endpoint: Option<Receiver>,
    /// How they are sent; `grpc` by default.
    pub protocol: OtlpProtocol,
    /// Headers of every request, by name. Secrets belong in the environment variable
    /// `OTEL_EXPORTER_OTLP_HEADERS`, whose headers are sent as well.
    pub headers: BTreeMap<String, HeaderText>,
    /// How long one request may take, in seconds; 10 by default.
    pub timeout_s: NonZeroU32,
    /// Whom to trust and what to show; the system's roots and nothing by default.
    pub tls: ExporterTls,
}

impl Default for OtlpExporter {
    fn default() -> Self {
        Self {
            endpoint: None,
            protocol: OtlpProtocol::default(),
            headers: BTreeMap::new(),
            timeout_s: NonZeroU32::MIN.saturating_add(9),
            tls: ExporterTls::default(),
        }
    }
}

/// How metrics are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum OtlpProtocol {
    /// OTLP/gRPC.
    #[default]
    #[serde(rename = "grpc")]
    Grpc,
    /// OTLP/HTTP with protobuf; `/v1/metrics` is put behind the endpoint's path.
    #[serde(rename = "http/protobuf")]
    HttpProtobuf,
}

/// TLS towards the receiver, over either protocol. Files are PEM and read before each export.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExporterTls {
    /// Roots of the receiver's certificate, in place of the system's.
    pub ca_file: Option<PathBuf>,
    /// The certificate to show.
    pub cert_file: Option<PathBuf>,
    /// Its private key.
    pub key_file: Option<PathBuf>,
}

/// The keys as they stand in the file, not yet held against each other.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OtlpExporterKeys {
    endpoint: Option<Receiver>,
    protocol: OtlpProtocol,
    headers: BTreeMap<HeaderKey, HeaderText>,
    timeout_s: NonZeroU32,
    #[serde(deserialize_with = "section")]
    tls: ExporterTls,
}

impl Default for OtlpExporterKeys {
    fn default() -> Self {
        let OtlpExporter { endpoint, protocol, timeout_s, tls, .. } = OtlpExporter::default();
        Self { endpoint, protocol, headers: BTreeMap::new(), timeout_s, tls }
    }
}

/// Settings of an exporter that contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ExporterError {
    /// Half an identity.
    #[error("cert_file and key_file belong together")]
    HalfIdentity,
    /// Files for TLS and an address without it.
    #[error("tls needs an endpoint that begins with https://")]
    TlsWithoutHttps,
}

impl TryFrom<OtlpExporterKeys> for OtlpExporter {
    type Error = ExporterError;

    fn try_from(keys: OtlpExporterKeys) -> Result<Self, ExporterError> {
        let OtlpExporterKeys { endpoint, protocol, headers, timeout_s, tls } = keys;
        let is_https = endpoint.as_ref().is_some_and(Receiver::is_https);
        if tls.cert_file.is_some() != tls.key_file.is_some() {
            return Err(ExporterError::HalfIdentity);
        }
        if endpoint.is_some() && !is_https && tls != ExporterTls::default() {
            return Err(ExporterError::TlsWithoutHttps);
        }
        let headers = headers.into_iter().map(|(name, value)| (name.0, value)).collect();
        Ok(Self { endpoint, protocol, headers, timeout_s, tls })
    }
}

/// The address of a receiver: `http://` or `https://`, a host and a port, and a path for HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Receiver(String);

/// A text that is no such address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an address such as `http://127.0.0.1:4317`, got `{0}`")]
pub struct ParseReceiverError(String);

impl Receiver {
    /// The address, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether TLS is spoken there.
    pub fn is_https(&self) -> bool {
        self.0.starts_with("https://")
    }
}

impl FromStr for Receiver {
    type Err = ParseReceiverError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // What was given is not repeated where it may hold a password.
        let refuse = || {
            let shown = if text.contains('@') { "…" } else { text };
            ParseReceiverError(shown.chars().take(80).collect())
        };
        let address: http::Uri = text.parse().ok().ok_or_else(refuse)?;
        let is_known = matches!(address.scheme_str(), Some("http" | "https"));
        let host = address.authority().ok_or_else(refuse)?;
        if !is_known || host.as_str().contains('@') || address.query().is_some() {
            return Err(refuse());
        }
        Ok(Self(text.trim_end_matches('/').to_owned()))
    }
}

impl<'de> Deserialize<'de> for Receiver {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

/// A header's name, in lower case.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct HeaderKey(String);

/// What no header can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseHeaderError {
    /// The name.
    #[error("expected a header's name, such as `x-scope-orgid`")]
    Name,
    /// The value.
    #[error("expected a header's value of visible ASCII characters")]
    Value,
}

impl FromStr for HeaderKey {
    type Err = ParseHeaderError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name: http::HeaderName = text.parse().ok().ok_or(ParseHeaderError::Name)?;
        // gRPC would take the value for Base64.
        if name.as_str().ends_with("-bin") {
            return Err(ParseHeaderError::Name);
        }
        Ok(Self(name.as_str().to_owned()))
    }
}

impl<'de> Deserialize<'de> for HeaderKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

/// A header's value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeaderText(String);

impl HeaderText {
    /// The value.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for HeaderText {
    type Err = ParseHeaderError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_visible = text.chars().all(|c| c == ' ' || c.is_ascii_graphic());
        if is_visible { Ok(Self(text.to_owned())) } else { Err(ParseHeaderError::Value) }
    }
}

impl<'de> Deserialize<'de> for HeaderText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    #[test]
    fn nothing_is_sent_by_default_and_what_is_given_is_read_back() {
        let exporter = Config::parse("exporters:\n  otlp:\n").unwrap().exporters.otlp;
        assert_eq!((exporter.endpoint, exporter.timeout_s.get()), (None, 10));
        let text = "exporters: {otlp: {endpoint: 'https://c.example:4317/', \
            headers: {X-Scope-OrgID: shop}, tls: {ca_file: a, cert_file: b, key_file: c}}}";
        let config = Config::parse(text).unwrap();
        let otlp = &config.exporters.otlp;
        assert_eq!(otlp.endpoint.as_ref().unwrap().as_str(), "https://c.example:4317");
        assert_eq!(otlp.headers["x-scope-orgid"].as_str(), "shop");
        assert_eq!(Config::parse(&config.to_yaml()).unwrap(), config);
        for address in ["http://p:9090/api/v1/otlp", "https://p:9090"] {
            let keys = format!("endpoint: '{address}', protocol: http/protobuf");
            let text = format!("exporters: {{otlp: {{{keys}}}}}");
            let otlp = Config::parse(&text).unwrap().exporters.otlp;
            assert_eq!(otlp.protocol, OtlpProtocol::HttpProtobuf);
            assert_eq!(otlp.endpoint.unwrap().as_str(), address);
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for (keys, why) in [
            ("endpoint: 'https://a:1', tls: {cert_file: b}", "belong together"),
            ("endpoint: 'http://a:1', tls: {ca_file: b}", "https://"),
            ("endpoint: 'a:4317'", "expected an address"),
            ("endpoint: 'ftp://a:4317'", "expected an address"),
            ("endpoint: 'http://me:secret@a:1'", "got `…`"),
            ("headers: {'a b': c}", "header's name"),
            ("headers: {a: \"b\\nc\"}", "visible"),
            ("protocol: http/json", "http/json"),
            ("timeout_s: 0", "timeout_s"),
        ] {
            let error = Config::parse(&format!("exporters: {{otlp: {{{keys}}}}}")).unwrap_err();
            assert!(error.contains(why) && !error.contains("secret"), "{keys}: {error}");
        }
    }
}
