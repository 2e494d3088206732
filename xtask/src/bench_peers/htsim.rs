//! htsim's TCP over the large network, from a clone of github.com/Broadcom/csg-htsim.

use super::{LargePeer, compile, repository, succeeds};
use crate::support::output;
use std::path::Path;
use std::process::Command;

/// How to get it.
pub(super) const TIP: &str =
    "htsim is missing\ntip: git clone https://github.com/Broadcom/csg-htsim, then --htsim csg-htsim/sim";

/// Compile the large network. `folder` has htsim's sources, and its library once that is built.
pub(super) fn large(folder: &Path) -> Result<LargePeer, String> {
    ensure_library(folder)?;
    let source = repository().join("benches/peers/htsim/cells.cpp");
    let include = format!("-I{}", folder.display());
    let library = folder.join("libhtsim.a").display().to_string();
    let arguments = ["-std=c++17", "-O3", &include, &library];
    let program = compile(&source, "htsim-cells", &arguments, "apt-get install g++")?;
    Ok(LargePeer { name: version(folder), build: "-O3", program })
}

fn ensure_library(folder: &Path) -> Result<(), String> {
    if !folder.join("tcp.h").is_file() {
        return Err(format!("{}: {TIP}", folder.display()));
    }
    if folder.join("libhtsim.a").is_file() {
        return Ok(());
    }
    let mut make = Command::new("make");
    make.arg("-C").arg(folder).args(["-j2", "libhtsim.a"]);
    succeeds(&mut make, "libhtsim.a cannot be built", "apt-get install make g++")
}

/// The commit of a clone; nothing but the name for other copies.
fn version(folder: &Path) -> String {
    let commit = output(Command::new("git").arg("-C").arg(folder).args(["rev-parse", "--short=10", "HEAD"]));
    commit.map_or_else(|_| "htsim".to_owned(), |commit| format!("htsim {}", commit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_htsim_is_an_error_with_a_tip() {
        let message = large(Path::new("/nowhere")).err().unwrap();
        assert!(message.contains("/nowhere") && message.contains("tip: git clone"), "{message}");
    }
}
