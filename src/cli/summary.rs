//! `firstcall summary`: the Markdown summary for a pull request, on standard output.

use clap::{Args, ValueEnum};

use super::baseline::BaselineArgs;
use super::range::RangeArgs;
use super::{Failure, Globals, print};
use crate::figures::Rule;
use crate::report::link::ReportUrl;
use crate::report::{self, Host, SummaryOptions};

/// Arguments of `firstcall summary`.
#[derive(Debug, Args)]
pub struct SummaryArgs {
    /// Where the summary is posted
    #[arg(long, value_name = "HOST", value_enum, default_value_t)]
    host: HostArg,
    /// Print the whole summary even where nothing changed; one line otherwise
    #[arg(long)]
    always: bool,
    /// Where the report is published, to link it
    #[arg(long, value_name = "URL")]
    report_url: Option<ReportUrl>,
    #[command(flatten)]
    baseline: BaselineArgs,
    #[command(flatten)]
    range: RangeArgs,
}

/// A host by its word.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum HostArg {
    /// A comment on GitHub
    #[default]
    #[value(name = "github")]
    GitHub,
    /// The step summary of a GitHub Action
    #[value(name = "github-step")]
    GitHubStep,
    /// A note on GitLab
    #[value(name = "gitlab")]
    GitLab,
    /// A comment on Bitbucket, without HTML
    Bitbucket,
    /// A comment on Gitea or Forgejo
    Gitea,
}

impl From<HostArg> for Host {
    fn from(host: HostArg) -> Self {
        match host {
            HostArg::GitHub => Self::GitHub,
            HostArg::GitHubStep => Self::GitHubStep,
            HostArg::GitLab => Self::GitLab,
            HostArg::Bitbucket => Self::Bitbucket,
            HostArg::Gitea => Self::Gitea,
        }
    }
}

/// Runs the command.
pub fn run(args: &SummaryArgs, globals: &Globals) -> Result<(), Failure> {
    let config = globals.load()?;
    // The summary shows both rules' figures.
    let baseline = args.baseline.read(&[Rule::Window, Rule::Confirmed])?;
    let input = args.range.read(&config)?;
    let options = SummaryOptions {
        host: args.host.into(),
        is_always: args.always,
        report_url: args.report_url.clone(),
    };
    print(&report::summary(&input, baseline.as_ref(), &options))
}
