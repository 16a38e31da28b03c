//! Single values that the receivers of one database share.

use std::fmt::Write;

use serde_json::json;
use sha2::{Digest, Sha256};

use super::engine::{Engine, random_bytes};
use crate::call::InstallationSecret;
use crate::store::error::{Damage, StoreError};

/// The version of the schema.
pub(super) const SCHEMA_VERSION: &str = "schema_version";
/// A random number that tells this store from another one in its place.
const INSTALLATION: &str = "installation";
/// The secret, in hexadecimal, where it is kept here.
const SECRET: &str = "secret";
/// The first bytes of a hash of a secret that is kept elsewhere.
const SECRET_CHECK: &str = "secret_check";

/// The value of a key; none where it has none.
pub(super) fn read(engine: &Engine, key: &str) -> Result<Option<String>, StoreError> {
    // A key is one of this program's own words.
    let query = format!(
        "SELECT argMax(value, written_at) FROM notes WHERE key = '{key}' HAVING count() > 0"
    );
    let row = engine.rows(&query)?.pop();
    row.map(|mut row| row.text().ok_or_else(|| engine.damaged("value"))).transpose()
}

/// Writes the value of a key.
pub(super) fn write(engine: &Engine, key: &str, value: &str) -> Result<(), StoreError> {
    engine.insert("notes", &["key", "value"], &[vec![json!(key), json!(value)]], &engine.token())
}

/// The value of a key; the first of several that write one at the same time decides.
fn read_or_write_once(engine: &Engine, key: &str, value: &str) -> Result<String, StoreError> {
    if let Some(found) = read(engine, key)? {
        return Ok(found);
    }
    let row = [vec![json!(key), json!(value)]];
    engine.insert("notes", &["key", "value"], &row, &format!("{key} is written once"))?;
    read(engine, key)?.ok_or_else(|| engine.damaged("value"))
}

/// The number that tells this store from another one in its place.
pub(super) fn installation(engine: &Engine) -> Result<u64, StoreError> {
    let number = u64::from_le_bytes(random_bytes()?);
    let text = read_or_write_once(engine, INSTALLATION, &format!("{number:016x}"))?;
    u64::from_str_radix(&text, 16).map_err(|_error| engine.damaged("value"))
}

/// The secret: the configured file's, else the database's own, which is made where there is none.
pub(super) fn secret(engine: &Engine) -> Result<InstallationSecret, StoreError> {
    let Some(file) = &engine.config().secret_file else {
        if read(engine, SECRET_CHECK)?.is_some() {
            return Err(StoreError::OtherSecret { place: engine.place() });
        }
        let text = read_or_write_once(engine, SECRET, &hex(&random_bytes::<32>()?))?;
        let bytes = unhex(&text).ok_or_else(|| engine.damaged("value"))?;
        return Ok(InstallationSecret::from_bytes(bytes));
    };
    let read_file = std::fs::read(file).map_err(|error| StoreError::io(file, error))?;
    let bytes: [u8; 32] = read_file
        .try_into()
        .map_err(|_bytes| StoreError::Corrupt { file: file.clone(), damage: Damage::Secret })?;
    let is_kept_here = read(engine, SECRET)?.is_some_and(|text| text != hex(&bytes));
    let check = check_of(&bytes);
    if is_kept_here || read_or_write_once(engine, SECRET_CHECK, &check)? != check {
        return Err(StoreError::OtherSecret { place: engine.place() });
    }
    Ok(InstallationSecret::from_bytes(bytes))
}

/// Eight bytes that tell one secret from another and nothing of either.
fn check_of(secret: &[u8; 32]) -> String {
    let digest = Sha256::new().chain_update(b"firstcall secret check\0").chain_update(secret);
    hex(digest.finalize().first_chunk::<8>().unwrap_or(&[0; 8]))
}

/// Bytes in lowercase hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a text does not fail.
        let _is_written = write!(text, "{byte:02x}").is_ok();
        text
    })
}

/// The bytes of a text in hexadecimal; none where it is none of that length.
pub(super) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit =
        |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let byte = |pair: &[u8; 2]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    let bytes: Vec<u8> = pairs.iter().map(byte).collect::<Option<_>>()?;
    if rest.is_empty() { bytes.try_into().ok() } else { None }
}
