//! Agents where the ends have a handover scheme: what one end tells the other gets through, and what an agent hides from a scheme.

use crate::support::{Script, Sent, ack, data};
use seamline_agent::{ObtcpParameters, Parameters, find};
use seamline_wire::{LossCause, Mark};

fn script(kind: &str) -> Script {
    let obtcp = ObtcpParameters::default();
    Script::new(find(kind).expect(kind).build(&Parameters { obtcp, ..Parameters::default() }))
}

/// Ten packets are on the air, the first two of them acknowledged.
fn under_way(mut script: Script) -> Script {
    for n in 0..10 {
        script.wired(data(1 + n * 1000, 1000)).onwards();
    }
    script.at(20).wireless(ack(2001)).onwards();
    script
}

const MARKS: [Mark; 5] = [
    Mark::Handover,
    Mark::WillHandover,
    Mark::HandoverCancelled,
    Mark::NewLink { bandwidth_delay_product: None },
    Mark::MadeBeforeBreak { bandwidth_delay_product: None },
];

fn marked(acknowledgment: u32, mark: Mark) -> Sent {
    ack(acknowledgment).mark(mark)
}

/// "I have moved", "I will hand off" and what else one end tells the other may stand in a duplicate, and nowhere else: it goes on, also
/// where Snoop and the mobile router of obTCP hide duplicates, and the loss is repaired here all the same.
#[test]
fn marks_of_a_handover_pass_where_duplicates_end() {
    for kind in ["snoop", "obtcp"] {
        for mark in MARKS {
            let mut script = under_way(script(kind));
            let mut again = 0;
            for at in 21..25 {
                script.at(at).wireless(ack(2001));
                again += script.sent_by_side()[1].len();
            }
            assert!(again > 0, "{kind} repairs the loss");
            script.at(25).wireless(ack(2001)).ends_here();
            script.at(26).wireless(marked(2001, mark)).onwards().is_quiet();
            script.at(27).wireless(ack(2001)).ends_here();
        }
    }
}

/// A marked duplicate tells of the loss like any other.
#[test]
fn a_marked_duplicate_is_a_duplicate() {
    let mut script = under_way(script("snoop"));
    script.at(21).wireless(marked(2001, Mark::WillHandover)).onwards();
    script.at(22).wireless(marked(2001, Mark::WillHandover)).sends_again(2001).onwards();
}

/// Losses that a duplicate lists are what Snoop repairs: the sender need not hear of them.
#[test]
fn lists_of_losses_end_with_their_duplicates() {
    let mut script = under_way(script("snoop"));
    let listing = || ack(2001).losses(&[(0, LossCause::Air)]);
    script.at(21).wireless(listing()).onwards();
    script.at(22).wireless(listing()).sends_again(2001).ends_here();
    script.at(23).wireless(listing()).ends_here();
}

/// TR-ACKs to a stock sender (Caceres and Iftode 1995) are three duplicates. Where Snoop has brought its cache along they are hidden:
/// fewer than three come to the sender, which goes on as if nothing had happened; what they ask for is on the air already.
#[test]
fn snoop_hides_tr_acks_once_its_cache_is_there() {
    let mut new = under_way(script("snoop")).moves_to(script("snoop"), 100);
    let [_, again] = new.sent_by_side();
    assert_eq!(again.len(), 8);
    assert_eq!(duplicates_heard(&mut new, || ack(2001)), 2);
}

/// Before the cache is there nothing is hidden: the sender retransmits fast and halves its window, and a moment later the agent sends
/// the same again. Both repair one loss, and the window is cut for what the agent repairs.
#[test]
fn tr_acks_that_come_before_the_cache_repair_what_it_repairs_again() {
    let mut new = script("snoop");
    assert_eq!(duplicates_heard(&mut new, || ack(2001)), 3);
    new.at(30).wired(data(2001, 1000)).onwards();
    let mut moved = under_way(script("snoop")).moves_to(new, 40);
    moved.sends_again(2001);
}

/// TR-ACKs with marks, which the sender counts to three: all of them come through, the cache being there or not.
#[test]
fn snoop_hides_no_marked_tr_acks() {
    for new in [script("snoop"), under_way(script("snoop")).moves_to(script("snoop"), 100)] {
        let mut new = new;
        new.sent_by_side();
        assert_eq!(duplicates_heard(&mut new, || marked(2001, Mark::Handover)), 3);
    }
}

/// Freeze-TCP (Goff et al. 2000) closes the window and opens it by three acknowledgments of which only the first says something new to
/// Snoop: that one is enough.
#[test]
fn snoop_lets_freeze_tcp_close_and_open_the_window() {
    let mut script = under_way(script("snoop"));
    script.at(21).wireless(ack(2001).window(0)).onwards();
    script.at(22).wireless(ack(2001).window(0)).onwards();
    script.at(120).wireless(ack(2001).window(1000)).onwards();
    // Were it lost over the air, the next one would say the same.
    let mut lost = under_way(self::script("snoop"));
    lost.at(21).wireless(ack(2001).window(0)).onwards();
    lost.at(121).wireless(ack(2001).window(1000)).onwards();
}

/// ELN-ACK judges by what came by. Losses of the handover did not come by here but at the old base station: until the state of its agent
/// arrives they are reported as congestion, and the sender cuts; an acknowledgment sent at once, as by TR-ACKs, comes too early.
#[test]
fn eln_ack_calls_losses_of_a_handover_congestion_until_its_state_is_there() {
    let listing = |cause| ack(2001).losses(&[(0, cause)]);
    let mut new = script("eln-ack");
    new.at(100).wireless(listing(LossCause::Congestion)).onwards();
    let mut new = under_way(script("eln-ack")).moves_to(new, 120);
    new.wireless(listing(LossCause::Congestion)).onwards_as(listing(LossCause::Air));
}

/// How many of three acknowledgments in a row come to the sender.
fn duplicates_heard(script: &mut Script, acknowledgment: impl Fn() -> Sent) -> usize {
    let heard = |_| {
        script.wireless(acknowledgment());
        script.sent_by_side()[0].len()
    };
    (0..3).map(heard).sum()
}
