//! What is inside the packages of the published crates: every file that their code includes, and their licences.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

const INTERNAL: [&str; 3] = ["packetdrill", "py", "testing"];
const INCLUDES: [&str; 3] = ["include_str!", "include_bytes!", "include!"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The folders of the published crates.
fn crates() -> Vec<PathBuf> {
    let folders = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = folders.filter(|it| it.join("Cargo.toml").exists()).collect();
    folders.retain(|it| !INTERNAL.iter().any(|name| it.ends_with(name)));
    folders.push(root().to_owned());
    folders
}

/// The files that Cargo would put into the package of a crate.
fn packaged(folder: &Path) -> BTreeSet<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline", "--quiet"])
        .current_dir(folder)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(PathBuf::from).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    entries.flat_map(below).filter(|path| path.extension().is_some_and(|it| it == "rs")).collect()
}

/// What an including macro names, seen from the crate's folder; `*` stands for a part that another macro supplies.
fn included(file: &Path, text: &str) -> Vec<PathBuf> {
    let calls = INCLUDES.iter().flat_map(|name| text.split(name).skip(1));
    let paths = calls.filter_map(|rest| {
        // Its argument ends the statement, the entry or the line.
        let argument = rest.lines().next().unwrap_or_default();
        let literals: Vec<&str> = argument.split('"').skip(1).step_by(2).collect();
        match literals[..] {
            [] | ["OUT_DIR", ..] => None,
            ["CARGO_MANIFEST_DIR", ref rest @ ..] => {
                Some(Path::new(".").join(rest.join("*").trim_start_matches('/')))
            }
            ref literals => Some(file.parent().unwrap().join(literals.join("*"))),
        }
    });
    paths.collect()
}

/// The path without `.` and `..`, or nothing if it leaves the folder in which it begins.
fn inside(path: &Path) -> Option<PathBuf> {
    let mut inside = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !inside.pop() {
                    return None;
                }
            }
            other => inside.push(other),
        }
    }
    Some(inside)
}

#[test]
fn included_files_are_packaged() {
    let mut count = 0;
    for folder in crates() {
        let packaged = packaged(&folder);
        for file in sources(&folder.join("src")) {
            let text = fs::read_to_string(&file).unwrap();
            let file = file.strip_prefix(&folder).unwrap();
            assert!(packaged.contains(file), "{} lacks {}", folder.display(), file.display());
            for path in included(file, &text) {
                let place = format!("{}: {}", folder.join(file).display(), path.display());
                let path = inside(&path).unwrap_or_else(|| panic!("{place} leaves its crate"));
                let is_whole = !path.to_string_lossy().contains('*');
                assert!(!is_whole || packaged.contains(&path), "{place} is not in the package");
                count += 1;
            }
        }
    }
    assert!(count > 15, "only {count} included files were found");
}

#[test]
fn paths_that_leave_their_crate_are_found() {
    let text = "const A: &str = include_str!(\"../../../a.toml\");\nconst B: &str = include_str!(\"../b.toml\");\n\
        const C: &str = include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/../\", $name, \".toml\"));";
    let found: Vec<Option<PathBuf>> =
        included(Path::new("src/deep/file.rs"), text).iter().map(|path| inside(path)).collect();
    assert_eq!(found, [None, Some("src/b.toml".into()), None]);
}

#[test]
fn papers_scenarios_and_licences_are_packaged() {
    let paper = packaged(&root().join("crates/paper"));
    let papers = paper.iter().filter(|path| path.starts_with("papers")).count();
    assert!(papers > 60, "{papers} files of papers");
    let seamline = packaged(root());
    assert!(seamline.contains(Path::new("scenarios/template.toml")));
    assert!(!seamline.iter().any(|path| path.starts_with("docs") || path.starts_with("tests")));
    for folder in crates() {
        let packaged = packaged(&folder);
        for name in ["LICENSE-MIT", "LICENSE-APACHE", "README.md"] {
            assert!(packaged.contains(Path::new(name)), "{} lacks {name}", folder.display());
        }
        assert!(!packaged.iter().any(|path| path.starts_with("tests")), "{}", folder.display());
    }
}
