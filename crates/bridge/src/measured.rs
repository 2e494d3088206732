//! What an agent has measured in passing, as Prometheus text.

use seamline_agent::{Measurements, Side};
use seamline_host::metrics::Text;
use seamline_wire::Histogram;

/// Labels of a side, in the order of [`Side::index`].
pub(crate) const SIDES: [(&str, &str); 2] = [("side", "wired"), ("side", "wireless")];
/// Where the data of that side goes.
const DIRECTIONS: [(&str, &str); 2] = [("direction", "to_wireless"), ("direction", "to_wired")];

/// By side.
pub(crate) fn round_trips(text: &mut Text, of: &[Histogram; 2]) {
    text.histogram(
        "rtt_seconds",
        "Round-trip times between the agent and the hosts on that side, from data and their acknowledgments.",
        &Side::BOTH.map(Side::index).map(|side| (&SIDES[side..=side], &of[side])),
    );
}

pub(crate) fn measured(text: &mut Text, it: &Measurements) {
    round_trips(text, &it.round_trips);
    let [to_wireless, to_wired] = DIRECTIONS;
    let [agent, sender] = [("by", "agent"), ("by", "sender")];
    text.histogram(
        "repair_seconds",
        "Times from the first sign of a loss to its acknowledgment; who was the first to retransmit is a label.",
        &[
            (&[to_wireless, agent], &it.repairs_by_agent),
            (&[to_wireless, sender], &it.repairs_by_sender[Side::Wired.index()]),
            (&[to_wired, sender], &it.repairs_by_sender[Side::Wireless.index()]),
        ],
    );
    text.histogram(
        "stall_seconds",
        "Times without progress of a connection with data under way, longer than its sender's timeout would be.",
        &Side::BOTH.map(Side::index).map(|side| (&DIRECTIONS[side..=side], &it.stalls[side])),
    );
    losses(text, it);
}

fn losses(text: &mut Text, it: &Measurements) {
    let of = Side::BOTH.map(Side::index);
    text.counter(
        "data_segments",
        "Data segments that the agent was shown.",
        &of.map(|side| (&DIRECTIONS[side..=side], it.directions[side].segments)),
    );
    let [to_wireless, to_wired] = DIRECTIONS;
    let [wired, wireless] = SIDES;
    let [down, up] = it.directions;
    text.counter(
        "lost_segments",
        "Data segments that their sender sent again, by the side that lost them. On the sender's side are those that filled a gap, or were \
         overtaken; on the receiver's side those that had passed before, also where only an acknowledgment was lost.",
        &[
            (&[to_wireless, wired], down.missing),
            (&[to_wireless, wireless], down.seen_twice),
            (&[to_wired, wireless], up.missing),
            (&[to_wired, wired], up.seen_twice),
        ],
    );
}
