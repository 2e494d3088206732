#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| seamline_fuzz_targets::check("sock_diag", bytes));
