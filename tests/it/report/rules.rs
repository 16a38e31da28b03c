//! `docs/report-rules.md` names the tests that hold each rule; here they are looked up.

use std::fs;
use std::path::{Path, PathBuf};

fn read_below(folder: &Path, texts: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_below(&path, texts);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            texts.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

/// Texts in backquotes.
fn codes(page: &str) -> impl Iterator<Item = &str> {
    page.split('`').skip(1).step_by(2)
}

#[test]
fn every_rule_names_tests_that_there_are() {
    let top = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(top.join("docs/report-rules.md")).unwrap();
    let mut sources = String::new();
    read_below(&top.join("src"), &mut sources);
    read_below(&top.join("tests/it"), &mut sources);
    let mut found = 0;
    for code in codes(&page) {
        if let Some(script) = code.strip_prefix("browser:").filter(|script| !script.is_empty()) {
            assert!(top.join("tests/browser").join(script).is_file(), "{script}");
            found += 1;
        } else if code.matches('_').count() > 2 {
            assert!(sources.contains(&format!("fn {code}(")), "no test is called {code}");
            found += 1;
        }
    }
    assert!(found > 60, "{found}");
    // Every rule names one at least.
    let rules = page.lines().filter(|line| {
        line.strip_prefix("| ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    assert_eq!(rules.clone().count(), 12 + 10);
    assert!(rules.clone().all(|rule| codes(rule).count() > 0));
    let histories = top.join("tests/corpus/histories/look-alikes-seen-in-agents.yaml");
    let histories = fs::read_to_string(histories).unwrap();
    let named = page.split("## Retries that are none").nth(1).unwrap().split('"');
    let named: Vec<&str> = named.skip(1).step_by(2).collect();
    assert_eq!(named.len(), 9);
    for title in named {
        assert!(histories.contains(&format!("- history: {title}\n")), "{title}");
    }
}
