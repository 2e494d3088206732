//! `seamline compare`

use crate::support::{assert_contains, folder, refuses, scenario, seamline, stderr, succeeds};
use serde_json::Value;
use std::fs;
use std::path::Path;

const SHORT: [&str; 2] = ["--set", "duration=4 s"];

/// The JSON document of a run of the smallest scenario, in a file.
fn run(name: &str, more: &[&str], folder: &Path) {
    let file = scenario("quickstart.toml");
    let arguments = [&["run", &file, "--json", "--quiet"][..], &SHORT, more].concat();
    fs::write(folder.join(name), succeeds(&arguments, folder)).unwrap();
}

fn sweep(out: &str, more: &[&str], folder: &Path) {
    let file = scenario("quickstart.toml");
    succeeds(&[&["sweep", &file, "--out", out][..], &SHORT, more].concat(), folder);
}

fn json(a: &str, b: &str, folder: &Path) -> Value {
    serde_json::from_str(&succeeds(&["compare", a, b, "--json"], folder)).unwrap()
}

#[test]
fn the_same_results_are_identical_however_they_are_stored() {
    let folder = folder();
    run("a.json", &["--seeds", "3"], folder.path());
    sweep("b", &["--seeds", "3"], folder.path());
    for b in ["b", "b/runs.jsonl"] {
        let text = succeeds(&["compare", "a.json", b], folder.path());
        assert_contains(
            &text,
            &["The scenarios and the program are the same.", "flow.main.variant = cubic: main goodput"],
        );
        assert_contains(&text, &["No difference: all runs give the same results.\n"]);
        assert_eq!(text.matches("identical").count(), 5);
    }
}

/// Labels name the cells of a grid; what is behind them may differ all the same.
#[test]
fn what_is_behind_a_label_is_not_reported_as_the_same() {
    let folder = folder();
    let text = fs::read_to_string(scenario("quickstart.toml")).unwrap();
    let (head, _) = text.split_once("[grid").expect("a grid");
    let grid = |rate: &str| {
        format!(
            "[[grid.zip]]\nname = \"air\"\nlabels = [\"bad\", \"good\"]\n\"link.radio.rate\" = [\"2 Mbit/s\", \"{rate}\"]\n"
        )
    };
    for (name, rate) in [("a", "5 Mbit/s"), ("b", "6 Mbit/s")] {
        fs::write(
            folder.path().join(format!("{name}.toml")),
            format!("{head}variant = \"newreno\"\n{}", grid(rate)),
        )
        .unwrap();
        let file = format!("{name}.toml");
        let arguments = [&["sweep", &file, "--out", name, "--seeds", "2"][..], &SHORT].concat();
        succeeds(&arguments, folder.path());
    }
    let text = succeeds(&["compare", "a", "b"], folder.path());
    assert_contains(&text, &["the content behind a grid label", "air = bad: main goodput", "identical"]);
    assert!(!text.contains("are the same"), "{text}");
}

#[test]
fn a_difference_is_reported_with_its_interval_and_what_differs() {
    let folder = folder();
    run("a.json", &["--seeds", "8"], folder.path());
    run("b.json", &["--seeds", "8", "--set", "link.radio.rate=2 Mbit/s"], folder.path());
    let text = succeeds(&["compare", "a.json", "b.json"], folder.path());
    assert_contains(
        &text,
        &["What differs:\n  link.radio.rate: 10 Mbit/s -> 2 Mbit/s\n", "Means over 8 seeds"],
    );
    assert_contains(&text, &["There is a difference: B is slower in 5 of 5 comparisons."]);
    let back = succeeds(&["compare", "b.json", "a.json"], folder.path());
    assert_contains(&back, &["There is a difference: B is faster in 5 of 5 comparisons."]);
}

/// The numbers against the definition: the mean of the differences, and t for n - 1 = 3 degrees of freedom,
/// which is 3.182 at 97.5 % (any table).
#[test]
fn the_interval_is_that_of_student_over_the_pairs() {
    let folder = folder();
    let one = ["--set", "grid.flow.main.variant=[\"sack\"]", "--seeds", "4"];
    run("a.json", &one, folder.path());
    run("b.json", &[&one[..], &["--set", "link.radio.down.loss.probability=2 %"]].concat(), folder.path());
    let goodputs = |name: &str| -> Vec<f64> {
        let document: Value =
            serde_json::from_str(&fs::read_to_string(folder.path().join(name)).unwrap()).unwrap();
        let runs = document["cells"][0]["runs"].as_array().unwrap();
        runs.iter().map(|run| run["flows"][0]["goodput_bits_per_second"].as_f64().unwrap()).collect()
    };
    let pairs: Vec<(f64, f64)> = goodputs("a.json").into_iter().zip(goodputs("b.json")).collect();
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| b - a).collect();
    let mean = differences.iter().sum::<f64>() / 4.0;
    let variance = differences.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / 3.0;
    let half = 3.182446 * (variance / 4.0).sqrt();
    let comparison = json("a.json", "b.json", folder.path());
    let row = &comparison["rows"][0];
    let close = |value: &Value, expected: f64| {
        let value = value.as_f64().unwrap();
        assert!((value / expected - 1.0).abs() < 1e-5, "{value} {expected}");
    };
    close(&row["difference"]["mean"], mean);
    close(&row["difference"]["low"], mean - half);
    close(&row["difference"]["high"], mean + half);
    let factor = row["factor"]["mean"].as_f64().unwrap();
    let product: f64 = pairs.iter().map(|(a, b)| b / a).product();
    assert!((factor * factor * factor * factor / product - 1.0).abs() < 1e-9, "not the geometric mean");
    assert_eq!((row["pairs"].as_u64(), row["measure"].as_str()), (Some(4), Some("goodput_bits_per_second")));
    assert_eq!(comparison["differences"][0]["key"], "link.radio.down.loss.probability");
}

/// A key that varies here and is fixed there is the same key, and only what both have is compared.
#[test]
fn cells_and_seeds_are_matched_by_what_they_are() {
    let folder = folder();
    sweep("a", &["--seeds", "3"], folder.path());
    sweep("b", &["--set", "seeds=[2, 3, 9]", "--set", "flow.main.variant=cubic"], folder.path());
    let comparison = json("a", "b", folder.path());
    assert_eq!(comparison["rows"].as_array().unwrap().len(), 1);
    let row = &comparison["rows"][0];
    assert_eq!(row["cell"], serde_json::json!([["flow.main.variant", "cubic"]]));
    assert_eq!((row["pairs"].as_u64(), row["verdict"].as_str()), (Some(2), Some("identical")));
    assert_eq!(comparison["notes"][0], "4 cells are only in a");
    assert_eq!(comparison["differences"], serde_json::json!([]));
}

#[test]
fn transfers_are_compared_by_their_duration_too() {
    let folder = folder();
    let transfer =
        ["--set", "flow.main.size=200 kB", "--set", "grid.flow.main.variant=[\"cubic\"]", "--seeds", "6"];
    run("a.json", &transfer, folder.path());
    run("b.json", &[&transfer[..], &["--set", "link.radio.one_way_delay=80 ms"]].concat(), folder.path());
    let text = succeeds(&["compare", "a.json", "b.json"], folder.path());
    assert_contains(&text, &["main duration", "B is slower in 2 of 2 comparisons"]);
}

#[test]
fn one_seed_that_differs_tells_nothing() {
    let folder = folder();
    run("a.json", &["--seeds", "1"], folder.path());
    run("b.json", &["--seeds", "1", "--set", "link.radio.one_way_delay=21 ms"], folder.path());
    let text = succeeds(&["compare", "a.json", "b.json"], folder.path());
    assert_contains(&text, &["one seed cannot show whether that is by chance: use --seeds 10"]);
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_reason() {
    let folder = folder();
    run("a.json", &["--seeds", "1"], folder.path());
    run("other.json", &["--set", "grid.flow.main.variant=[\"reno\"]", "--seeds", "1"], folder.path());
    run("seeds.json", &["--set", "seeds=[7]"], folder.path());
    fs::write(folder.path().join("poem.txt"), "tyger tyger\n").unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    for (b, expected) in [
        ("other.json", "no cell in common: a.json has flow.main.variant = "),
        ("seeds.json", "no seed in common: a.json has 1 to 1; seeds.json has 7 to 7"),
        ("poem.txt", "poem.txt holds no results\ntip: expected the directory of a sweep"),
        ("empty", "empty holds no results"),
    ] {
        let refusal = refuses(&["compare", "a.json", b], folder.path());
        assert_contains(&refusal, &["error: ", expected]);
    }
    let output = seamline(&["compare", "a.json", "nothing"], folder.path());
    assert_contains(stderr(&output), &["cannot read nothing: "]);
    sweep("two", &["--seeds", "1"], folder.path());
    let file = scenario("quickstart.toml");
    succeeds(
        &["sweep", &file, "--out", "two", "--add", "--seeds", "1", "--set", "duration=3 s"],
        folder.path(),
    );
    let refusal = refuses(&["compare", "a.json", "two"], folder.path());
    assert_contains(&refusal, &["two holds the results of 2 scenarios or versions"]);
}

#[test]
fn another_version_is_named() {
    let folder = folder();
    run("a.json", &["--seeds", "2"], folder.path());
    let text = fs::read_to_string(folder.path().join("a.json")).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let engine = document["provenance"]["engine"].as_str().unwrap();
    fs::write(folder.path().join("b.json"), text.replace(engine, "9.9.9+abc")).unwrap();
    let text = succeeds(&["compare", "a.json", "b.json"], folder.path());
    assert_contains(&text, &[&format!("What differs:\n  engine: {engine} -> 9.9.9+abc\n"), "No difference"]);
}
