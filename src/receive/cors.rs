//! Browsers as senders: Cross-Origin Resource Sharing (Fetch standard, section 3.2), off until
//! origins are named.

use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};

use super::reply_body::ReplyBody;

/// How long a browser may remember a preflight's answer, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

/// What a page's script may read of an answer beside its body.
const EXPOSED: HeaderValue = HeaderValue::from_static("retry-after, www-authenticate");

/// A longer list of headers is none that an exporter sends.
const MAX_REQUESTED: usize = 1024;

/// The origins whose pages may send.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cors {
    origins: Vec<String>,
}

impl Cors {
    /// Lets pages of `origins` send, each as browsers write it, such as
    /// `https://app.example.org`; `*` stands for all. None for no page at all.
    pub const fn new(origins: Vec<String>) -> Self {
        Self { origins }
    }

    /// What is answered to the origin of a request: none where it is no page's, or one that may
    /// not send.
    pub(super) fn allowed(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(header::ORIGIN)?;
        if self.origins.iter().any(|allowed| allowed == "*") {
            return Some(HeaderValue::from_static("*"));
        }
        let is_allowed = |allowed: &String| origin.as_bytes() == allowed.as_bytes();
        self.origins.iter().any(is_allowed).then(|| origin.clone())
    }
}

/// The answer to a browser that asks before it sends; none where the request is no such question.
pub(super) fn preflight(head: &Parts) -> Option<Response<ReplyBody>> {
    let asks = head.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if head.method != Method::OPTIONS || !asks {
        return None;
    }
    let mut response = Response::new(ReplyBody::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    let requested = head.headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS);
    // Whatever it means to send is skipped where it is not read.
    if let Some(requested) = requested.filter(|requested| requested.len() <= MAX_REQUESTED) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, requested.clone());
    }
    Some(response)
}

/// Lets the page at `origin` read an answer, whatever it is.
pub(super) fn show_to(origin: HeaderValue, headers: &mut HeaderMap) {
    const VARY: HeaderName = header::VARY;
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.append(VARY, HeaderValue::from_static("origin"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(origins: &[&str], origin: &'static str) -> Option<HeaderValue> {
        let cors = Cors::new(origins.iter().map(|&origin| origin.to_owned()).collect());
        let mut headers = HeaderMap::new();
        headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
        cors.allowed(&headers)
    }

    #[test]
    fn an_origin_is_compared_whole() {
        let origin = "https://app.example.org";
        assert_eq!(allowed(&[], origin), None);
        assert_eq!(allowed(&["https://a", origin], origin).unwrap(), origin);
        assert_eq!(allowed(&["*"], origin).unwrap(), "*");
        for near in ["http://app.example.org", "https://app.example.org.evil", "null"] {
            assert_eq!(allowed(&[origin], near), None, "{near}");
        }
        assert_eq!(Cors::new(vec!["*".to_owned()]).allowed(&HeaderMap::new()), None);
    }
}
