//! For build scripts of crates with a feature `ebpf`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether the crate that is built wants its program: on Linux, with its feature `ebpf`.
pub fn is_wanted() -> bool {
    let on_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    on_linux && env::var_os("CARGO_FEATURE_EBPF").is_some()
}

/// Compile a program, with `definitions` as clang takes them (`-DNAME=VALUE`), into a file of the folder of what is built. The crate has to
/// depend on libbpf-sys itself: cargo tells only those where that has its headers.
///
/// # Panics
/// When clang is not there or does not take the program.
pub fn compile(source: &str, object: &str, definitions: &[String]) {
    let object = PathBuf::from(variable("OUT_DIR")).join(object);
    let mut clang = Command::new("clang");
    clang.args(["-g", "-O2", "-target", "bpf", "-Wall", "-Werror"]);
    clang.args(definitions);
    // The headers that come with libbpf, which libbpf-sys builds; and where Debian has those of the processor.
    clang.arg(format!("-I{}", variable("DEP_BPF_INCLUDE")));
    let processor = format!("/usr/include/{}-linux-gnu", variable("CARGO_CFG_TARGET_ARCH"));
    if Path::new(&processor).exists() {
        clang.arg(format!("-idirafter{processor}"));
    }
    clang.args(["-c", source, "-o"]).arg(&object);
    match clang.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("clang could not compile {source} ({status}); it has said why above"),
        Err(error) => {
            panic!("clang cannot be run: {error}\ntip: sudo apt install clang libelf-dev zlib1g-dev")
        }
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("cargo sets {name}: {error}"))
}
