//! What holds of every page, and that all outputs say the same numbers.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use scraper::{ElementRef, Html, Selector};
use sha2::{Digest, Sha256};

use super::report_input::usual;
use super::{file_of, html_pages, site, site_with};

fn select<'d>(document: &'d Html, selector: &str) -> Vec<ElementRef<'d>> {
    document.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_same_input_makes_the_same_bytes() {
    assert_eq!(site(&usual()), site(&usual()));
}

#[test]
fn every_page_is_valid_html_and_whole_in_itself() {
    for (path, html) in html_pages(&site(&usual())) {
        let document = Html::parse_document(html);
        assert!(document.errors.is_empty(), "{path}: {:?}", document.errors);
        let all = select(&document, "*");
        for element in &all {
            let name = element.value().name();
            assert!(!["iframe", "object", "embed", "img"].contains(&name), "{path}");
            for (attribute, value) in element.value().attrs() {
                let is_inline = attribute == "style" || attribute.starts_with("on");
                assert!(!is_inline, "{path}: {attribute}");
                assert!(!value.contains("://"), "{path}: {attribute}={value}");
            }
        }
        let style = select(&document, "style");
        assert_eq!(style.len(), 1, "{path}");
        let css: String = style[0].text().collect();
        let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(&css));
        assert!(!css.contains("url(") && !css.contains("@import"), "{path}");
        let script = select(&document, "script");
        assert_eq!((script.len(), script[0].attr("src")), (1, None), "{path}");
        let code: String = script[0].text().collect();
        let script = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(&code));
        let policy = select(&document, "meta[http-equiv='Content-Security-Policy']");
        assert_eq!(
            policy[0].attr("content").unwrap(),
            format!(
                "default-src 'none'; style-src 'sha256-{hash}'; \
                 script-src 'sha256-{script}'; img-src data:; base-uri 'none'; form-action 'none'"
            )
        );
        assert_eq!(select(&document, "h1").len(), 1, "{path}");
    }
}

#[test]
fn with_files_beside_them_pages_hold_nothing_inline() {
    let site = site_with(&usual(), firstcall::report::Assets::Files);
    for (path, html) in html_pages(&site) {
        let document = Html::parse_document(html);
        assert!(document.errors.is_empty(), "{path}: {:?}", document.errors);
        assert!(select(&document, "style, [style]").is_empty(), "{path}");
        let policy = select(&document, "meta[http-equiv='Content-Security-Policy']");
        assert_eq!(
            policy[0].attr("content").unwrap(),
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
             base-uri 'none'; form-action 'none'"
        );
        let scripts = select(&document, "script");
        assert_eq!((scripts.len(), text(scripts[0]).as_str()), (1, ""), "{path}");
        assert!(site.contains_key(&resolved(path, scripts[0].attr("src").unwrap())), "{path}");
        assert_eq!(select(&document, "link[rel='stylesheet']").len(), 1, "{path}");
    }
    assert_links_resolve(&site);
    // Nothing else differs.
    let inline = super::site(&usual());
    let main =
        |html: &str| html[html.find("<main").unwrap()..html.find("</footer>").unwrap()].to_owned();
    for (path, html) in html_pages(&inline) {
        assert_eq!(main(html), main(&site[path]), "{path}");
    }
    assert_eq!(site.len(), inline.len() + 3);
}

#[test]
fn for_mail_there_is_no_script_and_every_figure_stands_all_the_same() {
    let mail = site_with(&usual(), firstcall::report::Assets::Mail);
    let inline = site(&usual());
    assert_eq!(mail.len(), inline.len());
    let main =
        |html: &str| html[html.find("<main").unwrap()..html.find("</footer>").unwrap()].to_owned();
    for (path, html) in html_pages(&mail) {
        let document = Html::parse_document(html);
        assert!(document.errors.is_empty(), "{path}: {:?}", document.errors);
        assert!(select(&document, "script, link, [src]").is_empty(), "{path}");
        assert_eq!(main(html), main(&inline[path]), "{path}");
    }
}

#[test]
fn every_table_and_picture_says_what_it_is() {
    for (path, html) in html_pages(&site(&usual())) {
        let document = Html::parse_document(html);
        for table in select(&document, "table") {
            let captions: Vec<_> = table.select(&Selector::parse("caption").unwrap()).collect();
            assert_eq!(captions.len(), 1, "{path}");
            assert!(!text(captions[0]).is_empty(), "{path}");
            for head in table.select(&Selector::parse("th").unwrap()) {
                assert!(
                    matches!(head.attr("scope"), Some("row" | "col")),
                    "{path}: {}",
                    text(head)
                );
            }
        }
        for picture in select(&document, "svg") {
            if picture.attr("aria-hidden") == Some("true") {
                // Its numbers stand in the cells beside it.
                let row = picture.ancestors().find_map(|node| {
                    ElementRef::wrap(node).filter(|element| element.value().name() == "tr")
                });
                assert!(row.is_some_and(|row| text(row).contains(char::is_numeric)), "{path}");
                continue;
            }
            assert_eq!(picture.attr("role"), Some("img"), "{path}");
            for part in ["title", "desc"] {
                let said = picture.select(&Selector::parse(part).unwrap()).next();
                assert!(said.is_some_and(|said| !text(said).is_empty()), "{path}: {part}");
            }
        }
        // The line over 30 days has the same numbers as a table on its page.
        if html.contains("Last 30 days") {
            assert_eq!(
                select(&document, "table.short caption")
                    .iter()
                    .filter(|caption| {
                        text(**caption) == "Covered days of the last 30, the newest first"
                    })
                    .count(),
                1,
                "{path}"
            );
        }
    }
}

/// The links of a page, and the anchors that it has.
pub(super) fn links_and_anchors(html: &str) -> (Vec<String>, BTreeSet<String>) {
    let document = Html::parse_document(html);
    let links = select(&document, "a[href], link[href]");
    let links = links.iter().filter_map(|link| link.attr("href")).map(str::to_owned).collect();
    let ids: Vec<_> =
        select(&document, "[id]").iter().map(|e| e.attr("id").unwrap().to_owned()).collect();
    let distinct: BTreeSet<String> = ids.iter().cloned().collect();
    assert_eq!(distinct.len(), ids.len(), "an id stands twice");
    (links, distinct)
}

/// Where a link on the page at `from` leads, within the site.
pub(super) fn resolved(from: &str, link: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => assert!(parts.pop().is_some(), "{link} on {from} leads out of the site"),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

pub(super) fn assert_links_resolve(site: &BTreeMap<String, String>) {
    let anchors: BTreeMap<_, _> =
        html_pages(site).map(|(path, html)| (path.as_str(), links_and_anchors(html))).collect();
    for (path, (links, own)) in &anchors {
        for link in links.iter().filter(|link| link.as_str() != "data:,") {
            let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
            let page = if target.is_empty() { (*path).to_owned() } else { resolved(path, target) };
            assert!(site.contains_key(&page), "{path}: {link}");
            if !anchor.is_empty() {
                let there = anchors.get(page.as_str()).map_or(own, |(_, ids)| ids);
                assert!(there.contains(anchor), "{path}: {link}");
            }
        }
    }
}

#[test]
fn every_link_and_anchor_leads_somewhere() {
    assert_links_resolve(&site(&usual()));
}

#[test]
fn the_first_words_answer_whether_to_act() {
    let page = &site(&usual())["index.html"];
    let document = Html::parse_document(page);
    let first: String = text(select(&document, "main")[0]).chars().take(300).collect();
    let first = first.replace('\u{a0}', " ");
    for what in ["fell", "search_orders", "78.1 % to 73.9 %", "since 26 November", "−4.2 points"]
    {
        assert!(first.contains(what), "{what}: {first}");
    }
    let verdict = select(&document, "#verdict")[0];
    assert_eq!(verdict.attr("class"), None);
}

#[test]
fn a_bad_strip_greys_the_verdict_and_says_why() {
    let mut input = usual();
    for day in &mut input.days {
        day.quality.sampled = 3;
    }
    let site = site(&input);
    let document = Html::parse_document(&site["index.html"]);
    assert_eq!(select(&document, "#verdict")[0].attr("class"), Some("doubt"));
    let lead: String = select(&document, ".lead").into_iter().map(text).collect();
    let why = "Read with care: the input is sampled, so a follow-up may be missing.";
    assert!(lead.contains(why), "{lead}");
    assert!(site["README.md"].contains("**Read with care:** the input is sampled"));
}

/// Shade and hatching only repeat what the text says, so a page in grey can be read.
#[test]
fn every_cell_of_the_grid_says_its_value_and_count_in_text() {
    let site = site(&usual());
    let document = Html::parse_document(&site["index.html"]);
    let cells = select(&document, "#grid td");
    // Eight tools were called, by six clients.
    assert_eq!(cells.len(), 8 * 6);
    let mut kinds = BTreeMap::new();
    for cell in cells {
        let class = cell.attr("class").unwrap_or_default();
        let count = cell.select(&Selector::parse("small").unwrap()).next().map(text);
        let said = text(cell);
        let kind = match class {
            "none" => said == "·not called" && count.is_none(),
            "few" => said.starts_with("few") && count.unwrap().parse::<u64>().unwrap() < 20,
            "unj" => said.contains("not judged") && count.is_some(),
            _ => {
                let count = count.unwrap();
                let value: u64 = said.strip_suffix(&count).unwrap().trim().parse().unwrap();
                // The shade says what the value says: none from 90 % on.
                value <= 100 && class.is_empty() == (value >= 90)
            }
        };
        assert!(kind, "{class}: {said}");
        *kinds.entry(if class.starts_with('s') { "shaded" } else { class }).or_insert(0) += 1;
    }
    assert_eq!(kinds.keys().copied().collect::<Vec<_>>(), ["", "few", "none", "shaded", "unj"]);
}

/// The names in the list of tools, page after page.
fn listed(site: &BTreeMap<String, String>, file: &str) -> Vec<String> {
    let document = Html::parse_document(&site[file]);
    select(&document, "main tbody th code").into_iter().map(text).collect()
}

#[test]
fn the_list_of_tools_is_sorted_without_script() {
    let site = site(&usual());
    let by_need = listed(&site, "tools/index.html");
    assert_eq!(by_need.len(), 11);
    assert_eq!(by_need[..3], ["find_customer", "export_ledger", "search_orders"]);
    let by_name = listed(&site, "tools/by-name.html");
    assert!(by_name.is_sorted() && by_name.len() == 11, "{by_name:?}");
    // 7,798 calls, then 6,909, then 5,908.
    let by_calls = listed(&site, "tools/by-calls.html");
    assert_eq!(by_calls[..3], ["get_order", "search_orders", "find_customer"]);
    let by_change = listed(&site, "tools/by-change.html");
    assert_eq!(by_change[0], "search_orders");
    for file in ["index.html", "by-name.html", "by-calls.html", "by-change.html"] {
        let document = Html::parse_document(&site[&format!("tools/{file}")]);
        let links: Vec<_> = select(&document, ".orders a").into_iter().collect();
        assert_eq!(links.len(), 3, "{file}");
        assert_eq!(select(&document, ".orders [aria-current]").len(), 1, "{file}");
    }
}

#[test]
fn the_period_before_stands_beside_every_figure_of_a_tool() {
    let site = site(&usual());
    let (_, html) = file_of(&site, "tools/search-orders-", ".html");
    let document = Html::parse_document(html);
    let row = |name: &str| -> Vec<String> {
        let rows = select(&document, "#figures tbody tr");
        let row = rows.into_iter().find(|row| text(*row).starts_with(name)).unwrap();
        row.select(&Selector::parse("td").unwrap()).map(text).collect()
    };
    assert_eq!(row("Calls"), ["6,909", "6,976", "all judged"]);
    assert_eq!(row("Schema size")[..2], ["1.8 kB", "–"]);
    let (_, markdown) = file_of(&site, "tools/search-orders-", ".md");
    assert!(markdown.contains("| Calls | 6,909 | 6,976 | all judged |"), "{markdown}");
}

#[test]
fn pages_and_json_say_the_same() {
    let site = site(&usual());
    let json: serde_json::Value = serde_json::from_str(&site["report.json"]).unwrap();
    let index = Html::parse_document(&site["index.html"]);
    let big = |document: &Html| -> Vec<f64> {
        let numbers = select(document, "#headline .big:not(.words)");
        numbers.into_iter().map(|e| text(e).trim_end_matches('%').parse().unwrap()).collect()
    };
    let percents = |figures: &serde_json::Value| -> Vec<f64> {
        ["first_call_success", "confirmed_first_call_success"]
            .iter()
            .filter_map(|name| figures[name]["rate"].as_f64())
            .map(|rate| rate * 100.0)
            .collect()
    };
    let assert_near = |shown: Vec<f64>, exact: Vec<f64>, what: &str| {
        assert_eq!(shown.len(), exact.len(), "{what}");
        for (shown, exact) in shown.iter().zip(&exact) {
            // One decimal, rounded; never across a band's border, so at most one step away.
            assert!((shown - exact).abs() < 0.1, "{what}: {shown} for {exact}");
        }
    };
    assert_near(big(&index), percents(&json["overall"]), "overall");
    assert_eq!(json["tools"].as_array().unwrap().len(), 8);
    for tool in json["tools"].as_array().unwrap() {
        let name = tool["tool"].as_str().unwrap();
        let start = format!("tools/{}-", name.replace('_', "-"));
        let (path, html) = file_of(&site, &start, ".html");
        let document = Html::parse_document(html);
        assert_near(big(&document), percents(tool), name);
        let judged = firstcall::figures::format::count(tool["judged"].as_u64().unwrap());
        let slug = path.trim_start_matches("tools/").trim_end_matches(".html");
        let row = select(&index, &format!("#tool-{slug} td"));
        if tool["first_call_success"].is_null() {
            assert!(text(row[0]).starts_with("not judged"), "{name}");
        } else {
            assert_eq!(text(row[4]), judged, "{name}");
            let (_, markdown) = file_of(&site, &start, ".md");
            assert!(markdown.contains(&format!("| {judged} |")), "{name}");
        }
        for client in tool["clients"].as_array().unwrap() {
            let judged = firstcall::figures::format::count(client["judged"].as_u64().unwrap());
            let rows = select(&document, "#clients tbody tr");
            let name = client["client"].as_str().unwrap();
            let row = rows.into_iter().find(|row| text(*row).starts_with(name)).unwrap();
            let cells: Vec<_> = row.select(&Selector::parse("td").unwrap()).map(text).collect();
            assert_eq!(cells[3], judged, "{name}");
        }
    }
}

#[test]
fn the_classes_of_retries_add_up_on_every_page() {
    let mut tables = 0;
    for (path, html) in html_pages(&site(&usual())) {
        let document = Html::parse_document(html);
        for table in select(&document, "table.bars") {
            let counts: Vec<u64> = table
                .select(&Selector::parse("tbody tr").unwrap())
                .map(|row| row.select(&Selector::parse("td.n").unwrap()).next().unwrap())
                .map(|cell| text(cell).replace(',', "").parse().unwrap())
                .collect();
            assert_eq!(counts.len(), 8, "{path}");
            assert_eq!(counts[0], counts[1..].iter().sum::<u64>(), "{path}");
            tables += 1;
        }
    }
    assert!(tables > 30, "{tables}");
}

#[test]
fn csv_and_json_hold_the_same_figures() {
    let site = site(&usual());
    let json: serde_json::Value = serde_json::from_str(&site["report.json"]).unwrap();
    let mut reader = csv::Reader::from_reader(site["figures.csv"].as_bytes());
    let rows: Vec<BTreeMap<String, String>> =
        reader.deserialize().collect::<Result<_, _>>().unwrap();
    let overall = rows.iter().find(|row| row["of"] == "overall").unwrap();
    assert_eq!(overall["calls"], json["overall"]["calls"].to_string());
    let rate = json["overall"]["first_call_success"]["rate"].as_f64().unwrap();
    assert_eq!(overall["first_call_success"], format!("{rate:.6}"));
    assert_eq!(rows.iter().filter(|row| row["of"] == "tool").count(), 8);
    let blind = rows.iter().find(|row| row["tool"] == "update_address").unwrap();
    assert_eq!((blind["first_call_success"].as_str(), blind["judged"].as_str()), ("", "0"));
}

#[test]
fn the_json_has_the_methods_names_and_nulls() {
    let json: serde_json::Value = serde_json::from_str(&site(&usual())["report.json"]).unwrap();
    let names: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
    for name in [
        "schema_version",
        "as_of",
        "from",
        "to",
        "covered_days",
        "rules",
        "overall",
        "tools",
        "clients",
        "pairs",
        "findings",
        "quality",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    assert_eq!(names.len(), 12);
    assert_eq!(json["rules"], serde_json::json!(["window-30s", "window-30s+evidence/1"]));
    let blind = json["tools"].as_array().unwrap().iter().find(|t| t["tool"] == "update_address");
    let blind = blind.unwrap();
    assert!(blind["first_call_success"].is_null() && blind["extra_attempts_mean"].is_null());
    assert_eq!(blind["unjudged"], serde_json::json!({ "no_args_hash": 280 }));
    assert_eq!(blind["few_calls"], true);
    assert!(blind["recovery"]["unsafe_replays"].is_null());
    assert!(blind["recovery"]["not_instrumented"]["unsafe_replays"].is_string());
    let receipt = json["tools"].as_array().unwrap().iter().find(|t| t["tool"] == "send_receipt");
    let receipt = receipt.unwrap();
    // 27 November was shown without it.
    assert!(receipt["restated"]["judged"].as_u64().unwrap() < receipt["judged"].as_u64().unwrap());
    assert!(json["tools"][0]["restated"].is_null());
    assert_eq!(json["overall"]["unknown_tool_calls"], 28);
    assert!(json["tools"][0].get("unknown_tool_calls").is_none());
}

#[test]
fn every_kind_of_page_reads_as_it_was_approved() {
    let site = site(&usual());
    let main = |html: &str| {
        let start = html.find("<main").unwrap();
        html[start..html.find("</footer>").unwrap()].to_owned()
    };
    for (name, path) in [
        ("index", "index.html"),
        ("findings", "findings.html"),
        ("quality", "quality.html"),
        ("tools", "tools/index.html"),
        ("clients", "clients/index.html"),
        ("night", "nights/2026-11-27.html"),
        ("nights", "nights/index.html"),
        ("recovery", "recovery.html"),
        ("method", "method.html"),
    ] {
        insta::assert_snapshot!(name, main(&site[path]));
    }
    let (_, tool) = file_of(&site, "tools/search-orders-", ".html");
    insta::assert_snapshot!("tool", main(tool));
    let (_, gone) = file_of(&site, "tools/old-report-", ".html");
    insta::assert_snapshot!("tool_that_vanished", main(gone));
    let (_, never) = file_of(&site, "tools/close-period-", ".html");
    insta::assert_snapshot!("tool_never_called", main(never));
    let (_, client) = file_of(&site, "clients/codex-", ".html");
    insta::assert_snapshot!("client", main(client));
    insta::assert_snapshot!("figures_csv", site["figures.csv"]);
}
