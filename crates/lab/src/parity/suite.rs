//! The scenarios that come with the command.

/// A scenario compiled in.
#[derive(Debug)]
pub struct Bundled {
    /// Its name.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
    /// What makes it short enough for a check after every change; nothing when it is left out then.
    pub quick: Option<&'static [&'static str]>,
}

/// All of them, in the order of the table.
pub static ALL: &[Bundled] = &[
    Bundled {
        name: "constant",
        text: include_str!("../../parity/constant.toml"),
        quick: Some(&["seeds=2", "duration=8 s", r#"grid.flow.download.variant=["cubic"]"#]),
    },
    Bundled {
        name: "losses",
        text: include_str!("../../parity/losses.toml"),
        quick: Some(&["seeds=2", "duration=8 s", r#"grid.flow.download.variant=["cubic"]"#]),
    },
    Bundled {
        name: "handovers",
        text: include_str!("../../parity/handovers.toml"),
        quick: Some(&[
            "seeds=2",
            "duration=8 s",
            r#"grid.link.radio.handover.interruption=["1 s"]"#,
            r#"grid.link.radio.handover.in_flight=["drop"]"#,
            r#"grid.flow.download.variant=["cubic"]"#,
        ]),
    },
    Bundled { name: "satellite", text: include_str!("../../parity/satellite.toml"), quick: None },
];

/// What is known of differences in them.
pub static DIFFERENCES: &str = include_str!("../../parity/differences.toml");
