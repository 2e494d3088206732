//! `[[link]]` and what belongs to it.

use super::words::{
    integer, name, number, one_of, one_or_many, path, quantity, rate, share, shared, text, time,
};
use super::{Key, key, table, table_of_kinds};
use crate::schema::notice::SHAPES;
use crate::schema::queue::{DISCIPLINES, MEANINGS};
use crate::schema::{handover, loss};
use crate::units::Quantity;
use serde_json::{Value, json};

pub(super) fn link() -> Value {
    let mut keys = vec![
        key("name", "Its name", name()),
        key("from", "One end, a node or a group (a link for each); down is from -> to", text()),
        key("to", "The other end; up is to -> from", text()),
        key("down", "Where the direction from -> to differs", shared("direction")),
        key("up", "Where the direction to -> from differs", shared("direction")),
        key(
            "handover",
            "When the link goes away, for how long, and what becomes of packets",
            shared("handover"),
        ),
        key("notice", "Which node hears of handovers beforehand, and how well", shared("notice")),
    ];
    keys.extend(direction_keys());
    let mut schema = table(keys);
    schema["required"] = json!(["name"]);
    schema
}

pub(super) fn direction() -> Value {
    table(direction_keys())
}

pub(super) fn direction_keys() -> Vec<Key> {
    vec![
        key("rate", "What the transmitter sends", rate()),
        key("one_way_delay", "Propagation", time()),
        key("queue", "What may wait", shared("queue")),
        key("loss", "Error models, at most one at each place", one_or_many(shared("loss"))),
        key("schedule", "Conditions over time, recorded or generated", one_or_many(shared("schedule"))),
    ]
}

pub(super) fn queue() -> Value {
    let limit = || key("limit", "What fits", quantity(Quantity::Amount));
    let meaning = one_of(MEANINGS);
    table_of_kinds(
        key("discipline", "What is done with what cannot be sent yet", one_of(DISCIPLINES)),
        Vec::new(),
        vec![
            ("unlimited", Vec::new()),
            ("drop-tail", vec![limit(), key("meaning", "ns-2 counts the packet in service, too", meaning)]),
            (
                "codel",
                vec![
                    key("target", "Standing delay that is tolerated (RFC 8289: 5 ms)", time()),
                    key("interval", "For how long it is (RFC 8289: 100 ms)", time()),
                    key("maximum_packet", "Bytes below which nothing is dropped", integer(1, 65_535)),
                    limit(),
                ],
            ),
        ],
    )
}

pub(super) fn loss() -> Value {
    let shares = |name, about: &str| key(name, about, share());
    let shared_keys = vec![
        key("place", "Where packets are lost", one_of(loss::PLACES)),
        key("applies_to", "Which packets it sees", one_of(loss::APPLIES_TO)),
    ];
    let kinds = vec![
        ("bernoulli", vec![shares("probability", "That a packet is lost")]),
        (
            "gilbert-elliott",
            vec![
                shares("good_to_bad", "That the state turns bad at a packet"),
                shares("bad_to_good", "That it turns good again"),
                key(
                    "mean_good",
                    "How long the good state lasts, in place of probabilities per packet",
                    time(),
                ),
                key("mean_bad", "How long the bad state lasts", time()),
                shares("loss_in_good", "That a packet is lost in the good state (0 %)"),
                shares("loss_in_bad", "That a packet is lost in the bad state (100 %)"),
            ],
        ),
        (
            "burst",
            vec![
                shares("start_probability", "That an error starts at a packet"),
                key("length", "Packets that it takes", integer(1, 1_000_000)),
            ],
        ),
        ("list", vec![key("indices", "The packets that are lost, from 0", one_or_many(index()))]),
        (
            "outage",
            vec![
                key("period", "From one outage to the next", time()),
                key("length", "Of each outage", time()),
            ],
        ),
        ("trace", vec![key("file", "A file of 0 (arrives) and 1 (lost)", path())]),
    ];
    let model = key("model", "What takes packets", one_of(loss::MODELS));
    table_of_kinds(model, shared_keys, kinds)
}

fn index() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// What becomes of packets in a handover.
pub(super) fn fates() -> Vec<Key> {
    vec![
        key("queued", "What becomes of packets in the queue", one_of(handover::QUEUED)),
        key("in_service", "Of the packet being sent", one_of(handover::IN_SERVICE)),
        key("in_flight", "Of packets on the way", one_of(handover::IN_FLIGHT)),
        key("arriving", "Of packets that come meanwhile", one_of(handover::ARRIVING)),
    ]
}

pub(super) fn handover() -> Value {
    let mut keys = vec![
        key("interruption", "For how long nothing passes", time()),
        key("every", "From one handover to the next", time()),
        key("first", "When the first is (after `every`)", time()),
        key("at", "The times of all handovers", one_or_many(time())),
    ];
    keys.extend(fates());
    table(keys)
}

pub(super) fn notice() -> Value {
    table(vec![
        key("to", "The node that hears of handovers (the link's `to`)", text()),
        key("lead", "How long beforehand they are predicted", time()),
        key("error", "By how much predictions are off", time()),
        key("error_shape", "How that is distributed", one_of(SHAPES)),
        key("lost", "Predictions that do not arrive", share()),
        key("false_per_minute", "Predictions of nothing", number(0.0, 6000.0)),
        key("late", "How much later all news of the link reaches the node", time()),
    ])
}
