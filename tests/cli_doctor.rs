//! `seamline doctor`

mod support;

use support::{assert_contains, folder, seamline, stderr, stdout};

#[test]
#[cfg(target_os = "linux")]
fn what_the_host_has_as_a_table_and_as_json() {
    let folder = folder();
    let output = seamline(&["doctor", "--json"], folder.path());
    let document: serde_json::Value = serde_json::from_str(stdout(&output)).unwrap();
    let can_run = document["lab_can_run"].as_bool().unwrap();
    assert_eq!(output.status.code(), Some(if can_run { 0 } else { 1 }), "{}", stderr(&output));
    assert_eq!(stderr(&output).is_empty(), can_run, "{}", stderr(&output));
    let features = document["features"].as_array().unwrap();
    assert!((15..=30).contains(&features.len()), "{document:#}");
    let of_split: Vec<&str> =
        features.iter().filter(|it| it["need"] == "split").filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(of_split, ["transparent sockets", "nft", "nft rules", "ip"]);
    for feature in features {
        let has_remedy = !feature["remedies"].as_array().unwrap().is_empty();
        assert_ne!(has_remedy, feature["available"].as_bool().unwrap(), "{feature:#}");
    }
    let output = seamline(&["doctor"], folder.path());
    let text = stdout(&output);
    assert_contains(
        text,
        &[
            "Required by the lab",
            "network namespaces",
            "Required by seamline-host mobile",
            "packet sockets",
            "Required by seamline-host agent split",
        ],
    );
    let long = |line: &&str| line.len() > 80 && line.split_whitespace().count() > 2;
    assert_eq!(text.lines().find(long), None);
    assert!(!text.contains('\u{1b}'), "colour without a terminal");
    for feature in features {
        let label = format!("  {} ", feature["name"].as_str().unwrap());
        assert!(text.contains(&label), "{feature} is not in:\n{text}");
    }
}

#[test]
#[cfg(not(target_os = "linux"))]
fn elsewhere_live_features_are_linux_only() {
    let output = seamline(&["doctor"], folder().path());
    assert_eq!((output.status.code(), stdout(&output)), (Some(1), ""));
    assert_contains(stderr(&output), &["Linux only"]);
}
