//! `firstcall hash`: the args_hash of JSON, so that anyone can check an instrumentation.

use std::io::{self, Read};

use clap::Args;

use super::{ExitCode, Failure, print};
use crate::reduce::canonical_json::JsonError;
use crate::reduce::hash::args_hash_of_text;

/// The longest input, in bytes: as long as the longest request.
const MAX_INPUT_BYTES: u64 = 64 * 1024 * 1024;

/// Arguments of `firstcall hash`.
#[derive(Debug, Args)]
pub struct HashArgs {
    /// Print the RFC 8785 text that is hashed instead of its hash
    #[arg(long)]
    canonical: bool,
}

/// Runs the command.
pub fn run(args: &HashArgs) -> Result<(), Failure> {
    let mut input = Vec::new();
    io::stdin().lock().take(MAX_INPUT_BYTES + 1).read_to_end(&mut input)?;
    if u64::try_from(input.len()).is_ok_and(|length| length > MAX_INPUT_BYTES) {
        let error = format!("standard input is longer than {MAX_INPUT_BYTES} bytes");
        return Err(Failure::new(ExitCode::Usage, error));
    }
    match args_hash_of_text(&input) {
        Ok(hashed) if args.canonical => print(&format!("{}\n", hashed.canonical)),
        Ok(hashed) => print(&format!("{}\n", hashed.hash)),
        Err(error) => {
            let hint = error.help().unwrap_or("give the arguments as one JSON value");
            Err(Failure::new(ExitCode::Usage, NotArguments(error)).with_hint(hint))
        }
    }
}

/// The input is no JSON; its content is not repeated.
#[derive(Debug, thiserror::Error)]
#[error("standard input is no JSON that has a canonical form")]
struct NotArguments(#[source] JsonError);
