//! The table of systems has what the papers name, each can be chosen as it says, and it runs for the claims that it lists.

use seamline_paper::claims::Claim;
use seamline_paper::documents::Documents;
use seamline_paper::measure::Measure;
use seamline_paper::systems::{self, Choice, Status, System};
use seamline_scenario::schema::{FlowSpec, Scenario};
use seamline_scenario::{Cell, Plan};
use seamline_tcp::variant;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// By paper: what its text calls each system.
const NAMED: [(&str, &[(&str, &str)]); 5] = [
    (
        "E",
        &[
            ("Tahoe", "Tahoe"),
            ("Reno", "Reno"),
            ("NewReno", "NewReno"),
            ("SACK", "SACK"),
            ("Westwood", "Westwood"),
            ("TR-ACKs", "TR-ACKs"),
            ("Freeze-TCP", "Freeze TCP"),
            ("Freeze-TCP with timestamps", "Freeze TCP with Timestamps"),
            ("EHN", "EHN"),
            ("ELFN", "ELFN"),
            ("I-TCP (split connections)", "Indirect TCP"),
            ("M-TCP", "M-TCP"),
            ("Snoop", "Snoop TCP"),
            ("WTCP", "WTCP"),
            ("Mobile IPv4", "Mobile IP"),
            ("Mobile IPv6", "Mobile IPv6"),
            ("Hierarchical Mobile IPv6", "Hierarchical MIPv6"),
            ("Fast handovers (FMIPv6)", "Fast Handovers for MIPv6"),
            ("Simultaneous bindings", "Simultaneous Binding"),
            ("LMMD", "LMMD"),
            ("LMMD with geographical information", "LMMD extension using geographical information"),
            ("Smooth handover by small group multicast", "smooth handover using small group multicast"),
        ],
    ),
    (
        "V",
        &[
            ("Reno", "Reno"),
            ("Vegas", "TCP Vegas"),
            ("TCP-MD", "TCP-MD"),
            ("TCP-R", "TCP-R"),
            ("FxRTO", "FxRTO"),
            ("ACK buffering (Omae et al.)", "Omae"),
            ("Demo-Vegas", "Demo-Vegas"),
            ("Mobility-Vegas", "Mobility-Vegas"),
            ("Mobile IPv4", "Mobile IP"),
            ("Mobile IPv6", "Mobile IPv6"),
            ("Hierarchical Mobile IPv6", "Hierarchical Mobile IPv6"),
            ("Low-latency handoffs in Mobile IPv4", "Low Latency Handoffs in Mobile IPv4"),
        ],
    ),
    (
        "X",
        &[
            ("ECLAIR, cross-layer reset", "ECLAIR"),
            ("ECLAIR, restoring", "ECLAIR"),
            ("Mobile IPv4", "IP Mobility Support for IPv4"),
            ("Mobile IPv6", "Mobile IPv6"),
            ("Hierarchical Mobile IPv6", "Hierarchical Mobile IPv6"),
        ],
    ),
    (
        "L",
        &[
            ("Tahoe", "TCP Tahoe"),
            ("Reno", "TCP Reno"),
            ("SACK", "Selective acknowledgment"),
            ("T/TCP", "T/TCP"),
            ("I-TCP (split connections)", "Indirect-TCP"),
            ("TCP spoofing", "TCP spoofing"),
            ("Snoop", "Snoop protocol"),
            ("ELN", "explicit loss notification algorithm"),
            ("ELN-ACK", "ELN-ACK"),
            ("ARQ at the link layer (AIRMAIL)", "automatic repeat request (ARQ)"),
            ("FEC at the link layer (AIRMAIL)", "forward error correction (FEC)"),
            ("Mobile IPv4", "Mobile IP"),
        ],
    ),
    (
        "O",
        &[
            ("Reno", "Reno"),
            ("TCP-DCR", "-DCR"),
            ("Freeze-TCP", "Freeze TCP"),
            ("Snoop", "snoop"),
            ("obTCP", "obTCP"),
            ("Delayed duplicate acknowledgments", "Delayed Duplicate Acknowledgements"),
            ("Fast snoop", "ast snoop"),
            ("C-snoop", "C-snoop"),
            ("Adaptive packet combining", "(APC)"),
            ("Store and apply", "Store and apply"),
            ("Fairness control at the mobile router", "MR based fairness control"),
            ("NEMO basic support", "NEMO"),
        ],
    ),
];

#[test]
fn the_table_has_what_each_paper_names_and_nothing_else() {
    for (paper, named) in NAMED {
        let named: BTreeSet<&str> = named.iter().map(|(system, _)| *system).collect();
        let rows = systems::ALL.iter().filter(|system| system.papers.contains(paper));
        let known: BTreeSet<&str> = rows.map(|system| system.name).collect();
        assert_eq!(known, named, "paper {paper}");
    }
    let names: BTreeSet<&str> = systems::ALL.iter().map(|system| system.name).collect();
    assert_eq!(names.len(), systems::ALL.len(), "each system has one row");
}

/// The texts of the papers are not part of the program: they have to be given. Files begin with the numbers of the papers in their order here.
#[test]
fn the_texts_of_the_papers_use_these_names() {
    let Some(folder) = std::env::var_os("SEAMLINE_PAPER_TEXTS") else {
        let why = "SEAMLINE_PAPER_TEXTS names no folder with them";
        return seamline_testing::skip("the_texts_of_the_papers_use_these_names", why);
    };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), NAMED.len());
    for (file, paper) in files.iter().zip(["E", "V", "X", "L", "O"]) {
        let text = std::fs::read_to_string(file).unwrap();
        let text: Vec<&str> = text.split_whitespace().collect();
        let text = text.join(" ");
        let (_, named) = NAMED.iter().find(|(letter, _)| *letter == paper).unwrap();
        for (system, spelling) in *named {
            assert!(text.contains(spelling), "paper {paper} does not name {system} as \"{spelling}\"");
        }
    }
}

const SCENARIO: &str = r#"
duration = "10 s"
nodes = ["server", "router", "mobile"]

[[link]]
name = "wire"
from = "server"
to = "router"
rate = "10 Mbit/s"
one_way_delay = "5 ms"

[[cell]]
name = "air"
base_station = "router"
rate = "1 Mbit/s"
one_way_delay = "5 ms"

[[mobile]]
name = "mobile"
cells = ["air"]
movement = { every = "9 s" }
protocol = { kind = "mobile-ipv6", home_agent = "server" }

[[agent]]
name = "helper"
cell = "air"
kind = "snoop"

[[flow]]
name = "main"
from = "server"
to = "mobile"
variant = "reno"
"#;

/// What a protocol or a role needs besides.
fn needed_by(choice: Choice) -> Vec<String> {
    let of = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
    match (choice.table, choice.value) {
        ("mobile", "\"hmipv6\"") => of(&["mobile.mobile.protocol.mobility_anchor_point=\"router\""]),
        (_, "\"fairness\"") => of(&["agent.helper.fairness.rate=\"1 Mbit/s\""]),
        (_, "\"obtcp\"") => of(&["agent.helper.obtcp.role=\"base station\""]),
        _ => Vec::new(),
    }
}

fn set(choice: Choice) -> Vec<String> {
    let name = match choice.table {
        "flow" => "main",
        "agent" => "helper",
        "link" => "wire",
        "mobile" => "mobile",
        table => panic!("no table {table} in the scenario"),
    };
    let chosen = format!("{}.{name}.{}={}", choice.table, choice.key, choice.value);
    std::iter::once(chosen).chain(needed_by(choice)).collect()
}

#[test]
fn what_is_simulated_can_be_chosen_and_nothing_else() {
    for system in systems::ALL {
        let can_be_chosen = matches!(system.status, Status::Simulated | Status::Both);
        assert_eq!(system.choice.is_some(), can_be_chosen, "{}", system.name);
        let Some(choice) = system.choice else { continue };
        let plan = Plan::new(Path::new("systems.toml"), SCENARIO.to_owned(), &set(choice));
        if let Err(errors) = plan {
            panic!("{}: {}", system.name, errors.iter().map(|it| it.label.clone()).collect::<String>());
        }
    }
}

#[test]
fn a_wrong_value_is_not_accepted() {
    let wrong = Choice { table: "agent", key: "kind", value: "\"snoopy\"" };
    assert!(Plan::new(Path::new("systems.toml"), SCENARIO.to_owned(), &set(wrong)).is_err());
}

/// Westwood and Vegas are congestion controls, with any recovery; the others are Reno's with different recoveries.
fn is_variant(flow: &FlowSpec, name: &str) -> bool {
    let (own, known) = (flow.variant, variant::find(name, &flow.parameters).expect("a registered variant"));
    let control = own.congestion_control.name;
    control == known.congestion_control.name
        && (control != "reno" || own.recovery.name == known.recovery.name)
}

/// Whether a scenario chooses a system.
fn uses(scenario: &Scenario, choice: Choice) -> bool {
    let value = choice.value.trim_matches('"');
    match (choice.table, choice.key) {
        ("flow", "variant") => scenario.flows.iter().any(|flow| is_variant(flow, value)),
        ("flow", "handover") => {
            scenario.flows.iter().any(|flow| flow.handover.is_some_and(|scheme| scheme.name == value))
        }
        ("agent", "kind") => {
            scenario.agents.iter().any(|agent| agent.kind.is_some_and(|kind| kind.name == value))
        }
        ("mobile", "protocol.kind") => {
            let protocols = scenario.mobiles.iter().filter_map(|mobile| mobile.protocol.as_ref());
            protocols.into_iter().any(|protocol| protocol.scheme.name == value)
        }
        // The agent that sends explicit loss notifications does so for data from the mobile node, which no claim has.
        ("agent", "snoop.explicit_loss_notification") => false,
        ("link", key) => {
            let directions = scenario.links.iter().flat_map(|link| [&link.down, &link.up]);
            directions.map(|it| it.repair).any(|it| match key {
                "arq" => it.arq.is_some(),
                "fec" => it.fec.is_some(),
                key => panic!("what says that a scenario has the key {key} of links?"),
            })
        }
        // A further key of a flow: no claim uses it.
        _ => false,
    }
}

/// Whether a claim or condition measures on this cell.
fn counts(measure: &Measure, cell: &Cell) -> bool {
    let mut allowed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let of = measure.of.iter().map(|(key, value)| (key, std::slice::from_ref(value)));
    let over = measure.over.iter().map(|(key, values)| (key, values.as_slice()));
    let among = measure.among.iter().map(|(key, values)| (key, values.as_slice()));
    for (key, values) in of.chain(over).chain(among) {
        allowed.entry(key).or_default().extend(values.iter().map(String::as_str));
    }
    cell.values.iter().all(|(path, value)| {
        let (key, value) = (path.rsplit('.').next().unwrap_or(path), value.to_string());
        allowed.get(key).is_none_or(|values| values.contains(value.as_str()))
            && measure.only.get(key).is_none_or(|values| values.contains(&value))
    })
}

fn is_in(claim: &Claim, choice: Choice, plans: &BTreeMap<String, Plan>) -> bool {
    let own = std::iter::once((&claim.measure, &claim.figures));
    let also = claim.also.iter().map(|condition| {
        let figures = if condition.figures.is_empty() { &claim.figures } else { &condition.figures };
        (&condition.measure, figures)
    });
    own.chain(also).any(|(measure, figures)| {
        let cells = figures.iter().flat_map(|figure| &plans[figure].cells);
        cells.into_iter().any(|cell| counts(measure, cell) && uses(&cell.scenario, choice))
    })
}

/// Table 1 of paper E compares traits; no scenario runs for it.
fn is_in_table_1(system: &System) -> bool {
    ["I-TCP (split connections)", "Snoop", "Freeze-TCP", "EHN"].contains(&system.name)
}

#[test]
fn each_system_lists_the_claims_for_which_it_runs() {
    let mut claims: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for paper in seamline_paper::ALL {
        let plan = |(name, text): &(&str, &str)| {
            let plan = Plan::without_refused(Path::new(name), (*text).to_owned(), &[]);
            ((*name).to_owned(), plan.expect("a bundled scenario is valid"))
        };
        let plans: BTreeMap<String, Plan> = paper.scenarios.iter().map(plan).collect();
        for claim in Documents::of(paper).expect("bundled files are valid").claims.claim {
            for system in systems::ALL {
                let runs = system.choice.is_some_and(|choice| is_in(&claim, choice, &plans));
                if runs || claim.table.is_some() && is_in_table_1(system) {
                    claims.entry(system.name).or_default().insert(claim.id.clone());
                }
            }
        }
    }
    let listed = systems::ALL.iter().filter(|system| !system.claims.is_empty()).map(|system| {
        let listed: BTreeSet<String> = system.claims.iter().map(|&claim| claim.to_owned()).collect();
        (system.name, listed)
    });
    assert_eq!(listed.collect::<BTreeMap<_, _>>(), claims);
}
