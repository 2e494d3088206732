//! The targets of the fuzzer without one: each on its corpus, and on damaged copies with fixed seeds. `SEAMLINE_FUZZ_ITERATIONS` sets how
//! many copies each target gets, `SEAMLINE_FUZZ_SEED` the seed.
#![cfg(target_os = "linux")]

mod mutate;

use seamline_fuzz_targets::{ALL, Target};
use seamline_wire::random::Stream;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

/// Of each target, in bytes: the corpora are part of the repository.
const LARGEST_CORPUS: u64 = 32 << 10;

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a whole number"))
}

fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    files(&Path::new("../corpora").join(target))
}

/// Of a folder next to the crate, in the order of their names.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// Check an input; if it fails, say how to repeat that.
fn check(target: &Target, bytes: &[u8], what: &str) {
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.check)(bytes)));
    if let Err(panic) = outcome {
        let path = std::env::temp_dir().join(format!("seamline-fuzz-{}", target.name));
        fs::write(&path, bytes).unwrap();
        eprintln!(
            "{} fails with {what}; it is in {}: cargo fuzz run {0} {2}",
            target.name,
            path.display(),
            path.display()
        );
        resume_unwind(panic);
    }
}

/// Of a target, whose test has its name: its corpus, then so many damaged copies.
fn run(name: &str, iterations: u64) {
    run_with(name, &corpus(name), iterations);
}

fn run_with(name: &str, corpus: &[(PathBuf, Vec<u8>)], iterations: u64) {
    let target = ALL.iter().find(|target| target.name == name).expect("it is there");
    for (path, bytes) in corpus {
        check(target, bytes, &path.display().to_string());
    }
    let mut dice = Stream::new(from_environment("SEAMLINE_FUZZ_SEED", 1), &format!("fuzz/{name}"));
    let inputs: Vec<&[u8]> = corpus.iter().map(|(_, bytes)| &bytes[..]).collect();
    for number in 0..from_environment("SEAMLINE_FUZZ_ITERATIONS", iterations) {
        let damaged = mutate::damaged(&mut |below| dice.below(below), &inputs);
        check(target, &damaged, &format!("damaged copy {number}"));
    }
}

/// Frames through agents that have seen handshakes.
#[test]
fn engine() {
    run("engine", 3000);
}

/// Records of connections.
#[test]
fn hand_over() {
    run("hand_over", 5000);
}

/// Requests for counters.
#[test]
fn http() {
    run("http", 20_000);
}

/// Messages of the kernel about interfaces.
#[test]
fn netlink() {
    run("netlink", 50_000);
}

/// Recordings of networks.
#[test]
fn recording() {
    run("recording", 3000);
}

/// Scenarios: those of the repository, the one with every key, and those that are refused, too.
#[test]
fn scenario() {
    let folders = ["../../scenarios", "../../crates/scenario/tests", "../../crates/scenario/tests/bad"];
    let mut all = corpus("scenario");
    all.extend(folders.iter().flat_map(|folder| files(Path::new(folder))));
    all.retain(|(path, _)| path.extension().is_some_and(|it| it == "toml"));
    run_with("scenario", &all, 1000);
}

#[test]
fn settings() {
    run("settings", 3000);
}

/// Answers of the kernel about connections.
#[test]
fn sock_diag() {
    run("sock_diag", 50_000);
}

#[test]
fn every_target_has_a_small_corpus_and_a_fuzz_target() {
    for target in ALL {
        let bytes: u64 = corpus(target.name).iter().map(|(_, bytes)| bytes.len() as u64).sum();
        assert!((1..=LARGEST_CORPUS).contains(&bytes), "{}: {bytes} bytes", target.name);
        let fuzzed =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../fuzz_targets/{}.rs", target.name));
        assert!(fuzzed.exists(), "{} is missing", fuzzed.display());
    }
}
