//! The gate: least rates and falls, judged from figures alone.
//!
//! A rate of too few calls is never judged (METHOD section 6), so such a check is neither met
//! nor breached. A least rate is compared in integers; a fall is one that leaves its 95 %
//! interval and is a point or more, as everywhere in a report.

pub mod junit;
mod least;

use std::fmt;

pub use least::{LeastRate, ParseLeastRateError, ParseToolLeastError, ToolLeast};

use super::names;
use crate::call::ToolKey;
use crate::figures::format::{count, points, rate_interval, rate_percent};
use crate::figures::{Change, Direction, Figures, RangeFigures, Rate, Rule};

/// What a range must come up to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gate {
    /// The rule whose rate is judged.
    pub rule: Rule,
    /// The least rate of all calls together.
    pub least: Option<LeastRate>,
    /// The least rates of single tools.
    pub tools: Vec<ToolLeast>,
    /// Whether a significant fall of a tool, or of all calls together, breaches the gate.
    pub no_drop: bool,
}

/// What a check is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// All calls together.
    Overall,
    /// A tool.
    Tool(ToolKey),
    /// A tool that is asked for by this name and was not called.
    Named(String),
}

/// The name for people: hidden characters visible, long names cut.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overall => f.write_str("all tools"),
            Self::Tool(key) => {
                let (service, tool) = (key.service.as_str(), key.tool.as_str());
                write!(f, "{} of {}", names::shown(tool), names::shown(service))
            }
            Self::Named(name) => f.write_str(&names::shown(name)),
        }
    }
}

/// What is asked of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// A least rate.
    Least(LeastRate),
    /// No significant fall.
    NoDrop,
}

/// How a check ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It came up to what was asked.
    Met,
    /// The rate is below the least.
    Below {
        /// The rate.
        rate: Rate,
        /// The least.
        least: LeastRate,
    },
    /// The rate fell.
    Fell(Change),
    /// There is no verdict; why.
    NotJudged(NotJudged),
}

/// Why a check has no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotJudged {
    /// The tool was not called in the range.
    NotCalled,
    /// No call of it was judged.
    NoJudgedCall,
    /// Fewer calls were judged than a verdict needs: this many.
    Few(u64),
    /// It was not judged often enough in what it is compared with.
    NothingBefore,
}

impl fmt::Display for NotJudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotCalled => f.write_str("it was not called"),
            Self::NoJudgedCall => f.write_str("no call of it was judged"),
            Self::Few(judged) => write!(f, "few calls: {judged} judged, 20 are needed"),
            Self::NothingBefore => f.write_str("too few judged calls before to compare with"),
        }
    }
}

/// One thing that was asked of one subject, and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// What it is about.
    pub subject: Subject,
    /// What is asked.
    pub demand: Demand,
    /// How it ended.
    pub outcome: Outcome,
}

impl Check {
    /// Whether the gate was not met here.
    pub const fn is_breach(&self) -> bool {
        matches!(self.outcome, Outcome::Below { .. } | Outcome::Fell(_))
    }

    /// Whether there was a verdict.
    pub const fn is_judged(&self) -> bool {
        !matches!(self.outcome, Outcome::NotJudged(_))
    }

    /// The check in one line.
    pub fn line(&self, rule: Rule) -> String {
        let subject = &self.subject;
        let what = rule.words();
        match &self.outcome {
            Outcome::Met => format!("{subject}: {what} {}", self.demand_met()),
            Outcome::Below { rate, least } => format!(
                "{subject}: {what} {} is below {least} (95\u{a0}% {}, n {})",
                rate_percent(*rate),
                rate_interval(*rate),
                count(rate.judged()),
            ),
            Outcome::Fell(change) => {
                let interval = change.interval();
                format!(
                    "{subject}: {what} fell from {} to {} ({} points, 95\u{a0}% {} to {}, n {} → {})",
                    rate_percent(change.before()),
                    rate_percent(change.now()),
                    points(change.difference()),
                    points(interval.low),
                    points(interval.high),
                    count(change.before().judged()),
                    count(change.now().judged()),
                )
            }
            Outcome::NotJudged(why) => format!("{subject}: not judged, {why}"),
        }
    }

    fn demand_met(&self) -> String {
        match self.demand {
            Demand::Least(least) => format!("is at least {least}"),
            Demand::NoDrop => "did not fall".to_owned(),
        }
    }
}

impl Gate {
    /// Judges `now`, against `before` where a fall is asked about: all calls together first,
    /// then the tools by name.
    pub fn judge(&self, now: &RangeFigures, before: &RangeFigures) -> Vec<Check> {
        let mut checks = Vec::new();
        if let Some(least) = self.least {
            checks.push(self.least(Subject::Overall, &now.overall, least));
        }
        for ToolLeast { name, least } in &self.tools {
            let mut found = now.tools.iter().filter(|(key, _)| is_named(key, name)).peekable();
            if found.peek().is_none() {
                let outcome = Outcome::NotJudged(NotJudged::NotCalled);
                let demand = Demand::Least(*least);
                checks.push(Check { subject: Subject::Named(name.clone()), demand, outcome });
            }
            checks.extend(
                found.map(|(key, tool)| self.least(Subject::Tool(key.clone()), &tool.all, *least)),
            );
        }
        if self.no_drop {
            checks.push(self.drop(Subject::Overall, &now.overall, Some(&before.overall)));
            checks.extend(now.tools.iter().map(|(key, tool)| {
                let earlier = before.tools.get(key).map(|tool| &tool.all);
                self.drop(Subject::Tool(key.clone()), &tool.all, earlier)
            }));
        }
        checks
    }

    fn least(&self, subject: Subject, figures: &Figures, least: LeastRate) -> Check {
        let outcome = match self.judged(figures) {
            Err(why) => Outcome::NotJudged(why),
            Ok(rate) if least.is_met_by(rate) => Outcome::Met,
            Ok(rate) => Outcome::Below { rate, least },
        };
        Check { subject, demand: Demand::Least(least), outcome }
    }

    fn drop(&self, subject: Subject, now: &Figures, before: Option<&Figures>) -> Check {
        let before = before.and_then(|figures| self.rule.rate(figures));
        let outcome = match self.judged(now) {
            Err(why) => Outcome::NotJudged(why),
            Ok(rate) => match Change::between(before, Some(rate)) {
                None => Outcome::NotJudged(NotJudged::NothingBefore),
                Some(change) if change.direction() == Direction::Worse => Outcome::Fell(change),
                Some(_) => Outcome::Met,
            },
        };
        Check { subject, demand: Demand::NoDrop, outcome }
    }

    /// The rate, where it stands on enough calls.
    fn judged(&self, figures: &Figures) -> Result<Rate, NotJudged> {
        match self.rule.rate(figures) {
            Some(rate) if !rate.is_few() => Ok(rate),
            Some(rate) => Err(NotJudged::Few(rate.judged())),
            None if figures.calls == 0 => Err(NotJudged::NotCalled),
            None => Err(NotJudged::NoJudgedCall),
        }
    }
}

/// Whether a tool is meant by `name`: its own name, or service and name with a slash between.
fn is_named(key: &ToolKey, name: &str) -> bool {
    let tool = key.tool.as_str();
    name == tool
        || name.strip_suffix(tool).and_then(|rest| rest.strip_suffix('/'))
            == Some(key.service.as_str())
}

#[cfg(test)]
mod tests;
