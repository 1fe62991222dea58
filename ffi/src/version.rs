//! The version of the running library, and its features.

use std::ffi::c_char;

/// The major version that this header belongs to.
pub const BUNRAKU_VERSION_MAJOR: u32 = 0;
/// The minor version that this header belongs to.
pub const BUNRAKU_VERSION_MINOR: u32 = 2;
/// The patch version that this header belongs to.
pub const BUNRAKU_VERSION_PATCH: u32 = 0;

const _: () = {
    const fn number(text: &str) -> u32 {
        let (bytes, mut value, mut at) = (text.as_bytes(), 0, 0);
        while at < bytes.len() {
            value = value * 10 + (bytes[at] - b'0') as u32;
            at += 1;
        }
        value
    }
    assert!(number(env!("CARGO_PKG_VERSION_MAJOR")) == BUNRAKU_VERSION_MAJOR);
    assert!(number(env!("CARGO_PKG_VERSION_MINOR")) == BUNRAKU_VERSION_MINOR);
    assert!(number(env!("CARGO_PKG_VERSION_PATCH")) == BUNRAKU_VERSION_PATCH);
};

/// The version of the running library, such as "0.2.0". The text is static. Any thread can call this.
#[unsafe(no_mangle)]
pub extern "C" fn bunraku_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The version of the binary interface that this header declares. It increases by one when a program that was
/// compiled with an older header can no longer use the library. Added functions, callbacks and kinds do not
/// change it.
pub const BUNRAKU_ABI_VERSION: u32 = 1;

/// The version of the binary interface of the running library: see BUNRAKU_ABI_VERSION. A program that loads
/// the library itself compares the two. Any thread can call this.
#[unsafe(no_mangle)]
pub extern "C" fn bunraku_abi_version() -> u32 {
    BUNRAKU_ABI_VERSION
}

/// The features that the library was built with, separated by spaces, in alphabetical order. The full list is
/// "check classifier documentation eyaml lint modules report ruby tasks". Functions of a missing feature
/// return an error of the kind "unsupported", as does a compilation that needs it. The text is static. Any
/// thread can call this.
#[unsafe(no_mangle)]
pub extern "C" fn bunraku_features() -> *const c_char {
    static TEXT: [u8; 128] = {
        let (mut text, mut length, mut at) = ([0; 128], 0, 0);
        while at < bunraku_core::FEATURES.len() {
            let (name, mut byte) = (bunraku_core::FEATURES[at].as_bytes(), 0);
            if at > 0 {
                text[length] = b' ';
                length += 1;
            }
            while byte < name.len() {
                text[length] = name[byte];
                (length, byte) = (length + 1, byte + 1);
            }
            at += 1;
        }
        assert!(length < 128, "a NUL is behind the text");
        text
    };
    TEXT.as_ptr().cast()
}
