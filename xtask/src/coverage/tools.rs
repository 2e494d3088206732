//! LLVM's tools: those of the toolchain, or of the host if they are new enough to read what the compiler writes.

use super::lines::{Lines, read};
use crate::support::output;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug)]
pub(super) struct Tools {
    profdata: PathBuf,
    cov: PathBuf,
}

impl Tools {
    pub(super) fn find() -> Result<Self, String> {
        let about = output(Command::new("rustc").arg("-vV"))?;
        let value = |name: &str| about.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let version = value("LLVM version:").unwrap_or_default();
        let major: u32 = version.split('.').next().and_then(|it| it.parse().ok()).unwrap_or(0);
        let root = output(Command::new("rustc").args(["--print", "sysroot"]))?;
        let bundled =
            Path::new(root.trim()).join("lib/rustlib").join(value("host:").unwrap_or_default()).join("bin");
        let find = |name: &str| {
            let places = [bundled.join(name), format!("{name}-{major}").into(), name.into()];
            places.into_iter().find(|place| is_new_enough(place, major)).ok_or_else(|| {
                format!(
                    "there is no {name} that reads profiles of LLVM {version}\n\
                     tip: rustup component add llvm-tools, or apt-get install llvm-{major}"
                )
            })
        };
        Ok(Tools { profdata: find("llvm-profdata")?, cov: find("llvm-cov")? })
    }

    /// Of the files of the repository, from the profiles of a program.
    pub(super) fn lines(
        &self,
        program: &Path,
        profiles: &[PathBuf],
        root: &Path,
    ) -> Result<Vec<Lines>, String> {
        let merged = root.join(super::FOLDER).join("merged.profdata");
        output(Command::new(&self.profdata).args(["merge", "-sparse", "-o"]).arg(&merged).args(profiles))?;
        let mut command = Command::new(&self.cov);
        command.args(["export", "-summary-only"]).arg("-instr-profile").arg(merged).arg(program);
        read(&output(&mut command)?, root)
    }
}

fn is_new_enough(program: &Path, major: u32) -> bool {
    let Ok(text) = output(Command::new(program).arg("--version")) else { return false };
    let version = text.split("LLVM version ").nth(1).and_then(|it| it.split('.').next()?.parse::<u32>().ok());
    version.is_some_and(|found| found >= major)
}
