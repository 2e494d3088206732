//! `seamline sender`

mod support;

#[cfg(not(all(target_os = "linux", feature = "ebpf")))]
#[test]
fn without_its_programs_it_says_what_is_missing() {
    use support::{assert_contains, folder, seamline, stderr, stdout};
    for arguments in [&["sender", "--check"][..], &["sender", "--cgroup", "/sys/fs/cgroup"]] {
        let output = seamline(arguments, folder().path());
        assert_eq!((output.status.code(), stdout(&output)), (Some(1), ""));
        let said: &[&str] = if cfg!(target_os = "linux") {
            &["without its eBPF programs", "--features ebpf"]
        } else {
            &["Linux only"]
        };
        assert_contains(stderr(&output), said);
    }
}

#[cfg(all(target_os = "linux", feature = "ebpf"))]
#[path = "support/sender.rs"]
mod live;
