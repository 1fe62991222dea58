//! bunraku-ruby.
