//! The fuzz targets of [`bunraku_fuzz::library`]; the environment variable `TARGET` names the one that runs.

#![no_main]

use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("TARGET").unwrap_or_default();
    bunraku_fuzz::library::target(&name).unwrap_or_else(|| panic!("there is no target '{name}'"))
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| TARGET(data));
