//! The address of a published report.

use std::fmt;
use std::str::FromStr;

/// An `http` or `https` address without any character that means something in Markdown or HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportUrl(String);

/// A text that is no such address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an http or https address without blanks, quotes and brackets")]
pub struct ParseReportUrlError;

impl ReportUrl {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The page of the tool with this slug; none where the address is not a site's top.
    pub fn tool_page(&self, slug: &str) -> Option<Self> {
        let top = match self.0.strip_suffix("index.html") {
            Some(top) => top,
            None => &self.0,
        };
        top.ends_with('/').then(|| Self(format!("{top}tools/{slug}.html")))
    }
}

impl FromStr for ReportUrl {
    type Err = ParseReportUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#@!$&+,;=%".contains(c);
        let is_address = rest.is_some_and(|rest| {
            !rest.is_empty() && !rest.starts_with('/') && rest.chars().all(is_plain)
        });
        if is_address && text.len() <= 2000 {
            Ok(Self(text.to_owned()))
        } else {
            Err(ParseReportUrlError)
        }
    }
}

impl fmt::Display for ReportUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_nothing_that_could_end_a_link() {
        assert!("https://ci.example/run/1?a=b&c=d#e".parse::<ReportUrl>().is_ok());
        for text in [
            "",
            "https://",
            "ftp://a",
            "javascript:alert(1)",
            "https://a b",
            "https://a)",
            "https://a\"",
            "https://a>",
            "https://a\n",
            "//a",
            "https:///a",
            "https://[::1]/",
            "https://é",
        ] {
            assert!(text.parse::<ReportUrl>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_tools_page_is_beside_the_overview() {
        let page = |text: &str| {
            text.parse::<ReportUrl>().unwrap().tool_page("x-1").map(|url| url.to_string())
        };
        assert_eq!(page("https://a/r/").as_deref(), Some("https://a/r/tools/x-1.html"));
        assert_eq!(page("https://a/r/index.html").as_deref(), Some("https://a/r/tools/x-1.html"));
        assert_eq!(page("https://a/artifacts/7"), None);
    }
}
