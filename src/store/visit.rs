//! Published days handed out piece by piece: a day of many tools and clients is never whole in
//! memory unless a reader puts it together.

use std::collections::BTreeMap;

use crate::call::{ClientName, Day, ToolKey};
use crate::figures::{DayFigures, Figures};

/// Takes published days, oldest first; of each day the tools one after the other, each with all
/// its clients, and at the end everything else.
pub trait VisitDays {
    /// Takes the figures of a tool with one client.
    fn tool(&mut self, day: Day, tool: ToolKey, client: ClientName, figures: Figures);

    /// Takes what a day holds beside its tools, which have come before; `rest` has none.
    fn rest(&mut self, rest: DayFigures);
}

/// Puts days together again.
#[derive(Debug, Default)]
pub(super) struct WholeDays {
    tools: BTreeMap<(ToolKey, ClientName), Figures>,
    pub(super) days: Vec<DayFigures>,
}

impl VisitDays for WholeDays {
    fn tool(&mut self, _day: Day, tool: ToolKey, client: ClientName, figures: Figures) {
        self.tools.insert((tool, client), figures);
    }

    fn rest(&mut self, rest: DayFigures) {
        self.days.push(DayFigures { tools: std::mem::take(&mut self.tools), ..rest });
    }
}
