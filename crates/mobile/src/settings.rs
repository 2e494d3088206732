//! The daemon's settings, and the TOML file that they are read from: docs/how-to/mobile.md shows all of its keys.

use crate::schedule::Reconfigurations;
use seamline_config::document::{Key, Node, Value};
use seamline_config::keys::{Keys, Section, Takes, boolean, choice, positive_time, table, text, time, whole};
use seamline_config::reader::{self, Reader};
use seamline_config::settings::read;
use seamline_config::units::Complaint;
use seamline_config::{Code, Diagnostics};
use seamline_ebpf::HOW_TO_BUILD;
use seamline_wire::Duration;
use std::collections::BTreeMap;
use std::path::Path;

/// How the last acknowledgment is repeated when a link is up again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// retransmitted since takes the outage for a round trip by it, and its timeouts for spurious (RFC 3522). Without it zero is echoed, which
    /// Linux, FreeBSD, DragonFly BSD and macOS ignore.
    pub echo: bool,
    /// Whether the host's own unacknowledged data is sent again at once.
    pub kick: bool,
    /// Whether other ends are notified that they could not reach this host, so that they retransmit at once though no acknowledgment was lost.
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
            echo: false,
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
    /// Read the text of the file at `path`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(path: &Path, text: &str) -> Result<Self, Diagnostics> {
        let mut settings = Settings::default();
        read(path, text, |reader| {
            keys().read(reader, &mut settings);
            settings.read_links(reader);
            settings.read_tunnels(reader);
            let outages = outages();
            let tables = reader.tables("reconfiguration").into_iter();
            settings.reconfigurations = tables.filter_map(|table| outages.read(table)).collect();
        })?;
        Ok(settings)
    }

    /// The policy of a link begins with the default one.
    fn read_links(&mut self, reader: &mut Reader<'_>) {
        for (name, node) in entries(reader, "link") {
            let mut policy = self.default;
            match &node.value {
                Value::Table(table) => {
                    let what = format!("link \"{}\"", name.name);
                    let mut reader = Reader::new(reader.context, table, what, name.span);
                    self::policy().read(&mut reader, &mut policy);
                    reader.finish();
                }
                other => reader.refuse(&name.name, node.span, Complaint::expected("a table", other)),
            }
            self.links.insert(name.name.clone(), policy);
        }
    }

    fn read_tunnels(&mut self, reader: &mut Reader<'_>) {
        for (name, node) in entries(reader, "tunnels") {
            match reader::text(node) {
                Ok(carrier) => drop(self.tunnels.insert(name.name.clone(), carrier)),
                Err(complaint) => reader.refuse(&name.name, node.span, complaint),
            }
        }
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

/// The entries of a table whose keys are names of interfaces.
fn entries<'a>(reader: &mut Reader<'a>, key: &'static str) -> Vec<(&'a Key, &'a Node)> {
    let Some(node) = reader.node(key) else { return Vec::new() };
    match &node.value {
        Value::Table(table) => table.iter().collect(),
        other => {
            reader.refuse(key, node.span, Complaint::expected("a table", other));
            Vec::new()
        }
    }
}

fn keys<'a>() -> Keys<'a, Settings> {
    table! { Settings;
        key connections: whole(1, 0xffff_ffff), "Maximum number of connections it tracks";
        key forget_after: time(), "Time without packets after which it forgets a connection";
        key route_timeout: time(), "Time that a link's address and routes may take after it comes up";
        part default: policy(), "Policy of links without a table of their own";
    }
    .replaced("patience", "`route_timeout`")
}

const REPEATS: &[(&str, Repeat)] =
    &[("none", Repeat::None), ("once", Repeat::Once), ("three", Repeat::Three), ("marked", Repeat::Marked)];

fn policy<'a>() -> Keys<'a, Policy> {
    table! { Policy;
        key repeat: choice(REPEATS), "How the last acknowledgment is repeated";
        key echo: boolean(), "It echoes the other end's last timestamp";
        key kick: boolean(), "The host's own data is retransmitted at once";
        key disruption: boolean(), "Other ends are notified that they could not reach this host";
        key watch: boolean(), "Act on the kernel's reports about the interface";
        key freeze: freeze(), "Stop other ends before an outage that is announced";
        key freeze_margin: time(), "By how much the lead must exceed the round-trip time";
    }
}

/// Whether to freeze, where that can be done.
fn freeze<'a>() -> Takes<'a, bool> {
    boolean().checked(|wanted| {
        if *wanted && !crate::HAS_FREEZER {
            let label = "takes an eBPF program that this seamline-host was built without";
            return Err(Complaint::new(label).tip(HOW_TO_BUILD));
        }
        Ok(())
    })
}

fn outages<'a>() -> Section<'a, Reconfigurations> {
    table! { Reconfigurations;
        key link (interface): text(), "Interface"; .needed();
        key every: positive_time(), "Period"; .needed();
        key offset: time(), "Time from a full multiple of `every`, by UTC"; .needed();
        key outage: positive_time(), "How long each outage lasts"; .needed();
    }
    .build(Reconfigurations::default(), |it, reader| {
        if it.every.is_zero() {
            // The period is missing or wrong, which has been reported.
            return None;
        }
        for (key, time) in [("offset", it.offset), ("outage", it.outage)] {
            if time >= it.every {
                let label = format!("{time} must be shorter than `every`, {}", it.every);
                reader.refuse_value(key, Complaint::new(label).code(Code::OutOfBounds));
            }
        }
        Some(it)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Settings, String> {
        Settings::read(Path::new("mobile.toml"), text).map_err(|errors| errors.list(false))
    }

    #[test]
    fn the_example_in_the_documents_has_the_defaults_and_what_differs() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/how-to/mobile.md");
        let page = std::fs::read_to_string(page).unwrap();
        let (_, rest) = page.split_once("```toml\n").unwrap();
        let (example, _) = rest.split_once("```").unwrap();
        let settings = read(example).unwrap();
        let once = Policy { repeat: Repeat::Once, ..Policy::default() };
        assert_eq!((settings.links["wwan0"], settings.links.len()), (once, 1));
        assert!(settings.depends("wg0", "wwan0") && !settings.depends("wwan0", "wg0"));
        assert_eq!(settings.reconfigurations[0].outage, Duration::from_millis(150));
        let (links, tunnels, reconfigurations) = Default::default();
        assert_eq!(Settings { links, tunnels, reconfigurations, ..settings }, Settings::default());
        assert_eq!(read("").unwrap(), Settings::default());
    }

    #[test]
    fn a_links_policy_begins_with_the_default_one() {
        let settings = read("[default]\nkick = false\n[link.a]\nrepeat = \"marked\"").unwrap();
        let policy = settings.links["a"];
        assert_eq!((policy.kick, policy.repeat.times()), (false, 1));
    }

    #[test]
    fn all_unknown_keys_and_values_are_refused_with_their_lines_and_the_nearest() {
        let text = "[default]\nrepeat = \"thre\"\n\n[link.wwan0]\nrepaet = \"once\"";
        let error = read(text).unwrap_err();
        for part in ["mobile.toml:2:", "exists: `three`", "mobile.toml:5:", "`repaet`", "exists: `repeat`"] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }

    #[test]
    fn a_freeze_without_its_program_is_refused_with_its_line_and_what_to_build() {
        let settings = read("[default]\nkick = true\n[link.a]\nfreeze = true");
        if crate::HAS_FREEZER {
            let settings = settings.unwrap();
            assert!(settings.links["a"].freeze && !settings.default.freeze && settings.freezes());
        } else {
            let error = settings.unwrap_err();
            assert!(error.contains("mobile.toml:4:") && error.contains("--features ebpf"), "{error}");
        }
        assert!(!read("[default]\nfreeze = false").unwrap().freezes());
    }

    #[test]
    fn invalid_values_are_refused() {
        let outages = |every: &str, offset: &str, outage: &str| {
            format!(
                "[[reconfiguration]]\nlink = \"a\"\nevery = \"{every}\"\noffset = \"{offset}\"\noutage = \"{outage}\""
            )
        };
        for (text, line, part) in [
            ("route_timeout = \"30\"".to_owned(), 1, "the unit is missing"),
            ("route_timeout = 30".to_owned(), 1, "the unit is missing"),
            ("\npatience = \"30 s\"".to_owned(), 2, "use `route_timeout`"),
            ("route_timeout = \"1 s\"\nconnections = 0".to_owned(), 2, "between 1 and"),
            (outages("0 s", "0 s", "1 ms"), 3, "longer than zero"),
            (outages("1 s", "0 s", "0 s"), 5, "longer than zero"),
            (outages("1 s", "0 s", "2 s"), 5, "2 s must be shorter than `every`"),
            (outages("1 s", "1 s", "1 ms"), 4, "1 s must be shorter than `every`"),
            ("[[reconfiguration]]\nlink = \"a\"".to_owned(), 1, "`every` is missing"),
            ("route_timeout = ".to_owned(), 1, "not valid TOML"),
            ("[link.a]\nfreeze = \"yes\"".to_owned(), 2, "expected true or false"),
            ("[tunnels]\na = 1".to_owned(), 2, "expected a string"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(
                error.contains(&format!("mobile.toml:{line}:")) && error.contains(part),
                "{text}: {error}"
            );
        }
    }
}
