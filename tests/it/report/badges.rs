//! Badges say the report's numbers, and say so where there are none.

use serde_json::Value;

use super::report_input::{blank_day, empty, hostile, usual};
use super::{file_of, site};

#[test]
fn a_badge_says_the_figures_of_the_report() {
    let site = site(&usual());
    let report: Value = serde_json::from_str(&site["report.json"]).unwrap();
    let percent = |figures: &Value, name: &str| {
        format!("{:.0} %", figures[name]["rate"].as_f64().unwrap() * 100.0)
    };
    let overall = &report["overall"];
    let badge: Value = serde_json::from_str(&site["badges/overall.json"]).unwrap();
    let message = format!(
        "{}, confirmed {}",
        percent(overall, "first_call_success"),
        percent(overall, "confirmed_first_call_success")
    );
    assert_eq!(badge["message"], *message);
    assert_eq!(
        (&badge["label"], &badge["schemaVersion"]),
        (&"first-call success".into(), &1.into())
    );
    // 78.9 % is friction.
    assert_eq!(badge["color"], "856404");
    assert!(site["badges/overall.svg"].contains(&message));
    let (_, healthy) = file_of(&site, "badges/get-order-", ".json");
    assert!(healthy.contains("\"color\":\"2e7d32\""), "{healthy}");
    let (_, unjudged) = file_of(&site, "badges/update-address-", ".json");
    assert!(unjudged.contains("\"not judged\"") && unjudged.contains("5f6368"), "{unjudged}");
    let (_, vanished) = file_of(&site, "badges/old-report-", ".json");
    assert!(vanished.contains("\"not called\""), "{vanished}");
}

#[test]
fn without_a_covered_day_a_badge_is_grey_and_says_so() {
    let badge = &site(&empty())["badges/overall.json"];
    assert!(badge.contains("\"not yet computed\"") && badge.contains("5f6368"), "{badge}");
    let as_of = "2026-11-29".parse().unwrap();
    let quiet = super::report_input::ReportDays {
        days: vec![blank_day(as_of)],
        as_of: Some(as_of),
        ..empty()
    };
    assert!(site(&quiet)["badges/overall.json"].contains("\"not called\""));
}

#[test]
fn hostile_names_stay_text_on_badges() {
    for (path, text) in site(&hostile()).iter().filter(|(path, _)| path.ends_with(".svg")) {
        let own = ["<svg ", "<title>", "</title>", "<rect ", "<path ", "<g ", "<text ", "</text>"];
        let tags = text.match_indices('<').count();
        let known: usize = own.iter().map(|tag| text.matches(tag).count()).sum();
        // The ends of the group and of the picture are the other two.
        assert_eq!(tags, known + 2, "{path}: {text}");
        assert_eq!(
            (text.matches("<title>").count(), text.matches("<text ").count()),
            (1, 2),
            "{path}"
        );
        let is_unseen = |c: char| c.is_control() && c != '\n';
        assert!(!text.contains(is_unseen), "{path}: {text}");
    }
}
