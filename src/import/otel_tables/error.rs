//! Why tables could not be read. What a server says of an error may repeat what stands in a row,
//! so nothing but its code goes further.

use clickhouse::error::Error;

use crate::store::StoreError;

/// Why tables could not be read, or not to the end. What was committed before is kept, and the
/// next reading goes on where this one ended.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// The server was not reached, or went away.
    #[error("the ClickHouse server at {url} cannot be reached, or went away: {what}")]
    Unreachable {
        /// Its address.
        url: String,
        /// What happened, without anything of what was sent.
        what: &'static str,
    },
    /// The server said no.
    #[error("the ClickHouse server at {url} refused: code {code}{name}")]
    Refused {
        /// Its address.
        url: String,
        /// ClickHouse's number of the error.
        code: u32,
        /// ClickHouse's name of the error in brackets, where it gave one.
        name: String,
    },
    /// The answer was not what was asked for.
    #[error("the ClickHouse server at {url} answered in a form that is not understood")]
    Answer {
        /// Its address.
        url: String,
    },
    /// Neither table is there.
    #[error("there is neither `{traces}` nor `{logs}` in the database `{database}`")]
    NoTable {
        /// The table of spans.
        traces: String,
        /// The table of log records.
        logs: String,
        /// Where they were looked for.
        database: String,
    },
    /// A table lacks columns.
    #[error("`{table}` is no table of the Collector's ClickHouse exporter: it lacks {missing}")]
    Columns {
        /// The table.
        table: String,
        /// What it lacks.
        missing: String,
    },
    /// The password or a file for TLS could not be read.
    #[error(transparent)]
    Access(#[from] StoreError),
}

impl TablesError {
    /// What a failure of the client is.
    pub(super) fn of(url: &str, error: &Error) -> Self {
        let url = url.to_owned();
        match error {
            Error::BadResponse(text) => match code(text) {
                Some((code, name)) => Self::Refused { url, code, name },
                None => Self::Unreachable { url, what: "its answer is no answer of ClickHouse" },
            },
            Error::Network(_) => Self::Unreachable { url, what: "the connection failed" },
            Error::TimedOut => Self::silent(url),
            _ => Self::Answer { url },
        }
    }

    /// The server took too long.
    pub(super) const fn silent(url: String) -> Self {
        Self::Unreachable { url, what: "it was silent for longer than timeout_s" }
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => {
                "what was read so far is kept; once the server answers, read again: nothing is \
                 counted twice. The address is that of ClickHouse's HTTP interface, as a rule \
                 port 8123"
            }
            Self::Refused { code: 192 | 193 | 194 | 516, .. } => {
                "set source.clickhouse_otel.user and password_env or password_file"
            }
            Self::Refused { code: 497, .. } => "grant the user SELECT on the tables",
            Self::Refused { code: 81, .. } => {
                "name the database that holds the tables with --database, or in \
                 source.clickhouse_otel"
            }
            Self::Refused { .. } | Self::Answer { .. } => {
                "what was read so far is kept; the server's log tells what it did not like"
            }
            Self::NoTable { .. } => {
                "name the database with --database and the tables in source.clickhouse_otel"
            }
            Self::Columns { .. } => "docs/existing-traces.md lists the columns that are read",
            Self::Access(_) => {
                "check password_file, password_env and tls in source.clickhouse_otel"
            }
        }
    }
}

/// The number in `Code: 60. DB::Exception: … (UNKNOWN_TABLE)` and the name behind it.
fn code(text: &str) -> Option<(u32, String)> {
    let after = text.split_once("Code: ")?.1;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    let is_name = |word: &str| {
        word.len() > 3
            && word.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
    };
    let name = after
        .rsplit('(')
        .filter_map(|rest| rest.split_once(')').map(|(word, _)| word))
        .find(|word| is_name(word));
    Some((digits.parse().ok()?, name.map_or_else(String::new, |name| format!(" ({name})"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_a_server_says_the_code_alone_goes_further() {
        let text = "Code: 6. DB::Exception: Cannot parse 'cAnArY' (SECRET) as UInt8: \
                    while executing 'x'. (CANNOT_PARSE_TEXT) (version 25.8.1.1 (official build))";
        let error = TablesError::of("http://a:1", &Error::BadResponse(text.to_owned()));
        assert_eq!(
            error.to_string(),
            "the ClickHouse server at http://a:1 refused: code 6 (CANNOT_PARSE_TEXT)"
        );
        let other = TablesError::of("http://a:1", &Error::BadResponse("<html>cAnArY".to_owned()));
        assert!(!other.to_string().contains("cAnArY"), "{other}");
    }
}
