//! How the shared library is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // It is preloaded; no library of NVIDIA's has its name. `warpwise exec` makes libraries with theirs that need this one.
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // Its constructor runs before those of all other libraries: one of them may have a static runtime, which it is to replace.
        // zig's linker does not know how to say so; `cargo xtask dist`, which uses it, sets the mark afterwards.
        if !std::env::var("RUSTC_LINKER").is_ok_and(|linker| linker.contains("zigcc")) {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-z,initfirst");
        }
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libwarpwise_cudart.so");
    }
}
