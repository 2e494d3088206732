//! Named links. Every value has its source; unpublished values are marked as assumed.

/// A named link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Its keys, in the syntax of the command line.
    pub keys: &'static str,
    /// Where the values come from.
    pub source: &'static str,
}

/// Every preset.
pub static ALL: &[Preset] = &[
    Preset {
        name: "5g-nsa",
        keys: "rate=166 Mbit/s, round_trip=33 ms, loss=0 %",
        source: "rate: median over 5G worldwide, Ookla Speedtest Intelligence, Q3 2021; round trip: median latency of T-Mobile and \
                 Verizon, Ookla U.S. market report, Q3 2021; loss: none assumed",
    },
    Preset {
        name: "geo",
        keys: "rate=1 Mbit/s, round_trip=550 ms, loss=0.01 %",
        source: "Fanni et al., \"A cross-layer based handover for TCP applications\", section VI (DVB-RCS)",
    },
    Preset {
        name: "lte",
        keys: "rate=13 Mbit/s, round_trip=50 ms, loss=0 %",
        source: "rate: median downlink, Huang et al., ACM MobiSys 2012; round trip and loss: assumed",
    },
    Preset {
        name: "starlink",
        keys: "rate=87 Mbit/s, round_trip=44 ms, loss=0 %",
        source: "medians in the USA, Ookla Speedtest, Q3 2021; loss: none assumed",
    },
    Preset {
        name: "wifi",
        keys: "rate=75 Mbit/s, round_trip=25 ms, loss=0.01 %",
        source: "rate: middle of the band from 50 to 100 Mbit/s; 20 of the 50 busiest US airports have a median Wi-Fi download rate \
                 in this band, and 17 have a higher one (Ookla); round trip and loss: assumed as in wlan-802.11b",
    },
    Preset {
        name: "wlan-802.11b",
        keys: "rate=11 Mbit/s, round_trip=25 ms, loss=0.01 %",
        source: "Fanni et al., \"A cross-layer based handover for TCP applications\", section VI (IEEE 802.11b)",
    },
];

/// The preset with this name.
pub fn find(name: &str) -> Option<&'static Preset> {
    ALL.iter().find(|preset| preset.name == name)
}
