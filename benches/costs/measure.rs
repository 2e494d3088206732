//! Time and memory of a command, from the kernel's account of a process that had no other child.

use nix::sys::resource::{UsageWho, getrusage};
use std::path::Path;
use std::process::{Command, Stdio};

/// What a command has taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// CPU time in seconds, of the program and of the kernel for it.
    pub(crate) seconds: f64,
    /// The most memory at a time, in bytes.
    pub(crate) bytes: f64,
}

/// The word by which the benchmark starts itself to measure one command.
pub(crate) const ONE: &str = "--one";

/// The variable whose presence makes it `seamline` itself, with a congestion control more.
pub(crate) const AS_SEAMLINE: &str = "COSTS_OF_SEAMLINE";

/// Run a command in a folder and print what it took: the other end of [`cost`].
pub(crate) fn report(arguments: &[String]) {
    let program = std::env::current_exe().expect("the path of this program");
    let status = Command::new(program)
        .env(AS_SEAMLINE, "")
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let refuses = arguments.first().is_some_and(|command| command == "check");
    let failed = !status.is_ok_and(|status| status.success() || (refuses && status.code() == Some(2)));
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let micros = [usage.user_time(), usage.system_time()].map(|it| it.tv_sec() * 1_000_000 + it.tv_usec());
    println!("{} {} {failed}", micros.iter().sum::<i64>(), usage.max_rss() * 1024);
}

/// What `seamline` takes for these arguments in this folder.
pub(crate) fn cost(arguments: &[String], folder: &Path) -> Cost {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(ONE).args(arguments).current_dir(folder);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.get(2) == Some(&"false"), "seamline {} failed: {text}", arguments.join(" "));
    let number = |place: usize| words[place].parse::<f64>().unwrap();
    Cost { seconds: number(0) / 1e6, bytes: number(1) }
}

/// The exponent of the power of `x` that `y` follows: least squares of the logarithms.
pub(crate) fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    if logs.len() < 2 {
        return None;
    }
    let (x, y) = logs.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0 / n, sum.1 + at.1 / n));
    let covariance: f64 = logs.iter().map(|at| (at.0 - x) * (at.1 - y)).sum();
    let variance: f64 = logs.iter().map(|at| (at.0 - x) * (at.0 - x)).sum();
    Some(covariance / variance)
}
