//! `seamline list [KIND]`

use crate::Outcome;
use crate::bundled;
use crate::format::FormatOption;
use clap::ValueEnum;
use seamline_mobility::protocol as mobility;
use seamline_report::export::table::Table;
use seamline_report::text_table::{aligned, indented};
use seamline_scenario::keys::{KindShape, key_list, key_paths};
use seamline_scenario::schema::{agent, description, kinds, protocol};
use seamline_tcp::{cc, handover, profile, recovery, variant};

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Variants,
    CongestionControls,
    Recoveries,
    Handovers,
    Profiles,
    Generators,
    Recordings,
    ErrorModels,
    MobilityProtocols,
    Agents,
    Keys,
    Demos,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Only these
    #[arg(value_enum)]
    kind: Option<Kind>,
    #[command(flatten)]
    format: FormatOption,
}

/// Name, summary, source (may be empty).
type Entry = (&'static str, &'static str, &'static str);

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let all = || Kind::value_variants().iter().copied().filter(|kind| *kind != Kind::Keys);
    let kinds: Vec<Kind> = arguments.kind.map_or_else(|| all().collect(), |kind| vec![kind]);
    let text = || {
        let sections: Vec<String> = kinds.iter().map(|kind| section(*kind)).collect();
        let keys = "\nKeys of scenario files: seamline list keys\n";
        sections.join("\n") + if arguments.kind.is_none() { keys } else { "" }
    };
    arguments.format.print_rows(text, || table(&kinds))
}

/// All entries of these kinds.
fn table(kinds: &[Kind]) -> Table {
    let keys = key_paths(&description());
    let of_kind = |kind: &Kind| {
        let name = kind.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned());
        let entries = match kind {
            Kind::Keys => keys.iter().map(|(path, about)| (path.as_str(), *about, "")).collect(),
            kind => entries(*kind),
        };
        entries.into_iter().map(move |entry| (name.clone(), entry)).collect::<Vec<_>>()
    };
    let rows: Vec<(String, (&str, &str, &str))> = kinds.iter().flat_map(of_kind).collect();
    Table::new("choices")
        .text("kind", rows.iter().map(|(kind, _)| kind.clone()))
        .text("name", rows.iter().map(|(_, entry)| entry.0.to_owned()))
        .text("about", rows.iter().map(|(_, entry)| entry.1.to_owned()))
        .text("source", rows.iter().map(|(_, entry)| entry.2.to_owned()))
}

fn section(kind: Kind) -> String {
    if kind == Kind::Keys {
        return key_list("Keys of scenario files (all: docs/reference/keys.md)", &description());
    }
    let row = |(name, summary, cite): Entry| {
        let cite = if cite.is_empty() { String::new() } else { format!("  [{cite}]") };
        vec![name.to_owned(), format!("{summary}{cite}")]
    };
    let rows: Vec<Vec<String>> = entries(kind).into_iter().map(row).collect();
    format!("{}\n{}", headline(kind), indented(&aligned(&rows, "l")))
}

/// All that can be listed as tables in Markdown.
#[cfg(all(test, target_os = "linux"))]
pub(crate) fn markdown() -> String {
    let kinds = Kind::value_variants().iter().filter(|kind| ![Kind::Keys, Kind::Demos].contains(kind));
    let tables = kinds.map(|kind| {
        let rows = entries(*kind)
            .into_iter()
            .map(|(name, about, cite)| format!("| `{name}` | {about} | {cite} |\n"));
        let (title, usage) = headline(*kind).split_once(" (").unwrap();
        let usage = usage.trim_end_matches(')');
        format!(
            "\n## {title}\n\nIn a scenario: `{usage}`\n\n| name | what it is | source |\n|---|---|---|\n{}",
            rows.collect::<String>()
        )
    });
    tables.collect()
}

fn headline(kind: Kind) -> &'static str {
    match kind {
        Kind::Variants => "Variants (flow: variant = ...)",
        Kind::CongestionControls => "Congestion controls (flow: congestion_control = ...)",
        Kind::Recoveries => "Recoveries (flow: recovery = ...)",
        Kind::Handovers => "Handover schemes (flow: handover = ...)",
        Kind::Profiles => "Profiles (flow: profile = ...)",
        Kind::Generators => "Generators (link: schedule = { kind = ... })",
        Kind::Recordings => "Recordings (link: schedule = { kind = ..., file = ... })",
        Kind::ErrorModels => "Error models (link: loss = { model = ... })",
        Kind::MobilityProtocols => "Mobility protocols (mobile: protocol = { kind = ... })",
        Kind::Agents => "Agents (agent: kind = ...)",
        Kind::Keys => "Keys of scenario files",
        Kind::Demos => "Demos (seamline demo ...)",
    }
}

fn entries(kind: Kind) -> Vec<Entry> {
    let of_kinds = |table, wanted: fn(&KindShape) -> bool| {
        let kinds = kinds(table).into_iter().filter(wanted).map(|kind| kind.choice);
        kinds.map(|choice| (choice.name, choice.about, choice.cite)).collect()
    };
    match kind {
        Kind::Variants => variant::all().map(|it| (it.name, it.summary, it.cite)).collect(),
        Kind::CongestionControls => cc::all().map(|it| (it.name, it.summary, it.cite)).collect(),
        Kind::Recoveries => recovery::ALL.iter().map(|it| (it.name, it.summary, it.cite)).collect(),
        Kind::Handovers => handover::ALL.iter().map(|it| (it.name, it.summary, it.cite)).collect(),
        Kind::Profiles => profile::ALL.iter().map(|it| (it.name, it.summary, it.cite)).collect(),
        Kind::Generators => of_kinds("schedule", |kind| kind.table.key("file").is_none()),
        Kind::Recordings => of_kinds("schedule", |kind| kind.table.key("file").is_some()),
        Kind::ErrorModels => of_kinds("loss", |_| true),
        Kind::MobilityProtocols => {
            let none = std::iter::once((protocol::NONE.0, protocol::NONE.1, ""));
            none.chain(mobility::ALL.iter().map(|it| (it.name, it.summary, it.cite))).collect()
        }
        Kind::Agents => {
            let none = std::iter::once((agent::NONE.0, agent::NONE.1, ""));
            none.chain(seamline_agent::ALL.iter().map(|it| (it.name, it.summary, it.cite))).collect()
        }
        Kind::Keys => Vec::new(),
        Kind::Demos => bundled::ALL.iter().map(|it| (it.name, it.summary, "")).collect(),
    }
}
