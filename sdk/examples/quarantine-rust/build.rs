// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Makes Rust declarations of the C headers with the program bindgen; pkg-config says where the headers are.
use std::{env, path::Path, process::Command};

fn run(program: &str, arguments: &[&str]) -> String {
    let done = Command::new(program).args(arguments).output();
    let done = done.unwrap_or_else(|e| panic!("cannot run {program}: {e}; install the package of that name"));
    if !done.status.success() {
        panic!("{program}: {}", String::from_utf8_lossy(&done.stderr));
    }
    String::from_utf8_lossy(&done.stdout).trim().to_string()
}

fn main() {
    let include = run("pkg-config", &["--variable=includedir", "tenon-sdk"]);
    let header = Path::new(&env::var("OUT_DIR").unwrap()).join("abi.h");
    std::fs::write(&header, "#include <tenon/abi/module.h>\n#include <tenon/abi/predicate.h>\n").unwrap();
    let out = header.with_extension("rs");
    let include = format!("-I{include}");
    run(
        "bindgen",
        &[
            header.to_str().unwrap(),
            "-o",
            out.to_str().unwrap(),
            "--allowlist-type=tenon_.*",
            "--allowlist-var=TENON_.*",
            "--blocklist-item=tenon_module_v1",
            "--no-layout-tests",
            "--",
            &include,
        ],
    );
    println!("cargo:rerun-if-changed=build.rs");
    // The host looks for nothing behind the library's back, and it is never unloaded.
    for option in ["-Wl,-z,defs", "-Wl,-z,nodelete", "-Wl,-z,noexecstack"] {
        println!("cargo:rustc-cdylib-link-arg={option}");
    }
}
