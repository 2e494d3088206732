//! The papers that come with the program.

/// A paper's files.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// The letter it is called by.
    pub id: &'static str,
    /// What it is about, in one line.
    pub summary: &'static str,
    /// Its claims, and what counts as reproducing them.
    pub claims: &'static str,
    /// What was read into its silences.
    pub deviations: &'static str,
    /// What was found out about its claims.
    pub findings: &'static str,
    /// Its figures: what they show.
    pub figures: &'static str,
    /// Its scenarios: name and text.
    pub scenarios: &'static [(&'static str, &'static str)],
    /// The same questions asked beyond the paper.
    pub beyond: Option<Beyond>,
}

/// The files of what is asked beyond a paper.
#[derive(Clone, Copy, Debug)]
pub struct Beyond {
    /// What is shown of the scenarios.
    pub shown: &'static str,
    /// What a reader should conclude.
    pub conclusions: &'static str,
    /// The scenarios: name and text.
    pub scenarios: &'static [(&'static str, &'static str)],
}

/// Every paper.
pub static ALL: &[Paper] = &[E, V, X, L, O];

const E: Paper = Paper {
    id: "E",
    summary: "TCP with Explicit Handover Notification (WCNC 2004)",
    claims: include_str!("../../../papers/E/claims.toml"),
    deviations: include_str!("../../../papers/E/deviations.toml"),
    findings: include_str!("../../../papers/E/findings.toml"),
    figures: include_str!("../../../papers/E/figures.toml"),
    scenarios: &[
        ("fig3", include_str!("../../../papers/E/fig3.toml")),
        ("fig4", include_str!("../../../papers/E/fig4.toml")),
        ("table2", include_str!("../../../papers/E/table2.toml")),
        ("fig6", include_str!("../../../papers/E/fig6.toml")),
    ],
    beyond: Some(Beyond {
        shown: include_str!("../../../papers/E/beyond/shown.toml"),
        conclusions: include_str!("../../../papers/E/beyond/conclusions.toml"),
        scenarios: &[
            ("starlink", include_str!("../../../papers/E/beyond/starlink.toml")),
            ("lte", include_str!("../../../papers/E/beyond/lte.toml")),
            ("5g", include_str!("../../../papers/E/beyond/5g.toml")),
            ("notices-late", include_str!("../../../papers/E/beyond/notices-late.toml")),
            ("notices-error", include_str!("../../../papers/E/beyond/notices-error.toml")),
            ("notices-false", include_str!("../../../papers/E/beyond/notices-false.toml")),
            ("notices-lost", include_str!("../../../papers/E/beyond/notices-lost.toml")),
        ],
    }),
};

const V: Paper = Paper {
    id: "V",
    summary: "Mobility-Vegas: TCP Vegas over handoffs of Mobile IP (2020)",
    claims: include_str!("../../../papers/V/claims.toml"),
    deviations: include_str!("../../../papers/V/deviations.toml"),
    findings: include_str!("../../../papers/V/findings.toml"),
    figures: include_str!("../../../papers/V/figures.toml"),
    scenarios: &[
        ("fig4", include_str!("../../../papers/V/fig4.toml")),
        ("sender", include_str!("../../../papers/V/sender.toml")),
        ("both", include_str!("../../../papers/V/both.toml")),
        ("detour", include_str!("../../../papers/V/detour.toml")),
    ],
    beyond: Some(Beyond {
        shown: include_str!("../../../papers/V/beyond/shown.toml"),
        conclusions: include_str!("../../../papers/V/beyond/conclusions.toml"),
        scenarios: &[
            ("wifi", include_str!("../../../papers/V/beyond/wifi.toml")),
            ("lte", include_str!("../../../papers/V/beyond/lte.toml")),
            ("5g", include_str!("../../../papers/V/beyond/5g.toml")),
            ("starlink", include_str!("../../../papers/V/beyond/starlink.toml")),
            ("geo", include_str!("../../../papers/V/beyond/geo.toml")),
        ],
    }),
};

const X: Paper = Paper {
    id: "X",
    summary: "a cross-layer handover between satellite and WLAN (University of Rome Tor Vergata)",
    claims: include_str!("../../../papers/X/claims.toml"),
    deviations: include_str!("../../../papers/X/deviations.toml"),
    findings: include_str!("../../../papers/X/findings.toml"),
    figures: include_str!("../../../papers/X/figures.toml"),
    scenarios: &[
        ("fig5", include_str!("../../../papers/X/fig5.toml")),
        ("fig6", include_str!("../../../papers/X/fig6.toml")),
        ("fig7", include_str!("../../../papers/X/fig7.toml")),
        ("satellite", include_str!("../../../papers/X/satellite.toml")),
        ("ablation", include_str!("../../../papers/X/ablation.toml")),
    ],
    beyond: Some(Beyond {
        shown: include_str!("../../../papers/X/beyond/shown.toml"),
        conclusions: include_str!("../../../papers/X/beyond/conclusions.toml"),
        scenarios: &[
            ("geo-wifi", include_str!("../../../papers/X/beyond/geo-wifi.toml")),
            ("starlink-wifi", include_str!("../../../papers/X/beyond/starlink-wifi.toml")),
            ("lte-wifi", include_str!("../../../papers/X/beyond/lte-wifi.toml")),
            ("5g-lte", include_str!("../../../papers/X/beyond/5g-lte.toml")),
        ],
    }),
};

const L: Paper = Paper {
    id: "L",
    summary: "explicit loss notification with acknowledgments, for wireless TCP (University of Sydney, 2001)",
    claims: include_str!("../../../papers/L/claims.toml"),
    deviations: include_str!("../../../papers/L/deviations.toml"),
    findings: include_str!("../../../papers/L/findings.toml"),
    figures: include_str!("../../../papers/L/figures.toml"),
    scenarios: &[
        ("fig4", include_str!("../../../papers/L/fig4.toml")),
        ("fig5", include_str!("../../../papers/L/fig5.toml")),
        ("fig6", include_str!("../../../papers/L/fig6.toml")),
    ],
    beyond: Some(Beyond {
        shown: include_str!("../../../papers/L/beyond/shown.toml"),
        conclusions: include_str!("../../../papers/L/beyond/conclusions.toml"),
        scenarios: &[(
            "agents-meet-schemes",
            include_str!("../../../papers/L/beyond/agents-meet-schemes.toml"),
        )],
    }),
};

const O: Paper = Paper {
    id: "O",
    summary: "obTCP: local recovery at base station and mobile router, in network mobility (2010)",
    claims: include_str!("../../../papers/O/claims.toml"),
    deviations: include_str!("../../../papers/O/deviations.toml"),
    findings: include_str!("../../../papers/O/findings.toml"),
    figures: include_str!("../../../papers/O/figures.toml"),
    scenarios: &[
        ("fig14", include_str!("../../../papers/O/fig14.toml")),
        ("fig15", include_str!("../../../papers/O/fig15.toml")),
        ("fig17", include_str!("../../../papers/O/fig17.toml")),
        ("fig18", include_str!("../../../papers/O/fig18.toml")),
        ("fig20", include_str!("../../../papers/O/fig20.toml")),
        ("fig21", include_str!("../../../papers/O/fig21.toml")),
        ("fig22", include_str!("../../../papers/O/fig22.toml")),
        ("fig24", include_str!("../../../papers/O/fig24.toml")),
        ("fig25", include_str!("../../../papers/O/fig25.toml")),
        ("fig26", include_str!("../../../papers/O/fig26.toml")),
        ("model", include_str!("../../../papers/O/model.toml")),
    ],
    beyond: None,
};

/// The paper of this letter, in either case.
pub fn find(id: &str) -> Option<&'static Paper> {
    ALL.iter().find(|paper| paper.id.eq_ignore_ascii_case(id))
}

impl Paper {
    /// The text of a scenario.
    pub fn scenario(&self, name: &str) -> Option<&'static str> {
        self.scenarios.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }
}
