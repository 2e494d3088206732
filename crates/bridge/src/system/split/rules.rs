//! What has the kernel hand connections over: a table of nftables that lives as long as this process, and a way for packets that bear its
//! mark to this host.

use super::fair::Who;
use super::owner::Owner;
use super::routes::Routes;
use seamline_host::clock;
use seamline_host::process::run;
use seamline_host::socket::pause;
use seamline_wire::Duration;
use std::fmt::Write;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The mark of packets that are for a socket here although their destination is another host.
pub(super) const MARK: u32 = 0x5ea_0001;
/// The mark of what the halves towards the ends that have begun connections send. Both halves have the same addresses and ports, so that
/// connection tracking would take them for one connection: it is shown the other half only, which so can be masqueraded.
pub(super) const UNTRACKED: u32 = 0x5ea_0002;
const TABLE: &str = "seamline_split";
/// What begins a connection.
const SYN: &str = "tcp flags & (fin | syn | rst | ack) == syn";

/// So many connections may begin in a second at most, and all of them at once; more pass. A forged SYN keeps a place among the listeners'
/// half-open ones ([`BACKLOG`]) for about three seconds, so a flood cannot fill them: were they full, the kernel would answer by SYN
/// cookies, whose third packet no rule here knows for ours.
pub(super) const BEGINNINGS: u32 = 1000;
/// Connections that the kernel keeps half-open, or open and not yet taken in (at most `net.core.somaxconn`, 4096).
pub(super) const BACKLOG: i32 = 4096;

/// Where connections that come in at an interface are handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entrance {
    pub(super) interface: String,
    pub(super) listener: SocketAddr,
}

/// What is handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    /// Only what comes in at one of them and leaves by the other.
    pub(super) interfaces: [String; 2],
    pub(super) entrances: Vec<Entrance>,
    /// So many in a second: see [`BEGINNINGS`].
    pub(super) beginnings: u32,
    /// It is counted only.
    pub(super) is_dry: bool,
}

/// The table, and the process that holds it. It goes with this value, or with the process, however that ends: the kernel removes a table whose owner is gone.
#[derive(Debug)]
pub(super) struct Rules {
    owner: Owner,
    /// They go after the table.
    routes: Arc<Routes>,
    terms: Terms,
    takes: bool,
}

/// What was counted since the rules are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Passed {
    /// Beginnings that were handed over; with a dry run, that would have been.
    pub(super) taken: u64,
    /// Beginnings that passed because too many came in a second.
    pub(super) passed: u64,
    /// Beginnings that passed because their host, or its network, has many connections.
    pub(super) limited: u64,
}

impl Rules {
    /// Hand new connections over on these terms.
    ///
    /// # Errors
    /// When `nft` or `ip` is missing, or refuses, with its message.
    pub(super) fn new(terms: Terms) -> io::Result<Self> {
        let rules = table(&terms) + &beginnings(&terms);
        // The kernel removes a table with its owner, so a table that exists has another owner.
        if listed().is_some() {
            let why = "connections are split here already: one such agent runs per host";
            return Err(io::Error::new(io::ErrorKind::AddrInUse, why));
        }
        checked(&rules)?;
        let routes = Arc::new(Routes::new(&terms.entrances, terms.is_dry)?);
        let mut owner = Owner::new()?;
        owner.write(&rules)?;
        await_table(terms.entrances.len())?;
        Ok(Rules { owner, routes, terms, takes: true })
    }

    /// Hand new connections over from now on, or let them pass.
    ///
    /// # Errors
    /// When the process that holds the table has ended, and the table with it.
    pub(super) fn take(&mut self, takes: bool) -> io::Result<()> {
        if takes == self.takes {
            return Ok(());
        }
        self.takes = takes;
        let rules = if takes { beginnings(&self.terms) } else { String::new() };
        self.owner.write(&format!("flush chain inet {TABLE} begin\n{rules}"))
    }

    /// From now on let new connections of these pass, or hand them over again.
    ///
    /// # Errors
    /// When the process that holds the table has ended, and the table with it.
    pub(super) fn limit(&mut self, changes: &[(Who, bool)]) -> io::Result<()> {
        self.owner.write(
            &changes.iter().map(|(owner, is_limited)| element(*owner, *is_limited)).collect::<String>(),
        )
    }

    /// # Errors
    /// When the process that holds the table has ended, and the table with it.
    pub(super) fn check(&mut self) -> io::Result<()> {
        self.owner.check()
    }

    /// The way that handed over packets take.
    pub(super) fn routes(&self) -> Arc<Routes> {
        Arc::clone(&self.routes)
    }

    /// What it has counted.
    ///
    /// # Errors
    /// When it cannot be asked for.
    pub(super) fn passed() -> io::Result<Passed> {
        let listed = nft(&["-j", "list", "counters", "table", "inet", TABLE], "")?;
        let listed = listed.map_err(io::Error::other)?;
        let listed: serde_json::Value = serde_json::from_str(&listed).map_err(io::Error::other)?;
        let count = |name: &str| {
            let objects = listed["nftables"].as_array().into_iter().flatten();
            let mut counters = objects.map(|object| &object["counter"]);
            counters.find(|it| it["name"] == name).and_then(|it| it["packets"].as_u64()).unwrap_or(0)
        };
        Ok(Passed { taken: count("taken"), passed: count("passed"), limited: count("limited") })
    }
}

/// The table, if there is one.
fn listed() -> Option<String> {
    nft(&["list", "table", "inet", TABLE], "").ok()?.ok()
}

/// Identifies this process's table, as another process may have been quicker: each of the last rules has it.
fn comment() -> String {
    format!("comment \"of process {}\"", std::process::id())
}

fn await_table(last: usize) -> io::Result<()> {
    let until = clock::monotonic() + Duration::from_secs(5);
    while clock::monotonic() < until {
        if listed().is_some_and(|table| table.matches(&comment()).count() == last) {
            return Ok(());
        }
        pause(Duration::from_millis(5));
    }
    Err(io::Error::other("nft has not made the table within 5 s"))
}

/// All of the table but what begins connections. SYNs come first: one may meet what is left of an older connection with the same ports.
fn table(terms: &Terms) -> String {
    let [wired, wireless] = &terms.interfaces;
    let begin = |from: &str, to: &str| {
        format!(
            "add rule inet {TABLE} arrive iifname \"{from}\" {SYN} fib daddr oifname \"{to}\" jump begin\n"
        )
    };
    format!(
        "add table inet {TABLE} {{ flags owner; }}\n\
         add counter inet {TABLE} taken\n\
         add counter inet {TABLE} passed\n\
         add counter inet {TABLE} limited\n\
         add set inet {TABLE} hosts4 {{ type ipv4_addr; }}\n\
         add set inet {TABLE} hosts6 {{ type ipv6_addr; }}\n\
         add set inet {TABLE} networks6 {{ type ipv6_addr; }}\n\
         add chain inet {TABLE} begin\n\
         add chain inet {TABLE} arrive {{ type filter hook prerouting priority raw; policy accept; }}\n\
         add rule inet {TABLE} arrive meta l4proto != {{ tcp, icmp, icmpv6 }} accept\n\
         {}{}{}",
        begin(wired, wireless),
        begin(wireless, wired),
        if terms.is_dry { String::new() } else { halves(terms) }
    )
}

/// What is for a half here, with what routers say of its packets: after address translation, so that it is known by the half's addresses.
/// Half-open connections and those that wait out their end have no mark to tell; half-open are those that were begun elsewhere only.
/// A SYN with the ports of one of these is handed over, room or not: what follows it would not pass, and to one that waits out its end it
/// would begin a connection to whatever service this host itself has at that port.
fn halves(Terms { interfaces: [wired, wireless], entrances, .. }: &Terms) -> String {
    let mut rules = format!(
        "add chain inet {TABLE} again\n\
         add rule inet {TABLE} arrive iifname {{ \"{wired}\", \"{wireless}\" }} {SYN} socket transparent 1 jump again\n\
         add rule inet {TABLE} arrive socket mark {UNTRACKED:#x} notrack accept\n\
         add rule inet {TABLE} arrive socket mark != {UNTRACKED:#x} accept\n\
         add rule inet {TABLE} arrive meta l4proto tcp socket transparent 1 notrack\n\
         add chain inet {TABLE} divert {{ type filter hook prerouting priority dstnat + 1; policy accept; }}\n\
         add rule inet {TABLE} divert meta l4proto {{ tcp, icmp, icmpv6 }} socket transparent 1 meta mark set {MARK:#x}\n\
         add chain inet {TABLE} leave {{ type filter hook output priority raw; policy accept; }}\n\
         add rule inet {TABLE} leave meta mark {UNTRACKED:#x} notrack\n"
    );
    for entrance in entrances {
        let _ = writeln!(rules, "add rule inet {TABLE} again {} {}", arriving(entrance), hand_over(entrance));
    }
    rules
}

/// A host or a network in the set of those whose new connections pass.
fn element(owner: Who, is_limited: bool) -> String {
    let (set, address) = match owner {
        Who::Network(address @ IpAddr::V6(_)) => ("networks6", address),
        Who::Host(address @ IpAddr::V6(_)) => ("hosts6", address),
        Who::Network(address) | Who::Host(address) => ("hosts4", address),
    };
    let verb = if is_limited { "add" } else { "delete" };
    format!("{verb} element inet {TABLE} {set} {{ {address} }}\n")
}

/// New connections of limited hosts on the wireless side, from either end.
fn limited(Terms { interfaces: [wired, wireless], .. }: &Terms) -> String {
    let mut rules = String::new();
    for (interface, end) in [(wireless, "saddr"), (wired, "daddr")] {
        for (expression, set) in [
            (format!("ip {end}"), "hosts4"),
            (format!("ip6 {end}"), "hosts6"),
            (format!("ip6 {end} & ffff:ffff:ffff:ffff::"), "networks6"),
        ] {
            let _ = writeln!(
                rules,
                "add rule inet {TABLE} begin iifname \"{interface}\" {expression} @{set} counter name limited return"
            );
        }
    }
    rules
}

/// SYNs that are signed (TCP-MD5, RFC 2385; TCP-AO, RFC 5925) pass: this host does not have the key.
fn beginnings(terms: &Terms) -> String {
    let Terms { entrances, beginnings, is_dry, .. } = terms;
    let mut rules = limited(terms);
    for option in [19, 29] {
        let _ = writeln!(rules, "add rule inet {TABLE} begin tcp option {option} exists return");
    }
    let _ = writeln!(
        rules,
        "add rule inet {TABLE} begin limit rate over {beginnings}/second burst {beginnings} packets counter name passed return"
    );
    for entrance in entrances {
        let what = if *is_dry { "accept".to_owned() } else { hand_over(entrance) };
        let _ = writeln!(
            rules,
            "add rule inet {TABLE} begin {} counter name taken {what} {}",
            arriving(entrance),
            comment()
        );
    }
    rules
}

fn arriving(Entrance { interface, listener }: &Entrance) -> String {
    let protocol = if listener.is_ipv4() { "ipv4" } else { "ipv6" };
    format!("iifname \"{interface}\" meta nfproto {protocol} meta l4proto tcp")
}
fn hand_over(Entrance { listener, .. }: &Entrance) -> String {
    let family = if listener.is_ipv4() { "ip" } else { "ip6" };
    format!("tproxy {family} to {listener} notrack accept")
}

/// Check whether `nft` would accept the table.
fn checked(table: &str) -> io::Result<()> {
    nft(&["-c", "-f", "-"], table)?.map(drop).map_err(|why| {
        let is_refused = why.contains("Operation not permitted");
        let kind = if is_refused { io::ErrorKind::PermissionDenied } else { io::ErrorKind::Other };
        io::Error::new(kind, format!("nft refuses to hand connections over: {why}"))
    })
}

/// Run `nft`; its output, or its error messages.
fn nft(arguments: &[&str], rules: &str) -> io::Result<Result<String, String>> {
    run("nft", "nftables", arguments, rules)
}
