//! Which help: agents at the gateway, and handover schemes at the ends, as far as this project installs them on real hosts.

use super::{AgentChange, Candidate, Change, Demand, Group};
use crate::on::question::PathQuestion;
use seamline_tcp::handover::{self, Installed};
use seamline_wire::Duration;

/// How long before an outage `seamline-host mobile` closes windows, besides a round trip (`freeze_margin`).
const FREEZE_MARGIN: Duration = Duration::from_millis(50);

pub(super) fn all(question: &PathQuestion) -> Vec<Candidate> {
    let mut all = agents(question);
    all.extend(schemes(question));
    all
}

/// How an agent is used on real hosts. ELN-ACK is left out: it needs a sender that reads its marks, and Linux does not.
struct AgentUse {
    name: &'static str,
    change: AgentChange,
    installed: &'static str,
    how: &'static str,
    demand: Demand,
}

const fn alone(kind: &'static str, keys: &'static str) -> AgentChange {
    AgentChange { kind, keys, at_router: None }
}

const SPLIT_WITH_BBR: &str = "split with bbr";

const AGENTS: [AgentUse; 4] = [
    AgentUse {
        name: "snoop",
        change: alone("snoop", ""),
        installed: "gateway",
        how: "seamline-host agent snoop --in eth0 --out eth1",
        demand: Demand::Program,
    },
    AgentUse {
        name: "split",
        change: alone("split", ""),
        installed: "gateway",
        how: "seamline-host agent split --in eth0 --out eth1",
        demand: Demand::Program,
    },
    AgentUse {
        name: SPLIT_WITH_BBR,
        change: alone("split", "split = { variant = \"bbr\" }\n"),
        installed: "gateway",
        how: "seamline-host agent split --in eth0 --out eth1 --config FILE with [split] congestion_control = \"bbr\"",
        demand: Demand::Program,
    },
    AgentUse {
        name: "obtcp",
        change: AgentChange {
            kind: "obtcp",
            keys: "obtcp = { role = \"base station\" }\n",
            at_router: Some("obtcp = { role = \"mobile router\" }\n"),
        },
        installed: "gateway, mobile router",
        how: "seamline-host agent obtcp --role base-station at the gateway and --role mobile-router at the router before the host",
        demand: Demand::TwoPlaces,
    },
];

/// Data of a host that sends passes the wireless half of a split connection with the host's own TCP.
fn agents(question: &PathQuestion) -> Vec<Candidate> {
    let is_any = |it: &AgentUse| !(question.upload && it.name == SPLIT_WITH_BBR);
    let runs = |kind: &str| seamline_agent::find(kind).is_some_and(|kind| kind.runs_on_real_hosts);
    let fitting = AGENTS.into_iter().filter(|it| runs(it.change.kind) && is_any(it));
    fitting
        .map(|it| Candidate {
            name: it.name.to_owned(),
            group: Group::Help,
            installed: it.installed.to_owned(),
            how: it.how.to_owned(),
            demand: it.demand,
            only_today: false,
            change: Change { agent: Some(it.change), ..Change::default() },
        })
        .collect()
}

/// The schemes that `seamline-host` carries out, how, and whether the sender must have CUBIC.
const SCHEMES: [(&str, &str, bool); 3] = [
    ("tr-acks", "seamline-host mobile", false),
    ("freeze", "seamline-host mobile with freeze = true, notified of each outage in time", false),
    (
        "ehn",
        "seamline-host mobile with repeat = \"marked\" at the host, seamline-host sender at the server",
        true,
    ),
];

/// Only for downloads: what `seamline-host mobile` does for a host's own data has no model in the simulator. Only where there is
/// something to recover from.
fn schemes(question: &PathQuestion) -> Vec<Candidate> {
    if question.upload || !question.path.has_handovers() {
        return Vec::new();
    }
    let round_trip = question.path.round_trip.value;
    let of = |(name, how, only_today): &(&str, &str, bool)| {
        let scheme = handover::find(name)?;
        let (installed, demand) = match scheme.installed {
            Installed::MobileEnd => ("host", Demand::Program),
            Installed::BothEnds => ("both ends", Demand::TwoPlaces),
        };
        let lead = scheme.traits.needs_prediction.then(|| round_trip + round_trip + FREEZE_MARGIN);
        let told = lead.map(|lead| format!(" (here {lead} before)")).unwrap_or_default();
        Some(Candidate {
            name: scheme.name.to_owned(),
            group: Group::Help,
            installed: installed.to_owned(),
            how: format!("{how}{told}"),
            demand,
            only_today: *only_today,
            change: Change { scheme: Some(scheme), lead, ..Change::default() },
        })
    };
    SCHEMES.iter().filter_map(of).collect()
}
