//! What arrives at a frozen connection until its link is lost is acknowledged.

use crate::rig::{Rig, WINDOW, WWAN, packet};

impl Rig {
    /// At each millisecond until the loss: what the daemon says, as far as it acknowledges, and when.
    fn until_lost(&mut self, mut happens: impl FnMut(&mut Rig, u64)) -> Vec<(u64, u32)> {
        self.host.acknowledged.clear();
        let mut advertised = Vec::new();
        for millis in 1251..1400 {
            happens(self, millis);
            if self.next().is_some_and(|at| at <= millis) {
                self.at(millis);
            }
            advertised.extend(self.host.acknowledged.drain(..).map(|number| (millis, number)));
        }
        advertised
    }
}

/// 1000 bytes arrive and are acknowledged; 300 more arrive at this time, and are not.
fn arrives(at: u64) -> impl FnMut(&mut Rig, u64) {
    move |rig, millis| {
        if millis == 1260 {
            rig.host.received = 1000;
            rig.sent(millis, WWAN, &packet(8000, 0));
        }
        if millis == at {
            rig.host.received = 1300;
        }
    }
}

#[test]
fn one_segment_that_waits_for_a_second_is_acknowledged_before_the_loss() {
    let mut rig = Rig::frozen("");
    let advertised = rig.until_lost(arrives(1340));
    // Once all should be there, with the window closed.
    let [(millis, 8300)] = advertised[..] else { panic!("{advertised:?}") };
    assert!((1350..=1360).contains(&millis), "{millis}");
    assert_eq!((rig.advertised(), rig.agent.counters().caught_up), (vec![0], 1));
    assert!(rig.has_logged("event=catch-up"), "{:?}", rig.agent.log);
    // It is the last acknowledgment from then on.
    rig.tell(1400, "down wwan0");
    rig.tell(3900, "up wwan0");
    assert_eq!(rig.host.acknowledged, [8300; 3]);
}

#[test]
fn what_comes_later_than_it_should_is_acknowledged_as_well() {
    let mut rig = Rig::frozen("");
    let advertised = rig.until_lost(arrives(1375));
    let [(millis, 8300)] = advertised[..] else { panic!("{advertised:?}") };
    assert!((1375..=1385).contains(&millis), "{millis}");
}

#[test]
fn what_the_kernel_acknowledges_itself_is_not_acknowledged_again() {
    let mut rig = Rig::frozen("");
    let advertised = rig.until_lost(|rig, millis| {
        arrives(1340)(rig, millis);
        if millis == 1345 {
            rig.sent(millis, WWAN, &packet(8300, 0));
        }
    });
    assert_eq!((advertised, rig.agent.counters().caught_up), (vec![], 0));
}

/// Where something waits each time that the kernel is asked, nobody knows how much: too little is acknowledged, and never too much.
#[test]
fn nothing_is_acknowledged_that_has_not_arrived() {
    let mut rig = Rig::freezing("");
    rig.host.received = 100;
    rig.tell(1000, "going-down wwan0 in 400 ms");
    rig.at(1250);
    let advertised = rig.until_lost(|rig, millis| match millis {
        1260 => {
            rig.host.received = 1100;
            rig.sent(millis, WWAN, &packet(8000, 0));
        }
        1370 => rig.host.received = 1200,
        _ => {}
    });
    // It has received up to 8200.
    assert!(matches!(advertised[..], [(1370..=1380, 8100)]), "{advertised:?}");
}

/// What was learned of an earlier connection between the same ports means nothing.
#[test]
fn where_packets_have_gone_unseen_nothing_is_acknowledged_by_guess() {
    let mut rig = Rig::frozen("");
    let advertised = rig.until_lost(|rig, millis| {
        arrives(1340)(rig, millis);
        if millis == 1330 {
            rig.agent.missed(1);
        }
    });
    assert_eq!((advertised, rig.agent.counters().caught_up), (vec![], 0));
}

#[test]
fn what_is_lost_earlier_than_announced_is_looked_at_no_more() {
    let mut rig = Rig::frozen("");
    rig.tell(1300, "down wwan0");
    let advertised = rig.until_lost(arrives(1340));
    assert_eq!((advertised, rig.next()), (vec![], Some(31_300)));
}

#[test]
fn a_newer_notice_of_an_earlier_loss_is_accepted() {
    let mut rig = Rig::frozen("");
    rig.tell(1260, "going-down in 60 ms");
    let advertised = rig.until_lost(arrives(1300));
    // A margin after the time of the loss it thaws.
    assert!(matches!(advertised[..], [(1300..=1310, 8300), (1370, 8300), ..]), "{advertised:?}");
}

/// So many that all are due again before each has had its turn.
#[test]
fn of_many_connections_each_has_its_turn() {
    const MANY: u16 = 1000;
    let mut rig = Rig::freezing("");
    for number in 1..MANY {
        let mut other = packet(7000, WINDOW);
        other[20..22].copy_from_slice(&(10_000 + number).to_be_bytes());
        rig.sent(0, WWAN, &other);
    }
    rig.tell(1000, "going-down wwan0 in 400 ms");
    rig.at(1250);
    assert_eq!(rig.agent.counters().frozen, u64::from(MANY));
    rig.host.received = 300;
    let advertised = rig.until_lost(|_, _| {});
    assert!(advertised.iter().all(|(millis, number)| *millis >= 1350 && *number == 7300), "{advertised:?}");
    assert_eq!((advertised.len(), rig.agent.counters().caught_up), (usize::from(MANY), u64::from(MANY)));
}
