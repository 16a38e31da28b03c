//! Days and ranges of days as people read them, in UTC.

use chrono::{Datelike, NaiveDate};

use crate::call::Day;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

struct Date {
    day: u32,
    month: &'static str,
    year: i32,
}

fn date(day: Day) -> Date {
    let date = i32::try_from(day.number())
        .ok()
        .and_then(|number| number.checked_add(719_163))
        .and_then(NaiveDate::from_num_days_from_ce_opt)
        .unwrap_or_default();
    let month = usize::try_from(date.month0()).ok().and_then(|month| MONTHS.get(month));
    Date { day: date.day(), month: month.copied().unwrap_or("January"), year: date.year() }
}

/// `29 November 2026`.
pub fn long(day: Day) -> String {
    let Date { day, month, year } = date(day);
    format!("{day} {month} {year}")
}

/// `29 Nov`.
pub fn short(day: Day) -> String {
    let Date { day, month, .. } = date(day);
    format!("{day} {}", month.get(..3).unwrap_or(month))
}

/// `29 Nov 2026`.
pub fn short_with_year(day: Day) -> String {
    format!("{} {}", short(day), date(day).year)
}

/// `29 November`, for a day whose year stands nearby.
pub fn without_year(day: Day) -> String {
    let Date { day, month, .. } = date(day);
    format!("{day} {month}")
}

/// A month as text that sorts, and as people read it: `2026-09` and `September 2026`.
pub fn month(day: Day) -> (String, String) {
    let sorts = day.to_string().chars().take(7).collect();
    let Date { month, year, .. } = date(day);
    (sorts, format!("{month} {year}"))
}

/// `23 to 29 November 2026`, `28 October to 3 November 2026`, `29 November 2026`.
pub fn range(from: Day, to: Day) -> String {
    let (first, last) = (date(from), date(to));
    if from == to {
        long(to)
    } else if first.year != last.year {
        format!("{} to {}", long(from), long(to))
    } else if first.month == last.month {
        format!("{} to {}", first.day, long(to))
    } else {
        format!("{} to {}", without_year(from), long(to))
    }
}

/// The same without the year, where both days lie in the year of `beside`.
pub fn range_beside(from: Day, to: Day, beside: Day) -> String {
    let (first, last) = (date(from), date(to));
    let year = date(beside).year;
    if first.year != year || last.year != year {
        range(from, to)
    } else if from == to {
        without_year(to)
    } else if first.month == last.month {
        format!("{} to {}", first.day, without_year(to))
    } else {
        format!("{} to {}", without_year(from), without_year(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    #[test]
    fn ranges_say_no_more_than_is_needed() {
        assert_eq!(range(day("2026-11-23"), day("2026-11-29")), "23 to 29 November 2026");
        assert_eq!(range(day("2026-10-28"), day("2026-11-03")), "28 October to 3 November 2026");
        assert_eq!(
            range(day("2026-12-30"), day("2027-01-02")),
            "30 December 2026 to 2 January 2027"
        );
        assert_eq!(range(day("2026-02-01"), day("2026-02-01")), "1 February 2026");
        let beside = day("2026-11-29");
        assert_eq!(range_beside(day("2026-11-16"), day("2026-11-22"), beside), "16 to 22 November");
        assert_eq!(
            range_beside(day("2025-12-31"), day("2026-01-01"), beside),
            "31 December 2025 to 1 January 2026"
        );
        assert_eq!(short(day("2026-09-05")), "5 Sep");
        assert_eq!(short_with_year(day("2026-09-05")), "5 Sep 2026");
        assert_eq!(month(day("2026-09-05")), ("2026-09".to_owned(), "September 2026".to_owned()));
    }
}
