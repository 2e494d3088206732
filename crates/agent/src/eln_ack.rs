//! The agent of ELN-ACK (eln-ack: Ding and Jamalipour, "A new explicit loss notification with acknowledgment for wireless TCP",
//! 2001, section III): it knows which segments came by on their way to the mobile host, and says in passing acknowledgments
//! which of the losses they list happened on the air.

use crate::connection::{Connection, ConnectionMaker};
use crate::exit::Exit;
use crate::key::Side;
use crate::ranges::Ranges;
use crate::{AT_THE_AIR_LINK, Kind};
use seamline_tcp::handover::Traits;
use seamline_wire::{
    Duration, Flags, Instant, Loss, LossCause, Losses, Mark, Packet, Segment, SequenceNumber,
};

pub(super) static KIND: Kind = Kind {
    name: "eln-ack",
    summary: "marks, for each loss listed in an acknowledgment, whether the packet was lost over the air",
    cite: "Ding and Jamalipour, University of Sydney, 2001",
    traits: Traits { keeps_end_to_end_semantics: true, ..AT_THE_AIR_LINK },
    ends_connections: false,
    runs_on_real_hosts: true,
    split: None,
    kept_packets: |_| 0,
    state_bytes: 0,
    connection: &|parameters| {
        let own = parameters.eln_ack;
        ConnectionMaker::new(move || Box::new(ElnAck::new(own)))
    },
};

/// What the bits of an acknowledgment speak of; the paper has "one bit" for the "four most recently lost packets".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    /// A bit for each loss.
    PerLoss,
    /// One for all of them, which says congestion if one of them was.
    One,
}

/// What of ELN-ACK can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElnAckParameters {
    /// What the bits speak of.
    pub bits: Bits,
    /// If a loss that was reported as one on the air is still listed this long after, and has not passed again, the retransmission was
    /// lost to congestion. Longer than the sender waits before it retransmits once more.
    pub timeout: Duration,
    /// Where a receiver reports gaps by SACK alone (RFC 2018), the agent itself lists the first missing segment: with one bit for all
    /// gaps, because a longer list would take the place of SACK blocks. The paper's receivers list losses themselves.
    pub lists_losses: bool,
}

impl Default for ElnAckParameters {
    /// A second: no retransmission timer expires sooner (RFC 6298 section 2.4).
    fn default() -> Self {
        ElnAckParameters { bits: Bits::PerLoss, timeout: Duration::from_secs(1), lists_losses: false }
    }
}

/// A loss that was reported to the sender as one on the air.
#[derive(Clone, Copy, Debug)]
struct Reported {
    sequence: SequenceNumber,
    at: Instant,
}

/// More such losses are not remembered; the oldest are forgotten first.
const MOST_REPORTED: usize = 16;

#[derive(Debug)]
struct ElnAck {
    parameters: ElnAckParameters,
    /// What came from the wired side and is not acknowledged.
    came_by: Ranges,
    reported: Vec<Reported>,
}

impl ElnAck {
    fn new(parameters: ElnAckParameters) -> Self {
        ElnAck { parameters, came_by: Ranges::default(), reported: Vec::new() }
    }

    /// Data towards the mobile host. A segment that passes again is judged again.
    fn on_data(&mut self, segment: &Segment) {
        let (begin, end) = (segment.sequence, segment.end());
        self.came_by.insert(begin, end);
        self.reported.retain(|it| it.sequence.is_before(begin) || it.sequence.is_at_or_after(end));
    }

    fn on_acknowledgment(&mut self, now: Instant, segment: &mut Segment) -> bool {
        let acknowledgment = segment.acknowledgment;
        self.came_by.forget_before(acknowledgment);
        self.reported.retain(|it| it.sequence.is_at_or_after(acknowledgment));
        let Some(Mark::Losses(losses)) = &mut segment.mark else { return false };
        let before = *losses;
        self.judge(now, losses, acknowledgment);
        *losses != before
    }

    /// The list for a receiver that reports gaps by SACK alone. None goes with data: the longer header might not fit into a packet.
    fn list(&mut self, now: Instant, segment: &Segment) -> Option<Mark> {
        if !self.parameters.lists_losses || segment.mark.is_some() || segment.length > 0 {
            return None;
        }
        let cause = self.cause_of_gaps(now, segment)?;
        Some(Mark::Losses(Losses::from_iter([Loss { offset: 0, cause }])))
    }

    /// Why the gaps are there that SACK blocks report; `None` without a gap. Congestion if part of one never came by.
    fn cause_of_gaps(&mut self, now: Instant, segment: &Segment) -> Option<LossCause> {
        let missing = segment.acknowledgment;
        let ends = segment.sack.iter().map(|block| block.right).filter(|end| missing.is_before(*end));
        let end = ends.max_by_key(|end| end.saturating_since(missing))?;
        if !self.came_by.contain_all(missing, end) {
            return Some(LossCause::Congestion);
        }
        Some(self.cause(now, Loss { offset: 0, cause: LossCause::Congestion }, missing))
    }

    fn judge(&mut self, now: Instant, losses: &mut Losses, acknowledgment: SequenceNumber) {
        let mut all = LossCause::Air;
        for place in 0..losses.len() {
            let cause =
                losses.get(place).map_or(LossCause::Congestion, |loss| self.cause(now, loss, acknowledgment));
            losses.set_cause(place, cause);
            if cause == LossCause::Congestion {
                all = cause;
            }
        }
        if self.parameters.bits == Bits::One {
            (0..losses.len()).for_each(|place| losses.set_cause(place, all));
        }
    }

    fn cause(&mut self, now: Instant, loss: Loss, acknowledgment: SequenceNumber) -> LossCause {
        let sequence = loss.sequence(acknowledgment);
        if !self.came_by.contains(sequence) {
            return loss.cause;
        }
        match self.reported.iter().find(|it| it.sequence == sequence) {
            Some(reported) if reported.at + self.parameters.timeout <= now => LossCause::Congestion,
            Some(_) => LossCause::Air,
            None => {
                if self.reported.len() == MOST_REPORTED {
                    self.reported.remove(0);
                }
                self.reported.push(Reported { sequence, at: now });
                LossCause::Air
            }
        }
    }
}

impl Connection for ElnAck {
    fn on_segment(&mut self, now: Instant, from: Side, mut packet: Box<Packet>, exit: &mut Exit<'_>) {
        match from {
            Side::Wired if packet.segment.length > 0 => self.on_data(&packet.segment),
            Side::Wireless if packet.segment.flags.contains(Flags::ACK) => {
                let judged = self.on_acknowledgment(now, &mut packet.segment);
                exit.counters.marked_acknowledgments += u64::from(judged);
                if let Some(mark) = self.list(now, &packet.segment) {
                    exit.mark(&mut packet, mark);
                }
            }
            _ => {}
        }
        exit.forward(from, packet);
    }
}
