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
