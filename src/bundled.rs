//! The scenarios bundled with the program.

/// A bundled scenario.
#[derive(Debug)]
pub(crate) struct Bundled {
    /// Its name for `demo`.
    pub(crate) name: &'static str,
    /// What it shows.
    pub(crate) summary: &'static str,
    /// The text of the file.
    pub(crate) text: &'static str,
    /// For scenarios that need a recording: the key for its path, and its format.
    pub(crate) recording: Option<(&'static str, &'static str)>,
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

/// All bundled scenarios; the first is the default.
pub(crate) static ALL: &[Bundled] = &[
    Bundled {
        name: "starlink",
        summary: "upload from a Starlink terminal: a new satellite every 15 s",
        text: include_str!("../scenarios/starlink.toml"),
        recording: None,
    },
    Bundled {
        name: "lte-drive",
        summary: "download in a car: LTE cells and their rates change",
        text: include_str!("../scenarios/lte-drive.toml"),
        recording: None,
    },
    Bundled {
        name: "train-wifi",
        summary: "access points along a railway: long hard handovers, two minimum RTOs",
        text: include_str!("../scenarios/train-wifi.toml"),
        recording: None,
    },
    Bundled {
        name: "mobile-ip",
        summary: "a new radio cell every 5 s: Mobile IPv4 with a home agent and foreign agents",
        text: include_str!("../scenarios/mobile-ip.toml"),
        recording: None,
    },
    Bundled {
        name: "quickstart",
        summary: "the smallest scenario: one lossy link",
        text: include_str!("../scenarios/quickstart.toml"),
        recording: None,
    },
    Bundled {
        name: "lab-quick",
        summary: "a download with two handovers, short enough for real time (seamline lab)",
        text: include_str!("../scenarios/lab-quick.toml"),
        recording: None,
    },
    Bundled {
        name: "leoem",
        summary: "over a LeoEM satellite path log (--recording PATH)",
        text: include_str!("../scenarios/leoem.toml"),
        recording: Some(("link.space.schedule.file", "leoem")),
    },
    Bundled {
        name: "mahimahi",
        summary: "over a mahimahi capacity recording (--recording PATH)",
        text: include_str!("../scenarios/mahimahi.toml"),
        recording: Some(("link.radio.down.schedule.file", "mahimahi")),
    },
    Bundled {
        name: "delay-series",
        summary: "over a recorded delay series (--recording PATH)",
        text: include_str!("../scenarios/delay-series.toml"),
        recording: Some(("link.space.schedule.file", "delay-series")),
    },
];
