//! Bearer tokens: who may send. Tokens are read from a file, again and again, or once from the
//! environment; of a token nothing is kept but its SHA-256.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use http::{HeaderMap, header};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Shorter tokens could be guessed.
const MIN_LEN: usize = 16;

/// Longer headers hold no token.
const MAX_LEN: usize = 4096;

/// Why tokens cannot be used. Names places, never a token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error("cannot read the file of bearer tokens `{}`", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// There is no token where one was promised.
    #[error("{place} holds no bearer token")]
    None {
        /// The file or the variable.
        place: String,
    },
    /// A line that cannot be a token.
    #[error(
        "line {line} of {place} is no bearer token: expected {MIN_LEN} to {MAX_LEN} visible ASCII \
         characters"
    )]
    Malformed {
        /// The file or the variable.
        place: String,
        /// The line, from 1.
        line: usize,
    },
}

impl TokenError {
    /// What a person can do about it.
    pub const fn help(&self) -> &'static str {
        "write one token a line, such as `openssl rand -base64 32` makes them; two lines while one \
         replaces the other"
    }
}

type Hash = [u8; 32];

/// The tokens that are accepted. `Debug` says how many there are and nothing else.
pub struct BearerTokens {
    file: Option<PathBuf>,
    fixed: Vec<Hash>,
    hashes: RwLock<Vec<Hash>>,
}

impl fmt::Debug for BearerTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BearerTokens({})", self.len())
    }
}

impl BearerTokens {
    /// Accepts the tokens in `file`, one a line, empty lines and lines that begin with `#` left
    /// out, and those in `variable`, the name and value of an environment variable.
    ///
    /// # Errors
    /// Where a named place holds no token, or something that is none.
    pub fn load(file: Option<&Path>, variable: Option<(&str, &str)>) -> Result<Self, TokenError> {
        let fixed = variable.map_or(Ok(Vec::new()), |(name, value)| {
            read(value, || format!("the environment variable `{name}`"))
        })?;
        let tokens = Self { file: file.map(Path::to_owned), fixed, hashes: RwLock::default() };
        tokens.reload()?;
        Ok(tokens)
    }

    /// Reads the file again. Where that fails the tokens of before stay in force. Returns
    /// whether the tokens are others than before.
    ///
    /// # Errors
    /// As [`BearerTokens::load`].
    pub fn reload(&self) -> Result<bool, TokenError> {
        let mut hashes = self.fixed.clone();
        if let Some(path) = &self.file {
            let text = std::fs::read_to_string(path)
                .map_err(|source| TokenError::Unreadable { path: path.clone(), source })?;
            hashes.extend(read(&text, || format!("`{}`", path.display()))?);
        }
        let mut held = self.hashes.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = *held != hashes;
        *held = hashes;
        Ok(is_new)
    }

    /// How many tokens are accepted.
    pub fn len(&self) -> usize {
        self.hashes.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether no token is accepted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a request with these headers brings an accepted token: exactly one
    /// `authorization`, of the scheme `Bearer` (RFC 6750). Takes as long for a wrong token as
    /// for a right one, whichever it is.
    pub(super) fn accept(&self, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return false };
        let bytes = value.as_bytes();
        let Some((scheme, token)) = bytes.split_at_checked(b"Bearer ".len()) else { return false };
        if !scheme.eq_ignore_ascii_case(b"Bearer ") || bytes.len() > MAX_LEN {
            return false;
        }
        let sent = hash(token.trim_ascii());
        let held = self.hashes.read().unwrap_or_else(PoisonError::into_inner);
        // All are compared, so that the time tells nothing of which one it was.
        held.iter().fold(subtle::Choice::from(0), |found, hash| found | hash.ct_eq(&sent)).into()
    }
}

fn hash(token: &[u8]) -> Hash {
    Sha256::digest(token).into()
}

fn read(text: &str, place: impl Fn() -> String) -> Result<Vec<Hash>, TokenError> {
    let mut hashes = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let token = line.trim();
        if token.is_empty() || token.starts_with('#') {
            continue;
        }
        let is_token = (MIN_LEN..=MAX_LEN).contains(&token.len())
            && token.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_token {
            return Err(TokenError::Malformed { place: place(), line: index + 1 });
        }
        hashes.push(hash(token.as_bytes()));
    }
    if hashes.is_empty() { Err(TokenError::None { place: place() }) } else { Ok(hashes) }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const OLD: &str = "old-token-0123456789";
    const NEW: &str = "new-token-0123456789";

    fn accepts(tokens: &BearerTokens, values: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        tokens.accept(&headers)
    }

    #[test]
    fn only_one_header_with_a_known_token_is_accepted() {
        let tokens = BearerTokens::load(None, Some(("X", OLD))).unwrap();
        assert!(accepts(&tokens, &[&format!("Bearer {OLD}")]));
        assert!(accepts(&tokens, &[&format!("bearer  {OLD} ")]), "as RFC 9110 compares schemes");
        let twice = [&*format!("Bearer {OLD}"), &format!("Bearer {OLD}")];
        assert!(!accepts(&tokens, &twice));
        for value in ["", "Bearer", "Bearer ", OLD, "Basic old-token-0123456789"] {
            assert!(!accepts(&tokens, &[value]), "{value:?}");
        }
        assert!(!accepts(&tokens, &[]));
        assert!(!accepts(&tokens, &[&format!("Bearer {NEW}")]));
    }

    #[test]
    fn a_file_is_read_again_and_a_broken_one_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens");
        std::fs::write(&file, format!("# ours\n\n{OLD}\n")).unwrap();
        let tokens = BearerTokens::load(Some(&file), None).unwrap();
        assert!(!tokens.reload().unwrap());
        std::fs::write(&file, format!("{NEW}\n{OLD}")).unwrap();
        assert!(tokens.reload().unwrap() && tokens.len() == 2);
        assert!(accepts(&tokens, &[&format!("Bearer {NEW}")]));
        std::fs::write(&file, "# nobody\n").unwrap();
        assert!(matches!(tokens.reload(), Err(TokenError::None { .. })));
        std::fs::write(&file, format!("{NEW}\nshort\n")).unwrap();
        assert!(matches!(tokens.reload(), Err(TokenError::Malformed { line: 2, .. })));
        std::fs::remove_file(&file).unwrap();
        assert!(matches!(tokens.reload(), Err(TokenError::Unreadable { .. })));
        assert!(accepts(&tokens, &[&format!("Bearer {OLD}")]));
    }

    #[test]
    fn neither_debug_nor_an_error_shows_a_token() {
        let tokens = BearerTokens::load(None, Some(("X", OLD))).unwrap();
        assert_eq!(format!("{tokens:?}"), "BearerTokens(1)");
        let error = BearerTokens::load(None, Some(("X", "two words of a token"))).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("two words"), "{error}");
    }
}
