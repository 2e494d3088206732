//! The kernel's clocks.

use nix::time::{ClockId, clock_gettime};
use seamline_wire::Instant;
use std::fs;
use std::sync::OnceLock;

/// `CLOCK_MONOTONIC` as the kernel itself has it: it is never set, and is the same for all processes of a host and for eBPF programs. In a
/// time namespace (time_namespaces(7)) a process reads it with an offset, which is taken off here.
pub fn monotonic() -> Instant {
    /// Nothing moves a process with threads to another time namespace.
    static OFFSET: OnceLock<i64> = OnceLock::new();
    let offset =
        *OFFSET.get_or_init(|| fs::read_to_string(OFFSETS).ok().and_then(|it| offset(&it)).unwrap_or(0));
    Instant::from_nanos(
        read(ClockId::CLOCK_MONOTONIC).as_nanos().saturating_add_signed(offset.saturating_neg()),
    )
}

/// There is no such file without time namespaces (before Linux 5.6).
const OFFSETS: &str = "/proc/self/timens_offsets";

/// That of the monotonic clock, in nanoseconds: a line has the clock, seconds, and nanoseconds.
fn offset(text: &str) -> Option<i64> {
    let mut words = text.lines().find(|line| line.starts_with("monotonic"))?.split_whitespace().skip(1);
    let [seconds, nanos] = [words.next()?.parse::<i64>().ok()?, words.next()?.parse().ok()?];
    seconds.checked_mul(1_000_000_000)?.checked_add(nanos)
}

/// `CLOCK_REALTIME`: the time since 1970. The kernel stamps packets with it, and satellites follow it.
pub fn wall() -> Instant {
    read(ClockId::CLOCK_REALTIME)
}

fn read(clock: ClockId) -> Instant {
    let now = clock_gettime(clock).unwrap_or_else(|_| nix::sys::time::TimeSpec::new(0, 0));
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    Instant::from_nanos(part(now.tv_sec()).saturating_mul(1_000_000_000).saturating_add(part(now.tv_nsec())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_read_as_the_kernel_writes_it() {
        let read = |text| offset(text);
        assert_eq!(read("monotonic           0         0\nboottime            0         0\n"), Some(0));
        assert_eq!(
            read("monotonic         -11 500000000\nboottime          1000         0\n"),
            Some(-10_500_000_000)
        );
        assert_eq!(read("monotonic        1000\n"), None);
        assert_eq!(read("boottime 5 0\n"), None);
    }

    /// As root only: an offset changes nothing.
    #[test]
    fn in_a_time_namespace_it_is_the_clock_of_the_host() {
        let name = "in_a_time_namespace_it_is_the_clock_of_the_host";
        if let Ok(host) = std::env::var("SEAMLINE_TEST_MONOTONIC") {
            let (host, own) = (host.parse::<u64>().unwrap(), monotonic().as_nanos());
            // The other process began this one in between.
            return assert!((host..host + 100_000_000_000).contains(&own), "{own} after {host}");
        }
        for offset in [-5, 100_000] {
            let mut command = std::process::Command::new("unshare");
            command.args(["--time", &format!("--monotonic={offset}")]).arg(std::env::current_exe().unwrap());
            command.args(["--exact", "clock::tests::in_a_time_namespace_it_is_the_clock_of_the_host"]);
            command.env("SEAMLINE_TEST_MONOTONIC", monotonic().as_nanos().to_string());
            let Some(output) = command.output().ok().filter(|_| nix::unistd::geteuid().is_root()) else {
                return seamline_testing::skip(name, "it takes root, and unshare");
            };
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && text.contains("1 passed"), "{offset}: {output:?}");
        }
    }
}
