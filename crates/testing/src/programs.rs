//! Programs that tests check results with.

use crate::{skip, this_test};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output};

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The lines that tshark prints about a capture with these arguments. `None` skips the test: there is no tshark.
///
/// # Panics
/// When tshark fails; as [`skip`] without tshark.
pub fn tshark(capture: &Path, arguments: &[&str]) -> Option<Vec<String>> {
    match Command::new("tshark").arg("-r").arg(capture).arg("-n").args(arguments).output() {
        Ok(output) => Some(succeeded(&output).lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            skip(&this_test(), "tshark is not installed");
            None
        }
        Err(error) => panic!("tshark: {error}"),
    }
}

/// Open a page in Chromium and let a script of `crates/report/tests/browser` use it as a reader would. Skips the test without
/// Chromium or Node.js. `SEAMLINE_SCREENSHOTS` names a folder for screenshots.
///
/// # Panics
/// When the page does not do what the script expects; as [`skip`] without a browser.
pub fn in_browser(script: &str, page: &Path) {
    run_in_browser(script, page, &[]);
}

fn run_in_browser(script: &str, page: &Path, variables: &[(&str, &OsStr)]) {
    let Some(browser) = BROWSERS.into_iter().find(|program| runs(program)) else {
        return skip(&this_test(), "chromium is not installed");
    };
    if !runs("node") {
        return skip(&this_test(), "node is not installed");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/browser").join(script);
    let mut command = Command::new("node");
    command.arg(script).arg(browser).arg(page).args(std::env::var_os("SEAMLINE_SCREENSHOTS"));
    let output =
        command.envs(variables.iter().copied()).output().unwrap_or_else(|error| panic!("node: {error}"));
    println!("{}", succeeded(&output));
}

/// Let axe-core look for what keeps people who use a keyboard or a screen reader from reading a page. Skips the test without it, as
/// [`in_browser`] does. `SEAMLINE_AXE` is the path of axe.min.js, if it is not where `.ci/run` puts it.
///
/// # Panics
/// When it finds something serious.
pub fn accessible(page: &Path) {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let installed = repository.join("target/tools/axe_playwright_python/axe.min.js");
    let axe = std::env::var_os("SEAMLINE_AXE").map_or(installed, Into::into);
    if !axe.is_file() {
        let how = "pip install --no-deps --target target/tools -r .ci/tools.txt";
        return skip("axe_finds_nothing_serious", format!("axe-core is not installed: {how}"));
    }
    run_in_browser("axe.mjs", page, &[("SEAMLINE_AXE", axe.as_os_str())]);
}

fn runs(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn succeeded(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}
