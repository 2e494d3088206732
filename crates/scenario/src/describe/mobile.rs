//! `[[cell]]`, `[[mobile]]` and what belongs to them.

use super::link::direction_keys;
use super::words::{boolean, choice, name, one_of, one_or_many, quantity, share, shared, text, time};
use super::{key, table, table_of_kinds};
use crate::schema::cell::IN_FLIGHT_UPWARDS;
use crate::schema::layer_2::SHAPES;
use crate::schema::movement::{NO_OVERLAP, OLD_LINK, ORDERS};
use crate::schema::protocol::{DETECTIONS, NONE};
use crate::schema::waypoints::CHANGES;
use crate::units::{Quantity, pattern};
use seamline_mobility::protocol::{self, Participation, Scheme};
use serde_json::{Value, json};

pub(super) fn cell() -> Value {
    let mut keys = vec![
        key("name", "Its name", name()),
        key("base_station", "The node whose radio makes the cell", text()),
        key("fixed", "Nodes that are always in it", one_or_many(text())),
        key("down", "Where the air from the base station differs", shared("direction")),
        key("up", "Where the air to the base station differs", shared("direction")),
        key(
            "in_flight_upwards",
            "What becomes of what a node has sent when it leaves (transmitted: what has left its antenna arrives)",
            one_of(IN_FLIGHT_UPWARDS),
        ),
        key("position", "Where its base station is, to the east and to the north", position()),
        key("range", "How far it reaches", quantity(Quantity::Distance)),
        key(
            "forward_departed",
            "How much the base station keeps for departed nodes without a protocol or with fmipv6, to send it after them (nothing)",
            quantity(Quantity::Amount),
        ),
        key("edge_loss", "Losses before a node leaves", edge_loss()),
        key("known_round_trip_time", "What link layers tell of the path over it (nothing)", time()),
    ];
    keys.extend(direction_keys());
    let mut schema = table(keys);
    schema["required"] = json!(["name"]);
    schema
}

pub(super) fn mobile() -> Value {
    let mut schema = table(vec![
        key("name", "The node that moves", text()),
        key("cells", "Its cells; it begins in the first", one_or_many(text())),
        key("movement", "When it changes its cell", shared("movement")),
        key("layer_2", "How long a handover takes below IP", layer_2()),
        key("protocol", "How packets find it", shared("protocol")),
        key("notice", "What its link layer tells it of its handovers", shared("notice")),
    ]);
    schema["required"] = json!(["name"]);
    schema
}

fn edge_loss() -> Value {
    table(vec![
        key("rises_to", "The probability at the end", share()),
        key("within", "For how long it rises from zero", time()),
    ])
}

fn layer_2() -> Value {
    table(vec![
        key("scan", "Finding a base station (0 s)", time()),
        key("associate", "Association with it (0 s)", time()),
        key("scan_spread", "How far from `scan` (0 s)", time()),
        key("associate_spread", "How far from `associate` (0 s)", time()),
        key("spread_shape", "How it is spread (uniform)", one_of(SHAPES)),
    ])
}

pub(super) fn movement() -> Value {
    let step =
        table(vec![key("at", "When it leaves its cell", time()), key("cell", "The cell it goes to", text())]);
    let waypoint = table(vec![
        key("at", "When it sets out", time()),
        key("to", "Where it goes, in a straight line", position()),
        key("speed", "How fast", quantity(Quantity::Speed)),
    ]);
    table(vec![
        key("every", "From one move to the next", time()),
        key("first", "When the first is (after `every`)", time()),
        key("order", "Which cell is next", one_of(ORDERS)),
        key("interruption", "For how long a move takes the link away (0 s)", time()),
        key("overlap", "For how long the old link lasts (none)", overlap()),
        key("timetable", "All moves, in place of an interval", one_or_many(step)),
        key("start", "Where it is before the first waypoint", position()),
        key("waypoints", "Its way through the ranges of its cells", one_or_many(waypoint)),
        key("change", "When it turns to another cell (entering)", one_of(CHANGES)),
    ])
}

/// A time, or a word.
fn overlap() -> Value {
    let time = pattern(Quantity::Time);
    json!({ "type": "string", "pattern": format!("{time}|^({NO_OVERLAP}|{OLD_LINK})$") })
}

/// Two distances.
fn position() -> Value {
    json!({ "type": "array", "items": quantity(Quantity::Distance), "minItems": 2, "maxItems": 2 })
}

pub(super) fn protocol() -> Value {
    let names = || std::iter::once(NONE.0).chain(protocol::ALL.iter().map(|scheme| scheme.name));
    let kind = key("kind", "How packets find it", choice(names()));
    let kinds = protocol::ALL.iter().map(|scheme| (scheme.name, keys_of(scheme)));
    table_of_kinds(kind, Vec::new(), std::iter::once((NONE.0, Vec::new())).chain(kinds).collect())
}

fn keys_of(scheme: &Scheme) -> Vec<super::Key> {
    let mut keys = vec![
        key("advertisement_interval", "How often agents advertise (100 ms)", time()),
        key("advertisement_jitter", "Intervals are shorter by a uniform part of this (0 s)", time()),
        key("advertisement_lifetime", "In whole seconds (three intervals, rounded up)", time()),
        key("movement_detection", "When another agent means a move", one_of(DETECTIONS)),
        key("registration_lifetime", "In whole seconds (30 min)", time()),
        key("registration_retransmission", "How long it waits for the first reply (1 s)", time()),
        key("layer_2_triggers", "Whether a new link is asked for an advertisement at once", boolean()),
        key("registered_at_start", "Whether it begins registered in its first cell", boolean()),
    ];
    let anchors = [
        ("home_agent", "The node that its home agent is on", scheme.traits.home_agent),
        (
            "mobility_anchor_point",
            "The node that its mobility anchor point is on",
            scheme.traits.mobility_anchor_point,
        ),
    ];
    let taking_part = anchors.into_iter().filter(|(.., participation)| *participation != Participation::None);
    keys.extend(taking_part.map(|(name, about, _)| key(name, about, text())));
    keys
}
