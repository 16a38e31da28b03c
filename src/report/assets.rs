//! The style sheet and the script of the pages, and the content security policy that lets in
//! these two and nothing else.

use askama::Template;
use base64::Engine as _;
use sha2::{Digest, Sha256};

use super::html::render;

/// Where the pages' style sheet and script are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Assets {
    /// In every page: each is one file that can be mailed or opened by itself.
    #[default]
    Inline,
    /// The style sheet in every page and no script at all, for a page that is sent by mail. No
    /// figure needs the script.
    Mail,
    /// In files beside the pages, for hosts whose own policy refuses what is inline.
    Files,
}

/// The style sheet, rendered as the pages include it.
#[derive(Template)]
#[template(path = "html/report.css", escape = "none")]
struct Style;

/// The script, rendered as the pages include it.
#[derive(Template)]
#[template(path = "html/report.js", escape = "none")]
struct Script;

/// The icon of pages whose files stand beside them; the others have none.
#[derive(Template)]
#[template(path = "html/icon.svg", escape = "none")]
struct Icon;

/// What a page's head says of its style sheet and script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The content security policy.
    pub policy: String,
    /// The files to link to; none where the style sheet stands in the page.
    pub linked: Option<Linked>,
    /// Whether there is a script.
    pub has_script: bool,
}

/// Paths from the site's top. Each name holds a part of its content's hash: a page of an older
/// night keeps the files that it was made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// The style sheet.
    pub style: String,
    /// The script.
    pub script: String,
    /// The icon.
    pub icon: String,
}

impl Head {
    /// The head of pages with these assets.
    pub fn new(assets: Assets) -> Self {
        let (style, script) = (Sha256::digest(render(&Style)), Sha256::digest(render(&Script)));
        let rest = "base-uri 'none'; form-action 'none'";
        match assets {
            Assets::Inline => {
                let encode =
                    |digest: &[u8]| base64::engine::general_purpose::STANDARD.encode(digest);
                let (style, script) = (encode(&style), encode(&script));
                let policy = format!(
                    "default-src 'none'; style-src 'sha256-{style}'; \
                     script-src 'sha256-{script}'; img-src data:; {rest}"
                );
                Self { policy, linked: None, has_script: true }
            }
            Assets::Mail => {
                let style = base64::engine::general_purpose::STANDARD.encode(style);
                let policy = format!("default-src 'none'; style-src 'sha256-{style}'; {rest}");
                Self { policy, linked: None, has_script: false }
            }
            Assets::Files => {
                let icon = Sha256::digest(render(&Icon));
                let name = |digest: &[u8], ext| {
                    let start = digest.iter().take(5).fold(0, |n, byte| n << 8 | u64::from(*byte));
                    format!("assets/report-{start:010x}.{ext}")
                };
                Self {
                    has_script: true,
                    policy: format!(
                        "default-src 'none'; style-src 'self'; script-src 'self'; \
                         img-src 'self'; {rest}"
                    ),
                    linked: Some(Linked {
                        style: name(&style, "css"),
                        script: name(&script, "js"),
                        icon: name(&icon, "svg"),
                    }),
                }
            }
        }
    }

    /// The files to link to, with their contents.
    pub(super) fn files(&self) -> Vec<(String, String)> {
        let Some(linked) = &self.linked else { return Vec::new() };
        vec![
            (linked.style.clone(), render(&Style)),
            (linked.script.clone(), render(&Script)),
            (linked.icon.clone(), render(&Icon)),
        ]
    }
}
