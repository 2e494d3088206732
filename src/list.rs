//! `seamline list [KIND]`

use crate::Outcome;
use crate::bundled;
use crate::format::FormatOption;
use clap::ValueEnum;
use seamline_cli::hanging;
use seamline_mobility::protocol as mobility;
use seamline_paper::systems::{self, System};
use seamline_report::export::json_rows;
use seamline_report::export::table::Table;
use seamline_report::text_table::{aligned, indented};
use seamline_scenario::keys::{KindShape, key_list, key_paths};
use seamline_scenario::schema::{agent, description, kinds, protocol, with_historical};
use seamline_tcp::{backoff, cc, handover, profile, recovery, variant};

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    Variants,
    CongestionControls,
    Recoveries,
    Backoffs,
    #[value(alias = "handovers")]
    Schemes,
    Profiles,
    Generators,
    Recordings,
    ErrorModels,
    MobilityProtocols,
    Agents,
    Systems,
    Keys,
    Demos,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The kind to list [default: all]
    #[arg(value_enum)]
    kind: Option<Kind>,
    #[command(flatten)]
    format: FormatOption,
    /// List the profiles and keys that only comparisons with older work need (ns-2)
    #[arg(long, conflicts_with = "kind")]
    historical: bool,
}

/// Name, summary, source (may be empty).
pub(crate) type Entry = (&'static str, &'static str, &'static str);

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    if arguments.historical {
        return arguments.format.print_rows(historical, historical_rows);
    }
    let all = || Kind::value_variants().iter().copied().filter(|kind| *kind != Kind::Keys);
    let kinds: Vec<Kind> = arguments.kind.map_or_else(|| all().collect(), |kind| vec![kind]);
    let text = || {
        let sections: Vec<String> = kinds.iter().map(|kind| section(*kind)).collect();
        let keys = "\nKeys of scenario files: seamline list keys\n";
        sections.join("\n") + if arguments.kind.is_none() { keys } else { "" }
    };
    match arguments.kind {
        Some(Kind::Systems) => arguments.format.print(text, of_systems, || Ok(systems_as_json())),
        Some(_) => arguments.format.print_rows(text, || rows(&kinds)),
        None => arguments.format.print(text, || rows(&kinds), || Ok(everything_as_json(&rows(&kinds)))),
    }
}

/// One document with all choices, and all systems of the papers.
fn everything_as_json(choices: &Table) -> String {
    let choices = json_rows(choices);
    format!("{{\n\"choices\": {},\n\"systems\": {}\n}}\n", choices.trim_end(), systems_as_json().trim_end())
}

/// An array with an object for each system that the papers name.
fn systems_as_json() -> String {
    let object = |it: &System| {
        serde_json::json!({
            "name": it.name,
            "paper": it.papers,
            "status": it.status.name(),
            "claims": it.claims,
            "chosen_by": it.choice.map(|_| chosen_by(it)),
        })
    };
    let objects: Vec<serde_json::Value> = systems::ALL.iter().map(object).collect();
    format!("{:#}\n", serde_json::Value::Array(objects))
}

/// The systems that the papers name, a row each.
fn of_systems() -> Table {
    let rows = || systems::ALL.iter();
    let claims = |system: &System| system.claims.join(" ");
    Table::new("systems")
        .text("name", rows().map(|it| it.name.to_owned()))
        .text("paper", rows().map(|it| it.papers.to_owned()))
        .text("status", rows().map(|it| it.status.name().to_owned()))
        .text("claims", rows().map(claims))
        .text("chosen_by", rows().map(chosen_by))
}

/// What a scenario says to choose it: `flow: variant = "reno"`.
fn chosen_by(system: &System) -> String {
    system.choice.map_or(String::new(), |it| format!("{}: {} = {}", it.table, it.key, it.value))
}

fn section_of_systems() -> String {
    let rows: Vec<Vec<String>> = systems::ALL.iter().map(columns).collect();
    format!("{}\n{}", headline(Kind::Systems), indented(&aligned(&rows, "llll")))
}

/// Name, papers, status or how it is chosen, claims.
pub(crate) fn columns(system: &System) -> Vec<String> {
    let claims = system.claims.join(" ");
    vec![
        system.name.to_owned(),
        system.papers.to_owned(),
        system.status.name().to_owned(),
        chosen_by(system),
        claims,
    ]
}

/// All entries of these kinds.
fn rows(kinds: &[Kind]) -> Table {
    let keys = key_paths(&description());
    choices(kinds.iter().map(|kind| match kind {
        Kind::Keys => (*kind, entries_of_keys(&keys)),
        kind => (*kind, entries(*kind)),
    }))
}

/// What only comparisons with older work need.
fn historical_rows() -> Table {
    let keys = historical_keys();
    choices([(Kind::Profiles, profiles(true)), (Kind::Keys, entries_of_keys(&keys))].into_iter())
}

/// A row for each entry.
fn choices<'a>(sections: impl Iterator<Item = (Kind, Vec<(&'a str, &'a str, &'a str)>)>) -> Table {
    let rows: Vec<[String; 4]> = sections
        .flat_map(|(kind, entries)| {
            let kind = kind.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned());
            let row = move |(name, about, source): (&str, &str, &str)| {
                [kind.clone(), name.to_owned(), about.to_owned(), source.to_owned()]
            };
            entries.into_iter().map(row).collect::<Vec<_>>()
        })
        .collect();
    let column = |place: usize| rows.iter().map(move |row| row[place].clone());
    Table::new("choices")
        .text("kind", column(0))
        .text("name", column(1))
        .text("about", column(2))
        .text("source", column(3))
}

fn entries_of_keys<'a>(keys: &'a [(String, &'static str)]) -> Vec<(&'a str, &'a str, &'a str)> {
    keys.iter().map(|(path, about)| (path.as_str(), *about, "")).collect()
}

fn section(kind: Kind) -> String {
    if kind == Kind::Keys {
        return key_list("Keys of scenario files (all: docs/reference/keys.md)", &description());
    }
    if kind == Kind::Systems {
        return section_of_systems();
    }
    table(headline(kind), entries(kind))
}

fn table(headline: &str, entries: Vec<Entry>) -> String {
    let row = |(name, summary, cite): Entry| {
        let cite = if cite.is_empty() { String::new() } else { format!("  [{cite}]") };
        vec![name.to_owned(), format!("{summary}{cite}")]
    };
    let rows: Vec<Vec<String>> = entries.into_iter().map(row).collect();
    let longest = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0);
    // Elsewhere than in a terminal, one line is one entry.
    let width = seamline_cli::columns().unwrap_or(usize::MAX);
    let text = indented(&aligned(&rows, "l"));
    let lines = text.lines().map(|line| hanging(line, longest + 4, width) + "\n");
    format!("{headline}\n{}", lines.collect::<String>())
}

fn historical() -> String {
    let keys = historical_keys().into_iter().map(|(path, about)| vec![path, about.to_owned()]);
    let keys: Vec<Vec<String>> = keys.collect();
    let profiles = table("Historical profiles (flow: profile = ...)", profiles(true));
    format!("{profiles}\nHistorical keys of scenario files\n{}", indented(&aligned(&keys, "l")))
}

/// The path of each historical key, and what it is.
fn historical_keys() -> Vec<(String, &'static str)> {
    let current = key_paths(&description());
    key_paths(&with_historical()).into_iter().filter(|key| !current.contains(key)).collect()
}

fn profiles(is_historical: bool) -> Vec<Entry> {
    let wanted = profile::ALL.iter().filter(|it| it.is_historical == is_historical);
    wanted.map(|it| (it.name, it.summary, it.cite)).collect()
}

pub(crate) fn headline(kind: Kind) -> &'static str {
    match kind {
        Kind::Variants => "Variants (flow: variant = ...)",
        Kind::CongestionControls => "Congestion controls (flow: congestion_control = ...)",
        Kind::Recoveries => "Recoveries (flow: recovery = ...)",
        Kind::Backoffs => "Back-off of the retransmission timeout (flow: tcp = { rto_backoff = ... })",
        Kind::Schemes => "Handover schemes (flow: handover = ...)",
        Kind::Profiles => "Profiles (flow: profile = ...)",
        Kind::Generators => "Generators (link: schedule = { kind = ... })",
        Kind::Recordings => "Recordings (link: schedule = { kind = ..., file = ... })",
        Kind::ErrorModels => "Error models (link: loss = { model = ... })",
        Kind::MobilityProtocols => "Mobility protocols (mobile: protocol = { kind = ... })",
        Kind::Agents => "Agents (agent: kind = ...)",
        Kind::Systems => {
            "Systems that the reproduced papers name (paper; status; how a scenario chooses it; claims)"
        }
        Kind::Keys => "Keys of scenario files",
        Kind::Demos => "Demos (seamline demo ...)",
    }
}

pub(crate) fn entries(kind: Kind) -> Vec<Entry> {
    let of_kinds = |table, wanted: fn(&KindShape) -> bool| {
        let kinds = kinds(table).into_iter().filter(wanted).map(|kind| kind.choice);
        kinds.map(|choice| (choice.name, choice.about, choice.cite)).collect()
    };
    match kind {
        Kind::Variants => variant::all().map(|it| (it.name, it.summary, it.cite)).collect(),
        Kind::CongestionControls => cc::all().map(|it| (it.name, it.summary, it.cite)).collect(),
        Kind::Recoveries => recovery::ALL.iter().map(|it| (it.name, it.summary, it.cite)).collect(),
        Kind::Backoffs => backoff::ALL.iter().map(|it| (it.name, it.summary, it.cite)).collect(),
        Kind::Schemes => handover::all().map(|it| (it.name, it.summary, it.cite)).collect(),
        Kind::Profiles => profiles(false),
        Kind::Generators => of_kinds("schedule", |kind| kind.table.key("file").is_none()),
        Kind::Recordings => of_kinds("schedule", |kind| kind.table.key("file").is_some()),
        Kind::ErrorModels => of_kinds("loss", |_| true),
        Kind::MobilityProtocols => {
            let none = std::iter::once((protocol::NONE.0, protocol::NONE.1, ""));
            none.chain(mobility::ALL.iter().map(|it| (it.name, it.summary, it.cite))).collect()
        }
        Kind::Agents => {
            let none = std::iter::once((agent::NONE.0, agent::NONE.1, ""));
            none.chain(seamline_agent::all().map(|it| (it.name, it.summary, it.cite))).collect()
        }
        Kind::Systems | Kind::Keys => Vec::new(),
        Kind::Demos => bundled::ALL.iter().map(|it| (it.name, it.summary, "")).collect(),
    }
}
