//! bunraku-benches.
