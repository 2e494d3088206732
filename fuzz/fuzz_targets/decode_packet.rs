//! Any bytes: decoding does not panic, agrees with etherparse wherever both accept, and what was read
//! survives being written and read again.

#![no_main]

#[path = "../../crates/wire/tests/codec/oracle.rs"]
mod oracle;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = oracle::check(bytes);
});
