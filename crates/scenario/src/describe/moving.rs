//! The parameters of what is done about a move, a table for each scheme.

use super::words::{boolean, integer, one_of, time};
use super::{Key, key, table};
use crate::schema::moving::{AFTER, GO_ON, ONE_PER_ROUND_TRIP, RELEASE, RESUME, WITHOUT_PRODUCT};
use serde_json::Value;

pub(super) fn tables() -> Vec<Key> {
    vec![
        key("cross_layer", "Parameters of the cross-layer adaptations", cross_layer()),
        key("demo_vegas", "Parameters of Demo-Vegas", demo_vegas()),
        key("eclair_restore", "Parameters of the original ECLAIR", cross_layer()),
        key("ehn", "Parameters of explicit handover notification", ehn()),
        key("freeze", "Parameters of Freeze-TCP", freeze()),
        key("mobility_vegas", "Parameters of Mobility-Vegas", mobility_vegas()),
        key("tr_acks", "Parameters of triplicate acknowledgments", tr_acks()),
    ]
}

fn cross_layer() -> Value {
    table(vec![
        key("freeze", "Freeze the flow while an access router is changed", boolean()),
        key("reset_round_trip", "Forget the smoothed round-trip time after a change", boolean()),
        key("restart", "Slow start from one segment to the new link's bandwidth-delay product", boolean()),
        key("restore", "Restore the window from before the change", boolean()),
        key("without_product", "Threshold when that product is not known", one_of(WITHOUT_PRODUCT)),
        key("notices", "How often at most the mover tells of its link", integer(1, 100)),
        key("notice_interval", "How long after the first the second follows; it doubles then", time()),
        key("patience", "How long after its predicted time a change is waited for", time()),
        key("longest_disconnection", "After so long the news of its end must have been lost", time()),
    ])
}

fn demo_vegas() -> Value {
    table(vec![key(
        "marked_segments",
        "How many segments from the new place carry the mark",
        integer(1, 100),
    )])
}

fn ehn() -> Value {
    let windows = one_of(RESUME);
    table(vec![key("resume_with", "The window after the move", windows)])
}

fn mobility_vegas() -> Value {
    table(vec![
        key("one_per_round_trip", "What lets the one packet per round trip go", one_of(ONE_PER_ROUND_TRIP)),
        key("announce_at_once", "Announce a handoff in an acknowledgment of its own", boolean()),
        key("resume_with", "The window after a handoff", one_of(GO_ON)),
        key("release", "Which of the acknowledgments held back are sent", one_of(RELEASE)),
        key("measure_anew", "Measure BaseRTT anew after a handoff", boolean()),
        key("notices", "How often at most the mover tells where it is", integer(1, 100)),
        key("notice_interval", "How long after the first the second follows; it doubles then", time()),
        key("patience", "How long after its predicted time a handoff is waited for", time()),
        key("longest_disconnection", "After so long the news of its end must have been lost", time()),
    ])
}

fn tr_acks() -> Value {
    table(vec![
        key("acknowledgments", "How often the last one is repeated", integer(1, 100)),
        key("after", "What the sender does then", one_of(AFTER)),
    ])
}

fn freeze() -> Value {
    table(vec![
        key("acknowledgments", "Sent at once after the move", integer(1, 100)),
        key("patience", "How long after its predicted time a disconnection is waited for", time()),
        key("longest_disconnection", "After so long the news of its end must have been lost", time()),
    ])
}
