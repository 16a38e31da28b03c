//! The picture in docs/architecture.md, held against the source: who imports whom, how long a
//! file may be, and what templates may not do.
#![expect(clippy::unwrap_used, clippy::string_slice, reason = "helpers of tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::files::files_below;

/// Who may import whom. A module may always use itself.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    // The vocabulary.
    ("call", &[]),
    ("figures", &["call"]),
    // Leaves that any stage may use and the vocabulary may not.
    ("allocator", &[]),
    ("clock", &["call"]),
    ("shutdown", &[]),
    ("terminal", &[]),
    ("tls_client", &[]),
    ("config", &[]),
    ("self_report", &["call", "figures"]),
    // The flow: nothing imports a later stage, and nightly and report meet in the store only.
    ("otlp", &["call"]),
    ("recognise", &["otlp", "call", "figures"]),
    ("reduce", &["recognise", "otlp", "call", "figures"]),
    ("store", &["config", "figures", "call", "tls_client"]),
    ("ingest", &["otlp", "recognise", "reduce", "store", "call", "figures", "clock"]),
    (
        "receive",
        &["ingest", "otlp", "store", "call", "figures", "clock", "shutdown", "self_report"],
    ),
    ("nightly", &["store", "figures", "call", "clock"]),
    ("report", &["store", "figures", "call", "clock"]),
    ("doctor", &["recognise", "store", "figures", "call", "clock", "terminal"]),
    (
        "import",
        &["server", "config", "ingest", "recognise", "otlp", "store", "call", "figures", "clock"],
    ),
    // The edges: `server` puts the stages together, `demo` and `cli` use it.
    (
        "server",
        &[
            "config",
            "exporters",
            "receive",
            "ingest",
            "reduce",
            "store",
            "call",
            "clock",
            "shutdown",
            "self_report",
        ],
    ),
    ("exporters", &["config", "figures", "call", "self_report", "tls_client"]),
    (
        "demo",
        &[
            "server", "nightly", "report", "store", "reduce", "config", "call", "figures", "clock",
            "shutdown",
        ],
    ),
    (
        "cli",
        &[
            "allocator",
            "demo",
            "exporters",
            "doctor",
            "import",
            "server",
            "nightly",
            "report",
            "store",
            "receive",
            "reduce",
            "config",
            "call",
            "figures",
            "clock",
            "shutdown",
            "self_report",
            "terminal",
        ],
    ),
    ("main", &["cli"]),
    ("lib", &[]),
];

/// Longest file before its tests, with them, and of a file of tests alone.
const MAX_CODE_LINES: usize = 400;
const MAX_FILE_LINES: usize = 600;
const MAX_TEST_LINES: usize = 800;
/// Files that are one list, a line for each entry: they may be as long as a file with its tests.
const LISTS: &[&str] = &["recognise/attribute_names.rs"];

fn files(root: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join(root));
    found.retain(|path| extension.is_empty() || path.extension().is_some_and(|e| e == extension));
    found
}

/// A file's module path: `src/store/batch.rs` is `[store, batch]`, `src/store/mod.rs` is
/// `[store]`.
fn module_of(path: &Path) -> Vec<String> {
    let inside = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let mut module: Vec<String> =
        inside.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    module.pop_if(|last| last == "mod");
    module
}

/// The lines before the tests, comments left out.
fn code_of(text: &str) -> String {
    let code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    code.filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn is_test_file(module: &[String]) -> bool {
    let last = module.last().unwrap();
    last == "tests" || last.ends_with("_tests") || last == "arbitrary"
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The names right below `crate::` in what follows it: one, or those of a group.
fn top_names(after: &str) -> Vec<&str> {
    let Some(group) = after.strip_prefix('{') else {
        return vec![identifier(after)];
    };
    let mut names = Vec::new();
    let mut depth = 0;
    let mut is_start = true;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => is_start = true,
            c if is_start && c.is_alphanumeric() => {
                names.push(identifier(&group[at..]));
                is_start = false;
            }
            _ => {}
        }
    }
    names
}

/// The top-level modules that a file's code names.
fn imports(module: &[String], code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back().unwrap_or(' ');
        if !before.is_alphanumeric() && before != '_' {
            found.extend(top_names(&code[at + 7..]).into_iter().map(str::to_owned));
        }
    }
    // `super::super::x` may climb to the top as well.
    let climb = "super::".repeat(module.len());
    for (at, _) in code.match_indices(&climb) {
        if !code[..at].ends_with("super::") && !code[at + climb.len()..].starts_with("super::") {
            found.extend(top_names(&code[at + climb.len()..]).into_iter().map(str::to_owned));
        }
    }
    found
}

#[test]
fn no_stage_imports_a_later_one() {
    let mut wrong = Vec::new();
    for path in files("src", "rs") {
        let module = module_of(&path);
        if is_test_file(&module) {
            continue;
        }
        let top = module.first().unwrap().as_str();
        let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| *name == top) else {
            wrong.push(format!("{top}: not in the table"));
            continue;
        };
        let code = code_of(&fs::read_to_string(&path).unwrap());
        for import in imports(&module, &code) {
            let is_module = MAY_IMPORT.iter().any(|(name, _)| *name == import);
            if is_module && import != top && !allowed.contains(&import.as_str()) {
                wrong.push(format!("{} imports {import}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_short_and_open_with_what_they_are_for() {
    let mut wrong = Vec::new();
    for path in files("src", "rs") {
        if path.iter().any(|part| part == "generated") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let is_test = is_test_file(&module_of(&path));
        let code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count();
        let all = text.lines().count();
        let fits = if is_test {
            all <= MAX_TEST_LINES
        } else {
            let is_list = LISTS.iter().any(|list| path.ends_with(list));
            (code <= MAX_CODE_LINES || is_list) && all <= MAX_FILE_LINES
        };
        if !fits {
            wrong.push(format!("{}: {code} lines of code, {all} in all", path.display()));
        }
        if !text.starts_with("//!") && !is_test {
            wrong.push(format!("{}: no module text", path.display()));
        }
        if path.file_stem().is_some_and(|stem| stem == "errors") {
            wrong.push(format!("{}: errors live in the module that makes them", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn templates_never_switch_escaping_off() {
    for path in files("templates", "") {
        let text = fs::read_to_string(&path).unwrap();
        let squeezed: String = text.split_whitespace().collect();
        for filter in ["|safe", "|escape(\"none\")", "|e(\"none\")"] {
            assert!(!squeezed.contains(filter), "{} has {filter}", path.display());
        }
    }
}

#[test]
fn the_import_reader_sees_every_form() {
    let module = ["store".to_owned(), "rows".to_owned()];
    let code = "use crate::call::{Day, Name};\nuse crate::{figures, clock::{self, Clock}};\n\
                use super::super::nightly::x; use super::rows; fn f() { crate::report::g() }";
    let found: Vec<String> = imports(&module, code).into_iter().collect();
    assert_eq!(found, ["call", "clock", "figures", "nightly", "report"]);
}
