//! Fuzz target: see `bunraku_fuzz::parser`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bunraku_fuzz::parser(data));
