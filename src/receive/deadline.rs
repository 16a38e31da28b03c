//! How long a gRPC client waits for its answer: the header `grpc-timeout` (gRPC over HTTP/2,
//! "Requests"): up to eight digits and a unit.

use std::time::Duration;

use http::{HeaderMap, HeaderName};
use tokio::time::{Instant, timeout_at};

use super::request_error::RequestError;

const TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

/// The moment after which nobody waits for the answer any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deadline(Option<Instant>);

impl Deadline {
    /// The deadline of a request that has just come. A timeout that cannot be read is none: to
    /// refuse the request would lose what it brings.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let timeout = headers.get(TIMEOUT).and_then(|value| parse(value.as_bytes()));
        Self(timeout.and_then(|timeout| Instant::now().checked_add(timeout)))
    }

    /// Fails where it has passed: what nobody waits for need not be begun.
    pub(super) fn check(self) -> Result<(), RequestError> {
        match self.0 {
            Some(at) if at <= Instant::now() => Err(RequestError::DeadlinePassed),
            _ => Ok(()),
        }
    }

    /// Waits for `work` until then. Work that is ready counts even where it is late. What is
    /// given up has kept nothing, or its batch is with the writer, which commits it whole: the
    /// sender tries again, and what is stored twice is counted once.
    pub(super) async fn within<T>(
        self,
        work: impl Future<Output = Result<T, RequestError>>,
    ) -> Result<T, RequestError> {
        match self.0 {
            None => work.await,
            Some(at) => {
                timeout_at(at, work).await.unwrap_or_else(|_| Err(RequestError::DeadlinePassed))
            }
        }
    }
}

fn parse(value: &[u8]) -> Option<Duration> {
    let (unit, digits) = value.split_last()?;
    if !(1..=8).contains(&digits.len()) || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number: u64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some(match unit {
        b'H' => Duration::from_secs(number * 3600),
        b'M' => Duration::from_secs(number * 60),
        b'S' => Duration::from_secs(number),
        b'm' => Duration::from_millis(number),
        b'u' => Duration::from_micros(number),
        b'n' => Duration::from_nanos(number),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read_and_what_is_no_timeout_is_none() {
        let seconds = Duration::from_secs;
        let read = [
            ("2H", seconds(7200)),
            ("3M", seconds(180)),
            ("10S", seconds(10)),
            ("250m", Duration::from_millis(250)),
            ("7u", Duration::from_micros(7)),
            ("99999999n", Duration::from_nanos(99_999_999)),
            ("0S", seconds(0)),
        ];
        for (text, expected) in read {
            assert_eq!(parse(text.as_bytes()), Some(expected), "{text}");
        }
        for text in ["", "S", "5", "5s", "-5S", "+5S", " 5S", "1.5S", "100000000n", "5S "] {
            assert_eq!(parse(text.as_bytes()), None, "{text:?}");
        }
    }

    #[tokio::test]
    async fn without_a_timeout_there_is_no_deadline() {
        for value in [None, Some("soon")] {
            let mut headers = HeaderMap::new();
            headers.extend(value.map(|value| (TIMEOUT, value.parse().unwrap())));
            assert_eq!(Deadline::of(&headers), Deadline(None));
        }
        assert!(Deadline(None).check().is_ok());
        let slow = async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(1)
        };
        assert_eq!(Deadline(None).within(slow).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn what_is_not_ready_by_then_is_given_up() {
        let headers = HeaderMap::from_iter([(TIMEOUT, "20m".parse().unwrap())]);
        let deadline = Deadline::of(&headers);
        assert!(deadline.check().is_ok());
        let never = std::future::pending::<Result<(), _>>();
        assert!(matches!(deadline.within(never).await, Err(RequestError::DeadlinePassed)));
        assert!(matches!(deadline.check(), Err(RequestError::DeadlinePassed)));
    }
}
