//! `core` and `pos`: the arguments without what turns a page, and what turns it alone
//! (args-hash.md section 10).

use std::borrow::Cow;

use super::canonical_json::{self, Canonical, MemberText};
use super::context::PagingDeclaration;

/// Names that say where to go on, whatever their value.
const POSITION: &[&str] = &[
    "aftercursor",
    "beforecursor",
    "continuation",
    "continuationtoken",
    "cursor",
    "endcursor",
    "endingbefore",
    "exclusivestartkey",
    "lineoffset",
    "marker",
    "nextcursor",
    "nextpage",
    "nextpagetoken",
    "nexttoken",
    "offset",
    "page",
    "pagecursor",
    "pageindex",
    "pageno",
    "pagenum",
    "pagenumber",
    "pagetoken",
    "paginationtoken",
    "resumetoken",
    "scrollid",
    "searchafter",
    "skip",
    "startat",
    "startcursor",
    "startindex",
    "startingafter",
    "startingtoken",
];
/// Names that say where to go on only with an integer or an opaque text: they are also senders,
/// dates and branches.
const POSITION_IF_OPAQUE: &[&str] =
    &["after", "before", "from", "index", "maxid", "position", "sinceid", "start", "untilid"];
/// Names that say where to go on only with an integer.
const POSITION_IF_INTEGER: &[&str] =
    &["endline", "fromline", "head", "startline", "tail", "toline"];
/// Names that say how much.
const SIZE: &[&str] = &[
    "batchsize",
    "hitsperpage",
    "limit",
    "maxcount",
    "maxitems",
    "maxlength",
    "maxresults",
    "numresults",
    "pagelimit",
    "pagesize",
    "perpage",
    "resultsperpage",
];
/// Names that say how much only with an integer.
const SIZE_IF_INTEGER: &[&str] =
    &["count", "first", "last", "length", "rows", "size", "take", "top"];
/// Objects that are looked into, one level down. An object under `page` is a position itself.
const CONTAINERS: &[&str] = &["pageinfo", "pager", "pagination", "paging"];

/// The texts of `core` and `pos`.
#[derive(Default)]
pub(super) struct Paging {
    /// The object without position and size; none where it holds neither.
    pub(super) core: Option<String>,
    /// The object of the position alone; none where it holds none.
    pub(super) pos: Option<String>,
    /// The object without the parameters that say nothing; none where it holds none of these.
    pub(super) meant: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Position,
    Size,
    Ignored,
    Rest,
}

/// Takes the top object apart. A tool's own declaration replaces the known names; `ignored` is a
/// parameter that says nothing, whatever is declared.
pub(super) fn paging(
    arguments: &Canonical,
    declared: Option<&PagingDeclaration>,
    ignored: Option<&str>,
) -> Paging {
    let mut split = Split::default();
    for member in arguments.members() {
        if Some(member.key) == ignored {
            split.put(Part::Ignored, member.text);
            continue;
        }
        let key = fold(member.key);
        if declared.is_none() && CONTAINERS.contains(&key.as_str()) && split.container(member) {
            continue;
        }
        let part = match declared {
            Some(declared) => declared_part(member.key, declared),
            None => known_part(&key, member.value),
        };
        split.put(part, member.text);
    }
    let has_ignored = split.has_ignored;
    let mut paging = split.finish();
    let is_meant = |member: &MemberText<'_>| {
        let is_declared =
            |declared: &PagingDeclaration| declared_part(member.key, declared) == Part::Ignored;
        Some(member.key) != ignored && !declared.is_some_and(is_declared)
    };
    paging.meant = has_ignored.then(|| {
        let meant = arguments.members().filter(is_meant).map(|member| member.text);
        format!("{{{}}}", meant.collect::<Vec<_>>().join(","))
    });
    paging
}

#[derive(Default)]
struct Split<'a> {
    rest: Vec<Cow<'a, str>>,
    position: Vec<Cow<'a, str>>,
    has_other: bool,
    has_ignored: bool,
}

impl<'a> Split<'a> {
    fn put(&mut self, part: Part, member: &'a str) {
        match part {
            Part::Rest => self.rest.push(member.into()),
            Part::Position => self.position.push(member.into()),
            Part::Size => self.has_other = true,
            Part::Ignored => (self.has_other, self.has_ignored) = (true, true),
        }
    }

    /// Takes an object of paging parameters apart; tells whether it is one.
    fn container(&mut self, member: MemberText<'a>) -> bool {
        let Ok(inner) = canonical_json::exact_text(member.value) else { return false };
        if !inner.is_object() {
            return false;
        }
        let mut split = Split::default();
        for each in inner.members() {
            split.put(known_part(&fold(each.key), each.value), each.text);
        }
        let key = member.text.strip_suffix(member.value).unwrap_or_default();
        let whole = |members: &[Cow<'_, str>]| format!("{key}{{{}}}", members.join(","));
        if !split.position.is_empty() {
            self.position.push(whole(&split.position).into());
        }
        // An object left empty is as if it had not been sent: page one often has none.
        if !split.rest.is_empty() {
            self.rest.push(whole(&split.rest).into());
        }
        self.has_other |= split.has_other || split.rest.is_empty();
        true
    }

    fn finish(self) -> Paging {
        let object = |members: &[Cow<'_, str>]| format!("{{{}}}", members.join(","));
        let has_any = self.has_other || !self.position.is_empty();
        Paging {
            core: has_any.then(|| object(&self.rest)),
            pos: (!self.position.is_empty()).then(|| object(&self.position)),
            meant: None,
        }
    }
}

fn declared_part(key: &str, declared: &PagingDeclaration) -> Part {
    let is_in = |names: &[String]| names.iter().any(|name| name == key);
    if is_in(&declared.position) {
        Part::Position
    } else if is_in(&declared.size) {
        Part::Size
    } else if is_in(&declared.ignore) {
        Part::Ignored
    } else {
        Part::Rest
    }
}

fn known_part(key: &str, value: &str) -> Part {
    let is_in = |names: &[&str]| names.contains(&key);
    if is_in(POSITION)
        || (is_in(POSITION_IF_OPAQUE) && (is_integer(value) || is_opaque(value)))
        || (is_in(POSITION_IF_INTEGER) && is_integer(value))
        || (key == "viewrange" && is_integer_pair(value))
    {
        Part::Position
    } else if is_in(SIZE) || (is_in(SIZE_IF_INTEGER) && is_integer(value)) {
        Part::Size
    } else {
        Part::Rest
    }
}

/// A key as names are compared: lower-case, without `_`, `-` and a leading `$`.
fn fold(key: &str) -> String {
    let key = key.strip_prefix('$').unwrap_or(key);
    // As nearly all are.
    if key.is_ascii() {
        let mut folded = key.to_ascii_lowercase();
        folded.retain(|c| !matches!(c, '_' | '-'));
        return folded;
    }
    key.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

fn is_integer(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_integer_pair(value: &str) -> bool {
    let inner = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner
        .and_then(|inner| inner.split_once(','))
        .is_some_and(|(a, b)| is_integer(a) && is_integer(b))
}

/// Whether a value is an opaque cursor: not a date, not a path, not prose, not a name. Nothing
/// yet (`null`) is the cursor of a first page.
fn is_opaque(value: &str) -> bool {
    let Some(text) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return value == "null";
    };
    if is_integer(text) || text.is_empty() {
        return true;
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_-:~".contains(&byte);
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    text.len() >= 8
        && text.bytes().all(is_plain)
        && has_digit
        && has_letter
        && !is_date(text)
        && !is_path(text)
        && !holds_a_word(text)
}

/// `2026-07-28...`.
fn is_date(text: &str) -> bool {
    let digits = |part: Option<&str>, count: usize| {
        part.is_some_and(|part| {
            part.len() >= count && part.bytes().take(count).all(|b| b.is_ascii_digit())
        })
    };
    let mut parts = text.split(['-', '/', '.']);
    digits(parts.next(), 4) && digits(parts.next(), 2) && digits(parts.next(), 2)
}

fn is_path(text: &str) -> bool {
    // Of the alphabets of base64, the one with `/` has neither `-` nor `_`.
    text.starts_with(['/', '~']) || (text.contains('/') && text.contains(['-', '_', ':']))
}

/// Six lower-case letters in a row are a word: random texts seldom have them.
fn holds_a_word(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_lowercase()).any(|run| run.len() >= 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &str, core: Option<&str>, pos: Option<&str>) {
        let canonical = canonical_json::canonicalise_text(arguments).unwrap();
        let got = paging(&canonical, None, None);
        assert_eq!((got.core.as_deref(), got.pos.as_deref()), (core, pos), "{arguments}");
    }

    #[test]
    fn cursors_pages_and_offsets_are_positions() {
        check(r#"{"q":"a"}"#, None, None);
        check(r#"{"q":"a","cursor":"x"}"#, Some(r#"{"q":"a"}"#), Some(r#"{"cursor":"x"}"#));
        check(r#"{"q":"a","page":2,"perPage":50}"#, Some(r#"{"q":"a"}"#), Some(r#"{"page":2}"#));
        check(r#"{"$skip":10,"$top":5}"#, Some("{}"), Some(r#"{"$skip":10}"#));
        check(r#"{"Next-Page_Token":"t"}"#, Some("{}"), Some(r#"{"Next-Page_Token":"t"}"#));
    }

    #[test]
    fn a_size_alone_is_no_position() {
        check(r#"{"q":"a","limit":100}"#, Some(r#"{"q":"a"}"#), None);
        check(r#"{"q":"a","first":"alice"}"#, None, None);
        check(r#"{"size":"XL"}"#, None, None);
    }

    #[test]
    fn names_with_other_meanings_need_an_integer_or_an_opaque_text() {
        check(
            r#"{"after":"Y3Vyc29yOnYyOpHOAA=="}"#,
            Some("{}"),
            Some(r#"{"after":"Y3Vyc29yOnYyOpHOAA=="}"#),
        );
        check(r#"{"after":7}"#, Some("{}"), Some(r#"{"after":7}"#));
        check(r#"{"start":null}"#, Some("{}"), Some(r#"{"start":null}"#));
        for other in [
            r#"{"after":"2026-07-28"}"#,
            r#"{"after":"2026-07-28T10:00:00Z"}"#,
            r#"{"from":"alice"}"#,
            r#"{"from":"alice99@acme.test"}"#,
            r#"{"start":"src/main1.rs/a"}"#,
            r#"{"before":"the meeting at 10"}"#,
            r#"{"head":"release-2"}"#,
            r#"{"from":"release-2-candidate"}"#,
            r#"{"start":1.5}"#,
            r#"{"since":1753000000}"#,
            r#"{"view_range":[1,"end"]}"#,
        ] {
            check(other, None, None);
        }
        check(r#"{"view_range":[1,50]}"#, Some("{}"), Some(r#"{"view_range":[1,50]}"#));
        check(r#"{"head":20}"#, Some("{}"), Some(r#"{"head":20}"#));
    }

    #[test]
    fn paging_objects_are_looked_into_and_page_goes_whole() {
        check(
            r#"{"pagination":{"cursor":"x","limit":10,"sort":"a"},"q":1}"#,
            Some(r#"{"pagination":{"sort":"a"},"q":1}"#),
            Some(r#"{"pagination":{"cursor":"x"}}"#),
        );
        check(r#"{"paging":{"size":10},"q":1}"#, Some(r#"{"q":1}"#), None);
        check(r#"{"page":{"size":10},"q":1}"#, Some(r#"{"q":1}"#), Some(r#"{"page":{"size":10}}"#));
        check(r#"{"filter":{"cursor":"x"}}"#, None, None);
        check(r#"{"pagination":"on"}"#, None, None);
    }

    #[test]
    fn a_declaration_replaces_the_known_names() {
        let declared = PagingDeclaration {
            position: vec!["chapter".to_owned()],
            size: vec![],
            ignore: vec!["why".to_owned()],
        };
        let text = r#"{"chapter":2,"page":3,"why":"because"}"#;
        let canonical = canonical_json::canonicalise_text(text).unwrap();
        let got = paging(&canonical, Some(&declared), None);
        assert_eq!(got.core.as_deref(), Some(r#"{"page":3}"#));
        assert_eq!(got.pos.as_deref(), Some(r#"{"chapter":2}"#));
    }
}
