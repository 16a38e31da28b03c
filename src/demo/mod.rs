//! The demo: the whole path alone in one command.
