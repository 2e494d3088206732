//! How much memory there is for split connections, apart from what is set: what the kernel has for TCP, and what the control groups of this process may have.

use nix::unistd::{SysconfVar, sysconf};
use seamline_host::cgroup::{MemoryLimit, memory_limit};
use seamline_host::meminfo::meminfo;
use std::fs;
use std::path::PathBuf;

/// The limits that are known now. `groups` are the control groups of this process.
pub(super) fn limits(groups: &[PathBuf]) -> impl Iterator<Item = MemoryLimit> {
    of_tcp().into_iter().chain(groups.iter().filter_map(|group| memory_limit(group)))
}

/// Of TCP: net.ipv4.tcp_mem (tcp(7)) against /proc/net/sockstat, both in pages and for all network namespaces together.
fn of_tcp() -> Option<MemoryLimit> {
    let used = pages(&fs::read_to_string("/proc/net/sockstat").ok()?)? * page();
    Some(MemoryLimit { most: pressure()?, used })
}

/// Bytes that TCP may take before the kernel is under pressure, and shrinks the windows of all connections; `None` if it is not known.
///
/// Only the first network namespace has the setting. Elsewhere it is taken for what the kernel itself begins with: a sixteenth of the memory (`tcp_init_mem`).
fn pressure() -> Option<u64> {
    let set = fs::read_to_string("/proc/sys/net/ipv4/tcp_mem").ok();
    let set = set.and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok()).map(|it| it * page());
    set.or_else(|| Some(meminfo(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal")? / 16))
}

fn page() -> u64 {
    sysconf(SysconfVar::PAGE_SIZE).ok().flatten().map_or(4096, |bytes| bytes.unsigned_abs())
}

fn pages(sockstat: &str) -> Option<u64> {
    let line = sockstat.lines().find_map(|line| line.strip_prefix("TCP: "))?;
    let mut words = line.split_whitespace().skip_while(|word| *word != "mem");
    words.nth(1)?.parse().ok()
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
    }

    #[test]
    fn this_kernel_says_what_tcp_may_have() {
        assert!(of_tcp().is_some_and(|limit| limit.most > 1 << 20));
    }

    #[test]
    fn the_lower_limit_of_a_group_counts_and_files_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("memory.max", "max\n");
        write("memory.high", "max\n");
        write("memory.current", "5000000\n");
        write("memory.stat", "anon 7\ninactive_file 1000000\nactive_file 500000\nsock 3\n");
        assert_eq!(memory_limit(folder.path()), None);
        write("memory.max", "9000000\n");
        assert_eq!(memory_limit(folder.path()), Some(MemoryLimit { most: 9_000_000, used: 3_500_000 }));
        write("memory.high", "8000000\n");
        let groups = [folder.path().join("missing"), folder.path().to_owned()];
        assert!(limits(&groups).any(|it| it == MemoryLimit { most: 8_000_000, used: 3_500_000 }));
    }
}
