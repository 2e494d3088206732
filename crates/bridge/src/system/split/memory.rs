//! How much memory the kernel has left for TCP: net.ipv4.tcp_mem (tcp(7)) against /proc/net/sockstat, both in pages and for all network namespaces together.

use nix::unistd::{SysconfVar, sysconf};
use std::fs;

/// Bytes that TCP may take before the kernel is under pressure, and shrinks the windows of all connections; `None` if it is not known.
///
/// Only the first network namespace has the setting. Elsewhere it is taken for what the kernel itself begins with: a sixteenth of the memory (`tcp_init_mem`).
pub(super) fn pressure() -> Option<u64> {
    let set = fs::read_to_string("/proc/sys/net/ipv4/tcp_mem").ok();
    let set = set.and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok()).map(|it| it * page());
    set.or_else(|| Some(total(&fs::read_to_string("/proc/meminfo").ok()?)? / 16))
}

/// Bytes that TCP has; `None` if it is not known.
pub(super) fn used() -> Option<u64> {
    Some(pages(&fs::read_to_string("/proc/net/sockstat").ok()?)? * page())
}

fn page() -> u64 {
    sysconf(SysconfVar::PAGE_SIZE).ok().flatten().map_or(4096, |bytes| bytes.unsigned_abs())
}

fn pages(sockstat: &str) -> Option<u64> {
    let line = sockstat.lines().find_map(|line| line.strip_prefix("TCP: "))?;
    let mut words = line.split_whitespace().skip_while(|word| *word != "mem");
    words.nth(1)?.parse().ok()
}

fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_prints_is_read() {
        let sockstat =
            "sockets: used 23\nTCP: inuse 1 orphan 111 tw 0 alloc 117 mem 42\nUDP: inuse 0 mem 7\n";
        assert_eq!(pages(sockstat), Some(42));
        assert_eq!(pages("UDP: inuse 0 mem 7\n"), None);
        assert_eq!(total("MemTotal:       24063228 kB\nMemFree: 1 kB\n"), Some(24_063_228 << 10));
    }

    #[test]
    fn this_kernel_says_both() {
        assert!(pressure().is_some_and(|bytes| bytes > 1 << 20) && used().is_some());
    }
}
