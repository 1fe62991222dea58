//! Fuzz target: see `bunraku_fuzz::epp`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bunraku_fuzz::epp(data));
