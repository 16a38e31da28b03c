//! When two sightings' names may mean one tool (METHOD section 8).

/// What may stand between a prefix and a tool's own name.
const SEPARATORS: &[u8] = b"_.-/:";

/// Whether two names may mean one tool: equal, or one a suffix of the other after a separator,
/// as a client's prefix makes it (`mcp__server__search` and `search`).
pub(super) fn may_be_one_tool(a: &str, b: &str) -> bool {
    a == b || is_prefixed(a, b) || is_prefixed(b, a)
}

fn is_prefixed(long: &str, short: &str) -> bool {
    !short.is_empty()
        && long
            .strip_suffix(short)
            .and_then(|prefix| prefix.bytes().next_back())
            .is_some_and(|last| SEPARATORS.contains(&last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_in_a_separator() {
        for prefixed in [
            "mcp__shop__search",
            "shop_search",
            "shop.search",
            "shop-search",
            "shop/search",
            "a:search",
        ] {
            assert!(may_be_one_tool(prefixed, "search"), "{prefixed}");
            assert!(may_be_one_tool("search", prefixed), "{prefixed}");
        }
        assert!(may_be_one_tool("search", "search"));
        for other in ["research", "search_orders", "Search", "", "search_"] {
            assert!(!may_be_one_tool(other, "search"), "{other}");
        }
    }
}
