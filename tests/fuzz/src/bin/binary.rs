//! Fuzz target: see `bunraku_fuzz::binary_form`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bunraku_fuzz::binary_form(data));
