//! The client's errors in the store's words. What the server says is not passed on but for its
//! number and the name of that number: the rest may quote values.

use clickhouse::error::Error;

use crate::store::error::StoreError;

/// The codes of ClickHouse for what is not there: a table, a database.
const UNKNOWN_TABLE: u32 = 60;
const UNKNOWN_DATABASE: u32 = 81;

/// Why the server could not do what it was asked; `place` is the database's place in words.
pub(super) fn failure(error: Error, place: &str) -> StoreError {
    let place = place.to_owned();
    match error {
        Error::TimedOut => StoreError::TooSlow { place },
        Error::BadResponse(text) => refused(&text, place),
        Error::Network(source) => StoreError::Unreachable { place, source: source.into() },
        // Of the client's other errors none quotes a value of ours but those of decoding.
        other => StoreError::Answer { place, what: kind(&other) },
    }
}

/// What the server answered: `Code: 60. DB::Exception: … (UNKNOWN_TABLE)`.
fn refused(text: &str, place: String) -> StoreError {
    let code = text.split_once("Code: ").map(|(_, rest)| rest);
    let code = code.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    let code = code.and_then(|digits| digits.parse().ok());
    match code {
        Some(UNKNOWN_TABLE | UNKNOWN_DATABASE) => StoreError::NoSchema { place },
        _ => StoreError::Refused { place, code, name: name_of(text) },
    }
}

/// The name that stands in brackets behind the text, such as `(TIMEOUT_EXCEEDED)`.
fn name_of(text: &str) -> Option<String> {
    let mut words = text.split(['(', ')']);
    let is_name = |word: &&str| {
        word.len() > 3
            && word.chars().all(|c| c == '_' || c.is_ascii_uppercase() || c.is_ascii_digit())
    };
    words.rfind(is_name).map(str::to_owned)
}

/// What kind of error it is, without what it quotes.
fn kind(error: &Error) -> String {
    let text = error.to_string();
    let end = text.find(':').unwrap_or(text.len());
    text.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_servers_text_only_number_and_name_remain() {
        let told = "Code: 27. DB::Exception: Cannot parse input: expected ',' before: 'canary': \
             (at row 1): While executing RowBinary. (CANNOT_PARSE_INPUT_ASSERTION_FAILED) (version 26.9)";
        let error = failure(Error::BadResponse(told.to_owned()), "ClickHouse at here");
        let shown = format!("{error} {error:?}");
        assert!(shown.contains("27") && shown.contains("CANNOT_PARSE_INPUT_ASSERTION_FAILED"));
        assert!(!shown.contains("canary") && !shown.contains("RowBinary"), "{shown}");
        assert!(error.is_retryable());
    }

    #[test]
    fn a_missing_table_or_database_is_a_missing_schema() {
        for code in [60, 81] {
            let text = format!("Code: {code}. DB::Exception: gone. (UNKNOWN)");
            let error = failure(Error::BadResponse(text), "here");
            assert!(matches!(error, StoreError::NoSchema { .. }), "{error}");
        }
        let slow = failure(Error::TimedOut, "here");
        assert!(matches!(slow, StoreError::TooSlow { .. }) && slow.is_retryable());
    }
}
