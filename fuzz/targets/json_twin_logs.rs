#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| firstcall_fuzz::json_twin_logs::check(bytes));
