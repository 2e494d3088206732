//! Network settings of namespaces, which leave the host's alone.
#![cfg(target_os = "linux")]

mod support;

use seamline_lab::system::Namespace;
use seamline_lab::system::settings::{has, read, write};
use std::fs;
use std::io::ErrorKind;
use support::privileged_or_skip;

/// Settings that the lab changes. New namespaces have the values of the host, or the kernel's own.
const CHANGED: [&str; 3] = ["ipv4/ip_forward", "ipv4/tcp_no_metrics_save", "ipv6/conf/all/forwarding"];

#[test]
fn settings_change_inside_and_nowhere_else() {
    if !privileged_or_skip("settings_change_inside_and_nowhere_else") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    let other = Namespace::new().unwrap();
    let host = |setting: &str| fs::read_to_string(format!("/proc/sys/net/{setting}")).unwrap();
    for setting in CHANGED.into_iter().filter(|setting| has(&namespace, setting).unwrap()) {
        let (before, outside) = (read(&other, setting).unwrap(), host(setting));
        let value = if before == "0" { "1" } else { "0" };
        write(&namespace, setting, value).unwrap();
        assert_eq!(read(&namespace, setting).unwrap(), value, "{setting}");
        assert_eq!(read(&other, setting).unwrap(), before, "{setting}");
        assert_eq!(host(setting), outside, "{setting}");
    }
}

#[test]
fn other_files_and_unknown_settings_are_refused() {
    if !privileged_or_skip("other_files_and_unknown_settings_are_refused") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    for path in ["", "../kernel/hostname", "/proc/sys/kernel/hostname", "ipv4/../../kernel/hostname"] {
        assert_eq!(read(&namespace, path).unwrap_err().kind(), ErrorKind::InvalidInput, "{path}");
        assert_eq!(write(&namespace, path, "x").unwrap_err().kind(), ErrorKind::InvalidInput, "{path}");
    }
    assert!(has(&namespace, "ipv4/ip_forward").unwrap() && !has(&namespace, "ipv4/no_such").unwrap());
    let unknown = write(&namespace, "ipv4/no_such", "1").unwrap_err().to_string();
    assert!(unknown.contains("net/ipv4/no_such to 1: a namespace has no such setting"), "{unknown}");
    let refused = write(&namespace, "ipv4/tcp_congestion_control", "no_such").unwrap_err().to_string();
    assert!(refused.contains("the kernel refuses the value"), "{refused}");
}
