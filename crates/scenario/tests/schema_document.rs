//! The JSON Schema says what the readers say. Whoever adds a key to a reader adds it to
//! `crates/scenario/src/describe`, too, and to a document that this file reads (the reference in
//! `scenarios/README.md`, or [`more_documents`]); then `UPDATE_SCHEMA=1 cargo test` writes the schema anew.

use jsonschema::Validator;
use proptest::prelude::*;
use seamline_config::codes::{Code, Place};
use seamline_config::document::parse;
use seamline_config::source::SourceId;
use seamline_scenario::describe::json_schema;
use seamline_scenario::{Diagnostic, Plan};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn schema() -> Value {
    serde_json::from_str(&json_schema()).unwrap()
}

fn validator() -> Validator {
    jsonschema::draft7::new(&schema()).unwrap()
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A document as the schema sees it; `None` when it is not TOML.
fn instance(text: &str) -> Option<Value> {
    let (table, errors) = parse(SourceId::FILE, text);
    errors.is_empty().then(|| Value::Object(table.to_json()))
}

/// What the readers say about a document.
fn complaints(text: &str) -> Vec<Diagnostic> {
    match Plan::new(Path::new("test.toml"), text.to_owned(), &[]) {
        Ok(_) => Vec::new(),
        Err(diagnostics) => diagnostics.iter().cloned().collect(),
    }
}

/// What a schema without knowledge of other keys can see.
fn is_structural(code: Code) -> bool {
    use Code::*;
    matches!(code, UnknownKey | WrongKind | UnknownChoice | UnitMissing | WrongUnit | UnclearUnit | Negative)
}

/// Good scenarios: those that ship and the reference of all keys.
fn shipped() -> Vec<(String, String)> {
    let page = include_str!("../../../scenarios/README.md");
    let reference = page.split_once("```toml\n").unwrap().1.split_once("```").unwrap().0;
    let mut all = vec![("the reference".to_owned(), reference.to_owned())];
    for entry in std::fs::read_dir(root().join("scenarios")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_str().unwrap();
        if name.ends_with(".toml") && !name.ends_with(".differences.toml") {
            all.push((path.display().to_string(), std::fs::read_to_string(path).unwrap()));
        }
    }
    all
}

/// Every kind of queue, error model, schedule and handover, with all its keys.
fn more_documents() -> Vec<(String, String)> {
    let fates = "queued = \"keep\", in_service = \"drop\", in_flight = \"drop\", arriving = \"wait\"";
    let cellular = format!(
        "speed = \"60 km/h\", handover_distance = \"1 km\", mean_rate = \"9 Mbit/s\", one_way_delay = \"9 ms\", \
         variation = \"6 %\", correlation = 0.5, recovery = [\"70 %\"], interruption = [\"3 ms\", \"9 ms\"], {fates}"
    );
    let recording = "file = \"x\", start = \"1 s\", reordering = \"allowed\"";
    let links = [
        "queue = { discipline = \"unlimited\" }".to_owned(),
        "queue = { discipline = \"drop-tail\", limit = \"9 kB\", meaning = \"ns-2\" }".to_owned(),
        "queue = { discipline = \"codel\", target = \"5 ms\", interval = \"9 ms\", maximum_packet = 9, limit = \"9 packets\" }".to_owned(),
        "loss = { model = \"list\", indices = [1, 2], place = \"end\", applies_to = \"all\" }".to_owned(),
        "loss = { model = \"list\", indices = 7 }".to_owned(),
        "loss = { model = \"outage\", period = \"9 s\", length = \"1 s\" }".to_owned(),
        "loss = { model = \"trace\", file = \"x\" }".to_owned(),
        format!("handover = {{ at = [\"1 s\", \"2 s\"], interruption = \"9 ms\", {fates} }}"),
        format!(
            "schedule = {{ kind = \"starlink\", second_of_minute = \"1 s\", ground_one_way_delay = \"9 ms\", \
             capacity = [\"1 Mbit/s\", \"9 Mbit/s\"], space_one_way_delay = \"5 ms\", variation = \"5 %\", \
             correlation = 0.5, interruption = \"80 ms\", {fates} }}"
        ),
        format!("schedule = {{ kind = \"lte\", {cellular} }}"),
        format!("schedule = {{ kind = \"5g-nsa-low\", {cellular} }}"),
        format!("schedule = {{ kind = \"5g-nsa-mmwave\", {cellular} }}"),
        format!("schedule = {{ kind = \"5g-nsa-mmwave-addition\", {cellular} }}"),
        format!("schedule = {{ kind = \"mahimahi\", {recording} }}"),
        format!("schedule = {{ kind = \"delay-series\", interval = \"10 ms\", {recording} }}"),
        format!("schedule = {{ kind = \"leoem\", interruption = \"10 ms\", {recording}, {fates} }}"),
        format!(
            "schedule = {{ kind = \"csv\", time = {{ column = \"t\", unit = \"s\" }}, rate = {{ column = \"r\", unit = \"B/s\" }}, \
             one_way_delay = {{ column = \"d\", unit = \"ms\" }}, loss = {{ column = \"l\", unit = \"%\" }}, {recording} }}"
        ),
    ];
    let flow = "variant = \"reno\"\nhandover = \"none\"\nehn = { resume_with = \"slow start\" }\n\
                tr_acks = { acknowledgments = 3, after = \"recovery\" }\n\
                freeze = { acknowledgments = 3, patience = \"1 s\", longest_disconnection = \"9 s\" }";
    let mut all = vec![("handover schemes".to_owned(), scenario("", "", flow, ""))];
    all.extend(links.into_iter().map(|link| (link.clone(), scenario("", &link, "variant = \"reno\"", ""))));
    all
}

fn scenario(top: &str, link: &str, flow: &str, end: &str) -> String {
    let delays =
        if link.contains("schedule") { "" } else { "rate = \"1 Mbit/s\"\none_way_delay = \"9 ms\"\n" };
    let ends = "from = \"a\"\nto = \"b\"\n";
    format!(
        "duration = \"30 s\"\nnodes = [\"a\", \"b\"]\n{top}\n[[link]]\nname = \"radio\"\n{ends}{delays}{link}\n\
         [[flow]]\nname = \"main\"\n{ends}{flow}\n{end}\n"
    )
}

/// A document without its grid, which would set other values in place of those that a test sets; with it where
/// the scenario needs it.
fn bare(text: &str) -> Value {
    let mut document = instance(text).unwrap();
    let grid = document.as_object_mut().unwrap().remove("grid");
    if let Some(grid) =
        grid.filter(|_| complaints(&written(&document)).iter().any(|it| it.code == Code::Missing))
    {
        document["grid"] = grid;
    }
    document
}

/// Where a value stands in a document.
type Way = Vec<Step>;

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Item(usize),
}

/// All tables and all other values below a value, the grid left out: its keys are free.
fn places(value: &Value, path: &Way, tables: &mut Vec<Way>, leaves: &mut Vec<Way>) {
    let below = |step: Step| path.iter().cloned().chain([step]).collect::<Way>();
    match value {
        Value::Object(entries) => {
            tables.push(path.clone());
            for (key, value) in entries.iter().filter(|(key, _)| *key != "grid") {
                places(value, &below(Step::Key(key.clone())), tables, leaves);
            }
        }
        Value::Array(items) => {
            for (place, value) in items.iter().enumerate() {
                places(value, &below(Step::Item(place)), tables, leaves);
            }
        }
        _ => leaves.push(path.clone()),
    }
}

fn at<'a>(value: &'a mut Value, path: &[Step]) -> &'a mut Value {
    path.iter().fold(value, |value, step| match step {
        Step::Key(key) => &mut value[key.as_str()],
        Step::Item(place) => &mut value[*place],
    })
}

/// A document as TOML again. JSON's null stands nowhere in it.
fn written(document: &Value) -> String {
    toml::to_string(document).unwrap()
}

/// The parts of the schema that apply to a value, references and choices of kinds followed.
fn applying<'a>(schema: &'a Value, part: &'a Value, instance: &Value) -> Vec<&'a Value> {
    let mut parts = vec![part];
    if let Some(reference) = part["$ref"].as_str() {
        parts.extend(applying(schema, schema.pointer(&reference[1..]).unwrap(), instance));
    }
    for case in part["allOf"].as_array().into_iter().chain(part["anyOf"].as_array()).flatten() {
        let is_kind = |(name, wanted): (&String, &Value)| instance[name.as_str()] == wanted["const"];
        match case["if"]["properties"].as_object() {
            Some(kinds) if kinds.iter().all(is_kind) => parts.push(&case["then"]),
            Some(_) => {}
            None => parts.extend(applying(schema, case, instance)),
        }
    }
    parts
}

/// The parts that apply at a place of a document.
fn parts_at<'a>(schema: &'a Value, document: &Value, path: &[Step]) -> Vec<&'a Value> {
    let mut parts = applying(schema, schema, document);
    let mut value = document;
    for step in path {
        let next: Vec<&Value> = match step {
            Step::Key(key) => {
                value = &value[key.as_str()];
                // What a kind says of a key counts more than what any kind may say.
                let own = parts.iter().rev().find_map(|part| part["properties"].get(key));
                own.into_iter().collect()
            }
            Step::Item(place) => {
                value = &value[*place];
                parts.iter().map(|part| &part["items"]).filter(|items| !items.is_null()).collect()
            }
        };
        parts = next.into_iter().flat_map(|part| applying(schema, part, value)).collect();
    }
    parts
}

/// The keys of a table by the schema.
fn keys(parts: &[&Value]) -> BTreeSet<String> {
    let names = |part: &&Value| part["propertyNames"]["enum"].as_array().cloned();
    let strings = |names: Vec<Value>| names.iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    if let Some(names) = parts.iter().find_map(names) {
        return strings(names);
    }
    let properties = parts.iter().filter_map(|part| part["properties"].as_object());
    properties.flat_map(|properties| properties.keys().cloned()).collect()
}

/// The names in a tip such as "available keys: a, b".
fn listed(complaints: &[Diagnostic], code: Code) -> Option<BTreeSet<String>> {
    let tips = complaints.iter().filter(|it| it.code == code).flat_map(|it| &it.tips);
    let names = tips.into_iter().find_map(|tip| tip.strip_prefix("available ")?.split_once(": "))?.1;
    Some(names.split(", ").map(str::to_owned).collect())
}

const NOBODY: &str = "zzzzzzzzzzzzzzzzzzzzzzzz";

#[test]
fn every_key_that_is_read_is_described_and_the_other_way_round() {
    let schema = schema();
    let mut read: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for (name, text) in shipped().into_iter().chain(more_documents()) {
        let document = instance(&text).unwrap();
        let mut tables = Vec::new();
        places(&document, &Vec::new(), &mut tables, &mut Vec::new());
        for path in tables {
            let mut document = document.clone();
            let described = keys(&parts_at(&schema, &document, &path));
            at(&mut document, &path)[NOBODY] = json!(1);
            let mut asked = listed(&complaints(&written(&document)), Code::UnknownKey)
                .unwrap_or_else(|| panic!("{name}: {path:?}: no keys are listed"));
            let outermost = path.is_empty();
            // Taken out of the document before it is read.
            asked.extend(outermost.then(|| "grid".to_owned()));
            let extra: Vec<_> = asked.difference(&described).collect();
            assert!(
                extra.is_empty(),
                "{name}: {path:?} reads {extra:?}: add it to crates/scenario/src/describe"
            );
            let kind =
                ["kind", "model", "discipline"].map(|key| at(&mut document, &path)[key].to_string()).concat();
            let name = path.iter().rev().find_map(|step| match step {
                Step::Key(key) => Some(key.as_str()),
                Step::Item(_) => None,
            });
            let table = format!("{} {kind}", name.unwrap_or("outermost"));
            let entry = read.entry(table).or_default();
            entry.0.extend(described);
            entry.1.extend(asked);
        }
    }
    assert!(read.len() > 20, "{}", read.len());
    for (table, (described, asked)) in read {
        let unread: Vec<_> = described.difference(&asked).collect();
        assert!(unread.is_empty(), "{table}: {unread:?} is described but never read");
    }
}

#[test]
fn choices_have_the_same_names() {
    let schema = schema();
    let mut seen = 0;
    for (name, text) in shipped().into_iter().chain(more_documents()) {
        let document = bare(&text);
        let mut leaves = Vec::new();
        places(&document, &Vec::new(), &mut Vec::new(), &mut leaves);
        for path in leaves {
            let mut document = document.clone();
            let parts = parts_at(&schema, &document, &path);
            let described = parts.iter().find_map(|part| part["enum"].as_array()).cloned();
            *at(&mut document, &path) = json!(NOBODY);
            let known = listed(&complaints(&written(&document)), Code::UnknownChoice);
            let described =
                described.map(|names| names.iter().map(|it| it.as_str().unwrap().to_owned()).collect());
            assert_eq!(known, described, "{name}: {path:?}");
            seen += usize::from(known.is_some());
        }
    }
    assert!(seen > 60, "{seen}");
}

/// Both say the same about a document, as far as one can see without looking at several keys at once.
fn agree(validator: &Validator, text: &str) -> Result<bool, String> {
    let Some(document) = instance(text) else { return Ok(false) };
    let complaints = complaints(text);
    let refused = !validator.is_valid(&document);
    let structural: Vec<_> = complaints.iter().filter(|it| is_structural(it.code)).collect();
    if refused && complaints.is_empty() {
        let reasons: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        return Err(format!("only the schema refuses:\n{text}\n{}", reasons.join("\n")));
    }
    if !refused && !structural.is_empty() && !text.contains("[grid") {
        return Err(format!("only the readers refuse:\n{text}\n{structural:?}"));
    }
    Ok(true)
}

#[test]
fn what_ships_is_accepted() {
    let validator = validator();
    for (name, text) in shipped().into_iter().chain(more_documents()) {
        let document = instance(&text).unwrap();
        let reasons: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(reasons.is_empty(), "{name}: {reasons:?}");
    }
}

/// Every value of every document in turn is replaced by what people write by mistake.
#[test]
fn one_mistake_anywhere_is_seen_by_both_or_by_the_readers_alone() {
    let validator = validator();
    let mistakes = [
        json!(true),
        json!(-3),
        json!(0.25),
        json!({ "zz": 1 }),
        json!([[]]),
        json!("5"),
        json!("5 parsecs"),
        json!("5 Mbps"),
        json!("-5 ms"),
        json!("5 KB"),
        json!("5 %"),
    ];
    let mut seen = 0;
    for (_, text) in shipped().into_iter().chain(more_documents()) {
        let document = bare(&text);
        let mut leaves = Vec::new();
        places(&document, &Vec::new(), &mut Vec::new(), &mut leaves);
        for path in &leaves {
            for mistake in &mistakes {
                let mut document = document.clone();
                *at(&mut document, path) = mistake.clone();
                seen += usize::from(
                    agree(&validator, &written(&document)).unwrap_or_else(|reason| panic!("{reason}")),
                );
            }
        }
    }
    assert!(seen > 2000, "{seen}");
}

#[test]
fn the_examples_of_the_codes_are_judged_alike() {
    let validator = validator();
    let mut refused = 0;
    for code in Code::all() {
        let it = code.explanation();
        let text = match it.place {
            Place::Top => scenario(it.wrong, "", "variant = \"reno\"", ""),
            Place::Link => scenario("", it.wrong, "variant = \"reno\"", ""),
            Place::Flow => scenario("", "", it.wrong, ""),
            Place::End => scenario("", "", "variant = \"reno\"", it.wrong),
            Place::Override => continue,
        };
        agree(&validator, &text).unwrap_or_else(|reason| panic!("{code}: {reason}"));
        refused += usize::from(instance(&text).is_some_and(|document| !validator.is_valid(&document)));
    }
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        agree(&validator, &text).unwrap_or_else(|reason| panic!("{reason}"));
    }
    assert!(refused > 3, "{refused}");
}

const PIECES: [&str; 16] = [
    "",
    "\"",
    "[",
    "]",
    "=",
    ".",
    "\n",
    "#",
    "-1",
    "nan",
    "\"-5 ms\"",
    "true",
    "[]",
    "{}",
    "\"0 s\"",
    "1979-05-27",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]
    /// However a file is damaged, an editor never complains about what can be run.
    #[test]
    fn the_schema_refuses_nothing_that_can_be_run(
        example in 0usize..6,
        damages in prop::collection::vec((any::<usize>(), 0usize..12, prop::sample::select(PIECES.to_vec())), 1..3),
    ) {
        let shipped = shipped();
        // Where the grid sets a value, what the file says of it does not count.
        let text = &shipped[example % shipped.len()].1;
        let mut text = match (text.split_once("[grid]"), text.split_once("[output]")) {
            (Some((before, _)), Some((_, after))) => format!("{before}[output]{after}"),
            _ => text.clone(),
        };
        for (place, length, piece) in damages {
            let start = text.floor_char_boundary(place % (text.len() + 1));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end, piece);
        }
        if let Some(document) = instance(&text) && complaints(&text).is_empty() {
            let reasons: Vec<String> = validator().iter_errors(&document).map(|error| error.to_string()).collect();
            prop_assert!(reasons.is_empty(), "{text}\n{reasons:?}");
        }
    }
}

/// The committed schema is the one that the program prints.
#[test]
fn the_committed_schema_is_current() {
    let path = root().join("docs/scenario.schema.json");
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, json_schema()).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == json_schema(), "docs/scenario.schema.json is out of date: run with UPDATE_SCHEMA=1");
}
