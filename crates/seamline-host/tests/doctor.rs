//! `seamline-host doctor`
#![cfg(target_os = "linux")]

mod support;

use serde_json::Value;
use support::{assert_contains, folder, host, stderr, stdout};

#[test]
fn what_the_host_offers_as_a_table_and_as_json() {
    let output = host(&["doctor", "--json"], folder().path());
    let document: Value = serde_json::from_str(stdout(&output)).unwrap();
    let can_run = document["mobile_can_run"].as_bool().unwrap();
    assert_eq!(output.status.code(), Some(if can_run { 0 } else { 1 }), "{}", stderr(&output));
    let features = document["features"].as_array().unwrap();
    let needs = |need: &str| features.iter().filter(|feature| feature["need"] == need).count();
    assert_eq!((needs("mobile"), needs("sender"), needs("split"), needs("required")), (3, 7, 4, 0));
    let programs = features.iter().find(|feature| feature["name"] == "eBPF programs").unwrap();
    assert_eq!(programs["available"], cfg!(feature = "ebpf"), "{programs:#}");
    let output = host(&["doctor"], folder().path());
    assert_contains(
        stdout(&output),
        &["Required by seamline-host mobile", "packet sockets", "eBPF programs"],
    );
    assert!(!stdout(&output).contains("lab"), "{}", stdout(&output));
}
