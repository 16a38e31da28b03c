//! The `firstcall` program.

fn main() {}
