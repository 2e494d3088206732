//! The page in a real browser: Debian's chromium, driven by node. Skipped, with a word, where there is none.

mod common;
#[path = "common/paper.rs"]
mod made_up;

use std::path::Path;
use std::process::Command;

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Open a page and let a script do with it what a reader would.
fn in_a_browser(script: &str, page: &Path) {
    let Some(browser) = BROWSERS.into_iter().find(|program| is_there(program)) else {
        println!("skipped: no chromium");
        return;
    };
    if !is_there("node") {
        println!("skipped: no node");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").join(script);
    let mut command = Command::new("node");
    command.arg(script).arg(browser).arg(page);
    // A place for pictures of the page, to look at.
    command.args(std::env::var_os("SEAMLINE_SCREENSHOTS"));
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    println!("{}", text(&output.stdout));
}

#[test]
fn a_page_does_what_it_should_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report ü.html");
    std::fs::write(&page, seamline_report::page::alone(&common::report()).unwrap()).unwrap();
    for file in seamline_report::export::files(&common::report()).unwrap() {
        std::fs::write(folder.path().join(file.name), file.bytes).unwrap();
    }
    in_a_browser("report.mjs", &page);
}

#[test]
fn the_page_of_a_paper_does_what_it_should_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("paper.html");
    std::fs::write(&page, seamline_report::paper::html(&made_up::paper())).unwrap();
    in_a_browser("paper.mjs", &page);
}
