//! `cargo xtask coverage`: which lines of each crate the fuzz targets reach, from their corpora and damaged copies of them.

mod lines;
mod tools;

use crate::support::at;
use lines::Lines;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tools::Tools;

/// What is run, and how much of it is shown.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only this fuzz target; can be repeated
    #[arg(long, value_name = "NAME")]
    target: Vec<String>,
    /// How many damaged copies each target gets [default: as the tests]
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,
    /// Show each file rather than each crate
    #[arg(long)]
    files: bool,
}

/// Where everything goes, below the root of the repository: what is built has other flags.
const FOLDER: &str = "target/coverage";
const PACKAGE: &str = "seamline-fuzz-targets";
/// Its tests have the names of the targets.
const TEST: &str = "bounded";

/// Build, run and print. It passes if the tests do.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().map_err(at(&root))?;
    let tools = Tools::find()?;
    let test = build(&root)?;
    let all = targets(&root)?;
    if let Some(unknown) = options.target.iter().find(|name| !all.contains(name)) {
        return Err(format!("there is no fuzz target `{unknown}`\ntip: there are {}", all.join(", ")));
    }
    let wanted = |name: &&String| options.target.is_empty() || options.target.contains(name);
    let mut profiles = Vec::new();
    for target in all.iter().filter(wanted) {
        let profile = profile(&root, &test, target, options.iterations)?;
        let lines = tools.lines(&test, std::slice::from_ref(&profile), &root)?;
        print!("{}", shown(target, &lines, options.files));
        profiles.push(profile);
    }
    if profiles.len() > 1 {
        print!("{}", shown("all together", &tools.lines(&test, &profiles, &root)?, options.files));
    }
    Ok(true)
}

/// The instrumented test.
fn build(root: &Path) -> Result<PathBuf, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["test", "--no-run", "--target-dir", FOLDER, "-p", PACKAGE, "--test", TEST]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    cargo.current_dir(root).env("RUSTFLAGS", "-C instrument-coverage").stderr(Stdio::inherit());
    // Build scripts are instrumented, too.
    cargo.env("LLVM_PROFILE_FILE", root.join(FOLDER).join("build.profraw"));
    let output = cargo.output().map_err(|error| format!("cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let of_test = messages.filter(|message| message["target"]["name"] == TEST);
    let executable =
        of_test.filter_map(|message| message["executable"].as_str().map(PathBuf::from)).next_back();
    executable.filter(|_| output.status.success()).ok_or_else(|| format!("{PACKAGE} cannot be built"))
}

/// Those with a corpus of their own.
fn targets(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("fuzz/corpora");
    let entries = fs::read_dir(&folder).map_err(at(&folder))?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

/// Run a target; where its profile is.
fn profile(root: &Path, test: &Path, target: &str, iterations: Option<u64>) -> Result<PathBuf, String> {
    let profile = root.join(FOLDER).join(format!("{target}.profraw"));
    let mut command = Command::new(test);
    command
        .args(["--exact", target])
        .current_dir(root.join("fuzz/targets"))
        .env("LLVM_PROFILE_FILE", &profile);
    command.envs(iterations.map(|number| ("SEAMLINE_FUZZ_ITERATIONS", number.to_string())));
    let output = command.output().map_err(at(test))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    match output.status.success() && printed.contains("1 passed") {
        true => Ok(profile),
        false => Err(format!("{target} fails:\n{printed}{}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// A block of the table: those of which more than traces are reached.
fn shown(target: &str, lines: &[Lines], by_file: bool) -> String {
    let mut text = format!("{target}\n");
    let rows = if by_file { lines.to_vec() } else { lines::by_crate(lines) };
    for row in rows.iter().filter(|row| row.covered * 100 >= row.all.max(1)) {
        text += &format!("  {:<50}{row}\n", row.name);
    }
    text
}
