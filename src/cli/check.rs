//! `firstcall check`: the gate, for continuous integration.

use std::fs;
use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use super::baseline::BaselineArgs;
use super::range::RangeArgs;
use super::{ExitCode, Failure, Globals, print, tell};
use crate::figures::Rule;
use crate::report::gate::{Check, Gate, LeastRate, ToolLeast, junit};

/// Arguments of `firstcall check`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("demands").required(true).multiple(true).args(["min", "tool", "no_drop"]))]
pub struct CheckArgs {
    /// The least rate of all calls together, such as 80%
    #[arg(long, value_name = "RATE")]
    min: Option<LeastRate>,
    /// The least rate of a tool, as NAME=80% or SERVICE/NAME=80%; may be given again
    #[arg(long, value_name = "NAME=RATE")]
    tool: Vec<ToolLeast>,
    /// No significant fall of a tool or of all calls together, against the period before or
    /// the baseline
    #[arg(long)]
    no_drop: bool,
    #[command(flatten)]
    baseline: BaselineArgs,
    /// The rule whose rate is judged
    #[arg(long, value_name = "RULE", value_enum, default_value_t)]
    rule: RuleArg,
    /// Write the checks as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    range: RangeArgs,
}

/// A rule by its id.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum RuleArg {
    /// Confirmed first-call success: look-alikes are set aside
    #[default]
    #[value(name = "window-30s+evidence/1")]
    Confirmed,
    /// First-call success: every retry counts
    #[value(name = "window-30s")]
    Window,
}

impl From<RuleArg> for Rule {
    fn from(rule: RuleArg) -> Self {
        match rule {
            RuleArg::Confirmed => Self::Confirmed,
            RuleArg::Window => Self::Window,
        }
    }
}

/// Runs the command: one line on standard output per breach.
pub fn run(args: &CheckArgs, globals: &Globals) -> Result<(), Failure> {
    let config = globals.load()?;
    let gate = Gate {
        rule: args.rule.into(),
        least: args.min,
        tools: args.tool.clone(),
        no_drop: args.no_drop,
    };
    let baseline = args.baseline.read(&[gate.rule])?;
    let input = args.range.read(&config)?;
    let before = baseline.as_ref().map_or(&input.before, |baseline| &baseline.figures);
    let checks = gate.judge(&input.now, before);
    if let Some(path) = &args.junit {
        fs::write(path, junit::junit(&checks, gate.rule)).map_err(|source| {
            let error = format!("cannot write the JUnit file `{}`: {source}", path.display());
            Failure::new(ExitCode::Unexpected, error)
        })?;
    }
    report(&checks, gate.rule)
}

fn report(checks: &[Check], rule: Rule) -> Result<(), Failure> {
    for check in checks.iter().filter(|check| !check.is_judged()) {
        tell(&check.line(rule));
    }
    let judged = checks.iter().filter(|check| check.is_judged()).count();
    if judged == 0 {
        let error = "there is nothing to judge: no rate stands on 20 judged calls";
        let hint = "take a longer range with --last; `firstcall report` tells why calls \
                    were not judged";
        return Err(Failure::new(ExitCode::NothingToReport, error).with_hint(hint));
    }
    let breaches: Vec<&Check> = checks.iter().filter(|check| check.is_breach()).collect();
    for breach in &breaches {
        print(&format!("{}\n", breach.line(rule)))?;
    }
    if breaches.is_empty() {
        tell(&format!("gate met: {judged} of {} checks judged, rule {}", checks.len(), rule.id()));
        return Ok(());
    }
    let error =
        format!("gate not met: {} of {judged} judged checks, rule {}", breaches.len(), rule.id());
    Err(Failure::new(ExitCode::GateNotMet, error))
}
