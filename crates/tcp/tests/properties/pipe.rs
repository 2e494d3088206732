//! A network that loses, doubles, delays and overtakes.

use crate::plan::PipePlan;
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant, LossCause, Mark, Packet, Segment};
use std::collections::BTreeMap;

/// A packet on its way, with its payload.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) packet: Packet,
    pub(crate) payload: Vec<u8>,
}

/// One direction.
#[derive(Debug)]
pub(crate) struct Pipe {
    plan: PipePlan,
    good_from: Instant,
    random: Stream,
    on_the_way: BTreeMap<(Instant, u64), Loaded>,
    sent: u64,
}

impl Pipe {
    pub(crate) fn new(plan: PipePlan, good_from: Instant, random: Stream) -> Self {
        Pipe { plan, good_from, random, on_the_way: BTreeMap::new(), sent: 0 }
    }
    pub(crate) fn next_arrival(&self) -> Option<Instant> {
        self.on_the_way.keys().next().map(|&(at, _)| at)
    }
    pub(crate) fn arrived(&mut self) -> Option<Loaded> {
        self.on_the_way.pop_first().map(|(_, loaded)| loaded)
    }
    fn is_out(&self, now: Instant) -> bool {
        self.plan.outages.iter().any(|&(begin, length)| {
            (Instant::from_millis(begin)..Instant::from_millis(begin + length)).contains(&now)
        })
    }
    fn percent(&mut self, percentage: u64) -> bool {
        self.random.below(100) < percentage
    }
    fn carry(&mut self, at: Instant, loaded: Loaded) {
        self.sent += 1;
        self.on_the_way.insert((at, self.sent), loaded);
    }
    /// An agent has its say about the losses that a packet tells of, true or not.
    fn judge_losses(&mut self, segment: &mut Segment) {
        if let Some(Mark::Losses(losses)) = &mut segment.mark {
            for place in 0..losses.len() {
                let causes = [LossCause::Congestion, LossCause::Air];
                losses.set_cause(place, causes[self.random.below(2) as usize]);
            }
        }
    }
    /// A packet enters at `now`.
    pub(crate) fn send(&mut self, now: Instant, mut loaded: Loaded) {
        self.judge_losses(&mut loaded.packet.segment);
        let delay = Duration::from_millis(self.plan.one_way_delay);
        if now >= self.good_from {
            let behind_others = self.on_the_way.keys().next_back().map_or(Instant::ZERO, |&(at, _)| at);
            return self.carry((now + delay).max(behind_others), loaded);
        }
        if self.is_out(now) || self.percent(self.plan.loss) {
            return;
        }
        let copies = 1 + u64::from(self.percent(self.plan.duplication));
        for _ in 0..copies {
            let jitter = Duration::from_micros(self.random.below(self.plan.jitter * 1000 + 1));
            let held = if self.percent(self.plan.reordering) { 50 + self.random.below(1000) } else { 0 };
            self.carry(now + delay + jitter + Duration::from_millis(held), loaded.clone());
        }
    }
}
