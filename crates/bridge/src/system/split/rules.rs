//! What has the kernel hand connections over: a table of nftables that lives as long as this process, and a way for packets that bear its
//! mark to this host.

use seamline_daemon::clock;
use seamline_daemon::explained;
use seamline_wire::Duration;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

/// The mark of packets that are for a socket here although their destination is another host.
const MARK: u32 = 0x5ea_0001;
/// The routing table that such packets are looked up in, and the place of the rule that says so.
const ROUTES: u32 = 0x5ea;
const TABLE: &str = "seamline_split";

/// So many connections may begin in a second, and all of them at once; more pass. A forged SYN keeps a place among the listeners'
/// half-open ones ([`BACKLOG`]) for about three seconds, so a flood cannot fill them: were they full, the kernel would answer by SYN
/// cookies, whose third packet no rule here knows for ours.
const BEGINNINGS: u32 = 1000;
/// Connections that the kernel keeps half-open, or open and not yet taken in (at most `net.core.somaxconn`, 4096).
pub(super) const BACKLOG: i32 = 4096;

/// Where connections that come in at an interface are handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entrance {
    pub(super) interface: String,
    pub(super) listener: SocketAddr,
}

/// The table, and who holds it. It goes with this value, or with the process, however that ends: the kernel removes a table whose owner is gone.
#[derive(Debug)]
pub(super) struct Rules {
    owner: Child,
    entrances: Vec<Entrance>,
    is_dry: bool,
    takes: bool,
}

/// What was counted since the rules are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Passed {
    /// Beginnings that were handed over; with a dry run, that would have been.
    pub(super) taken: u64,
    /// Beginnings that passed because too many came in a second.
    pub(super) passed: u64,
}

impl Rules {
    /// Hand new connections over at these entrances.
    ///
    /// # Errors
    /// When `nft` or `ip` is missing, or refuses; then what it said.
    pub(super) fn new(interfaces: &[String; 2], entrances: Vec<Entrance>, is_dry: bool) -> io::Result<Self> {
        let table = table(interfaces);
        let beginnings = beginnings(&entrances, is_dry);
        // Whoever died here and left rules would have taken them with him; what is there has another owner.
        if Command::new("nft")
            .args(["list", "table", "inet", TABLE])
            .output()
            .is_ok_and(|it| it.status.success())
        {
            let why = "connections are split here already: one such agent runs per host";
            return Err(io::Error::new(io::ErrorKind::AddrInUse, why));
        }
        checked(&format!("{table}{beginnings}"))?;
        if !is_dry {
            route(&entrances)?;
        }
        let owner = Command::new("nft")
            .arg("-i")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| explained(error, "running nft"))?;
        let mut rules = Rules { owner, entrances, is_dry, takes: true };
        rules.tell(&format!("{table}{beginnings}"))?;
        rules.await_table()?;
        Ok(rules)
    }

    /// Hand new connections over from now on, or let them pass.
    ///
    /// # Errors
    /// When who holds the table is gone, and the table with it.
    pub(super) fn take(&mut self, takes: bool) -> io::Result<()> {
        if takes == self.takes {
            return Ok(());
        }
        self.takes = takes;
        let rules = if takes { beginnings(&self.entrances, self.is_dry) } else { String::new() };
        self.tell(&format!("flush chain inet {TABLE} begin\n{rules}"))
    }

    /// What it has counted.
    ///
    /// # Errors
    /// When it cannot be asked for.
    pub(super) fn passed() -> io::Result<Passed> {
        let asked = Command::new("nft").args(["-j", "list", "counters", "table", "inet", TABLE]).output()?;
        let listed: serde_json::Value = serde_json::from_slice(&asked.stdout).map_err(io::Error::other)?;
        let count = |name: &str| {
            let objects = listed["nftables"].as_array().into_iter().flatten();
            let mut counters = objects.map(|object| &object["counter"]);
            counters.find(|it| it["name"] == name).and_then(|it| it["packets"].as_u64()).unwrap_or(0)
        };
        Ok(Passed { taken: count("taken"), passed: count("passed") })
    }

    fn tell(&mut self, commands: &str) -> io::Result<()> {
        let stdin = self.owner.stdin.as_mut().ok_or_else(|| io::Error::other("nft is gone"))?;
        stdin
            .write_all(commands.as_bytes())
            .and_then(|()| stdin.flush())
            .map_err(|error| explained(error, "telling nft"))
    }

    fn await_table(&self) -> io::Result<()> {
        let begun = clock::monotonic();
        while clock::monotonic().saturating_since(begun) < Duration::from_secs(5) {
            let listed = Command::new("nft").args(["list", "chain", "inet", TABLE, "begin"]).output()?;
            let awaited = if self.is_dry { "counter" } else { "tproxy" };
            if String::from_utf8_lossy(&listed.stdout).contains(awaited) {
                return Ok(());
            }
            let _ = nix::poll::poll(&mut [], nix::poll::PollTimeout::from(20_u8));
        }
        Err(io::Error::other("nft has not made the table within 5 s"))
    }
}

impl Drop for Rules {
    fn drop(&mut self) {
        drop(self.owner.stdin.take());
        let _ = self.owner.wait();
        if !self.is_dry {
            families(&self.entrances).for_each(unroute);
        }
    }
}

/// All of the table but what begins connections. What belongs to a socket here is for it; addresses of this host are never split.
fn table(interfaces: &[String; 2]) -> String {
    let [wired, wireless] = interfaces;
    format!(
        "add table inet {TABLE} {{ flags owner; }}\n\
         add counter inet {TABLE} taken\n\
         add counter inet {TABLE} passed\n\
         add chain inet {TABLE} begin\n\
         add chain inet {TABLE} prerouting {{ type filter hook prerouting priority mangle; policy accept; }}\n\
         add rule inet {TABLE} prerouting iifname != {{ \"{wired}\", \"{wireless}\" }} accept\n\
         add rule inet {TABLE} prerouting meta l4proto != tcp accept\n\
         add rule inet {TABLE} prerouting socket transparent 1 meta mark set {MARK} accept\n\
         add rule inet {TABLE} prerouting tcp flags & (fin | syn | rst | ack) == syn fib daddr type != local jump begin\n"
    )
}

fn beginnings(entrances: &[Entrance], is_dry: bool) -> String {
    let mut rules = format!(
        "add rule inet {TABLE} begin limit rate over {BEGINNINGS}/second burst {BEGINNINGS} packets counter name passed accept\n"
    );
    for Entrance { interface, listener } in entrances {
        let (family, protocol) = if listener.is_ipv4() { ("ip", "ipv4") } else { ("ip6", "ipv6") };
        let what = if is_dry {
            "accept".to_owned()
        } else {
            format!("tproxy {family} to {listener} meta mark set {MARK} accept")
        };
        let _ = writeln!(
            rules,
            "add rule inet {TABLE} begin iifname \"{interface}\" meta nfproto {protocol} meta l4proto tcp counter name taken {what}"
        );
    }
    rules
}

/// Whether `nft` would take it.
fn checked(table: &str) -> io::Result<()> {
    let mut nft = Command::new("nft")
        .args(["-c", "-f", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| explained(error, "running nft, which is in the package nftables"))?;
    if let Some(mut stdin) = nft.stdin.take() {
        stdin.write_all(table.as_bytes())?;
    }
    let said = nft.wait_with_output()?;
    if said.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&said.stderr);
    let kind = if why.contains("Operation not permitted") {
        io::ErrorKind::PermissionDenied
    } else {
        io::ErrorKind::Other
    };
    Err(io::Error::new(kind, format!("nft refuses to hand connections over: {}", why.trim())))
}

/// Packets with the mark are for this host.
fn route(entrances: &[Entrance]) -> io::Result<()> {
    for family in families(entrances) {
        unroute(family);
        ip(&format!("{family} rule add fwmark {MARK} lookup {ROUTES}"))?;
        ip(&format!("{family} route replace local default dev lo table {ROUTES}"))?;
    }
    Ok(())
}
fn unroute(family: &str) {
    let _ = ip(&format!("{family} rule del fwmark {MARK} lookup {ROUTES}"));
    let _ = ip(&format!("{family} route del local default dev lo table {ROUTES}"));
}
fn families(entrances: &[Entrance]) -> impl Iterator<Item = &'static str> {
    let has = |is_ipv4: bool| entrances.iter().any(|it| it.listener.is_ipv4() == is_ipv4);
    [(true, "-4"), (false, "-6")]
        .into_iter()
        .filter(move |(is_ipv4, _)| has(*is_ipv4))
        .map(|(_, family)| family)
}

fn ip(arguments: &str) -> io::Result<()> {
    let asked = Command::new("ip").args(arguments.split(' ')).output();
    let said = asked.map_err(|error| explained(error, "running ip, which is in the package iproute2"))?;
    if said.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&said.stderr);
    Err(io::Error::other(format!("ip {arguments}: {}", why.trim())))
}
