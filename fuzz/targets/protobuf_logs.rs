#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| firstcall_fuzz::protobuf_logs::check(bytes));
