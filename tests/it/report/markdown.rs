//! The Markdown files and the summary, read back by a CommonMark and GFM parser.

use std::collections::BTreeMap;

use firstcall::report::markdown_escape::CodeSpan;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::pages::resolved;
use super::report_input::{HOSTILE, ReportDays, hostile, usual};
use super::{pull_request_summary, site};

/// What came alive in a text.
#[derive(Default, Debug)]
pub(super) struct Alive {
    pub(super) links: Vec<String>,
    pub(super) images: usize,
    pub(super) html: Vec<String>,
    /// Texts outside of code.
    pub(super) text: String,
    pub(super) codes: Vec<String>,
    /// The number of cells of each row, table by table.
    pub(super) tables: Vec<Vec<usize>>,
    pub(super) headings: usize,
}

pub(super) fn read(markdown: &str) -> Alive {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM;
    let mut alive = Alive::default();
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => alive.links.push(dest_url.to_string()),
            Event::Start(Tag::Image { .. }) => alive.images += 1,
            Event::Start(Tag::Table(_)) => alive.tables.push(Vec::new()),
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                alive.tables.last_mut().unwrap().push(0);
            }
            Event::End(TagEnd::TableCell) => {
                *alive.tables.last_mut().unwrap().last_mut().unwrap() += 1;
            }
            Event::Start(Tag::Heading { .. }) => alive.headings += 1,
            Event::Html(html) | Event::InlineHtml(html) => alive.html.push(html.to_string()),
            Event::Text(text) => alive.text.push_str(&text),
            Event::Code(code) => alive.codes.push(code.to_string()),
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {
                panic!("{markdown}")
            }
            _ => {}
        }
    }
    alive
}

#[track_caller]
fn assert_tables_keep_their_columns(alive: &Alive, what: &str) {
    for table in &alive.tables {
        assert!(table.iter().all(|cells| *cells == table[0]), "{what}: {table:?}");
    }
}

#[track_caller]
pub(super) fn assert_nothing_comes_alive(path: &str, alive: &Alive) {
    assert_eq!(alive.images, 0, "{path}");
    assert!(!alive.text.contains("://") && !alive.text.contains("www."), "{path}");
    let after = |mark: char| {
        let mut texts = alive.text.split(mark);
        texts.next();
        texts.all(|rest| rest.starts_with('\u{2060}'))
    };
    assert!(after('@') && after('#'), "{path}: {}", alive.text);
    assert_tables_keep_their_columns(alive, path);
}

fn markdown_files(input: &ReportDays) -> BTreeMap<String, String> {
    site(input).into_iter().filter(|(path, _)| path.ends_with(".md")).collect()
}

#[test]
fn the_files_link_among_themselves_and_nowhere_else() {
    for input in [usual(), hostile()] {
        let files = markdown_files(&input);
        assert!(files.contains_key("README.md") && files.len() > 10);
        let mut reached = std::collections::BTreeSet::from(["README.md".to_owned()]);
        let mut to_read = vec!["README.md".to_owned()];
        while let Some(path) = to_read.pop() {
            for link in read(&files[&path]).links {
                let target = resolved(&path, &link);
                if reached.insert(target.clone()) {
                    to_read.push(target);
                }
            }
        }
        // Every file is reached from the first by links alone.
        assert_eq!(reached.iter().collect::<Vec<_>>(), files.keys().collect::<Vec<_>>());
        for (path, text) in &files {
            let alive = read(text);
            assert_nothing_comes_alive(path, &alive);
            assert!(alive.html.is_empty(), "{path}: {:?}", alive.html);
            for link in &alive.links {
                assert!(files.contains_key(&resolved(path, link)), "{path}: {link}");
            }
        }
    }
}

#[test]
fn hostile_names_add_no_heading_row_or_tag_to_the_summary() {
    let text = pull_request_summary(&hostile());
    let alive = read(&text);
    assert_nothing_comes_alive("summary", &alive);
    assert_eq!(alive.links, [""; 0]);
    assert_eq!(alive.headings, 0);
    let html: String = alive.html.concat();
    let own: Vec<&str> = html.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(own.len(), 4, "{own:?}");
    assert_eq!((own[0], own[2], own[3]), ("<details>", "</details>", "<!-- firstcall:summary -->"));
    assert!(own[1].starts_with("<summary>") && !own[1].contains("script"));
}

#[test]
fn the_summary_says_what_got_worse_on_its_first_line() {
    let text = pull_request_summary(&usual()).replace('\u{a0}', " ");
    let first = text.lines().next().unwrap();
    assert!(
        first.starts_with("First-call success fell on 1 of 7 tools: `search_orders` went from "),
        "{first}"
    );
    // 6,976 and 6,909 judged calls: 78.1 and 73.9 %.
    assert!(first.contains(", in `Claude Code` only, since 26 November. Compared with"), "{first}");
    assert!(first.contains("−4.2 points, 95 % −5.6 to −2.8, over 6,909 judged calls"), "{first}");
    assert!(text.trim_end().ends_with("<!-- firstcall:summary -->"));
    assert!(text.contains("before: 16 to 22 November 2026 (7 days covered, n "));
    assert!(text.contains("`firstcall summary --from 2026-11-23 --to 2026-11-29`"));
    assert!(text.contains("As of 29 November 2026"));
    let alive = read(&text);
    // The changed rows, then all tools.
    assert_eq!(alive.tables.len(), 2);
    assert!(alive.tables[0].len() <= 11 && alive.tables[0][0] == 6);
}

#[test]
fn without_a_change_the_summary_has_no_table_of_changes() {
    let input = usual();
    let input = input.unchanged();
    let text = pull_request_summary(&input);
    assert!(text.starts_with("No significant change: "), "{text}");
    assert_eq!(read(&text).tables.len(), 1);
}

#[test]
fn texts_read_as_they_were_approved() {
    let files = markdown_files(&usual());
    insta::assert_snapshot!("readme_md", files["README.md"]);
    let one = |start: &str| {
        files.iter().find(|(path, _)| path.starts_with(start)).map(|(_, text)| text).unwrap()
    };
    insta::assert_snapshot!("tool_md", one("tools/search-orders-"));
    insta::assert_snapshot!("client_md", one("clients/codex-"));
    insta::assert_snapshot!("tools_md", files["tools/README.md"]);
    insta::assert_snapshot!("clients_md", files["clients/README.md"]);
    insta::assert_snapshot!("never_called_md", one("tools/close-period-"));
    insta::assert_snapshot!("summary_md", pull_request_summary(&usual()));
}

/// Names of the letters that mean something to some reader of Markdown, and others.
fn any_name() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(HOSTILE.to_vec()).prop_map(str::to_owned);
    let marks = "[`|\\\\@#<>!\\[\\]()*_~$:/&;\n\r\t a-z\u{202e}\u{200b}é-]{0,90}";
    prop_oneof![hostile, marks, any::<String>()]
}

proptest! {
    #[test]
    fn a_code_span_in_a_cell_is_one_cell_and_one_code(name in any_name(), other in any_name()) {
        let (a, b) = (CodeSpan::of(&name), CodeSpan::of(&other));
        let text = format!("| a | b | c |\n|---|---|---|\n| {a} | [{b}](x.md) | {a} of {b} |\n");
        let alive = read(&text);
        prop_assert_eq!(&alive.tables, &vec![vec![3, 3]]);
        prop_assert_eq!(alive.codes.len(), 4, "{}", text);
        prop_assert_eq!(alive.links, vec!["x.md".to_owned()]);
        prop_assert_eq!(alive.images, 0);
        prop_assert!(alive.html.is_empty());
        prop_assert!(!alive.text.contains('@') && !alive.text.contains('#'));
        // The parser's own view of the code is the name as it is shown.
        let shown = firstcall::report::names::shown(&name).replace('|', "¦");
        prop_assert_eq!(alive.codes[0].trim(), shown.trim());
    }

    #[test]
    fn escaped_text_is_dead_text(name in any_name()) {
        use askama::filters::Escaper as _;
        let mut escaped = String::new();
        firstcall::report::markdown_escape::MarkdownEscaper
            .write_escaped_str(&mut escaped, &name)
            .unwrap();
        let text = format!("| a | b |\n|---|---|\n| x {escaped} | y |\n\nThen x {escaped} y.\n");
        let alive = read(&text);
        prop_assert_eq!(&alive.tables, &vec![vec![2, 2]], "{}", text);
        prop_assert_eq!(alive.images, 0);
        prop_assert!(alive.links.is_empty(), "{}", text);
        prop_assert!(alive.html.is_empty(), "{}", text);
        prop_assert!(alive.codes.is_empty(), "{}", text);
    }
}
