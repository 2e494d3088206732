//! Each tutorial works when it is pasted line by line into a shell.
#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use support::{folder, lab_or_skip, program, repository};

/// The lines of a page's blocks that begin with ```` ```sh ````; those marked `ignore` need another host, those marked `lab` a lab.
fn script(page: &str, has_lab: bool) -> String {
    let mut script = String::from("set -e\n");
    let mut is_taken = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(info) => is_taken = info == "sh" || (info == "sh,lab" && has_lab),
            None if is_taken => script += &format!("{line}\n"),
            None => {}
        }
    }
    script
}

/// Run a page in an empty folder, with the command on the path.
fn follow(path: &Path, has_lab: bool) {
    let page = fs::read_to_string(path).unwrap();
    let script = script(&page, has_lab);
    let folder = folder();
    let commands = folder.path().join("commands");
    fs::create_dir(&commands).unwrap();
    symlink(program("seamline"), commands.join("seamline")).unwrap();
    let work = folder.path().join("work");
    fs::create_dir(&work).unwrap();
    let search = format!("{}:{}", commands.display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .arg("-c")
        .arg(&script)
        .current_dir(&work)
        .env("PATH", search)
        // As where no kernel is built: the pages say nothing of one.
        .env("SEAMLINE_KERNELS", work.join("no-kernels"))
        .output()
        .unwrap();
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(output.status.success(), "{}: {}\n{script}\n{stdout}\n{stderr}", path.display(), output.status);
}

fn tutorial(name: &str, has_lab: bool) {
    follow(&repository().join("docs/tutorials").join(name), has_lab);
}

#[test]
fn installation_and_first_look_work() {
    follow(&repository().join("docs/start.md"), false);
}

#[test]
fn first_experiment_works() {
    tutorial("first-experiment.md", false);
}

#[test]
fn own_recording_works() {
    tutorial("own-recording.md", false);
}

#[test]
fn handover_schemes_work() {
    tutorial("handover-schemes.md", false);
}

#[test]
fn should_i_hand_over_works() {
    tutorial("should-i-hand-over.md", false);
}

#[test]
fn agent_works() {
    tutorial("agent.md", false);
}

#[test]
fn real_linux_works() {
    let Some(_lab) = lab_or_skip("real_linux_works") else { return };
    tutorial("real-linux.md", true);
}

/// No tutorial is without a test above.
#[test]
fn every_tutorial_is_tested() {
    let mut names: Vec<String> = fs::read_dir(repository().join("docs/tutorials"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let tests = include_str!("tutorials.rs");
    for name in &names {
        assert!(tests.contains(&format!("tutorial(\"{name}\"")), "{name} has no test");
    }
    assert_eq!(names.len(), 6, "{names:?}");
}
