//! Fuzz target: see `bunraku_fuzz::notation`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bunraku_fuzz::notation(data));
