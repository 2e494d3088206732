//! The counters of split connections, for the log and as Prometheus text.

use crate::measured::{SIDES, round_trips};
use crate::metrics::PREFIX;
use seamline_agent::Side;
use seamline_host::metrics::{Process, Text};
use seamline_host::{Line, counters};
use seamline_wire::Histogram;

counters! {
/// The counters of split connections at one time.
SplitCounters {
    /// SYNs taken for splitting; in a dry run, SYNs that would be taken.
    counter "split_handed_over" taken: u64,
    /// SYNs forwarded unsplit because of the rate limit.
    counter "split_passed" passed: u64,
    /// SYNs forwarded unsplit because their host on the wireless side, or its network, had as many connections as were free.
    counter "split_passed_limited" passed_limited: u64,
    /// Hosts on the wireless side, and networks, whose new connections are forwarded unsplit now.
    gauge "split_limited" limited: u64,
    /// Connections split.
    counter "split_begun" begun: u64,
    /// Connections split now.
    gauge "split_open" open: u64,
    /// Split connections that closed normally.
    counter "split_ended" ended: u64,
    /// Connections refused or unanswered by the server.
    counter "split_refused" refused: u64,
    /// Split connections that were reset.
    counter "split_reset" reset: u64,
    /// Split connections reset because they were idle.
    counter "split_expired" expired: u64,
    /// Split connections reset because memory was short: they had moved nothing for a minute.
    counter "split_evicted" evicted: u64,
    /// Bytes relayed to hosts on the wired side.
    counter "split_bytes_to_wired" bytes_to_wired: u64,
    /// Bytes relayed to hosts on the wireless side.
    counter "split_bytes_to_wireless" bytes_to_wireless: u64,
    /// Bytes of memory that split connections have, mostly in the kernel.
    gauge "split_kept_bytes" kept_bytes: u64,
    /// Bytes of memory left for them: of `memory`, of `net.ipv4.tcp_mem`, and of the limits of the process's cgroups.
    gauge "split_left_bytes" left_bytes: u64,
    /// Times the buffers of a connection were made smaller because its host had more memory than was left.
    counter "split_buffers_shrunk" shrunk: u64,
    /// Times the relay stalled and new connections were forwarded unsplit.
    counter "split_bypasses" stalls: u64,
    /// 1 while new connections are forwarded unsplit because the relay has stalled.
    gauge "split_bypass" is_stalled: bool,
}
}

/// What the kernel knows of the paths of split connections, by [`Side::index`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplitPaths {
    /// Smoothed round-trip times: of each connection that carries data once a second, and when it ends.
    pub round_trips: [Histogram; 2],
    /// Data segments sent to that side, those included that were sent again.
    pub segments: [u64; 2],
    /// Of them, those that were sent again.
    pub retransmitted: [u64; 2],
}

impl SplitPaths {
    fn add_to(&self, text: &mut Text) {
        round_trips(text, &self.round_trips);
        let sides = Side::BOTH.map(Side::index);
        text.counter(
            "split_segments",
            "Data segments sent to hosts on that side.",
            &sides.map(|side| (&SIDES[side..=side], self.segments[side])),
        );
        text.counter(
            "split_retransmitted_segments",
            "Data segments sent again to hosts on that side.",
            &sides.map(|side| (&SIDES[side..=side], self.retransmitted[side])),
        );
    }
}

impl SplitCounters {
    /// As Prometheus text.
    pub fn text(&self, paths: &SplitPaths, process: &Process) -> String {
        let mut text = Text::new(PREFIX, process);
        text.add(Self::METRICS, &[("", self)]);
        paths.add_to(&mut text);
        text.into_string()
    }

    /// As a line of the log.
    pub fn line(&self, event: &'static str) -> Line {
        Self::METRICS.iter().fold(Line::new(event), |line, metric| {
            line.with(metric.name.trim_start_matches("split_"), (metric.of)(self))
        })
    }
}
