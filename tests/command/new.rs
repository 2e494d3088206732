//! `seamline new`

use crate::support::{assert_contains, folder, program, refuses, stderr, stdout, succeeds};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

const NAME: &str = "my-control";

/// The command that a new crate builds. The target directory stays between runs of the test.
struct Own<'f> {
    program: std::path::PathBuf,
    folder: &'f Path,
}

impl<'f> Own<'f> {
    fn build(folder: &'f Path) -> Self {
        let target = program("seamline").ancestors().nth(2).unwrap().join("new-cc");
        let output = Command::new(env!("CARGO"))
            .args(["build", "--offline", "--quiet", "--target-dir"])
            .arg(&target)
            .current_dir(folder)
            .envs([("CARGO_PROFILE_DEV_DEBUG", "0"), ("CARGO_INCREMENTAL", "0")])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let program = target.join("debug").join(NAME).with_extension(std::env::consts::EXE_EXTENSION);
        Own { program, folder }
    }

    fn run(&self, arguments: &[&str]) -> std::process::Output {
        Command::new(&self.program).args(arguments).current_dir(self.folder).output().unwrap()
    }

    fn succeeds(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        stdout(&output).to_owned()
    }
}

#[test]
fn a_new_congestion_control_works_like_any_other() {
    let folder = folder();
    let message = succeeds(&["new", "cc", NAME], folder.path());
    assert_contains(&message, &["Next: cd my-control && cargo run --release -- run my-control.toml\n"]);
    let folder = folder.path().join(NAME);
    let own = Own::build(&folder);
    it_is_described(&own);
    its_keys_are_checked(&own);
    its_window_is_its_own(&own);
    stored_results_name_the_program(&own);
}

fn it_is_described(own: &Own<'_>) {
    for kind in ["variants", "congestion-controls"] {
        assert_contains(&own.succeeds(&["list", kind]), &[NAME, "additive increase by a step"]);
    }
    assert_contains(&own.succeeds(&["completions", "bash"]), &["flow.NAME.my-control.increase="]);
    let schema: Value = serde_json::from_str(&own.succeeds(&["schema"])).unwrap();
    let flow = &schema["definitions"]["flow"]["properties"];
    assert!(flow["variant"]["enum"].as_array().unwrap().contains(&NAME.into()), "{}", flow["variant"]);
    let increase = &flow[NAME]["properties"]["increase"];
    assert_eq!((&increase["minimum"], &increase["maximum"]), (&0.01.into(), &100.0.into()));
    assert_contains(increase["description"].as_str().unwrap(), &["(default: 2)"]);
}

fn its_keys_are_checked(own: &Own<'_>) {
    let message = own.succeeds(&["check", "my-control.toml"]);
    assert_eq!(message, "my-control.toml: valid, 3 grid cells, 15 runs\n");
    let pair = edited(own.folder, "flow.main.variant", r#"flow.main.congestion_control = ["my-control"]"#);
    own.succeeds(&["check", &pair, "--set", "flow.main.recovery=newreno"]);
    let output = own.run(&["check", "my-control.toml", "--set", "flow.main.my-control.decrease=2"]);
    assert_eq!(output.status.code(), Some(2));
    assert_contains(stderr(&output), &["decrease", "0.99"]);
}

/// The windows of the three variants, interval by interval, and of this one with other parameters.
fn its_window_is_its_own(own: &Own<'_>) {
    let small =
        ["run", "my-control.toml", "--seeds", "1", "--set", "duration=10 s", "--quiet", "--json", "--set"];
    let windows = |setting| {
        let document: Value =
            serde_json::from_str(&own.succeeds(&[&small[..], &[setting]].concat())).unwrap();
        let cells = document["cells"].as_array().unwrap().clone();
        let window = |row: &Value| row["congestion_window_segments"].as_f64().unwrap();
        let of = |cell: &Value| {
            let flow = &cell["runs"][0]["flows"][0];
            let rows = flow["intervals"].as_array().unwrap();
            (flow["variant"].as_str().unwrap().to_owned(), rows.iter().map(window).collect::<Vec<f64>>())
        };
        cells.iter().map(of).collect::<Vec<_>>()
    };
    let shipped = windows("seeds=1");
    let names: Vec<&str> = shipped.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["cubic", "reno", NAME]);
    let changed = windows("flow.main.my-control.increase=8");
    assert_eq!(shipped[..2], changed[..2], "a parameter of one control changes the others");
    let [cubic, mine, larger] = [&shipped[0].1, &shipped[2].1, &changed[2].1];
    for (one, other) in [(mine, cubic), (larger, mine)] {
        let differing = one.iter().zip(other).filter(|(one, other)| (*one - *other).abs() > 1.0).count();
        assert!(differing >= one.len() / 2, "{one:?}\n{other:?}");
    }
    assert!(mine.iter().all(|window| (1.0..1000.0).contains(window)), "{mine:?}");
}

/// A sweep must not continue with what an older build of the crate computed.
fn stored_results_name_the_program(own: &Own<'_>) {
    let engine = |text: String| {
        let document: Value = serde_json::from_str(&text).unwrap();
        document["provenance"]["engine"].as_str().unwrap().to_owned()
    };
    let file = edited(own.folder, NAME, "");
    let run = ["run", &file, "--seeds", "1", "--quiet", "--json"];
    let run = [&run[..], &["--set", "duration=1 s", "--set", "grid.flow.main.variant=[\"cubic\"]"]].concat();
    let (own, ours) = (engine(own.succeeds(&run)), engine(succeeds(&run, own.folder)));
    assert_eq!(own.matches('+').count(), 2, "{own}");
    assert_eq!(ours.matches('+').count(), 1, "{ours}");
}

/// A copy of the scenario with another line for the key; its name.
fn edited(folder: &Path, key: &str, line: &str) -> String {
    let text = fs::read_to_string(folder.join("my-control.toml")).unwrap();
    let is_key = |old: &str| old.starts_with(&format!("{key} ="));
    assert_eq!(text.lines().filter(|old| is_key(old)).count(), 1, "{key}");
    let lines: Vec<&str> = text.lines().map(|old| if is_key(old) { line } else { old }).collect();
    fs::write(folder.join("edited.toml"), lines.join("\n")).unwrap();
    "edited.toml".to_owned()
}

#[test]
fn names_that_cannot_be_are_refused() {
    let folder = folder();
    for name in ["", "Mine", "9th", "a/b", "..", "mine!", "-", "über", &"a".repeat(65)] {
        let message = refuses(&["new", "cc", "--", name], folder.path());
        assert_contains(&message, &[&format!("error: `{name}` cannot be the name of a crate"), "tip: "]);
    }
    for name in ["match", "std", "proc-macro", "seamline"] {
        assert_contains(
            &refuses(&["new", "cc", name], folder.path()),
            &[name, "is reserved by Rust or Cargo"],
        );
    }
    // A variant, a congestion control, and keys of flows.
    for name in ["newreno", "cubic", "vegas", "tcp", "size", "ns2"] {
        assert_contains(&refuses(&["new", "cc", name], folder.path()), &[name, "is the name of", "tip: "]);
    }
    assert_contains(&refuses(&["new"], folder.path()), &["Usage: seamline new <COMMAND>"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "something was written");
}

#[test]
fn what_exists_is_kept() {
    let folder = folder();
    fs::write(folder.path().join("mine"), "a file").unwrap();
    fs::create_dir(folder.path().join("yours")).unwrap();
    for name in ["mine", "yours"] {
        let message = refuses(&["new", "cc", name], folder.path());
        assert_contains(&message, &[&format!("error: {name} exists"), "tip: "]);
    }
    assert_eq!(fs::read_to_string(folder.path().join("mine")).unwrap(), "a file");
    assert_eq!(fs::read_dir(folder.path().join("yours")).unwrap().count(), 0);
}
