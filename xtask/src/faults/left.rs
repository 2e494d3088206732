//! What a process has left behind in its namespace.

use super::daemon::{SENDING, Setup};
use super::network::{Network, now, pause, run};
use super::subject::{Middle, Subject};
use seamline_host::bpf::{AttachedTo, attached};
use seamline_host::namespace::{Identity, Namespace};
use std::fs::{self, File};
use std::io;

/// How the kernel calls the programs that forward without an agent.
const FALLBACK: &str = "seamline-fallback";
/// What `split` makes: a table of the packet filter, and a routing table with a rule for it.
const RULES: &str = "seamline_split";
const ROUTES: &str = "1514";
/// The kernel, and processes that end with another, need a moment.
const SOON_MS: u64 = 2000;

/// Filters of the kernel's forwarding at both interfaces.
pub(super) fn fallbacks(network: &Network) -> Result<[usize; 2], String> {
    let count = |interface: &str| {
        let filters = run(&network.middle, &format!("tc filter show dev {interface} ingress"))?;
        let all = filters.lines().filter(|line| line.contains(" handle ")).count();
        match filters.matches(FALLBACK).count() {
            ours if ours == all => Ok(all),
            _ => Err(format!("foreign filters at {interface}: {filters}")),
        }
    };
    Ok([count("b0")?, count("b1")?])
}

/// Nothing that changes what happens to packets may be there now, but the kernel's forwarding between the interfaces of a bridge.
pub(super) fn after_kill(network: &Network, setup: &Setup) -> Result<(), String> {
    soon(|| no_process(network, setup.subject))?;
    soon(|| no_programs(network, setup))?;
    match setup.subject.middle(false) {
        Middle::Agent => {
            let found = fallbacks(network)?;
            if found.iter().any(|count| *count > 1) {
                return Err(format!("filters at both interfaces: {found:?}"));
            }
        }
        Middle::Router => {
            soon(|| no_rules(network))?;
            routes(network, 1)?;
        }
        Middle::Bridge => {}
    }
    whole_metrics(setup)
}

/// Nothing at all may be there now, but what the process was told to leave.
pub(super) fn after_end(network: &Network, setup: &Setup) -> Result<(), String> {
    no_process(network, setup.subject)?;
    soon(|| no_programs(network, setup))?;
    match setup.subject.middle(false) {
        Middle::Agent => {
            let (found, expected) = (fallbacks(network)?, usize::from(setup.keeps_forwarding));
            if found != [expected; 2] {
                return Err(format!("filters at both interfaces: {found:?}, not {expected} at each"));
            }
        }
        Middle::Router => {
            no_rules(network)?;
            routes(network, 0)?;
        }
        Middle::Bridge if setup.socket().exists() => {
            return Err(format!("{} is left", setup.socket().display()));
        }
        Middle::Bridge => {}
    }
    if setup.metrics().with_extension("prom.new").exists() {
        return Err("a file of metrics is left half-written".to_owned());
    }
    whole_metrics(setup)
}

pub(super) fn soon(check: impl Fn() -> Result<(), String>) -> Result<(), String> {
    let begun = now();
    loop {
        match check() {
            Err(_) if now() - begun < SOON_MS => pause(5),
            done => return done,
        }
    }
}

fn no_process(network: &Network, subject: Subject) -> Result<(), String> {
    let found = processes(subject.host(network)).map_err(|error| format!("/proc: {error}"))?;
    match found.is_empty() {
        true => Ok(()),
        false => Err(format!("processes are left: {}", found.join(", "))),
    }
}

/// Where a sender attaches them.
fn no_programs(network: &Network, setup: &Setup) -> Result<(), String> {
    let Some(cgroup) = setup.cgroup() else { return Ok(()) };
    let count = || {
        let at_cgroup = attached(AttachedTo::Cgroup(&File::open(cgroup)?))?;
        let interface = network.fixed.within(|| attached(AttachedTo::Interface(SENDING)))?;
        Ok([at_cgroup, interface])
    };
    match count().map_err(|error: io::Error| format!("looking for programs: {error}"))? {
        [0, 0] => Ok(()),
        found => Err(format!("programs at the cgroup and the interface: {found:?}")),
    }
}

/// The kernel's names of all congestion controls of senders that a process, or a connection, holds.
pub(super) fn congestion_controls() -> Result<Vec<String>, String> {
    let path = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    let names = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    Ok(names.split_whitespace().filter(|name| name.starts_with("seamline")).map(str::to_owned).collect())
}

fn processes(host: &Namespace) -> std::io::Result<Vec<String>> {
    let identity = host.identity()?;
    let numbers =
        fs::read_dir("/proc")?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let inside = numbers.filter(|number| Identity::of_process(*number).is_ok_and(|found| found == identity));
    Ok(inside.map(|number| format!("{number} ({})", command_of(number))).collect())
}

fn command_of(process: u32) -> String {
    fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default().replace('\0', " ")
}

fn no_rules(network: &Network) -> Result<(), String> {
    let tables = run(&network.middle, "nft list tables")?;
    match tables.contains(RULES) {
        true => Err(format!("the packet filter still has {RULES}")),
        false => Ok(()),
    }
}

/// At most so many rules and routes of each version of IP.
fn routes(network: &Network, most: usize) -> Result<(), String> {
    for family in ["-4", "-6"] {
        let rules = run(&network.middle, &format!("ip -N {family} rule show"))?;
        let ours = rules.lines().filter(|line| line.contains(&format!("lookup {ROUTES}"))).count();
        // A table with nothing in it does not exist.
        let routes =
            run(&network.middle, &format!("ip {family} route show table {ROUTES}")).unwrap_or_default();
        let routes = routes.lines().filter(|line| !line.trim().is_empty()).count();
        if ours > most || routes > most {
            return Err(format!("{ours} rules and {routes} routes of ip {family}, not {most} at most"));
        }
    }
    Ok(())
}

/// Absent, empty as at the start, or complete.
fn whole_metrics(setup: &Setup) -> Result<(), String> {
    let Ok(text) = fs::read_to_string(setup.metrics()) else { return Ok(()) };
    let is_sample = |line: &str| {
        line.starts_with('#') || line.rsplit_once(' ').is_some_and(|(_, it)| it.parse::<f64>().is_ok())
    };
    match text.is_empty() || text.ends_with('\n') && text.lines().all(is_sample) {
        true => Ok(()),
        false => Err(format!("{} breaks off: {text}", setup.metrics().display())),
    }
}
