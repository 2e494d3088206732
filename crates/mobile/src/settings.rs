//! What the daemon does, as a file in TOML says.
//!
//! ```toml
//! connections = 4096           # as many are known at most
//! forget_after = "10 min"      # a connection that has sent nothing for so long
//! route_timeout = "30 s"       # how long after a link comes up its address and routes may take
//!
//! [default]                    # for every link without a table of its own
//! repeat = "three"             # the last acknowledgment: "none", "once", "three" times, or once "marked"
//! echo = true                  # with the timestamp that was last echoed; false: with zero, which Linux takes for none
//! kick = true                  # have the host's own data sent again at once
//! disruption = false           # tell the other ends, too, that they could not be reached (ICMP)
//! watch = true                 # act on the kernel's reports about the interface, not only on messages
//! freeze = false               # stop other ends before an outage that is announced: a bet on its time being right
//! freeze_margin = "50 ms"      # a freeze pays when the lead exceeds the round-trip time by more than this
//!
//! [link.wwan0]                 # what differs there
//! repeat = "once"
//!
//! [tunnels]
//! wg0 = "wwan0"                # connections over wg0 are helped when wwan0 is back
//!
//! [[reconfiguration]]          # outages at known times
//! link = "wan0"
//! every = "15 s"
//! offset = "12 s"              # from a full multiple of `every`, by UTC
//! outage = "150 ms"
//! ```

use crate::schedule::Reconfigurations;
use seamline_host::ebpf::HOW_TO_BUILD;
use seamline_host::settings::{SettingsError, Time, read};
use seamline_wire::Duration;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use toml::Spanned;

/// How the last acknowledgment is repeated when a link is up again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Repeat {
    /// Not at all.
    None,
    /// Once.
    Once,
    /// Three times: duplicates that make a sender without SACK retransmit (Caceres and Iftode, IEEE JSAC 13(5), 1995).
    #[default]
    Three,
    /// Once, marked as an explicit handover notification: for senders that know it. To others it is a plain one.
    Marked,
}

impl Repeat {
    /// How many acknowledgments that makes.
    pub fn times(self) -> u8 {
        match self {
            Repeat::None => 0,
            Repeat::Once | Repeat::Marked => 1,
            Repeat::Three => 3,
        }
    }
}

/// What is done for the connections over one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// About acknowledgments.
    pub repeat: Repeat,
    /// Whether what is repeated after an outage echoes the other end's last timestamp, which is from before it. A sender that has
    /// retransmitted since takes the outage for a round trip by it, and its timeouts for spurious (RFC 3522).
    pub echo: bool,
    /// Whether the host's own unacknowledged data is sent again at once.
    pub kick: bool,
    /// Whether other ends are told that they could not reach this host, so that they send again at once though no acknowledgment was lost.
    pub disruption: bool,
    /// Whether the kernel's word on the interface counts.
    pub watch: bool,
    /// Whether other ends are stopped before an outage that is announced. It takes the eBPF program ([`crate::HAS_FREEZER`]).
    pub freeze: bool,
    /// What a lead must exceed the loaded round-trip time by for a freeze to pay.
    pub freeze_margin: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        let freeze_margin = Duration::from_millis(50);
        let repeat = Repeat::Three;
        Policy {
            repeat,
            echo: true,
            kick: true,
            disruption: false,
            watch: true,
            freeze: false,
            freeze_margin,
        }
    }
}

/// Everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many connections are known at most.
    pub connections: usize,
    /// When a silent one is forgotten.
    pub forget_after: Duration,
    /// How long after its link comes up a connection may wait for its address and a route.
    pub route_timeout: Duration,
    /// For links without a policy of their own.
    pub default: Policy,
    /// By interface.
    pub links: BTreeMap<String, Policy>,
    /// By interface of a tunnel: the one that carries it.
    pub tunnels: BTreeMap<String, String>,
    /// Outages at known times.
    pub reconfigurations: Vec<Reconfigurations>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            connections: 4096,
            forget_after: Duration::from_secs(600),
            route_timeout: Duration::from_secs(30),
            default: Policy::default(),
            links: BTreeMap::new(),
            tunnels: BTreeMap::new(),
            reconfigurations: Vec::new(),
        }
    }
}

impl Settings {
    /// Read a file's text.
    ///
    /// # Errors
    /// The first thing wrong with it.
    pub fn read(text: &str) -> Result<Self, SettingsError> {
        let file: File = read(text)?;
        if let Some(key) = &file.patience {
            return Err(SettingsError::at(text, key, "`patience` is now `route_timeout`"));
        }
        let base = Settings::default();
        let default = file.default.over(base.default);
        let reconfigurations =
            file.reconfiguration.into_iter().map(|outages| outages.checked(text)).collect::<Result<_, _>>();
        let connections = file.connections.as_ref().map_or(base.connections, |most| *most.get_ref());
        if let (0, Some(most)) = (connections, &file.connections) {
            let message = "connections = 0 helps no connection; leave the key out for 4096";
            return Err(SettingsError::at(text, most, message));
        }
        Ok(Settings {
            connections,
            forget_after: file.forget_after.map_or(base.forget_after, |time| time.0),
            route_timeout: file.route_timeout.map_or(base.route_timeout, |time| time.0),
            default,
            links: file.link.into_iter().map(|(name, keys)| (name, keys.over(default))).collect(),
            tunnels: file.tunnels,
            reconfigurations: reconfigurations?,
        })
    }

    /// Whether any connection is to be frozen.
    pub fn freezes(&self) -> bool {
        self.default.freeze || self.links.values().any(|policy| policy.freeze)
    }

    /// Whether connections over `interface` depend on `link`: it is that, or a tunnel over it.
    pub fn depends(&self, interface: &str, link: &str) -> bool {
        interface == link || self.tunnels.get(interface).is_some_and(|carrier| carrier == link)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    connections: Option<Spanned<usize>>,
    forget_after: Option<Time>,
    route_timeout: Option<Time>,
    /// The old name of `route_timeout`, which is refused.
    patience: Option<Spanned<Time>>,
    default: Keys,
    link: BTreeMap<String, Keys>,
    tunnels: BTreeMap<String, String>,
    reconfiguration: Vec<Outages>,
}

/// The keys of a policy, none of which has to be there.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Keys {
    repeat: Option<Repeat>,
    echo: Option<bool>,
    kick: Option<bool>,
    disruption: Option<bool>,
    watch: Option<bool>,
    freeze: Option<Freezes>,
    freeze_margin: Option<Time>,
}

impl Keys {
    fn over(&self, base: Policy) -> Policy {
        Policy {
            repeat: self.repeat.unwrap_or(base.repeat),
            echo: self.echo.unwrap_or(base.echo),
            kick: self.kick.unwrap_or(base.kick),
            disruption: self.disruption.unwrap_or(base.disruption),
            watch: self.watch.unwrap_or(base.watch),
            freeze: self.freeze.map_or(base.freeze, |freezes| freezes.0),
            freeze_margin: self.freeze_margin.map_or(base.freeze_margin, |time| time.0),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Outages {
    link: String,
    every: Spanned<Time>,
    offset: Spanned<Time>,
    outage: Spanned<Time>,
}

impl Outages {
    fn checked(self, text: &str) -> Result<Reconfigurations, SettingsError> {
        let [every, offset, outage] = [&self.every, &self.offset, &self.outage].map(|key| key.get_ref().0);
        let wrong = |key: &Spanned<Time>, what: String| {
            Err(SettingsError::at(text, key, format!("reconfiguration of {}: {what}", self.link)))
        };
        let too_long =
            |name: &str, time: Duration| format!("{name} ({time}) must be shorter than every ({every})");
        if every.is_zero() {
            return wrong(&self.every, "every must be longer than 0, as \"15 s\"".to_owned());
        }
        if offset >= every {
            return wrong(&self.offset, too_long("offset", offset));
        }
        if outage >= every {
            return wrong(&self.outage, too_long("outage", outage));
        }
        if outage.is_zero() {
            let what = "an outage of 0 interrupts nothing; leave the table out, or say how long it takes, as \"150 ms\"";
            return wrong(&self.outage, what.to_owned());
        }
        Ok(Reconfigurations { interface: self.link, every, offset, outage })
    }
}

/// Whether to freeze, where that can be done.
#[derive(Clone, Copy, Debug)]
struct Freezes(bool);

impl<'de> Deserialize<'de> for Freezes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wanted = bool::deserialize(deserializer)?;
        if wanted && !crate::HAS_FREEZER {
            return Err(serde::de::Error::custom(format!(
                "freeze = true takes an eBPF program that this seamline-host was built without\ntip: {HOW_TO_BUILD}"
            )));
        }
        Ok(Freezes(wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_says_the_defaults_and_what_differs() {
        let documentation = include_str!("settings.rs");
        let lines = documentation.lines().skip_while(|line| *line != "//! ```toml").skip(1);
        let example: Vec<&str> =
            lines.take_while(|line| *line != "//! ```").map(|line| line.trim_start_matches("//!")).collect();
        let settings = Settings::read(&example.join("\n")).unwrap();
        let once = Policy { repeat: Repeat::Once, ..Policy::default() };
        assert_eq!((settings.links["wwan0"], settings.default), (once, Policy::default()));
        assert!(settings.depends("wg0", "wwan0") && !settings.depends("wwan0", "wg0"));
        assert_eq!(settings.reconfigurations[0].outage, Duration::from_millis(150));
        let plain = Settings {
            links: BTreeMap::new(),
            tunnels: BTreeMap::new(),
            reconfigurations: Vec::new(),
            ..settings
        };
        assert_eq!(plain, Settings::default());
        assert_eq!(Settings::read("").unwrap(), Settings::default());
    }

    #[test]
    fn the_documents_example_is_the_same() {
        let page = include_str!("../../../docs/mobile.md");
        let (_, rest) = page.split_once("```toml\n").unwrap();
        let (example, _) = rest.split_once("```").unwrap();
        let settings = Settings::read(example).unwrap();
        assert_eq!(settings.default, Policy::default());
        assert_eq!(
            (settings.links.len(), settings.tunnels.len(), settings.reconfigurations.len()),
            (1, 1, 1)
        );
        assert_eq!((settings.connections, settings.route_timeout), (4096, Duration::from_secs(30)));
    }

    #[test]
    fn a_links_policy_begins_with_the_default_one() {
        let settings = Settings::read("[default]\nkick = false\n[link.a]\nrepeat = \"marked\"").unwrap();
        let policy = settings.links["a"];
        assert_eq!((policy.kick, policy.repeat.times()), (false, 1));
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line_and_the_nearest() {
        let error = Settings::read("[default]\nkick = true\n\n[link.wwan0]\nrepaet = \"once\"").unwrap_err();
        assert_eq!(error.line, 5, "{error}");
        assert!(
            error.message.contains("`repaet`") && error.message.contains("did you mean `repeat`"),
            "{error}"
        );
        let error = Settings::read("[default]\nrepeat = \"thre\"").unwrap_err();
        assert!(error.line == 2 && error.message.contains("did you mean `three`"), "{error}");
    }

    #[test]
    fn a_freeze_without_its_program_is_refused_with_its_line_and_what_to_build() {
        let read = Settings::read("[default]\nkick = true\n[link.a]\nfreeze = true");
        if crate::HAS_FREEZER {
            let settings = read.unwrap();
            assert!(settings.links["a"].freeze && !settings.default.freeze && settings.freezes());
        } else {
            let error = read.unwrap_err().to_string();
            assert!(error.starts_with("line 4: ") && error.contains("--features ebpf"), "{error}");
        }
        assert!(!Settings::read("[default]\nfreeze = false").unwrap().freezes());
    }

    #[test]
    fn invalid_values_are_refused() {
        for (text, part) in [
            ("route_timeout = \"30\"", "line 1: route_timeout: \"30\" has no unit"),
            ("route_timeout = 30", "line 1: "),
            ("\npatience = \"30 s\"", "line 2: `patience` is now `route_timeout`"),
            ("route_timeout = \"1 s\"\nconnections = 0", "line 2: connections = 0 helps no connection"),
            (
                "[[reconfiguration]]\nlink = \"a\"\nevery = \"0 s\"\noffset = \"0 s\"\noutage = \"0 s\"",
                "line 3: reconfiguration of a: every must",
            ),
            (
                "[[reconfiguration]]\nlink = \"a\"\nevery = \"1 s\"\noffset = \"0 s\"\noutage = \"0 s\"",
                "line 5: reconfiguration of a: an outage of 0",
            ),
            (
                "[[reconfiguration]]\nlink = \"a\"\nevery = \"1 s\"\noffset = \"0 s\"\noutage = \"2 s\"",
                "line 5: reconfiguration of a: outage (2 s) must be shorter than every",
            ),
            (
                "[[reconfiguration]]\nlink = \"a\"\nevery = \"1 s\"\noffset = \"1 s\"\noutage = \"0 s\"",
                "line 4: reconfiguration of a: offset (1 s) must be shorter than every",
            ),
            ("[[reconfiguration]]\nlink = \"a\"", "missing field"),
            ("route_timeout = ", "line 1"),
            ("[link.a]\nfreeze = \"yes\"", "line 2: freeze: invalid type"),
        ] {
            let error = Settings::read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
