//! bunraku-ffi.
