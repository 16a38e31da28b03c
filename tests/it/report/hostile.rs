//! Names that try to break out: of elements, attributes, cells, code spans, folders.

use scraper::{Html, Selector};

use super::pages::assert_links_resolve;
use super::report_input::{HOSTILE, hostile};
use super::{html_pages, site};

#[test]
fn hostile_names_stay_text_on_every_page() {
    let site = site(&hostile());
    assert!(html_pages(&site).count() > 2 * HOSTILE.len());
    for (path, html) in html_pages(&site) {
        let document = Html::parse_document(html);
        assert!(document.errors.is_empty(), "{path}: {:?}", document.errors);
        // The report's own script and none besides, byte for byte the same on every page.
        let scripts: Vec<String> = document
            .select(&Selector::parse("script").unwrap())
            .map(|script| script.text().collect())
            .collect();
        assert_eq!(
            scripts,
            [include_str!("../../../templates/html/report.js").trim_end()],
            "{path}"
        );
        for element in document.select(&Selector::parse("*").unwrap()) {
            let name = element.value().name();
            assert!(!["img", "iframe", "b-", "style "].contains(&name), "{path}");
            for (attribute, value) in element.value().attrs() {
                assert!(!attribute.starts_with("on") && attribute != "style", "{path}");
                let is_address = matches!(attribute, "href" | "src");
                assert!(
                    !is_address || !value.contains(':') || value == "data:,",
                    "{path}: {value}"
                );
            }
        }
        let is_unseen = |c: char| {
            (c.is_control() && c != '\n')
                || ('\u{202a}'..='\u{202e}').contains(&c)
                || ('\u{2066}'..='\u{2069}').contains(&c)
        };
        assert!(!html.contains(is_unseen), "{path}");
    }
    assert_links_resolve(&site);
}

#[test]
fn hostile_names_make_no_odd_paths() {
    for path in site(&hostile()).keys() {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-./_".contains(c);
        assert!(path.chars().all(is_plain) && !path.contains("..") && path.len() < 80, "{path}");
        assert!(path.matches('/').count() <= 1, "{path}");
    }
}

#[test]
fn json_carries_names_as_sent() {
    let site = site(&hostile());
    let json: serde_json::Value = serde_json::from_str(&site["report.json"]).unwrap();
    let tools: Vec<_> =
        json["tools"].as_array().unwrap().iter().map(|t| t["tool"].as_str().unwrap()).collect();
    for name in HOSTILE {
        assert!(tools.contains(&name), "{name:?}");
    }
}

#[test]
fn csv_keeps_its_columns_and_runs_nothing() {
    let site = site(&hostile());
    let mut reader = csv::Reader::from_reader(site["figures.csv"].as_bytes());
    let columns = reader.headers().unwrap().len();
    for row in reader.records() {
        let row = row.unwrap();
        assert_eq!(row.len(), columns);
        for cell in &row {
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell:?}");
        }
    }
}
