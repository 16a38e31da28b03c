//! Where a summary is posted, and what each host can show.
//!
//! The limits are the hosts' own with room to spare: whoever posts may add a line, and a text
//! over the limit is refused or dropped whole.

use super::link::ReportUrl;

/// A place where a summary is posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Host {
    /// A comment on GitHub: 65,536 characters.
    #[default]
    GitHub,
    /// GitHub's step summary: 1,024 KiB, or it is dropped whole.
    GitHubStep,
    /// A note on GitLab: 1,000,000 characters.
    GitLab,
    /// A comment on Bitbucket, Cloud or Data Center: 32,768 characters and no HTML at all.
    Bitbucket,
    /// A comment on Gitea or Forgejo, whose limit is not told.
    Gitea,
}

/// The longest text for a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// In characters.
    pub characters: usize,
    /// In bytes of UTF-8.
    pub bytes: usize,
}

impl Budget {
    /// Whether a text stays within both.
    pub fn fits(self, text: &str) -> bool {
        text.len() <= self.bytes && text.chars().count() <= self.characters
    }
}

impl Host {
    /// The host's word on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::GitHub => "github",
            Self::GitHubStep => "github-step",
            Self::GitLab => "gitlab",
            Self::Bitbucket => "bitbucket",
            Self::Gitea => "gitea",
        }
    }

    /// The longest text that is made for it.
    pub const fn budget(self) -> Budget {
        match self {
            // Counted in bytes as well, in case a host does: four for each character.
            Self::GitHub | Self::Gitea => Budget { characters: 60_000, bytes: 240_000 },
            Self::GitHubStep => Budget { characters: 900 * 1024, bytes: 900 * 1024 },
            // Far below what it takes; nobody reads more in a comment.
            Self::GitLab => Budget { characters: 200_000, bytes: 800_000 },
            Self::Bitbucket => Budget { characters: 30_000, bytes: 120_000 },
        }
    }

    /// Whether it renders `<details>` and hides HTML comments.
    pub const fn has_html(self) -> bool {
        !matches!(self, Self::Bitbucket)
    }

    /// The last line of a summary, by which its comment is found again. Where HTML would be
    /// shown it is a link reference that nothing refers to, which is shown nowhere.
    pub const fn marker(self, is_quiet: bool) -> &'static str {
        match (self.has_html(), is_quiet) {
            (true, false) => "<!-- firstcall:summary -->",
            (true, true) => "<!-- firstcall:summary quiet -->",
            (false, false) => "[firstcall-summary]: # (firstcall:summary)",
            (false, true) => "[firstcall-summary]: # (firstcall:summary quiet)",
        }
    }
}

/// How a summary is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SummaryOptions {
    /// Where it is posted.
    pub host: Host,
    /// Whether it is whole even where nothing changed; one line otherwise.
    pub is_always: bool,
    /// Where the whole report can be read.
    pub report_url: Option<ReportUrl>,
}
