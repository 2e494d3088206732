//! The tables of keys hold: every key is accepted by the reader and by the JSON Schema, and does nothing when it is set to its default.
//! Documents for new keys are made here; one that needs a value which its kind does not tell, such as a file, goes into
//! [`more_documents`]. `UPDATE_REFERENCE=1 cargo test` writes the schema and the page of reference again.

use jsonschema::Validator;
use proptest::prelude::*;
use seamline_config::codes::{Code, Place};
use seamline_config::document::parse;
use seamline_config::source::SourceId;
use seamline_config::units::Quantity;
use seamline_scenario::keys::{KeyShape, Shape, TableShape};
use seamline_scenario::schema::{description, json_schema, reference, with_historical};
use seamline_scenario::{Diagnostic, Plan};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

fn schema() -> Value {
    serde_json::from_str(&json_schema(&with_historical())).unwrap()
}

/// It takes long to build, and thousands of documents are shown to it.
fn validator() -> &'static Validator {
    static BUILT: LazyLock<Validator> = LazyLock::new(|| jsonschema::draft7::new(&schema()).unwrap());
    &BUILT
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

/// Good scenarios: those that ship, and one with most keys.
fn shipped() -> Vec<(String, String)> {
    let mut all = vec![("every_key.toml".to_owned(), include_str!("../every_key.toml").to_owned())];
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
        "queue = { discipline = \"drop-tail\", limit = \"9 kB\" }".to_owned(),
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
        format!(
            "rate = \"1 Mbit/s\"\nschedule = {{ kind = \"orbit\", shell = \"kuiper-1\", terminal = [47.6, -122.3], \
             gateway = [[47.5, -121.8], [45.0, -120.0]], relay = \"inter-satellite\", policy = \"longest\", \
             switch = \"break-before-make\", interruption = \"60 ms\", minimum_elevation = 20, at = \"2026-11-27\", \
             start_within = \"0 s\", step = \"500 ms\", processing_delay = \"2 ms\", ground_one_way_delay = \"3 ms\", {fates} }}"
        ),
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
                freeze = { acknowledgments = 3, timeout = \"1 s\", longest_disconnection = \"9 s\" }";
    let eclair = "variant = \"reno\"\neclair_restore = { freeze = true, without_product = \"unchanged\", notices = 3, \
                  notice_interval = \"1 s\", timeout = \"1 s\", longest_disconnection = \"9 s\" }";
    let mut all = vec![
        ("handover schemes".to_owned(), scenario("", "", flow, "")),
        ("eclair".to_owned(), scenario("", "", eclair, "")),
        ("forwarding".to_owned(), mobile("kind = \"none\"", "forward_departed = \"9 packets\"")),
    ];
    let anchors = [
        ("mobile-ipv6", "home_agent = \"a\""),
        ("mobile-ipv4-simultaneous-bindings", "home_agent = \"a\", simultaneous_bindings = \"2 s\""),
        ("mobile-ipv4-pre-registration", "home_agent = \"a\", simultaneous_bindings = \"2 s\""),
        ("mobile-ipv4-post-registration", "home_agent = \"a\""),
        ("mobile-ipv6-route-optimization", "home_agent = \"a\""),
        ("fmipv6", "home_agent = \"a\""),
        ("fmipv6-predictive", "home_agent = \"a\""),
        ("hmipv6", "home_agent = \"a\", mobility_anchor_point = \"b\""),
        ("nemo", "home_agent = \"a\""),
    ];
    all.extend(anchors.map(|(kind, anchors)| {
        let keys = "advertisement_interval = \"1 s\", advertisement_jitter = \"9 ms\", advertisement_lifetime = \"9 s\", \
                    movement_detection = \"lazy\", registration_lifetime = \"9 s\", layer_2_triggers = true, \
                    registration_retransmission = \"2 s\", registered_at_start = false";
        (kind.to_owned(), mobile(&format!("kind = \"{kind}\", {anchors}, {keys}"), ""))
    }));
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

/// A scenario with a mobile node that has this protocol, in a cell with these keys.
fn mobile(protocol: &str, cell: &str) -> String {
    let nodes = "nodes = [\"a\", \"b\", \"m\"]";
    let end = format!(
        "[[cell]]\nname = \"air\"\nbase_station = \"b\"\nrate = \"1 Mbit/s\"\none_way_delay = \"1 ms\"\n{cell}\n\
         [[mobile]]\nname = \"m\"\ncells = [\"air\"]\nmovement = {{ every = \"9 s\" }}\nprotocol = {{ {protocol} }}"
    );
    scenario("", "", "variant = \"reno\"", &end).replace("nodes = [\"a\", \"b\"]", nodes)
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

/// Visit a table of a document and the tables in it, each with what describes it: the name of the table, its place, and its keys
/// with those of its kinds.
fn visit<'t>(
    (name, table): (&str, &'t TableShape),
    document: &Value,
    path: &Way,
    visitor: &mut impl FnMut(&str, &Way, &[(&'t str, &'t KeyShape)]),
) {
    let mut keys: Vec<(&str, &KeyShape)> = table.keys.iter().map(|key| ("", key)).collect();
    for selector in &table.keys {
        for kind in &selector.kinds {
            if document[selector.name] == kind.choice.name {
                keys.extend(kind.table.keys.iter().map(|key| (kind.choice.name, key)));
            }
        }
    }
    visitor(name, path, &keys);
    for (kind, key) in keys {
        let (Some(inner), value) = (key.takes.table(), &document[key.name]) else { continue };
        let own = format!("{name} {kind}.{}", key.name);
        let inner = (inner.definition.unwrap_or(&own), inner);
        let at = |further: &[Step]| path.iter().chain(further).cloned().collect::<Way>();
        let key = Step::Key(key.name.to_owned());
        match value {
            Value::Object(_) => visit(inner, value, &at(&[key]), visitor),
            Value::Array(items) => {
                for (place, item) in items.iter().enumerate() {
                    visit(inner, item, &at(&[key.clone(), Step::Item(place)]), visitor);
                }
            }
            _ => {}
        }
    }
}

/// All keys, each with its table and kind.
fn all_keys(name: &str, table: &TableShape, found: &mut BTreeSet<String>) {
    let mut add = |kind: &str, keys: &[KeyShape]| {
        for key in keys {
            let is_new = found.insert(format!("{name} {kind}.{}", key.name));
            if let Some(inner) = key.takes.table().filter(|_| is_new) {
                all_keys(inner.definition.unwrap_or(&format!("{name} {kind}.{}", key.name)), inner, found);
            }
        }
    };
    add("", &table.keys);
    for kind in table.keys.iter().flat_map(|key| &key.kinds) {
        add(kind.choice.name, &kind.table.keys);
    }
}

/// The names in a tip such as "available keys: a, b".
fn listed(complaints: &[Diagnostic], code: Code) -> Option<BTreeSet<String>> {
    let tips = complaints.iter().filter(|it| it.code == code).flat_map(|it| &it.tips);
    let names = tips.into_iter().find_map(|tip| tip.strip_prefix("available ")?.split_once(": "))?.1;
    Some(names.split(", ").map(str::to_owned).collect())
}

const NOBODY: &str = "zzzzzzzzzzzzzzzzzzzzzzzz";

/// A value that a key takes: its default, or what fits the kind; `None` for what only this file could know.
fn sample(key: &KeyShape) -> Option<Value> {
    match &key.default {
        Some(default) => Some(instance(&format!("key = {default}")).unwrap()["key"].clone()),
        None => sample_of(&key.takes),
    }
}

fn sample_of(shape: &Shape) -> Option<Value> {
    Some(match shape {
        Shape::Text | Shape::Name => json!("x"),
        Shape::Boolean => json!(true),
        Shape::Integer { least, .. } => json!(least),
        Shape::Number { least, most } => json!((least + most) / 2.0),
        Shape::Quantity(quantity, _) => json!(match quantity {
            Quantity::Time => "5 ms",
            Quantity::Rate => "5 Mbit/s",
            Quantity::Share => "5 %",
            Quantity::Speed => "5 m/s",
            Quantity::Distance => "5 m",
            Quantity::Amount => "5 packets",
            Quantity::Size => "5 kB",
        }),
        Shape::Choice(choices) | Shape::OpenChoice(choices, ..) => json!(choices[0].name),
        Shape::OneOrMany(item) | Shape::Range(item) => sample_of(item)?,
        Shape::Pair(item) => json!([sample_of(item)?, sample_of(item)?]),
        Shape::Table(table) => with_all(json!({}), &table.keys),
        Shape::Other(..) => return None,
    })
}

/// A table with all of these keys.
fn with_all<'k>(mut table: Value, keys: impl IntoIterator<Item = &'k KeyShape>) -> Value {
    for key in keys {
        if let Some(value) = sample(key) {
            table[key.name] = value;
        }
    }
    table
}

/// Documents with the keys that none of this test's has yet: each new key next to those of its table, each new kind in place of another.
fn documents_with(missing: &BTreeSet<String>, description: &TableShape) -> Vec<(String, String)> {
    let mut made = Vec::new();
    for (name, text) in shipped().into_iter().chain(more_documents()) {
        let document = instance(&text).unwrap();
        visit(("scenario", description), &document, &Vec::new(), &mut |table, path, keys| {
            let is_missing =
                |kind: &str, key: &KeyShape| missing.contains(&format!("{table} {kind}.{}", key.name));
            let mut note = |value: Value| {
                let mut document = document.clone();
                *at(&mut document, path) = value;
                made.push((format!("{name} with {table}"), written(&document)));
            };
            let new: Vec<&KeyShape> =
                keys.iter().filter(|(kind, key)| is_missing(kind, key)).map(|(_, key)| *key).collect();
            if !new.is_empty() {
                note(with_all(at(&mut document.clone(), path).clone(), new));
            }
            for (_, selector) in keys {
                for kind in selector
                    .kinds
                    .iter()
                    .filter(|kind| kind.table.keys.iter().any(|key| is_missing(kind.choice.name, key)))
                {
                    note(with_all(json!({ selector.name: kind.choice.name }), &kind.table.keys));
                }
            }
        });
    }
    made
}

/// Both accept a document; its keys are no longer missing.
fn assert_accepted(
    (name, text): &(String, String),
    description: &TableShape,
    missing: &mut BTreeSet<String>,
) {
    let document = instance(text).unwrap();
    let structural: Vec<_> = complaints(text).into_iter().filter(|it| is_structural(it.code)).collect();
    assert!(structural.is_empty(), "{name}: {structural:?}");
    assert!(validator().is_valid(&document), "{name}");
    visit(("scenario", description), &document, &Vec::new(), &mut |table, path, keys| {
        let value = path.iter().fold(&document, |value, step| match step {
            Step::Key(key) => &value[key.as_str()],
            Step::Item(place) => &value[*place],
        });
        for (kind, key) in keys.iter().filter(|(_, key)| !value[key.name].is_null()) {
            missing.remove(&format!("{table} {kind}.{}", key.name));
        }
    });
}

#[test]
fn every_key_is_accepted_by_the_reader_and_by_the_schema() {
    let description = with_historical();
    let mut missing = BTreeSet::new();
    all_keys("scenario", &description, &mut missing);
    assert!(missing.len() > 250, "{}", missing.len());
    for document in shipped().into_iter().chain(more_documents()) {
        assert_accepted(&document, &description, &mut missing);
    }
    // A cell has it only to refuse it in plain words.
    assert!(missing.remove("cell .schedule"));
    for document in documents_with(&missing, &description) {
        assert_accepted(&document, &description, &mut missing);
    }
    assert!(missing.is_empty(), "no document of this test has {missing:?}");
}

/// New keys need no document of their own.
#[test]
fn documents_are_made_for_keys_that_none_has() {
    let description = with_historical();
    let all = ["queue codel.target", "flow .vegas", "flow .vegas .alpha", "tcp .minimum_rto"];
    let mut missing: BTreeSet<String> = all.map(str::to_owned).into();
    for document in documents_with(&missing.clone(), &description) {
        assert_accepted(&document, &description, &mut missing);
    }
    assert!(!missing.contains("queue codel.target") && !missing.contains("tcp .minimum_rto"), "{missing:?}");
}

#[test]
fn an_unknown_key_is_refused_with_all_keys_there_are() {
    let description = with_historical();
    let mut seen = 0;
    let text = include_str!("../every_key.toml");
    let document = instance(text).unwrap();
    visit(("scenario", &description), &document, &Vec::new(), &mut |table, path, keys| {
        let mut document = document.clone();
        at(&mut document, path)[NOBODY] = json!(1);
        let known = listed(&complaints(&written(&document)), Code::UnknownKey);
        let mut offered = |key: &KeyShape| !key.is_historical || !at(&mut document, path)[key.name].is_null();
        let keys = keys.iter().map(|(_, key)| *key).filter(|key| key.name != "grid" && offered(key));
        let keys = keys.map(|key| key.name.to_owned()).collect();
        assert_eq!(known, Some(keys), "{table} {path:?}");
        seen += 1;
    });
    assert!(seen > 50, "{seen}");
}

/// Papers need what ns-2 does: it is read, but neither offered by messages nor by the schema for everyone.
#[test]
fn what_only_comparisons_need_is_read_but_not_offered() {
    let text = include_str!("../every_key.toml");
    let said = complaints(text);
    assert!(text.contains("ns2") && said.is_empty(), "{said:?}");
    let schema: Value = serde_json::from_str(&json_schema(&description())).unwrap();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let document = instance(text).unwrap();
    assert!(!validator.is_valid(&document));
    for (name, text) in shipped().into_iter().skip(1) {
        assert!(validator.is_valid(&instance(&text).unwrap()), "{name}");
    }
    let [unknown] = &complaints(&text.replace("[\"rfc\", \"linux\"]", "[\"rfc\", \"zzzz\"]"))[..] else {
        panic!()
    };
    assert!(unknown.tips.iter().any(|tip| tip.contains("rfc") && !tip.contains("ns2")), "{unknown:?}");
}

/// What a document means; `None` when it is refused.
fn meaning(document: &Value) -> Option<String> {
    let plan = Plan::new(Path::new("test.toml"), written(document), &[]).ok()?;
    Some(format!("{:?}", plan.cells.iter().map(|cell| &cell.scenario).collect::<Vec<_>>()))
}

#[test]
fn a_key_that_is_set_to_its_default_changes_nothing() {
    let description = with_historical();
    let mut seen = BTreeSet::new();
    // What these mean takes megabytes.
    let is_large =
        |name: &str| ["train.toml", "fleet.toml", "constellation.toml"].iter().any(|it| name.ends_with(it));
    for (_, text) in shipped().into_iter().chain(more_documents()).filter(|(name, _)| !is_large(name)) {
        let mut bare = instance(&text).unwrap();
        bare.as_object_mut().unwrap().remove("grid");
        visit(("scenario", &description), &bare, &Vec::new(), &mut |table, path, keys| {
            for (kind, key) in keys {
                // An interval that is given also asks for every interval to be shown, and a buffer also sets the window scale.
                let sets_more =
                    [("output", "interval"), ("tcp", "receive_buffer")].contains(&(table, key.name));
                let is_new = !seen.contains(&(table.to_owned(), *kind, key.name));
                let Some(default) = key.default.as_ref().filter(|_| is_new && !sets_more) else {
                    continue;
                };
                let default = instance(&format!("key = {default}")).unwrap()["key"].clone();
                let mut without = bare.clone();
                at(&mut without, path).as_object_mut().unwrap().remove(key.name);
                let mut with = without.clone();
                at(&mut with, path)[key.name] = default.clone();
                if let (Some(without), Some(with)) = (meaning(&without), meaning(&with)) {
                    assert_eq!(without, with, "{table} {kind}: {} = {default}", key.name);
                    seen.insert((table.to_owned(), *kind, key.name));
                }
            }
        });
    }
    assert!(seen.len() > 130, "{}", seen.len());
}

#[test]
fn a_replaced_key_is_refused_with_its_new_name() {
    let old = [
        ("freeze = { patience = \"1 s\" }", "use `timeout`"),
        ("mobility_vegas = { measure_anew = true }", "use `remeasure`"),
        ("vegas = { rounds_difference = true }", "use `ns2 = { vegas_rounds_difference = ... }` in the flow"),
    ];
    for (key, tip) in old {
        let all = complaints(&scenario("", "", &format!("variant = \"reno\"\n{key}"), ""));
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!((all[0].code, all[0].tips.as_slice()), (Code::UnknownKey, &[tip.to_owned()][..]));
    }
}

#[test]
fn a_replaced_profile_is_refused_with_the_new_names() {
    for (old, tip) in
        [("ns2-2001", "use `ns2-2.1b7` or `ns2-2.1b8`"), ("ns2-2003", "use `ns2-2.26` or `ns2-2.27`")]
    {
        let all = complaints(&scenario("", "", &format!("variant = \"reno\"\nprofile = \"{old}\""), ""));
        assert_eq!(all.len(), 1, "{all:?}");
        let expected = format!("this value has been replaced: {tip}");
        assert_eq!((all[0].code, all[0].tips.as_slice()), (Code::UnknownChoice, &[expected][..]));
    }
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
                    agree(validator, &written(&document)).unwrap_or_else(|reason| panic!("{reason}")),
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
        agree(validator, &text).unwrap_or_else(|reason| panic!("{code}: {reason}"));
        refused += usize::from(instance(&text).is_some_and(|document| !validator.is_valid(&document)));
    }
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        agree(validator, &text).unwrap_or_else(|reason| panic!("{reason}"));
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

/// The committed schema and page of reference are those that the program prints.
#[test]
fn committed_documents_are_current() {
    seamline_testing::assert_current("docs/scenario.schema.json", &json_schema(&description()));
    seamline_testing::assert_current("docs/reference/keys.md", &reference());
}
