//! The scenarios bundled with the program.

use std::path::Path;

/// A bundled scenario.
#[derive(Debug)]
pub struct Bundled {
    /// Its name for `demo`.
    pub name: &'static str,
    /// What it shows.
    pub summary: &'static str,
    /// The text of the file.
    pub text: &'static str,
    /// For scenarios over a recording: which one.
    pub recording: Option<Needed>,
}

/// The recording that a scenario needs.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    /// The key for its path.
    pub key: &'static str,
    /// Its format; where any will do, that of the sample.
    pub format: &'static str,
    /// Whether any will do.
    pub any: bool,
}

impl Needed {
    const fn format(key: &'static str, format: &'static str) -> Option<Self> {
        Some(Needed { key, format, any: false })
    }

    /// Whether a recording of this format will do.
    pub fn takes(&self, format: &str) -> bool {
        self.any || self.format == format
    }
}

impl Bundled {
    /// The text of a file of the user's own: without the line about the schema, which is not next to it, and with the
    /// path of a recording if it needs one.
    pub fn as_own(&self, recording: Option<&Path>) -> String {
        let text = without_schema(self.text);
        match recording {
            None => text.to_owned(),
            Some(path) => {
                text.replacen("file = \"\"", &format!("file = {:?}", path.display().to_string()), 1)
            }
        }
    }
}

/// The names of all bundled scenarios.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|bundled| bundled.name)
}

/// A scenario without its line about the schema, which is not next to every copy.
pub(crate) fn without_schema(text: &str) -> &str {
    match text.split_once('\n') {
        Some((first, rest)) if first.starts_with("#:schema ") => rest,
        _ => text,
    }
}

macro_rules! bundled {
    ($name:literal, $summary:literal) => {
        bundled!($name, $summary, None)
    };
    ($name:literal, $summary:literal, $recording:expr) => {
        Bundled {
            name: $name,
            summary: $summary,
            text: include_str!(concat!("../scenarios/", $name, ".toml")),
            recording: $recording,
        }
    };
}

/// All bundled scenarios; the first is the default.
pub static ALL: &[Bundled] = &[
    bundled!("handover", "a train's Wi-Fi: handover schemes against stock TCP, an agent against none"),
    bundled!("starlink", "upload from a Starlink terminal: a new satellite every 15 s"),
    bundled!(
        "orbit",
        "download on an aircraft: orbits decide on delay and handovers, with two handover policies"
    ),
    bundled!("lte-drive", "download in a car: LTE cells and their rates change"),
    bundled!(
        "train-wifi",
        "access points along a railway: long hard handovers, with two values of the minimum RTO"
    ),
    bundled!("mobile-ip", "a new radio cell every 5 s: Mobile IPv4 with a home agent and foreign agents"),
    bundled!("lossy-hop", "a base station whose air loses packets: Snoop and split connections against none"),
    bundled!(
        "fleet",
        "200 trains with 20 downloads each: agents at base stations, in the trains, or both (takes minutes)"
    ),
    bundled!(
        "constellation",
        "120 homes under a constellation: connections split at gateways, or BBR 3 at servers (takes minutes)"
    ),
    bundled!("quickstart", "the smallest scenario: one lossy link"),
    bundled!("lab-quick", "a download with two handovers, short enough for real time (seamline lab)"),
    bundled!(
        "leoem",
        "over a LeoEM satellite path log (--recording PATH, or a sample)",
        Needed::format("link.space.schedule.file", "leoem")
    ),
    bundled!(
        "mahimahi",
        "over a mahimahi capacity recording (--recording PATH, or a sample)",
        Needed::format("link.radio.down.schedule.file", "mahimahi")
    ),
    bundled!(
        "delay-series",
        "over a recorded delay series (--recording PATH, or a sample)",
        Needed::format("link.space.schedule.file", "delay-series")
    ),
    bundled!(
        "recording",
        "over a recording of any format (--recording PATH, or a sample)",
        Some(Needed { key: "link.access.schedule.file", format: "seamline", any: true })
    ),
];
