//! File names and anchors from names that telemetry sends: short, stable, and safe.
//!
//! A slug is made of lowercase ASCII letters, digits and hyphens only: never a path separator,
//! never a dot, never empty. A hash of the whole name ends it, so that two names that look
//! alike once cleaned still have their own page, and a name keeps its page for ever.

use sha2::{Digest, Sha256};

use crate::call::{ClientName, ToolKey};

/// The longest readable part, in characters.
const READABLE: usize = 40;

/// The slug of a tool: its name, and a hash of service and name.
pub fn of_tool(tool: &ToolKey) -> String {
    let hash = hash(&[tool.service.as_str(), tool.tool.as_str()]);
    format!("{}-{hash}", readable(tool.tool.as_str(), "tool"))
}

/// The slug of a client.
pub fn of_client(client: &ClientName) -> String {
    format!("{}-{}", readable(client.as_str(), "client"), hash(&[client.as_str()]))
}

fn readable(name: &str, fallback: &str) -> String {
    let mut slug = String::with_capacity(READABLE);
    for character in name.chars() {
        if slug.len() >= READABLE {
            break;
        }
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { fallback.to_owned() } else { slug.to_owned() }
}

/// Ten hexadecimal characters of a hash over the parts, each closed by a zero byte so that no
/// two lists of parts read alike.
fn hash(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    let digest: [u8; 32] = hasher.finalize().into();
    let mut first = String::with_capacity(10);
    for byte in digest.iter().take(5) {
        for half in [byte >> 4, byte & 15] {
            first.extend(char::from_digit(u32::from(half), 16));
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Name;

    fn tool(service: &str, tool: &str) -> String {
        of_tool(&ToolKey { service: Name::cut(service), tool: Name::cut(tool) })
    }

    #[test]
    fn hostile_names_become_harmless_file_names() {
        let hostile = [
            "../../etc/passwd",
            "..",
            ".",
            "",
            "a/b\\c",
            "C:\\con",
            "con",
            "nul.",
            "<script>",
            "\u{202e}evil",
            "a\0b",
            "\n",
            "-rf",
            "ünïcödé",
            "日本語",
        ];
        for name in hostile {
            let slug = tool("s", name);
            let is_safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(slug.chars().all(is_safe), "{slug}");
            assert!(slug.len() > 11 && slug.len() <= 51 && !slug.starts_with('-'), "{slug}");
        }
        assert!(tool("s", "search_orders").starts_with("search-orders-"));
        assert!(tool("s", "日本語").starts_with("tool-"));
        assert!(tool("s", &"x".repeat(10_000)).len() == 51);
    }

    #[test]
    fn names_that_clean_to_the_same_keep_their_own_pages() {
        let slugs = [
            tool("a", "search"),
            tool("b", "search"),
            tool("a", "Search"),
            tool("a", "search "),
            tool("ab", ""),
            tool("a", "b"),
            tool("", "ab"),
        ];
        let distinct: std::collections::BTreeSet<_> = slugs.iter().collect();
        assert_eq!(distinct.len(), slugs.len());
    }

    #[test]
    fn a_name_keeps_its_page_for_ever() {
        // The first five bytes of SHA-256 over "orders", 0, "search_orders", 0.
        assert_eq!(tool("orders", "search_orders"), "search-orders-31ed624222");
    }
}
