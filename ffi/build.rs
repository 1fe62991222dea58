//! Gives the shared library its soname, `libbunraku.so.MAJOR.MINOR`: the interface is stable within a minor
//! version.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        let part = |name: &str| std::env::var(name).unwrap_or_default();
        let (major, minor) = (part("CARGO_PKG_VERSION_MAJOR"), part("CARGO_PKG_VERSION_MINOR"));
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libbunraku.so.{major}.{minor}");
    }
}
