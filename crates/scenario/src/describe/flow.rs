//! `[[flow]]` and the parameters of TCP.

use super::words::{boolean, choice, integer, name, number, one_of, quantity, shared, text, time};
use super::{key, table};
use crate::schema::loss_notification::{REPEAT, SCHEMES};
use crate::schema::tcp::ESTIMATORS;
use crate::units::Quantity;
use seamline_tcp::{cc, handover, profile, recovery, variant};
use serde_json::{Value, json};

pub(super) fn flow() -> Value {
    let mut keys = vec![
        key("name", "Its name", name()),
        key("from", "The node that sends, or a group: each of them", text()),
        key("to", "The node that receives, or a group: each of them", text()),
        key("variant", "Which TCP", choice(variant::ALL.iter().map(|it| it.name))),
        key(
            "congestion_control",
            "In place of a variant, with `recovery`",
            choice(cc::ALL.iter().map(|it| it.name)),
        ),
        key(
            "recovery",
            "In place of a variant, with `congestion_control`",
            choice(recovery::ALL.iter().map(|it| it.name)),
        ),
        key("profile", "Whose parameters (rfc)", choice(profile::ALL.iter().map(|it| it.name))),
        key("handover", "What both ends do about a move", choice(handover_names())),
        key("loss_notification", "Telling losses over the air from congestion", loss_notification()),
        key("count", "Parallel copies", integer(1, 100_000)),
        key("start", "When the first copy starts", time()),
        key("stagger", "How much later each next copy starts", time()),
        key("stop", "When it stops supplying data", time()),
        key("size", "What is transferred; without it the flow has no end", quantity(Quantity::Amount)),
        key("handshake", "Whether it begins with one, or established", boolean()),
        key("tcp", "What differs from the profile", shared("tcp")),
        key("vegas", "Parameters of Vegas", vegas()),
        key("westwood", "Parameters of Westwood", westwood()),
        key("westwood_plus", "Parameters of Westwood+", westwood_plus()),
        key("cubic", "Parameters of CUBIC", cubic()),
    ];
    keys.extend(super::moving::tables());
    let mut schema = table(keys);
    schema["required"] = json!(["name"]);
    schema
}

fn handover_names() -> impl Iterator<Item = &'static str> {
    std::iter::once("none").chain(handover::ALL.iter().map(|scheme| scheme.name))
}

fn loss_notification() -> Value {
    table(vec![
        key("scheme", "Senders heed it (eln); receivers also list losses (eln-ack)", one_of(SCHEMES)),
        key("repeat", "When what is still missing is sent once more", one_of(REPEAT)),
        key("duplicates_let_segments_go", "While a loss over the air is mended (true)", boolean()),
    ])
}

pub(super) fn tcp() -> Value {
    table(vec![
        key("minimum_rto", "Least retransmission timeout", time()),
        key("maximum_rto", "Greatest retransmission timeout", time()),
        key("initial_rto", "Retransmission timeout before the first sample", time()),
        key("rto_estimator", "What the retransmission timeout is derived by", one_of(ESTIMATORS)),
        key("rto_smoothing", "Weight of the past in karn-partridge (0.875)", number(0.0, 1.0)),
        key("initial_window", "Segments sent at first", number(1.0, 1e6)),
        key("initial_threshold", "Segments at which slow start ends", number(1.0, 1e9)),
        key("window_limit", "Segments in flight at most", integer(1, i64::from(u32::MAX))),
        key("limited_transmit", "Send new segments on the first duplicates (RFC 3042)", boolean()),
        key("duplicate_threshold", "Duplicates that mean a loss", integer(1, 1000)),
        key(
            "undo_cuts",
            "Take back the cut of a recovery that was spurious, by timestamps and D-SACK (RFC 4015)",
            boolean(),
        ),
        key("segment_size", "Payload of a full segment", quantity(Quantity::Size)),
        key("sack", "Selective acknowledgments (RFC 2018)", boolean()),
        key("timestamps", "Timestamps (RFC 7323)", boolean()),
        key("nagle", "Wait for full segments (RFC 896)", boolean()),
        key("receive_buffer", "What the receiver holds", quantity(Quantity::Size)),
        key("delayed_ack", "How long acknowledgments are delayed; 0 s not at all", time()),
    ])
}

fn vegas() -> Value {
    table(vec![
        key("alpha", "Segments in the queue, at least", number(0.0, 1e6)),
        key("beta", "Segments in the queue, at most", number(0.0, 1e6)),
        key("gamma", "Segments in the queue at which slow start ends", number(0.0, 1e6)),
        key("rounds_difference", "Whether these are compared in whole segments, as ns-2 does", boolean()),
    ])
}

fn westwood() -> Value {
    table(vec![
        key("filter_time_constant", "Of the bandwidth filter", time()),
        key("virtual_samples_per_time_constant", "While nothing arrives", integer(2, 1_000_000)),
    ])
}

fn westwood_plus() -> Value {
    table(vec![key("shortest_sample", "Least time over which bandwidth is measured", time())])
}

fn cubic() -> Value {
    table(vec![
        key("aggressiveness", "C of RFC 9438 (0.4)", number(1e-6, 1e6)),
        key("decrease", "What is left of the window after a loss (0.7)", number(0.01, 0.99)),
        key("fast_convergence", "Give way to new flows (RFC 9438 section 4.7)", boolean()),
    ])
}
