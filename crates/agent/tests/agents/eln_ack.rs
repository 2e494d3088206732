//! The agent of ELN-ACK (eln-ack, section III), packet by packet: which losses it says the air is to blame for.

use crate::support::{Script, ack, data};
use seamline_agent::{Bits, ElnAckParameters, Parameters, find};
use seamline_wire::LossCause::{Air, Congestion};

fn with(eln_ack: ElnAckParameters) -> Script {
    Script::new(find("eln-ack").unwrap().build(&Parameters { eln_ack, ..Parameters::default() }))
}

/// Of ten packets of 1000 bytes the fourth and the seventh never came here.
fn under_way(mut script: Script) -> Script {
    for n in [0, 1, 2, 4, 5, 7, 8, 9] {
        script.wired(data(1 + n * 1000, 1000)).onwards();
    }
    script
}

/// Section III: what never came by keeps its 1, what came by gets a 0.
#[test]
fn what_came_by_was_lost_on_the_air() {
    let mut script = under_way(with(ElnAckParameters::default()));
    script.at(20).wireless(ack(2001)).onwards();
    let listed = [(6000, Congestion), (4000, Congestion), (1000, Congestion), (0, Congestion)];
    let judged = [(6000, Air), (4000, Congestion), (1000, Congestion), (0, Air)];
    script.wireless(ack(2001).losses(&listed)).onwards_as(ack(2001).losses(&judged));
    script.wireless(ack(2001).losses(&listed[1..3])).onwards();
    assert_eq!(script.counters().marked_acknowledgments, 1);
}

/// One bit for all: congestion, if one loss was.
#[test]
fn one_bit_speaks_of_all() {
    let mut script = under_way(with(ElnAckParameters { bits: Bits::One, ..ElnAckParameters::default() }));
    let mixed = ack(2001).losses(&[(4000, Congestion), (0, Congestion)]);
    script.wireless(mixed).onwards();
    let alike = [(6000, Congestion), (0, Congestion)];
    script.wireless(ack(2001).losses(&alike)).onwards_as(ack(2001).losses(&alike.map(|(at, _)| (at, Air))));
}

/// What its sender sends again is judged again: lost in a queue first and on the air then, and the other way round.
#[test]
fn what_is_sent_again_is_judged_anew() {
    let mut script = under_way(with(ElnAckParameters::default()));
    let fourth = ack(3001).losses(&[(0, Congestion)]);
    let marked = ack(3001).losses(&[(0, Air)]);
    script.at(20).wireless(fourth.clone()).onwards();
    script.at(100).wired(data(3001, 1000)).onwards();
    script.at(120).wireless(fourth.clone()).onwards_as(marked.clone());
    script.at(1119).wireless(fourth.clone()).onwards_as(marked.clone());
    script.at(1120).wireless(fourth.clone()).onwards().wireless(fourth.clone()).onwards();
    script.at(1200).wired(data(3001, 1000)).onwards();
    script.at(1210).wireless(fourth).onwards_as(marked);
}

/// An agent that comes late blames nobody for what it has not seen; other marks and segments pass as they are.
#[test]
fn what_is_not_known_is_left_alone() {
    let mut script = with(ElnAckParameters::default());
    script.wireless(ack(2001).losses(&[(0, Congestion)])).onwards();
    script.wired(data(9001, 1000)).onwards().wired(ack(77)).onwards();
    script.wireless(ack(2001).losses(&[(3000, Congestion)])).onwards();
    script.wireless(data(1, 100).acknowledging(2001)).onwards();
    script.wired(ack(2001).losses(&[(0, Congestion)])).onwards();
    assert_eq!(script.counters().marked_acknowledgments, 0);
}

/// Sequence numbers wrap.
#[test]
fn numbers_wrap() {
    let mut script = with(ElnAckParameters::default());
    let first = 0_u32.wrapping_sub(1500);
    script.wired(data(first, 1000)).onwards().wired(data(first.wrapping_add(1000), 1000)).onwards();
    script.wired(data(1500, 1000)).onwards();
    let listed = ack(first).losses(&[(2000, Congestion), (1000, Congestion)]);
    script.wireless(listed).onwards_as(ack(first).losses(&[(2000, Congestion), (1000, Air)]));
}

/// A receiver that lists nothing reports gaps by SACK: one bit for all of them, and no block more than fits.
#[test]
fn the_agent_lists_for_receivers_that_do_not() {
    let lists = ElnAckParameters { lists_losses: true, ..ElnAckParameters::default() };
    let mut script = under_way(with(lists));
    let on_the_air = ack(1).sack(&[(1001, 2001)]);
    script.at(20).wireless(on_the_air.clone()).onwards_as(on_the_air.losses(&[(0, Air)]));
    let both = ack(1001).sack(&[(4001, 5001), (2001, 3001)]);
    script.wireless(both.clone()).onwards_as(both.losses(&[(0, Congestion)]));
    let blocks = [(4001, 5001), (7001, 8001), (9001, 10_001)];
    let full = |blocks| ack(6001).timestamps(1, 2).sack(blocks);
    script.wireless(full(&blocks)).onwards_as(full(&blocks[..2]).losses(&[(0, Congestion)]));
    // Nothing is missing, data, and lists of the receiver's own.
    script.wireless(ack(2001)).onwards().wireless(ack(2001).sack(&[(1, 1001)])).onwards();
    script.wireless(data(1, 100).acknowledging(1).sack(&[(1001, 2001)])).onwards();
    script.wireless(ack(1).sack(&[(1001, 2001)]).losses(&[(3000, Congestion)])).onwards();
}
