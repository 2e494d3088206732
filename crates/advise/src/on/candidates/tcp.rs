//! Which TCP: the congestion controls that a Linux sender can have.

use super::{Candidate, Change, Demand, Group, PROFILE, TODAY};
use crate::on::question::PathQuestion;
use seamline_tcp::cc;
use seamline_tcp::profile;
use seamline_tcp::variant::{self, NamedVariant};

/// What Linux calls a variant, and what a host needs for it.
struct OnLinux {
    variant: &'static str,
    module: &'static str,
    demand: Demand,
    /// Only for paths over satellites.
    for_satellites: bool,
}

const fn in_mainline(variant: &'static str, module: &'static str) -> OnLinux {
    OnLinux { variant, module, demand: Demand::OneEnd, for_satellites: false }
}

/// Those that Linux has, and those whose authors publish a module for it. DCTCP and Prague are left out: they need a network
/// that marks packets. Vegas is left out: our Vegas has the recovery of its paper and not that of Linux.
const ON_LINUX: [OnLinux; 5] = [
    in_mainline("reno", "reno"),
    // What Linux calls Westwood is Westwood+ (net/ipv4/tcp_westwood.c).
    in_mainline("westwood+", "westwood"),
    in_mainline("bbr", "bbr"),
    OnLinux { variant: "bbr3", module: "bbr", demand: Demand::Kernel, for_satellites: false },
    OnLinux { variant: "leocc", module: "leocc", demand: Demand::Kernel, for_satellites: true },
];

/// The congestion controls of other crates are candidates, too.
pub(super) fn all(question: &PathQuestion) -> Vec<Candidate> {
    let listed = |variant: &NamedVariant| ON_LINUX.iter().find(|it| it.variant == variant.name);
    let is_own = |variant: &NamedVariant| cc::added().iter().any(|it| it.name == variant.name);
    let changes = question.path.reconfigurations.is_some();
    let fits = |it: &OnLinux| !it.for_satellites || (question.path.over_satellites && changes);
    let candidates = variant::all().filter(|it| it.name != TODAY && has_recovery_of_linux(it));
    candidates
        .filter_map(|it| match listed(&it) {
            Some(known) => fits(known).then(|| of(question, it.name, known.module, known.demand)),
            None => is_own(&it).then(|| of(question, it.name, it.name, Demand::Kernel)),
        })
        .collect()
}

/// Whether losses are found and repaired as Linux does it.
fn has_recovery_of_linux(variant: &NamedVariant) -> bool {
    let parameters = profile::find(PROFILE).map(|profile| (profile.parameters)());
    let found = parameters.and_then(|parameters| variant::find(variant.name, &parameters).ok());
    found.is_some_and(|found| found.recovery.name == "rack")
}

fn of(question: &PathQuestion, name: &'static str, module: &str, demand: Demand) -> Candidate {
    let setting = format!("sysctl net.ipv4.tcp_congestion_control={module}");
    let how = match demand {
        Demand::Kernel if name == "bbr3" => {
            format!("a kernel with BBR version 3, which mainline Linux does not have; then {setting}")
        }
        Demand::Kernel => {
            format!("a kernel module for {name}, which mainline Linux does not have; then {setting}")
        }
        _ => setting,
    };
    Candidate {
        name: name.to_owned(),
        group: Group::Tcp,
        installed: question.sender().to_owned(),
        how,
        demand,
        only_today: false,
        change: Change { variant: Some(name), ..Change::default() },
    }
}
