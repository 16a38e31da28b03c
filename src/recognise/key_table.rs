//! Looking a text up among known keys. Every attribute of every span that arrives is looked for,
//! and nearly none is found, so what counts is how soon that is known.

/// Places of a table: many more than keys, so that most texts meet a free one.
const PLACES: usize = 1024;

/// A place without a key; no key has this number.
const FREE: u8 = u8::MAX;

/// Known keys, each by the hash of its text or in the first free place after it.
pub(super) struct KeyTable {
    keys: &'static [&'static str],
    places: [u8; PLACES],
}

impl KeyTable {
    /// The table of `keys`, which are distinct and fewer than 255. Made in compiling.
    #[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "in compiling")]
    pub(super) const fn of(keys: &'static [&'static str]) -> Self {
        assert!(keys.len() < FREE as usize);
        let mut places = [FREE; PLACES];
        let mut at = 0;
        while at < keys.len() {
            let mut place = place(keys[at].as_bytes());
            while places[place] != FREE {
                place = (place + 1) % PLACES;
            }
            places[place] = at as u8;
            at += 1;
        }
        Self { keys, places }
    }

    /// The number of the key of this text, in the order in which the keys were given.
    #[inline]
    pub(super) fn find(&self, text: &[u8]) -> Option<usize> {
        let mut place = place(text);
        loop {
            // A text that is no key, as most are, ends at the first look.
            let at = usize::from(*self.places.get(place)?);
            let known = self.keys.get(at)?;
            if known.as_bytes() == text {
                return Some(at);
            }
            place = (place + 1) % PLACES;
        }
    }
}

/// Where a text is looked for first: by its length, its first byte and its last four.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "of a length any part will do")]
const fn place(text: &[u8]) -> usize {
    let first = match text.first() {
        Some(byte) => *byte as u32,
        None => 0,
    };
    let last = match text.last_chunk() {
        Some(bytes) => u32::from_le_bytes(*bytes),
        None => 0,
    };
    let mixed = (last ^ (first << 16)).wrapping_add((text.len() as u32).wrapping_mul(0x9e37_79b9));
    // The upper ten bits of the product depend on all of what went in.
    (mixed.wrapping_mul(0x85eb_ca6b) >> 22) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_by_its_number_and_nothing_else_is() {
        // The last two share length, first byte and last four bytes, and so a place.
        const KEYS: &[&str] = &["", "a", "abc", "http.method", "tool_a.name", "tool_b.name"];
        static TABLE: KeyTable = KeyTable::of(KEYS);
        assert_eq!(place(b"tool_a.name"), place(b"tool_b.name"));
        for (number, key) in KEYS.iter().enumerate() {
            assert_eq!(TABLE.find(key.as_bytes()), Some(number));
        }
        for text in ["b", "ab", "abcd", "http.methods", "tool_c.name"] {
            assert_eq!(TABLE.find(text.as_bytes()), None, "{text}");
        }
    }
}
