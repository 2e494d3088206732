//! `seamline-host sender`
#![cfg(target_os = "linux")]

mod support;

#[cfg(not(feature = "ebpf"))]
#[test]
fn without_its_programs_it_says_what_is_missing() {
    use support::{assert_contains, folder, host, stderr, stdout};
    for arguments in [&["sender", "--check"][..], &["sender", "--cgroup", "/sys/fs/cgroup"]] {
        let output = host(arguments, folder().path());
        assert_eq!((output.status.code(), stdout(&output)), (Some(1), ""));
        assert_contains(
            stderr(&output),
            &["without its eBPF programs", "--features ebpf", "seamline-host doctor"],
        );
    }
}

#[test]
fn a_destination_that_is_no_prefix_is_refused() {
    use support::{assert_contains, folder, host_refuses};
    for (destination, message) in [
        ("example.org", "\"example.org\" is no IPv4 or IPv6 address"),
        ("192.0.2.0/33", "0 to 32 bits long, not \"33\""),
        ("192.0.2.7/24", "tip: 192.0.2.0/24 for the network, 192.0.2.7 for the host"),
    ] {
        let arguments = ["sender", "--cgroup", "/tmp", "--destination", destination];
        assert_contains(&host_refuses(&arguments, folder().path()), &["--destination <PREFIX>", message]);
    }
}

#[cfg(feature = "ebpf")]
#[path = "support/sender.rs"]
mod live;
