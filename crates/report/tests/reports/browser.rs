//! The pages in a real browser: Chromium, driven by Node.js.

use crate::common::{self, made_up};
use seamline_testing::{accessible, in_browser};

#[test]
fn a_page_does_what_it_should_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report ü.html");
    std::fs::write(&page, &seamline_report::files::of_report(&common::report(), true).unwrap()[0].bytes)
        .unwrap();
    for file in seamline_report::files::of_report(&common::report(), false).unwrap() {
        std::fs::write(folder.path().join(file.name), file.bytes).unwrap();
    }
    in_browser("report.mjs", &page);
    accessible(&page);
}

#[test]
fn the_page_of_a_paper_does_what_it_should_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("paper.html");
    std::fs::write(&page, seamline_report::paper::html(&made_up::paper())).unwrap();
    in_browser("paper.mjs", &page);
    accessible(&page);
}
