//! `firstcall config`: tries the configuration without starting anything.

use clap::{Args, Subcommand};

use super::{Failure, Globals, print, tell};

/// Arguments of `firstcall config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Read the configuration and say whether it is valid
    Check,
    /// Print the configuration that holds, defaults and flags included
    Print,
}

/// Runs the command.
pub fn run(args: &ConfigArgs, globals: &Globals) -> Result<(), Failure> {
    let config = globals.load()?;
    match args.action {
        Action::Check => {
            let checked = globals.config.as_ref().map_or_else(
                || "no configuration file is given; the defaults are valid".to_owned(),
                |path| format!("the configuration file `{}` is valid", path.display()),
            );
            tell(&checked);
            Ok(())
        }
        Action::Print => print(&config.to_yaml()),
    }
}
