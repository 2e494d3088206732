//! How well a network was emulated around real stacks, and whether the results can be trusted.

use serde::{Deserialize, Serialize};

/// How well a run with real stacks was emulated. Lateness is how much later than due a packet was handed
/// to a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmulationRecord {
    /// The kernel's release.
    pub kernel: String,
    /// Whether the kernel ran in virtual time, in a guest. Then nothing is late but by what programs take to read the clock.
    #[serde(default)]
    pub is_virtual: bool,
    /// The name of each host and its TCP, `linux` or `seamline`; then each agent replaced by a command, with `command`.
    pub stacks: Vec<(String, String)>,
    /// The priority that the emulator had.
    pub priority: String,
    /// Packets handed to hosts, and to commands that replace agents.
    pub packets: u64,
    /// Lateness in microseconds that half of them did not exceed.
    pub lateness_median_us: f64,
    /// That 99 % of them did not exceed.
    pub lateness_p99_us: f64,
    /// The maximum; or the longest stall of the emulator, if that is longer.
    pub lateness_max_us: f64,
    /// Packets that were lost at interfaces of the host, where nothing is meant to be lost.
    pub lost_at_interfaces: u64,
    /// Packets whose payload was not known when they arrived, and which were not handed over.
    pub payload_unknown: u64,
}

impl EmulationRecord {
    /// Lateness at the 99th percentile that is still good, in microseconds: it is as much as a wireless link's own jitter.
    pub const LATE_US: f64 = 1000.0;
    /// A single stall that is still good: a small part of the shortest interruption of a handover.
    pub const STALL_US: f64 = 20_000.0;

    /// Whose TCP each host had: `server: linux, phone: seamline`.
    pub fn format_stacks(&self) -> String {
        let one = |(host, stack): &(String, String)| format!("{host}: {stack}");
        self.stacks.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// Why the results should not be trusted; empty when they can be.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let late = |us: f64| format!("{:.1} ms", us / 1000.0);
        if self.lateness_p99_us > Self::LATE_US {
            warnings.push(format!(
                "the host was too busy: one packet in a hundred was more than {} late (limit: {})",
                late(self.lateness_p99_us),
                late(Self::LATE_US)
            ));
        }
        if self.lateness_max_us > Self::STALL_US {
            warnings.push(format!(
                "the emulator stalled for {} (limit: {})",
                late(self.lateness_max_us),
                late(Self::STALL_US)
            ));
        }
        if self.lost_at_interfaces > 0 {
            warnings.push(format!(
                "{} packets were lost at interfaces of the host, not by the emulated network",
                self.lost_at_interfaces
            ));
        }
        if self.payload_unknown > 0 {
            warnings.push(format!(
                "{} packets could not be handed over: their payload was unknown",
                self.payload_unknown
            ));
        }
        warnings
    }
}
