//! Badges: a rate in a few characters, as SVG and as the JSON of shields-style endpoints.
//!
//! A badge says both figures, since one never stands without the other (METHOD section 7). Its
//! colour is the band of first-call success, and only repeats what the words say.

use askama::Template;

use super::html::render;
use super::model::Facts;
use super::names;
use crate::call::ToolKey;
use crate::figures::format::rate_whole;
use crate::figures::{Band, Figures};

/// The longest name on a badge, in characters.
const NAME_CHARACTERS: usize = 40;
/// The room on either side of a text, in pixels.
const PADDING: u32 = 6;

/// What a badge says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Badge {
    /// What it is about, on the left.
    pub label: String,
    /// The rate or why there is none, on the right.
    pub message: String,
    /// The colour behind the message, without `#`; white text on it has a contrast of at least
    /// 4.5 to 1.
    pub color: &'static str,
}

/// The colour where there is no rate.
const GREY: &str = "5f6368";
/// The colour behind the label.
const LABEL_COLOR: &str = "3c4043";

#[derive(Template)]
#[template(path = "svg/badge.svg")]
struct Svg<'a> {
    badge: &'a Badge,
    label_color: &'static str,
    label_width: u32,
    message_width: u32,
}

impl Svg<'_> {
    const fn width(&self) -> u32 {
        self.label_width + self.message_width
    }

    const fn message_middle(&self) -> u32 {
        self.label_width + self.message_width / 2
    }
}

impl Badge {
    /// The badge of all calls together.
    pub fn overall(facts: &Facts<'_>) -> Self {
        Self::of("first-call success".to_owned(), facts, &facts.now.overall)
    }

    /// The badge of one tool.
    pub fn tool(facts: &Facts<'_>, key: &ToolKey) -> Self {
        let shown = names::shown(key.tool.as_str());
        let mut label: String = shown.chars().take(NAME_CHARACTERS).collect();
        if label.len() < shown.len() && !label.ends_with('…') {
            label.push('…');
        }
        if facts.is_never_called(key) {
            return Self { label, message: "never called".to_owned(), color: GREY };
        }
        Self::of(label, facts, facts.tool(key))
    }

    fn of(label: String, facts: &Facts<'_>, figures: &Figures) -> Self {
        let (message, color) = message(facts, figures);
        Self { label, message, color }
    }

    /// The badge as SVG.
    pub fn svg(&self) -> String {
        let mut text = render(&Svg {
            badge: self,
            label_color: LABEL_COLOR,
            label_width: text_width(&self.label) + 2 * PADDING,
            message_width: text_width(&self.message) + 2 * PADDING,
        });
        text.push('\n');
        text
    }

    /// The badge as the JSON that shields' endpoint badge reads.
    pub fn json(&self) -> String {
        let document = serde_json::json!({
            "schemaVersion": 1,
            "label": self.label,
            "message": self.message,
            "color": self.color,
        });
        format!("{document}\n")
    }
}

fn message(facts: &Facts<'_>, figures: &Figures) -> (String, &'static str) {
    if facts.now.covered.is_empty() {
        return ("not yet computed".to_owned(), GREY);
    }
    let confirmed = figures.confirmed_first_call_success();
    match (figures.first_call_success(), confirmed) {
        (Some(rate), Some(confirmed)) if !rate.is_few() => {
            let text = format!("{} %, confirmed {} %", rate_whole(rate), rate_whole(confirmed));
            (text, color(rate.band()))
        }
        (Some(_), _) => ("few calls".to_owned(), GREY),
        (None, _) if figures.calls == 0 => ("not called".to_owned(), GREY),
        (None, _) => ("not judged".to_owned(), GREY),
    }
}

/// A band's colour.
const fn color(band: Band) -> &'static str {
    match band {
        Band::Healthy => "2e7d32",
        Band::Friction => "856404",
        Band::Low => "b45309",
        Band::Severe => "b91c1c",
    }
}

/// About how wide a text is in pixels, in 11 pixels of a plain sans-serif; the SVG asks for
/// exactly this width, so that it fits whatever font is there.
fn text_width(text: &str) -> u32 {
    let tenths = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 35,
        'f' | 't' | 'r' | ' ' | '-' | '(' | ')' | '/' => 45,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 105,
        'A'..='Z' => 80,
        c if c.is_ascii() => 68,
        // Wide scripts and pictures.
        _ => 110,
    };
    text.chars().map(tenths).sum::<u32>().div_ceil(10).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast of white text on a colour, as WCAG 2 defines it.
    fn contrast_with_white(color: &str) -> f64 {
        let number = u32::from_str_radix(color, 16).unwrap();
        let channel = |shift: u32| {
            let value = f64::from(number >> shift & 0xff) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let luminance = 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0);
        1.05 / (luminance + 0.05)
    }

    #[test]
    fn white_text_is_readable_on_every_colour() {
        for color in Band::ALL.iter().map(|band| color(*band)).chain([GREY, LABEL_COLOR]) {
            let contrast = contrast_with_white(color);
            assert!(contrast >= 4.5, "{color}: {contrast}");
        }
    }

    #[test]
    fn a_name_is_escaped_and_cut_and_said_in_the_title() {
        let label = "</title><script>&\"".to_owned();
        let badge = Badge { label, message: "few calls".to_owned(), color: GREY };
        let svg = badge.svg();
        assert!(!svg.contains("<script") && svg.matches("</title>").count() == 1, "{svg}");
        assert!(svg.contains("role=\"img\"") && !svg.contains("style="), "{svg}");
        let json: serde_json::Value = serde_json::from_str(&badge.json()).unwrap();
        assert_eq!(json["schemaVersion"], 1);
        assert_eq!(json["label"], "</title><script>&\"");
    }
}
