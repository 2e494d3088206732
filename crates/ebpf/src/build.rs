//! For build scripts: compiling eBPF programs.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compile a program into the file `object` of cargo's output folder, with `definitions` as clang takes them (`-DNAME=VALUE`). Does nothing
/// unless the target is Linux. The crate itself has to depend on libbpf-sys: cargo reveals the path of its headers only to direct dependents.
///
/// # Panics
/// When clang is missing or rejects the program.
pub fn compile(source: &str, object: &str, definitions: &[String]) {
    if variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    let object = PathBuf::from(variable("OUT_DIR")).join(object);
    let mut clang = Command::new("clang");
    clang.args(["-g", "-O2", "-target", "bpf", "-Wall", "-Werror"]);
    clang.args(definitions);
    // The headers of the libbpf that libbpf-sys builds; and the processor's, where Debian keeps them.
    clang.arg(format!("-I{}", variable("DEP_BPF_INCLUDE")));
    let processor = format!("/usr/include/{}-linux-gnu", variable("CARGO_CFG_TARGET_ARCH"));
    if Path::new(&processor).exists() {
        clang.arg(format!("-idirafter{processor}"));
    }
    clang.args(["-c", source, "-o"]).arg(&object);
    match clang.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("clang could not compile {source} ({status}); see its messages above"),
        Err(error) => {
            panic!("clang cannot be run: {error}\ntip: sudo apt install clang libelf-dev zlib1g-dev")
        }
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("cargo sets {name}: {error}"))
}
