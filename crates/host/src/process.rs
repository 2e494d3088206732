//! Other programs.

use crate::explained;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::process::{Command, Stdio};

/// Run a program to its end with `input` as its standard input. Returns its output, or if it fails its error messages.
///
/// # Errors
/// If it cannot be started; `package` is the package that contains it.
pub fn run(
    program: impl AsRef<OsStr>,
    package: &str,
    arguments: &[&str],
    input: &str,
) -> io::Result<Result<String, String>> {
    let program = program.as_ref();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            explained(error, format_args!("running {}, which is in the package {package}", program.display()))
        })?;
    if let Some(mut stdin) = child.stdin.take() {
        // If the program has ended already, its own message says why.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(text(&output.stderr).trim().to_owned()),
    })
}

/// How many files this process may open, after raising its limit as far as wanted and allowed.
pub fn open_files(wanted: u64) -> u64 {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return wanted };
    if soft >= wanted {
        return soft;
    }
    let raised = wanted.min(hard);
    setrlimit(Resource::RLIMIT_NOFILE, raised, hard).map_or(soft, |()| raised)
}
