//! Names in packed rows: numbers of the day file's dictionary, or the text itself.

use super::wire::put_varint;
use crate::call::Name;

/// Where a name's number comes from; none where the dictionary takes no more names.
pub(super) type Numberer<'a> = dyn FnMut(&Name) -> Option<u64> + 'a;

/// 0 stands for none, 1 for a name that follows in full, others for dictionary number less 1.
pub(super) fn put_name(out: &mut Vec<u8>, name: Option<&Name>, number: &mut Numberer<'_>) {
    let Some(name) = name else {
        return put_varint(out, 0);
    };
    if let Some(code) = number(name).and_then(|number| number.checked_add(1)) {
        return put_varint(out, code);
    }
    put_varint(out, 1);
    let text = name.as_str().as_bytes();
    put_varint(out, u64::try_from(text.len()).unwrap_or(u64::MAX));
    out.extend(text);
}

/// The name asked for last with its number: rows that follow one another mostly share it.
#[derive(Debug, Default)]
pub(super) struct LastName(Option<(Name, Option<u64>)>);

impl LastName {
    /// The name's number.
    pub(super) fn number(&mut self, name: &Name, number: &mut Numberer<'_>) -> Option<u64> {
        match &self.0 {
            Some((last, found)) if last == name => *found,
            _ => {
                let found = number(name);
                self.0 = Some((name.clone(), found));
                found
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_comes_again_is_not_looked_for_again() {
        let mut asked = 0;
        let mut last = LastName::default();
        let mut numbers = Vec::new();
        for text in ["a", "a", "b", "b", "a"] {
            let number = &mut |name: &Name| {
                asked += 1;
                name.as_str().bytes().next().map(u64::from)
            };
            numbers.push(last.number(&Name::cut(text), number));
        }
        assert_eq!(numbers, [Some(97), Some(97), Some(98), Some(98), Some(97)]);
        assert_eq!(asked, 3);
    }
}
