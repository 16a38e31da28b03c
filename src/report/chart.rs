//! Scales and points of the small charts; no markup.

use crate::figures::Histogram;
use crate::figures::rate::as_float;

/// A line over days that breaks where a day is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sparkline {
    /// Width in user units.
    pub width: u32,
    /// Height in user units.
    pub height: u32,
    /// The line as SVG path data; empty where no day is known.
    pub path: String,
    /// Where the last known day lies.
    pub last: Option<[String; 2]>,
    /// The scale's bottom in percent; its top is 100.
    pub floor: String,
    /// What the line shows, in words.
    pub title: String,
    /// Where the same numbers stand as a table.
    pub twin: &'static str,
    /// Whether the last day's rate is the bad news.
    pub is_alarming: bool,
    /// Where something was released, and what in words.
    pub marks: Vec<Mark>,
}

/// A mark across a line at one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Where the day lies.
    pub x: String,
    /// The day in words.
    pub day: String,
    /// What is marked.
    pub name: String,
}

impl Sparkline {
    /// Whether any day of it is known.
    pub const fn is_known(&self) -> bool {
        self.last.is_some()
    }

    /// Whether it is large enough to have its scale's ends drawn.
    pub const fn has_frame(&self) -> bool {
        self.height > 40
    }
}

/// The room around a line, so that its ends are not cut.
const MARGIN: f64 = 3.0;

/// The line of `values` (from 0 to 1, one per day, none where unknown) on a scale from `floor`
/// at the bottom to 1 at the top.
pub fn sparkline(values: &[Option<f64>], size: (u32, u32), floor: f64) -> Sparkline {
    let (width, height) = (f64::from(size.0), f64::from(size.1));
    let steps = as_float(u64::try_from(values.len()).unwrap_or(1).saturating_sub(1)).max(1.0);
    let span = (1.0 - floor).max(f64::EPSILON);
    let mut segments = Vec::new();
    let mut last = None;
    let mut is_pen_down = false;
    for (position, value) in (0_u32..).zip(values) {
        let Some(value) = value else {
            is_pen_down = false;
            continue;
        };
        let x = MARGIN + f64::from(position) / steps * (width - 2.0 * MARGIN);
        let share = ((value - floor) / span).clamp(0.0, 1.0);
        let y = height - MARGIN - share * (height - 2.0 * MARGIN);
        if is_pen_down {
            segments.push(format!("L{x:.1} {y:.1}"));
        } else {
            // A line of no length, so that a day between two unknown ones is seen as a dot.
            segments.push(format!("M{x:.1} {y:.1}h0"));
        }
        is_pen_down = true;
        last = Some([format!("{x:.1}"), format!("{y:.1}")]);
    }
    Sparkline {
        width: size.0,
        height: size.1,
        path: segments.concat(),
        last,
        floor: format!("{:.0}", floor * 100.0),
        title: String::new(),
        twin: "The table by night has the same numbers.",
        is_alarming: false,
        marks: Vec::new(),
    }
}

/// Where the day at `position` of so many lies on a line of this width.
pub fn x_of(position: usize, days: usize, width: u32) -> String {
    let float = |number: usize| as_float(u64::try_from(number).unwrap_or(1));
    let steps = float(days.saturating_sub(1)).max(1.0);
    format!("{:.1}", MARGIN + float(position) / steps * (f64::from(width) - 2.0 * MARGIN))
}

/// The scale's bottom for lines that are to be compared: the lowest value, rounded down to ten
/// percent, and never above 80 %.
pub fn common_floor(values: impl Iterator<Item = f64>) -> f64 {
    let lowest = values.fold(0.8, f64::min);
    ((lowest * 10.0).floor() / 10.0).clamp(0.0, 0.8)
}

/// Where one bar of a stack begins and how wide it is, in thousandths of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    /// Its left end.
    pub x: u64,
    /// Its width; at least 2 where the count is not zero, so that it is seen.
    pub width: u64,
}

/// Bars that stand one after another, each from where the one before ends.
pub fn stack(counts: &[u64]) -> Vec<Bar> {
    let total: u128 = counts.iter().map(|count| u128::from(*count)).sum();
    let mut before = 0_u128;
    let scale = |count: u128| u64::try_from((count * 1000).checked_div(total).unwrap_or(0));
    counts
        .iter()
        .map(|count| {
            let x = scale(before).unwrap_or(0);
            before += u128::from(*count);
            let width = scale(before).unwrap_or(0).saturating_sub(x);
            Bar { x: x.min(998), width: if *count > 0 { width.max(2) } else { 0 } }
        })
        .collect()
}

/// A ribbon from a bar that is all to the bar of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ribbon {
    /// The ribbon as SVG path data; empty where the part is zero.
    pub path: String,
    /// The top of the part's bar.
    pub y: u32,
    /// Its height; at least 2 where the count is not zero.
    pub height: u32,
    /// Where the line of its label lies.
    pub text_y: u32,
}

/// Height of the bar that is all.
const ALL: u32 = 120;
/// Where the ribbons begin and end.
const ENDS: (u32, u32) = (12, 250);
/// The room that a part's label needs.
const LABEL: u32 = 24;

/// Ribbons to parts that stand one under another, the height of the bar that is all, and of the
/// picture. Every part has room for its label.
pub fn ribbons(counts: &[u64]) -> (Vec<Ribbon>, u32, u32) {
    let total: u128 = counts.iter().map(|count| u128::from(*count)).sum();
    let height_of = |count: u64| {
        let share = (u128::from(count) * u128::from(ALL)).checked_div(total).unwrap_or(0);
        let height = u32::try_from(share).unwrap_or(ALL);
        if count > 0 { height.max(2) } else { 0 }
    };
    let (mut from, mut y) = (0, 0);
    let mut made = Vec::with_capacity(counts.len());
    for count in counts {
        let height = height_of(*count);
        let ((left, right), bend) = (ENDS, u32::midpoint(ENDS.0, ENDS.1));
        let path = if height == 0 {
            String::new()
        } else {
            let (from_end, end) = (from + height, y + height);
            format!(
                "M{left} {from}C{bend} {from} {bend} {y} {right} {y}V{end}\
                 C{bend} {end} {bend} {from_end} {left} {from_end}Z"
            )
        };
        made.push(Ribbon { path, y, height, text_y: y + height.min(LABEL) / 2 + 5 });
        from += height;
        y += height.max(LABEL);
    }
    (made, from.max(1), y.max(from))
}

/// One column of a histogram.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The upper bound of what it counts.
    pub upper: f64,
    /// How many it counts.
    pub count: u64,
    /// Its height in thousandths of the highest.
    pub height: u64,
}

/// Fine buckets per column: half a doubling.
const BUCKETS_PER_COLUMN: i32 = 16;

/// The fewest columns that are drawn; empty ones stand at both ends where there are fewer.
const FEWEST_COLUMNS: i32 = 9;

/// A histogram in columns of half a doubling each, gaps filled, from the first column that
/// counts anything to the last. Zeros are counted in the first column.
pub fn columns(histogram: &Histogram) -> Vec<Column> {
    let mut counts = std::collections::BTreeMap::<i32, u64>::new();
    for (bucket, times) in histogram.buckets() {
        *counts.entry(bucket.div_euclid(BUCKETS_PER_COLUMN)).or_default() += times;
    }
    let (Some(first), Some(last)) =
        (counts.keys().next().copied(), counts.keys().next_back().copied())
    else {
        return Vec::new();
    };
    *counts.entry(first).or_default() += histogram.zeros();
    // A histogram of one or two columns would be a wall.
    let missing = (FEWEST_COLUMNS - 1 - (last - first)).max(0);
    let (first, last) = (first - missing / 2, last + (missing + 1) / 2);
    let highest = u128::from(counts.values().max().copied().unwrap_or(1).max(1));
    (first..=last)
        .map(|column| {
            let count = counts.get(&column).copied().unwrap_or_default();
            let last_bucket = column * BUCKETS_PER_COLUMN + BUCKETS_PER_COLUMN - 1;
            let height = u64::try_from(u128::from(count) * 1000 / highest).unwrap_or(1000);
            Column {
                upper: crate::figures::histogram::upper_bound(last_bucket),
                count,
                height: if count > 0 { height.max(8) } else { 0 },
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_breaks_on_unknown_days() {
        let line = sparkline(&[Some(1.0), Some(0.5), None, Some(0.0), None], (46, 26), 0.0);
        assert_eq!(line.path, "M3.0 3.0h0L13.0 13.0M33.0 23.0h0");
        assert_eq!(line.last, Some(["33.0".to_owned(), "23.0".to_owned()]));
        let nothing = sparkline(&[None, None], (46, 26), 0.0);
        assert_eq!((nothing.path.as_str(), nothing.last), ("", None));
    }

    #[test]
    fn a_mark_stands_where_its_day_does() {
        let line = sparkline(&[Some(1.0), Some(0.5), None, Some(0.0), None], (46, 26), 0.0);
        assert_eq!(line.last.unwrap()[0], x_of(3, 5, 46));
        assert_eq!((x_of(0, 5, 46).as_str(), x_of(0, 1, 46).as_str()), ("3.0", "3.0"));
    }

    #[test]
    fn bars_stand_one_after_another_and_fill_the_whole() {
        let bars = stack(&[500, 0, 250, 250]);
        assert_eq!(bars[0], Bar { x: 0, width: 500 });
        assert_eq!(bars[1], Bar { x: 500, width: 0 });
        assert_eq!(bars[2], Bar { x: 500, width: 250 });
        assert_eq!(bars[3], Bar { x: 750, width: 250 });
        assert_eq!(stack(&[0, 0])[0], Bar { x: 0, width: 0 });
        assert_eq!(stack(&[1, 1_000_000])[0].width, 2);
    }

    #[test]
    fn columns_hold_every_value_once_and_fill_their_gaps() {
        let mut histogram = Histogram::default();
        for value in [0, 1, 2, 2, 64] {
            histogram.record(value);
        }
        let columns = columns(&histogram);
        assert_eq!(columns.iter().map(|column| column.count).sum::<u64>(), 5);
        assert_eq!(columns.len(), 13); // from 1 to 64 in half doublings, both ends in
        assert_eq!(columns[0].count, 2); // 0 and 1
        assert!((columns[0].upper - 1.0).abs() < 1e-9);
        assert!((columns[12].upper - 64.0).abs() < 1e-9);
        assert!(super::columns(&Histogram::default()).is_empty());
    }

    #[test]
    fn ribbons_leave_one_bar_and_end_in_their_own() {
        let (made, all, height) = ribbons(&[30, 0, 10]);
        assert_eq!((all, height), (120, 90 + 24 + 30));
        assert_eq!((made[0].y, made[0].height), (0, 90));
        assert_eq!((made[1].path.as_str(), made[1].height), ("", 0));
        assert_eq!((made[2].y, made[2].height), (114, 30));
        assert_eq!(made[2].path, "M12 90C131 90 131 114 250 114V144C131 144 131 120 12 120Z");
        assert_eq!(ribbons(&[1, 1_000_000]).0[0].height, 2);
        assert_eq!(ribbons(&[0, 0]).1, 1);
    }

    #[test]
    fn lines_that_are_compared_share_a_floor() {
        assert!((common_floor([0.47, 0.93].into_iter()) - 0.4).abs() < 1e-9);
        assert!((common_floor([0.97].into_iter()) - 0.8).abs() < 1e-9);
        assert!(common_floor([0.0].into_iter()).abs() < 1e-9);
    }
}
