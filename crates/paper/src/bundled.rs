//! The papers that come with the program.

/// A paper's files.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// The letter used in its claims and by the command.
    pub id: &'static str,
    /// Its name, which is also that of its folder.
    pub name: &'static str,
    /// Its subject in one line.
    pub summary: &'static str,
    /// Its claims, and what counts as reproducing them.
    pub claims: &'static str,
    /// How its silent points were read.
    pub deviations: &'static str,
    /// What was found out about its claims.
    pub findings: &'static str,
    /// The verdicts of the last full run.
    pub verdicts: &'static str,
    /// Its figures.
    pub figures: &'static str,
    /// Its scenarios: name and text.
    pub scenarios: &'static [(&'static str, &'static str)],
    /// The same questions on other networks.
    pub beyond: Option<Beyond>,
}

/// The files for the scenarios beyond a paper.
#[derive(Clone, Copy, Debug)]
pub struct Beyond {
    /// What is shown of the scenarios.
    pub shown: &'static str,
    /// What a reader should conclude.
    pub conclusions: &'static str,
    /// The scenarios: name and text.
    pub scenarios: &'static [(&'static str, &'static str)],
}

/// A file below `papers/`.
macro_rules! file {
    ($($path:expr),+) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/papers/", $($path),+, ".toml"))
    };
}

macro_rules! paper {
    ($id:literal, $name:literal, $summary:literal, [$($scenario:literal),*] $(, beyond [$($further:literal),*])?) => {
        Paper {
            id: $id,
            name: $name,
            summary: $summary,
            claims: file!($name, "/claims"),
            deviations: file!($name, "/deviations"),
            findings: file!($name, "/findings"),
            verdicts: file!($name, "/verdicts"),
            figures: file!($name, "/figures"),
            scenarios: &[$(($scenario, file!($name, "/", $scenario))),*],
            beyond: paper!(@beyond $name $(, $($further),*)?),
        }
    };
    (@beyond $name:literal) => { None };
    (@beyond $name:literal, $($scenario:literal),*) => {
        Some(Beyond {
            shown: file!($name, "/beyond/shown"),
            conclusions: file!($name, "/beyond/conclusions"),
            scenarios: &[$(($scenario, file!($name, "/beyond/", $scenario))),*],
        })
    };
}

/// Every paper.
pub static ALL: &[Paper] = &[
    paper!(
        "E",
        "ehn-2004",
        "TCP with Explicit Handover Notification (WCNC 2004)",
        ["fig3", "fig4", "table2", "fig6"],
        beyond ["starlink", "lte", "5g", "notices-late", "notices-error", "notices-false", "notices-lost"]
    ),
    paper!(
        "V",
        "mobility-vegas-2020",
        "Mobility-Vegas: TCP Vegas over handoffs of Mobile IP (2020)",
        ["fig4", "sender", "both", "detour"],
        beyond ["wifi", "lte", "5g", "starlink", "geo"]
    ),
    paper!(
        "X",
        "cross-layer-handover",
        "a cross-layer handover between satellite and WLAN (University of Rome Tor Vergata)",
        ["fig5", "fig6", "fig7", "satellite", "ablation"],
        beyond ["geo-wifi", "starlink-wifi", "lte-wifi", "5g-lte"]
    ),
    paper!(
        "L",
        "eln-ack",
        "explicit loss notification with acknowledgments, for wireless TCP (University of Sydney, 2001)",
        ["fig4", "fig5", "fig6"],
        beyond["agents-meet-schemes"]
    ),
    paper!(
        "O",
        "obtcp",
        "obTCP: local recovery at base station and mobile router, in network mobility (2010)",
        ["fig14", "fig15", "fig17", "fig18", "fig20", "fig21", "fig22", "fig24", "fig25", "fig26", "model"]
    ),
];

/// The paper with this letter, in either case, or this name.
pub fn find(paper: &str) -> Option<&'static Paper> {
    ALL.iter().find(|it| it.id.eq_ignore_ascii_case(paper) || it.name == paper)
}

impl Paper {
    /// The text of a scenario.
    pub fn scenario(&self, name: &str) -> Option<&'static str> {
        self.scenarios.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }
}
