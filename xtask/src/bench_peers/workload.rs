//! What is run on both sides.

use std::fmt;
use std::str::FromStr;

/// A workload that exists here and as a script for ns-2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workload {
    /// One NewReno flow over three hops with 1 % random loss on the last.
    ThreeHops,
    /// 100 NewReno flows over a shared 1 Gb/s link.
    Dumbbell,
}

impl Workload {
    pub(super) const ALL: [Workload; 2] = [Workload::ThreeHops, Workload::Dumbbell];

    /// Its name, also that of ns-2's script.
    pub(super) fn name(self) -> &'static str {
        match self {
            Workload::ThreeHops => "three_hops",
            Workload::Dumbbell => "dumbbell",
        }
    }
    /// Simulated time in seconds: about a million packets, so that starting a process does not count.
    pub(super) fn seconds(self) -> u64 {
        match self {
            Workload::ThreeHops => 10_000,
            Workload::Dumbbell => 20,
        }
    }
}

impl FromStr for Workload {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Workload::ALL.into_iter().find(|workload| workload.name() == name);
        found.ok_or_else(|| format!("no workload \"{name}\""))
    }
}
impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
