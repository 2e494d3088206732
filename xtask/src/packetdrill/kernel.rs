//! The same scripts against a Linux kernel in virtual time: guests of `seamline lab --virtual` run this program.

use super::execute::Runner;
use super::outcome::Outcome;
use super::suites::Script;
use crate::support::at;
use rayon::prelude::*;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Virtual time for a script: some wait for many retransmissions.
const LIMIT: Duration = Duration::from_secs(3600);
/// Scripts for a guest: many, for it takes a moment to start, and yet few, so that no guest is the last for long.
const SHARE: usize = 32;
/// A guest belongs to a scenario; this one has only what every scenario must have.
const SCENARIO: &str = "\
title = \"packetdrill\"
duration = \"1 s\"
seeds = 1
nodes = [\"a\", \"b\"]

[[link]]
name = \"cable\"
from = \"a\"
to = \"b\"
rate = \"1 Gbit/s\"
one_way_delay = \"1 ms\"

[[flow]]
name = \"flow\"
from = \"a\"
to = \"b\"
variant = \"cubic\"
";

/// Run packetdrill's scripts against the kernel that this program runs on, in a guest; print an outcome a line.
#[derive(Debug, clap::Args)]
pub(crate) struct GuestOptions {
    /// packetdrill.
    program: PathBuf,
    /// A file with the path of a script in each line.
    list: PathBuf,
    /// How far an event may be from its time, in microseconds [default: what each script says].
    tolerance: Option<u32>,
}

/// Guests that run scripts.
pub(crate) struct Guests<'a> {
    kernel: &'a str,
    program: &'a Path,
    cache: &'a Path,
    seamline: PathBuf,
    tolerance: Option<u32>,
}

impl<'a> Guests<'a> {
    /// Guests with `kernel`, in which events may be so many microseconds from their times, or as far as each script says.
    pub(crate) fn new(
        kernel: &'a str,
        program: &'a Path,
        cache: &'a Path,
        tolerance: Option<u32>,
    ) -> Result<Self, String> {
        let seamline = super::tool::build_seamline()?;
        fs::write(cache.join("guest.toml"), SCENARIO).map_err(at(cache))?;
        Ok(Guests { kernel, program, cache, seamline, tolerance })
    }

    /// Run all scripts, in `jobs` guests at a time.
    pub(crate) fn run_all(&self, scripts: &[Script], jobs: usize) -> Result<Vec<Outcome>, String> {
        let shares: Vec<_> = scripts.chunks(SHARE).enumerate().collect();
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(jobs).build().map_err(|error| error.to_string())?;
        let run = || shares.into_par_iter().map(|(place, share)| self.run(place, share)).collect();
        let outcomes: Vec<Vec<Outcome>> = pool.install::<_, Result<_, String>>(run)?;
        Ok(outcomes.into_iter().flatten().collect())
    }

    /// Run some of the scripts in a guest.
    fn run(&self, place: usize, scripts: &[Script]) -> Result<Vec<Outcome>, String> {
        let list = self.cache.join(format!("guest-{place}.txt"));
        let paths = scripts.iter().map(|script| format!("{}\n", script.path.display()));
        fs::write(&list, paths.collect::<String>()).map_err(at(&list))?;
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        // packetdrill and its scripts write to /tmp.
        let start = "mount --bind \"$TMPDIR\" /tmp && exec \"$0\" packetdrill-guest \"$@\"";
        let output = Command::new(&self.seamline)
            .args([
                "lab",
                "guest.toml",
                "--quiet",
                &format!("--virtual={}", self.kernel),
                "--",
                "sh",
                "-c",
                start,
            ])
            .args([&own, self.program, &list])
            .args(self.tolerance.map(|tolerance| tolerance.to_string()))
            .current_dir(self.cache)
            .stdin(Stdio::null())
            .output()
            .map_err(at(&self.seamline))?;
        let outcomes = read(&String::from_utf8_lossy(&output.stdout));
        match outcomes.len() == scripts.len() {
            true => Ok(outcomes),
            false => Err(format!(
                "{} of {} scripts ran on {}:\n{}",
                outcomes.len(),
                scripts.len(),
                self.kernel,
                String::from_utf8_lossy(&output.stderr).trim()
            )),
        }
    }
}

/// The outcomes among what a guest has printed.
fn read(output: &str) -> Vec<Outcome> {
    output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// In a guest: run the listed scripts one after the other.
pub(crate) fn run_in_guest(options: &GuestOptions) -> Result<bool, String> {
    let runner = Runner {
        program: options.program.clone(),
        subject: None,
        outputs: std::env::temp_dir().join("outputs"),
        limit: LIMIT,
        tolerance: options.tolerance,
    };
    let list = fs::read_to_string(&options.list).map_err(at(&options.list))?;
    let script = |path: &str| Script { suite: "", name: String::new(), path: path.into(), profile: "" };
    let mut out = std::io::stdout().lock();
    for path in list.lines() {
        let outcomes = runner.run_all(&[script(path)], 1)?;
        let line = serde_json::to_string(&outcomes[0]).map_err(|error| error.to_string())?;
        writeln!(out, "{line}").map_err(|error| error.to_string())?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lines_of_a_guest_are_no_outcomes() {
        let failed = Outcome::Failed { cause: "a".to_owned(), message: "b".to_owned() };
        let line = serde_json::to_string(&failed).expect("JSON");
        assert_eq!(read(&format!("noise\n\"Passed\"\n{line}\n")), [Outcome::Passed, failed]);
    }
}
