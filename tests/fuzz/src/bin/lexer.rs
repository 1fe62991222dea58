//! Fuzz target: see `bunraku_fuzz::lexer`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bunraku_fuzz::lexer(data));
