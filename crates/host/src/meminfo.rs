//! The memory of this host.

/// A line of `/proc/meminfo`, such as `MemAvailable`, in bytes.
pub fn meminfo(text: &str, key: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    value.split_whitespace().next()?.parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

#[cfg(test)]
#[test]
fn what_linux_prints_is_read() {
    let text = "MemTotal:       24063228 kB\nMemFree: 1 kB\nMemAvailable:   4 kB\n";
    assert_eq!(meminfo(text, "MemTotal"), Some(24_063_228 << 10));
    assert_eq!(meminfo(text, "MemAvailable"), Some(4096));
    assert_eq!(meminfo(text, "Mem"), None);
}
