//! `seamline sweep`

use crate::support::{assert_contains, folder, refuses, scenario, seamline, shell, stderr, stdout, succeeds};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The lines of a folder's results, each once, wherever they stand.
fn lines(out: &Path) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for entry in fs::read_dir(out).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            lines.extend(fs::read_to_string(path).unwrap().lines().map(str::to_owned));
        }
    }
    lines.sort();
    let distinct: BTreeSet<&String> = lines.iter().collect();
    assert_eq!(distinct.len(), lines.len(), "a run is stored twice");
    lines
}

/// Short runs of the smallest scenario: five cells.
fn short(seeds: &'static str) -> Vec<String> {
    let arguments =
        ["sweep", &scenario("quickstart.toml"), "--seeds", seeds, "--set", "duration=2 s", "--out", "out"];
    arguments.map(str::to_owned).to_vec()
}

fn run(arguments: &[String], more: &[&str], folder: &Path) -> String {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(more.iter().copied()).collect();
    succeeds(&arguments, folder)
}

/// A sweep that takes a while: 400 runs of half a minute.
fn long() -> Vec<String> {
    let arguments = ["sweep", &scenario("quickstart.toml"), "--seeds", "80", "--out", "out"];
    arguments.map(str::to_owned).to_vec()
}

fn spawn(arguments: &[String], folder: &Path) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("seamline"));
    command.args(arguments).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[expect(clippy::disallowed_methods, reason = "waits for another process")]
fn wait_for_lines(out: &Path, least: usize) {
    for _ in 0..6000 {
        let text = fs::read_to_string(out.join("runs.jsonl")).unwrap_or_default();
        if text.lines().count() >= least {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("no run was stored");
}

#[test]
fn it_ends_in_the_verdicts_of_a_run_and_says_how_to_repeat_it() {
    let folder = folder();
    let text = run(&short("3"), &[], folder.path());
    let file = scenario("quickstart.toml");
    let whole =
        succeeds(&["run", &file, "--seeds", "3", "--set", "duration=2 s", "--table", "none"], folder.path());
    let verdicts = |text: &str| -> Vec<String> {
        let rows = text.lines().skip_while(|line| !line.starts_with("Goodput: mean of 3 seeds"));
        rows.take(6).map(str::to_owned).collect()
    };
    assert_eq!(verdicts(&text).len(), 6);
    assert_eq!(verdicts(&text), verdicts(&whole));
    let repeat = format!("Reproduce: seamline sweep {file} --seeds 3 --set 'duration=2 s' --out out\n");
    assert_contains(&text, &["Stored: 15 runs in out\n", &repeat]);
    assert_eq!(lines(&folder.path().join("out")).len(), 15);
}

/// What a sweep stores is what a run finds.
#[test]
fn lines_hold_the_records_of_a_run() {
    let folder = folder();
    run(&short("2"), &["--jobs", "1"], folder.path());
    let file = scenario("quickstart.toml");
    let json = succeeds(
        &["run", &file, "--json", "--seeds", "2", "--set", "duration=2 s", "--quiet"],
        folder.path(),
    );
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    let mut compared = 0;
    for line in lines(&folder.path().join("out")) {
        let line: serde_json::Value = serde_json::from_str(&line).unwrap();
        let cells = document["cells"].as_array().unwrap();
        let cell = cells.iter().find(|cell| cell["values"] == line["cell"]).unwrap();
        let runs = cell["runs"].as_array().unwrap();
        let mut run = runs.iter().find(|run| run["seed"] == line["run"]["seed"]).unwrap().clone();
        run["flows"][0].as_object_mut().unwrap().remove("intervals");
        assert_eq!(run, line["run"]);
        compared += 1;
    }
    assert_eq!(compared, 10);
}

#[test]
fn what_is_there_is_not_run_again_and_more_seeds_are_added() {
    let folder = folder();
    let out = folder.path().join("out");
    run(&short("2"), &[], folder.path());
    let before = fs::read_to_string(out.join("runs.jsonl")).unwrap();
    run(&short("2"), &[], folder.path());
    assert_eq!(fs::read_to_string(out.join("runs.jsonl")).unwrap(), before);
    run(&short("3"), &[], folder.path());
    assert!(fs::read_to_string(out.join("runs.jsonl")).unwrap().starts_with(&before));
    assert_eq!(lines(&out).len(), 15);
}

#[test]
fn a_line_torn_off_anywhere_is_noticed_and_its_run_repeated() {
    let folder = folder();
    let out = folder.path().join("out");
    run(&short("2"), &["--jobs", "1"], folder.path());
    let whole = fs::read(out.join("runs.jsonl")).unwrap();
    let expected = lines(&out);
    for cut in [1, 2, 100, 700] {
        fs::write(out.join("runs.jsonl"), &whole[..whole.len() - cut]).unwrap();
        let arguments = short("2");
        let output = seamline(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), folder.path());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_contains(
            stderr(&output),
            &["note: ", "runs.jsonl: the last line was incomplete; its run is repeated"],
        );
        assert_eq!(lines(&out), expected);
    }
    // What a power cut may leave: a line of nothing.
    fs::write(out.join("runs.jsonl"), [&whole[..], &[0; 512], b"\n"].concat()).unwrap();
    let output = shell(
        "seamline sweep SCENARIO --seeds 2 --set 'duration=2 s' --out out"
            .replace("SCENARIO", &scenario("quickstart.toml"))
            .as_str(),
        folder.path(),
    );
    assert_contains(stderr(&output), &["1 damaged line skipped"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn killed_and_resumed_it_gives_the_same_lines() {
    let folder = folder();
    let out = folder.path().join("out");
    let mut arguments = long();
    let mut stored = 0;
    for _ in 0..3 {
        let mut child = spawn(&arguments, folder.path());
        wait_for_lines(&out, stored + 3);
        child.kill().unwrap();
        child.wait().unwrap();
        stored = fs::read_to_string(out.join("runs.jsonl")).unwrap().lines().count();
    }
    assert!(stored < 400, "it was killed after its end");
    run(&arguments, &[], folder.path());
    let resumed = lines(&out);
    assert_eq!(resumed.len(), 400);
    *arguments.last_mut().unwrap() = "whole".to_owned();
    run(&arguments, &[], folder.path());
    assert!(resumed == lines(&folder.path().join("whole")), "other lines than those of a whole sweep");
}

#[cfg(unix)]
#[test]
fn interrupted_it_keeps_what_is_finished_and_says_how_to_resume() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let folder = folder();
        let out = folder.path().join("out");
        let child = spawn(&long(), folder.path());
        wait_for_lines(&out, 3);
        Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        assert_eq!(stdout(&output), "");
        let stored = lines(&out).len();
        assert!((3..400).contains(&stored), "{stored}");
        let resume = format!("resume: seamline sweep {} --seeds 80 --out out", scenario("quickstart.toml"));
        assert_contains(
            stderr(&output),
            &[&format!("interrupted; {stored} of 400 runs are stored"), &resume],
        );
        for line in lines(&out) {
            serde_json::from_str::<serde_json::Value>(&line).expect("a whole line");
        }
    }
}

#[test]
fn shards_are_disjoint_and_complete_and_come_together() {
    let folder = folder();
    let out = folder.path().join("out");
    let mut sum = 0;
    for shard in ["1/3", "2/3", "3/3"] {
        let text = run(&short("4"), &["--shard", shard], folder.path());
        let file = format!("runs-{}-of-3.jsonl", &shard[..1]);
        let own = fs::read_to_string(out.join(file)).unwrap().lines().count();
        assert!((6..=7).contains(&own), "{own}");
        sum += own;
        assert_eq!(text.contains("When all shards are complete: seamline sweep"), shard != "3/3");
    }
    assert_eq!((sum, lines(&out).len()), (20, 20));
    let sharded = lines(&out);
    let text = run(&short("4"), &[], folder.path());
    assert_contains(&text, &["Goodput: mean of 4 seeds", "Stored: 20 runs"]);
    let files: BTreeSet<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, BTreeSet::from(["runs.jsonl".into(), "sweep.json".into()]));
    assert_eq!(lines(&out), sharded);
    for wrong in ["0/3", "4/3", "1", "a/b", "1/0"] {
        let refusal = refuses(
            &["sweep", &scenario("quickstart.toml"), "--out", "out", "--shard", wrong],
            folder.path(),
        );
        assert_contains(&refusal, &["a shard is written 1/8"]);
    }
}

/// What somebody else put there, or cannot be read any more, is nobody's to throw away.
#[test]
fn only_shards_that_were_read_whole_are_taken_in() {
    let folder = folder();
    let out = folder.path().join("out");
    for shard in ["1/2", "2/2"] {
        run(&short("2"), &["--shard", shard], folder.path());
    }
    let (own, damaged) = (out.join("runs-1-of-2.jsonl"), out.join("runs-2-of-2.jsonl"));
    fs::copy(&own, out.join("runs-before.jsonl")).unwrap();
    let text = fs::read_to_string(&damaged).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    fs::write(&damaged, format!("{}\n{rest}", &first[..first.len() / 2])).unwrap();
    let output = seamline(&short("2").iter().map(String::as_str).collect::<Vec<_>>(), folder.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_contains(stderr(&output), &["1 damaged line skipped", "runs-2-of-2.jsonl", "left in place"]);
    assert!(!own.exists() && damaged.exists() && out.join("runs-before.jsonl").exists());
    assert_eq!(fs::read_to_string(&damaged).unwrap().lines().count(), text.lines().count());
}

#[test]
fn another_scenario_is_refused_unless_it_is_to_be_added() {
    let folder = folder();
    run(&short("2"), &[], folder.path());
    let file = scenario("quickstart.toml");
    let other = ["sweep", &file, "--seeds", "2", "--set", "duration=3 s", "--out", "out"];
    let refusal = refuses(&other, folder.path());
    assert_contains(
        &refusal,
        &["out holds results of another scenario: ", "--set duration=2 s", "tip: ", "--add"],
    );
    assert_eq!(lines(&folder.path().join("out")).len(), 10);
    let text = succeeds(&[&other[..], &["--add"]].concat(), folder.path());
    assert_contains(&text, &["mean of 2 seeds", "Stored: 10 runs"]);
    assert_eq!(lines(&folder.path().join("out")).len(), 20);
    // Both go on from here.
    run(&short("2"), &[], folder.path());
    assert_eq!(lines(&folder.path().join("out")).len(), 20);
}

#[test]
fn results_of_another_version_are_refused() {
    let folder = folder();
    run(&short("2"), &[], folder.path());
    let manifest = folder.path().join("out/sweep.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let engine = document["sweeps"][0]["engine"].as_str().unwrap();
    fs::write(&manifest, text.replace(engine, "0.0.9+0123")).unwrap();
    let refusal = refuses(&short("2").iter().map(String::as_str).collect::<Vec<_>>(), folder.path());
    assert_contains(&refusal, &["another version of the program: 0.0.9+0123, and this is", engine]);
}

/// A recording that changes is another scenario, though its path is the same.
#[test]
fn the_content_of_recordings_counts() {
    let folder = folder();
    let trace = |rate: usize| (1..4000).step_by(rate).map(|millis| format!("{millis}\n")).collect::<String>();
    fs::write(folder.path().join("trace"), trace(2)).unwrap();
    let file = scenario("mahimahi.toml");
    let arguments = [
        "sweep",
        &file,
        "--seeds",
        "1",
        "--set",
        "duration=2 s",
        "--set",
        "warm_up=0 s",
        "--set",
        "link.radio.down.schedule.file=trace",
        "--out",
        "out",
    ];
    succeeds(&arguments, folder.path());
    succeeds(&arguments, folder.path());
    fs::write(folder.path().join("trace"), trace(3)).unwrap();
    assert_contains(&refuses(&arguments, folder.path()), &["another scenario"]);
}

#[cfg(unix)]
#[test]
fn a_second_process_is_kept_out() {
    let folder = folder();
    run(&short("2"), &[], folder.path());
    let file = fs::OpenOptions::new().append(true).open(folder.path().join("out/runs.jsonl")).unwrap();
    file.lock().unwrap();
    let refusal = refuses(&short("2").iter().map(String::as_str).collect::<Vec<_>>(), folder.path());
    assert_contains(&refusal, &["another process is writing to out/runs.jsonl", "--shard"]);
}

/// A limit of the file size stands in for a disk without room, and the folder of temporary files does not exist: what
/// cannot be stored anywhere goes to standard output, every line that the summary announces.
#[cfg(unix)]
#[test]
fn when_nothing_can_be_written_the_lines_go_to_standard_output() {
    let folder = folder();
    let file = scenario("quickstart.toml");
    let sweep = format!("seamline sweep '{file}' --jobs 8 --seeds 20 --set 'duration=30 s' --out out");
    let limited = format!("trap '' XFSZ; export TMPDIR=\"$PWD/nowhere\"; ulimit -f 4; {sweep}");
    let output = shell(&limited, folder.path());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let kept = stdout(&output).lines().count();
    let rescued = format!("\n{kept} finished runs are on standard output instead");
    assert_contains(stderr(&output), &["error: cannot write out/runs.jsonl: ", &rescued]);
    assert!(kept > 0);
    let out = folder.path().join("out");
    let text = fs::read_to_string(out.join("runs.jsonl")).unwrap();
    assert!(text.is_empty() || text.ends_with("}\n"), "half a line is left");
    resumes_with(&format!("{text}{}", stdout(&output)), &sweep, folder.path());
}

/// A file system without room, where namespaces of users are allowed: the lines go to another one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_file_system_loses_no_finished_run() {
    let folder = folder();
    let file = scenario("quickstart.toml");
    let sweep = format!("seamline sweep '{file}' --seeds 20 --set 'duration=2 s' --out out");
    let script = format!(
        "mkdir out t && mount -t tmpfs -o size=32k none out || exit 77\n\
         export TMPDIR=\"$PWD/t\"\n{sweep}; code=$?\ncp out/runs.jsonl kept; exit $code"
    );
    let seamline = format!("'{}' ", assert_cmd::cargo::cargo_bin("seamline").display());
    let script = script.replace("seamline ", &seamline);
    let output =
        Command::new("unshare").args(["-rm", "sh", "-c", &script]).current_dir(folder.path()).output();
    let output = match output {
        Ok(output) if output.status.code() == Some(1) && stderr(&output).contains("runs.jsonl") => output,
        other => {
            return seamline_testing::skip(
                "a_full_file_system_loses_no_finished_run",
                format!("no namespace can be made: {other:?}"),
            );
        }
    };
    let expected = [
        "cannot write out/runs.jsonl: No space left on device",
        "finished runs are in ",
        "when there is room again: cat ",
    ];
    assert_contains(stderr(&output), &expected);
    assert_eq!(stdout(&output), "");
    let stored = fs::read_to_string(folder.path().join("kept")).unwrap();
    assert!(stored.lines().count() > 3 && stored.ends_with("}\n"), "{stored}");
    let rescued = fs::read_dir(folder.path().join("t")).unwrap().next().unwrap().unwrap().path();
    resumes_with(&(stored + &fs::read_to_string(rescued).unwrap()), &sweep, folder.path());
}

/// A sweep whose folder has these lines does the rest.
fn resumes_with(kept: &str, sweep: &str, folder: &Path) {
    let out = folder.join("out");
    fs::write(out.join("runs.jsonl"), kept).unwrap();
    let kept = lines(&out);
    assert!(kept.len() < 100);
    let output = shell(sweep, folder);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!stderr(&output).contains("damaged"));
    let all: BTreeSet<String> = lines(&out).into_iter().collect();
    assert_eq!(all.len(), 100);
    assert!(kept.iter().all(|line| all.contains(line)));
}

#[test]
fn a_folder_that_cannot_be_made_is_reported_before_anything_runs() {
    let folder = folder();
    fs::write(folder.path().join("out"), "a file, not a folder").unwrap();
    let arguments = short("2");
    let output = seamline(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert_contains(stderr(&output), &["error: --out: cannot write to `out`: it is a file, not a directory"]);
    assert_eq!(stdout(&output), "");
}

#[test]
fn a_table_for_notebooks_is_written_on_demand() {
    let folder = folder();
    let text = run(&short("2"), &["--compact"], folder.path());
    assert_contains(&text, &["Written:\n  out/runs.parquet (10 rows)\n"]);
    let table = fs::read(folder.path().join("out/runs.parquet")).unwrap();
    assert_eq!((&table[..4], &table[table.len() - 4..]), (&b"PAR1"[..], &b"PAR1"[..]));
}

/// 10,100 grid cells, more than are in memory at a time.
#[test]
fn of_very_many_cells_text_tells_what_is_stored() {
    let folder = folder();
    let list = |count: u32, unit: &str| -> String {
        (1..=count).map(|it| format!("\"{it} {unit}\"")).collect::<Vec<_>>().join(", ")
    };
    let (rates, delays) = (list(101, "Mbit/s"), list(100, "ms"));
    let text = format!(
        "duration = \"1 ms\"\nnodes = [\"a\", \"b\"]\n\
         [[link]]\nname = \"wire\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\none_way_delay = \"1 ms\"\n\
         [[flow]]\nname = \"main\"\nfrom = \"a\"\nto = \"b\"\nvariant = \"reno\"\n\
         [grid]\nlink.wire.rate = [{rates}]\nlink.wire.one_way_delay = [{delays}]\n"
    );
    fs::write(folder.path().join("many.toml"), text).unwrap();
    let sweep = ["sweep", "many.toml", "--out", "out"];
    let text = succeeds(&[&sweep[..], &["--compact"]].concat(), folder.path());
    let expected = [
        "Scenario: 10100 grid cells, 1 seed, 1 ms each\n",
        "10100 of 10100 runs are stored in out\n",
        "seamline sweep many.toml --out out --format csv\n",
        "out/runs.parquet (10100 rows)",
    ];
    assert_contains(&text, &expected);
    assert!(text.lines().count() < 10, "{text}");
    assert_eq!(lines(&folder.path().join("out")).len(), 10_100);
    let rows = succeeds(&[&sweep[..], &["--format", "csv", "--quiet"]].concat(), folder.path());
    assert_eq!(rows.lines().count(), 1 + 10_100);
    let compared =
        succeeds(&[&sweep[..], &["--baseline", "link.wire.rate=101 Mbit/s"]].concat(), folder.path());
    assert!(compared.lines().count() > 10_100);
}
