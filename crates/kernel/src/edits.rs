//! The few changes of a kernel's source: the list in `data/edits.toml`.

use crate::Error;
use crate::error::failed;
use crate::name::numbers;
use serde::Deserialize;
use std::fs::{self, File};
use std::path::Path;

const EDITS: &str = include_str!("../data/edits.toml");

/// Bytes of the largest state of a processor that is known: with AMX.
const LARGEST_STATE: u32 = 11_008;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    why: String,
    file: String,
    before: Option<String>,
    pattern: String,
    replacement: String,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    config: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Edits {
    edit: Vec<Edit>,
}

/// Apply all edits to a tree of this version. Files are replaced, so that a link to a user's file becomes a file of its own. Those that were
/// edited before stay as they are. Returns the options that belong to the edits.
///
/// # Errors
/// When the tree has nothing to edit where it must, or a file cannot be written.
pub(crate) fn apply(tree: &Path, version: &str, hz: u32) -> Result<Vec<String>, Error> {
    let mut options = vec![format!("HZ={hz}")];
    for edit in edits_for(version)? {
        if edit.apply(tree, hz)? {
            options.extend(edit.config.iter().cloned());
        }
    }
    Ok(options)
}

/// Why a tree of this version is edited: a reason for each edit. A kernel with other reasons is of an older list.
///
/// # Errors
/// When the list cannot be read.
pub(crate) fn reasons(version: &str) -> Result<Vec<String>, Error> {
    Ok(edits_for(version)?.into_iter().map(|edit| edit.why).collect())
}

fn edits_for(version: &str) -> Result<Vec<Edit>, Error> {
    let edits: Edits = toml::from_str(EDITS).map_err(|error| Error::Failed(error.to_string()))?;
    let is_for = |edit: &Edit| edit.before.as_ref().is_none_or(|it| numbers(version) < numbers(it));
    Ok(edits.edit.into_iter().filter(is_for).collect())
}

impl Edit {
    /// Whether the tree has the edit now.
    fn apply(&self, tree: &Path, hz: u32) -> Result<bool, Error> {
        let state = state_of_host().max(LARGEST_STATE).to_string();
        let replacement = self.replacement.replace("{hz}", &hz.to_string()).replace("{xsave}", &state);
        let path = tree.join(&self.file);
        let text = fs::read_to_string(&path).unwrap_or_default();
        if text.contains(&replacement) {
            return Ok(true);
        }
        if text.matches(&self.pattern).count() == 1 {
            replace(&path, &text.replace(&self.pattern, &replacement))?;
            return Ok(true);
        }
        if self.required {
            return Err(Error::Input(format!(
                "{} of this kernel has no `{}`\ntip: the tree must be Linux 5.10 or newer, with arch/um as it was released",
                self.file,
                self.pattern.split_whitespace().collect::<Vec<_>>().join(" ")
            )));
        }
        Ok(false)
    }
}

/// Replace a file, keeping its time: what depends on it is compiled again only if its content requires that.
fn replace(path: &Path, text: &str) -> Result<(), Error> {
    let modified = fs::metadata(path).and_then(|it| it.modified()).map_err(failed("cannot read", path))?;
    let new = path.with_extension("edited");
    let written = fs::write(&new, text)
        .and_then(|()| File::options().write(true).open(&new)?.set_modified(modified))
        .and_then(|()| fs::rename(&new, path));
    written.map_err(failed("cannot write", path))
}

/// Bytes of the state that the host's processor saves.
#[cfg(target_arch = "x86_64")]
fn state_of_host() -> u32 {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    const EXTENDED_STATE: u32 = 0xd;
    if __cpuid(0).eax < EXTENDED_STATE { 0 } else { __cpuid_count(EXTENDED_STATE, 0).ecx }
}

#[cfg(not(target_arch = "x86_64"))]
fn state_of_host() -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    const KCONFIG: &str = "config HZ\n\tint\n\tdefault 100\n\nconfig NR_CPUS\n\tint\n";
    const OFFSETS: &str = "#else\n\tDEFINE_LONGS(HOST_FP_SIZE, 2696);\n#endif\n";

    /// A user's tree, and one of links to it.
    fn trees() -> (tempfile::TempDir, tempfile::TempDir) {
        let (user, shadow) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (file, text) in [("arch/um/Kconfig", KCONFIG), ("arch/x86/um/user-offsets.c", OFFSETS)] {
            for tree in [&user, &shadow] {
                fs::create_dir_all(tree.path().join(file).parent().unwrap()).unwrap();
            }
            fs::write(user.path().join(file), text).unwrap();
            symlink(user.path().join(file), shadow.path().join(file)).unwrap();
        }
        (user, shadow)
    }

    #[test]
    fn older_kernels_get_both_edits_and_the_users_files_none() {
        let (user, shadow) = trees();
        for _ in 0..2 {
            let options = apply(shadow.path(), "6.12.117", 1000).unwrap();
            assert_eq!(options, ["HZ=1000", "KERNEL_STACK_ORDER=3"]);
        }
        let read = |tree: &tempfile::TempDir, file| fs::read_to_string(tree.path().join(file)).unwrap();
        assert_eq!(read(&shadow, "arch/um/Kconfig"), KCONFIG.replace("100", "1000"));
        let offsets = read(&shadow, "arch/x86/um/user-offsets.c");
        let size: u32 = offsets.split(&[' ', ')'][..]).nth(1).unwrap().parse().unwrap();
        assert!((11_008..65_536).contains(&size), "{offsets}");
        assert_eq!(read(&user, "arch/um/Kconfig"), KCONFIG);
        assert_eq!(read(&user, "arch/x86/um/user-offsets.c"), OFFSETS);
        let time = |tree: &tempfile::TempDir| {
            fs::metadata(tree.path().join("arch/um/Kconfig")).unwrap().modified().unwrap()
        };
        assert_eq!(time(&user), time(&shadow));
    }

    #[test]
    fn newer_kernels_get_the_frequency_only() {
        let (_user, shadow) = trees();
        assert_eq!(apply(shadow.path(), "6.13", 250).unwrap(), ["HZ=250"]);
        let offsets = fs::read_to_string(shadow.path().join("arch/x86/um/user-offsets.c")).unwrap();
        assert_eq!(offsets, OFFSETS);
    }

    #[test]
    fn a_tree_that_cannot_be_edited_is_refused() {
        let (user, _shadow) = trees();
        fs::write(user.path().join("arch/um/Kconfig"), "config NR_CPUS\n").unwrap();
        let error = apply(user.path(), "6.12", 1000).unwrap_err();
        assert!(
            matches!(&error, Error::Input(text) if text.contains("arch/um/Kconfig of this kernel has no `config HZ int default 100`")),
            "{error}"
        );
    }
}
