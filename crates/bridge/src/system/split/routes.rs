//! The way to this host for packets that bear its mark: a rule and a routing table of its own.

use super::rules::{Entrance, MARK};
use seamline_host::process::run;
use std::io;

/// The routing table that such packets are looked up in.
const TABLE: u32 = 0x5ea;
/// The place of the rule that says so: before those of others, which may send all packets elsewhere. That for this host's addresses has place 0.
const PRIORITY: u32 = 10;
/// All that is in the table, as `ip route show` begins to say it.
const ROUTE: &str = "local default dev lo";

/// They go with this value.
#[derive(Debug)]
pub(super) struct Routes {
    /// Each as the option of `ip` that names it.
    families: Vec<&'static str>,
}

impl Routes {
    /// None at all, where nothing gets the mark.
    ///
    /// # Errors
    /// When the routing table is in use otherwise, `ip` is missing, or it refuses.
    pub(super) fn new(entrances: &[Entrance], is_dry: bool) -> io::Result<Self> {
        let has = |is_ipv4: bool| entrances.iter().any(|it| it.listener.is_ipv4() == is_ipv4);
        let families =
            [(true, "-4"), (false, "-6")].into_iter().filter(|(is_ipv4, _)| !is_dry && has(*is_ipv4));
        let families: Vec<&'static str> = families.map(|(_, family)| family).collect();
        families.iter().try_for_each(|family| is_free(family))?;
        // What one that was killed has left is in the way of its successor's.
        families.iter().for_each(|family| remove(family));
        let routes = Routes { families };
        routes.restore().map(|_| routes)
    }

    /// Make what is missing: there are programs that remove rules that they have not made. Whether something was.
    ///
    /// # Errors
    /// When `ip` refuses.
    pub(super) fn restore(&self) -> io::Result<bool> {
        let mut was_missing = false;
        for family in &self.families {
            if !ip(&format!("-N {family} rule show"))?.lines().any(is_our_rule) {
                was_missing = true;
                ip(&format!("{family} rule add priority {PRIORITY} {}", rule()))?;
            }
            if !in_table(family).lines().any(|route| route.starts_with(ROUTE)) {
                was_missing = true;
                ip(&format!("{family} route replace {ROUTE} table {TABLE}"))?;
            }
        }
        Ok(was_missing)
    }
}

impl Drop for Routes {
    fn drop(&mut self) {
        self.families.iter().for_each(|family| remove(family));
    }
}

fn rule() -> String {
    format!("fwmark {MARK:#x} lookup {TABLE}")
}
fn is_our_rule(line: &str) -> bool {
    line.trim_end().ends_with(&rule())
}

/// A table with nothing in it does not exist.
fn in_table(family: &str) -> String {
    ip(&format!("{family} route show table {TABLE}")).unwrap_or_default()
}

fn is_free(family: &str) -> io::Result<()> {
    let routes = in_table(family);
    let rules = ip(&format!("-N {family} rule show"))?;
    let lookup = format!("lookup {TABLE}");
    let is_foreign = |rule: &&str| rule.trim_end().ends_with(&lookup) && !is_our_rule(rule);
    let foreign = routes.lines().find(|route| !route.trim().is_empty() && !route.starts_with(ROUTE));
    match foreign.or_else(|| rules.lines().find(is_foreign)) {
        None => Ok(()),
        Some(line) => {
            let why = format!(
                "the routing table {TABLE}, which split connections need for themselves, is in use: ip {family}: {}",
                line.trim()
            );
            Err(io::Error::new(io::ErrorKind::AddrInUse, why))
        }
    }
}

fn remove(family: &str) {
    let _ = ip(&format!("{family} rule del {}", rule()));
    let _ = ip(&format!("{family} route del {ROUTE} table {TABLE}"));
}

/// The output of `ip`.
fn ip(arguments: &str) -> io::Result<String> {
    let words: Vec<&str> = arguments.split(' ').collect();
    run("ip", "iproute2", &words, "")?.map_err(|why| io::Error::other(format!("ip {arguments}: {why}")))
}
