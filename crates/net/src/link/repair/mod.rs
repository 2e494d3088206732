//! Repair of losses at the link layer: automatic repeat request and forward error correction, in the manner of AIRMAIL (Ayanoglu et al.,
//! "AIRMAIL: A link-layer protocol for wireless networks", ACM/Baltzer Wireless Networks 1, 1995).
//!
//! A frame carries one packet. The error models at the far end decide which frames are lost; a retransmission takes its share of the rate
//! and meets the error models again. The protocol adds this to the way of a packet:
//!
//! 1. Each frame that leaves the transmitter for the first time gets a number, and a place in a block ([`FecConfig`]).
//! 2. After the data of a block its redundancy follows. As many lost frames of the block are restored as redundancy frames arrive.
//! 3. The receiver reports what is lost then ([`ArqConfig`]); the transmitter sends it again before anything new.
//! 4. What is repaired too often is lost. Packets behind it no longer wait.
//!
//! How the paper is read where its protocol needs more than one direction of a link or more than its abstract says:
//! - The receiver notices a lost frame when it would have arrived. Reports take no rate of the other direction, and none is lost.
//! - The paper has the mobile host report when it has something to say, and the base station at fixed intervals. So a link towards the
//!   mobile node has [`ArqConfig::report_interval`] zero, one from it does not.
//! - Code rates are constant. The paper adapts them to the channel.
//! - What a handover of the link drops is not repaired: the schedule says what happens to packets in a handover.

mod arq;
mod fec;

pub use arq::{ArqConfig, Delivery};
pub use fec::FecConfig;

use super::counters::Sink;
use arq::{Arq, InOrder};
use fec::{Block, Fec, Member};
use seamline_wire::{DropCause, Duration, Instant, Packet};
use std::collections::VecDeque;

/// How a link repairs losses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RepairConfig {
    /// Retransmission of lost frames.
    pub arq: Option<ArqConfig>,
    /// Redundancy from which lost frames are restored.
    pub fec: Option<FecConfig>,
}

impl RepairConfig {
    /// Whether it repairs anything.
    pub(super) fn repairs(&self) -> bool {
        self.arq.is_some() || self.fec.is_some()
    }
}

/// What the link layer knows of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    /// In the order in which frames left the transmitter for the first time.
    number: u64,
    /// How often it was sent again.
    retransmissions: u32,
    block: Block,
}

impl Frame {
    /// Whether it carries redundancy, and no packet.
    pub(super) fn is_redundancy(&self) -> bool {
        self.block.is_redundancy
    }
}

/// A frame with its packet.
pub(super) type Framed = (Frame, Box<Packet>);

/// Both ends of the protocol.
#[derive(Debug)]
pub(super) struct Repair {
    arq: Option<Arq>,
    fec: Option<Fec>,
    /// `None` where frames are delivered as they arrive.
    in_order: Option<InOrder>,
    next_number: u64,
    /// Frames to send before anything new: retransmissions and redundancy.
    ready: VecDeque<Framed>,
}

impl Repair {
    pub(super) fn new(config: RepairConfig) -> Self {
        let delivery = config.arq.map_or(Delivery::InOrder, |arq| arq.delivery);
        Repair {
            arq: config.arq.map(Arq::new),
            fec: config.fec.map(Fec::new),
            in_order: (delivery == Delivery::InOrder).then(InOrder::default),
            next_number: 0,
            ready: VecDeque::new(),
        }
    }

    /// The next frame to send before anything new.
    pub(super) fn next(&mut self) -> Option<Framed> {
        self.ready.pop_front()
    }
    /// Whether there is such a frame.
    pub(super) fn has_next(&self) -> bool {
        !self.ready.is_empty()
    }
    /// The transmission of such a frame was broken off.
    pub(super) fn put_back(&mut self, framed: Framed) {
        self.ready.push_front(framed);
    }

    /// A packet has been sent for the first time.
    pub(super) fn number(&mut self, now: Instant, packet: &Packet, sink: &mut Sink<'_>) -> Frame {
        let number = self.next_number;
        self.next_number += 1;
        if let Some(in_order) = &mut self.in_order {
            in_order.expect();
        }
        let Some(fec) = &mut self.fec else { return Frame { number, ..Frame::default() } };
        let (block, is_full) = fec.add(now, packet, sink);
        if is_full {
            self.end_block(sink);
        }
        Frame { number, retransmissions: 0, block }
    }

    /// Send the redundancy of the block that is being filled.
    fn end_block(&mut self, sink: &mut Sink<'_>) {
        if let Some(fec) = &mut self.fec {
            fec.end_block(sink, |block, packet| {
                self.ready.push_back((Frame { block, ..Frame::default() }, packet));
            });
        }
    }

    /// A frame has been sent that was to be sent before anything new.
    pub(super) fn note_sent(&self, frame: &Frame, packet: &Packet, sink: &mut Sink<'_>) {
        let counters = &mut sink.counters;
        let count =
            if frame.is_redundancy() { &mut counters.redundancy } else { &mut counters.retransmitted };
        count.count(packet.wire_bytes);
    }

    /// When something happens by itself: a report arrives, or a block is not filled in time.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        let report = self.arq.as_ref().and_then(Arq::next_report);
        report.into_iter().chain(self.fec.as_ref().and_then(Fec::ends_at)).min()
    }

    /// That time has come.
    pub(super) fn on_wake(&mut self, now: Instant, sink: &mut Sink<'_>) {
        if self.fec.as_ref().and_then(Fec::ends_at).is_some_and(|at| at <= now) {
            self.end_block(sink);
        }
        if let Some(arq) = &mut self.arq {
            self.ready.extend(arq.reported_by(now));
        }
    }

    /// A frame reaches the far end, or is lost there. `one_way_delay` is that of the link.
    pub(super) fn on_arrival(
        &mut self,
        now: Instant,
        (frame, packet): Framed,
        one_way_delay: Duration,
        sink: &mut Sink<'_>,
    ) {
        let survives = sink.survives(now, &packet);
        let is_in_block = frame.retransmissions == 0;
        let Some(fec) = self.fec.as_mut().filter(|_| is_in_block) else {
            return match survives {
                true => self.deliver(frame.number, packet, sink),
                false => self.fail(now, (frame, packet), one_way_delay, sink),
            };
        };
        let outcome = match survives {
            true => Member::Arrived,
            false if frame.is_redundancy() => Member::Lost,
            false => Member::Missing,
        };
        let (kept, delivered) = match outcome {
            Member::Missing => (Some((frame, packet)), None),
            _ => (None, Some(packet)),
        };
        let settled = fec.on_member(frame.block, outcome, kept);
        match delivered {
            Some(packet) if frame.is_redundancy() => sink.out.recycle(packet),
            Some(packet) => self.deliver(frame.number, packet, sink),
            None => {}
        }
        for (frame, packet) in settled.restored {
            self.deliver(frame.number, packet, sink);
        }
        for framed in settled.failed {
            self.fail(now, framed, one_way_delay, sink);
        }
    }

    /// A handover has dropped a frame that was sent, or that was to be sent again.
    pub(super) fn on_dropped(&mut self, now: Instant, (frame, packet): Framed, sink: &mut Sink<'_>) {
        let settled = match &mut self.fec {
            Some(fec) if frame.retransmissions == 0 => fec.on_member(frame.block, Member::Lost, None),
            _ => fec::Settled::default(),
        };
        if frame.is_redundancy() {
            sink.out.recycle(packet);
        } else {
            sink.lose(DropCause::LinkDown, packet);
            self.resolve(frame.number, None, sink);
        }
        for (frame, packet) in settled.restored {
            self.deliver(frame.number, packet, sink);
        }
        for framed in settled.failed {
            self.fail(now, framed, Duration::ZERO, sink);
        }
    }

    /// A handover drops what waits for the transmitter: everything that was to be sent again.
    pub(super) fn drop_waiting(&mut self, now: Instant, sink: &mut Sink<'_>) {
        let mut waiting = std::mem::take(&mut self.ready);
        if let Some(arq) = &mut self.arq {
            waiting.extend(arq.reported_by(Instant::MAX));
        }
        waiting.into_iter().for_each(|framed| self.on_dropped(now, framed, sink));
    }

    /// Packets in the protocol's hands: to be sent again, and waiting for others at the far end.
    pub(super) fn len(&self) -> usize {
        let ready = self.ready.iter().filter(|(frame, _)| !frame.is_redundancy()).count();
        let reported = self.arq.as_ref().map_or(0, Arq::len);
        let missing = self.fec.as_ref().map_or(0, Fec::len);
        ready + reported + missing + self.in_order.as_ref().map_or(0, InOrder::held)
    }

    fn deliver(&mut self, number: u64, packet: Box<Packet>, sink: &mut Sink<'_>) {
        self.resolve(number, Some(packet), sink);
    }

    /// A frame is lost, and nothing at the far end restores it.
    fn fail(&mut self, now: Instant, (frame, packet): Framed, one_way_delay: Duration, sink: &mut Sink<'_>) {
        match self.arq.as_mut().filter(|arq| arq.repeats(frame.retransmissions)) {
            Some(arq) => {
                let again = Frame { retransmissions: frame.retransmissions + 1, ..frame };
                arq.report(now, one_way_delay, (again, packet));
            }
            None => {
                sink.lose(DropCause::ErrorModel, packet);
                self.resolve(frame.number, None, sink);
            }
        }
    }

    /// The fate of a frame is known: its packet, or `None` where it is lost.
    fn resolve(&mut self, number: u64, packet: Option<Box<Packet>>, sink: &mut Sink<'_>) {
        match &mut self.in_order {
            None => packet.into_iter().for_each(|packet| sink.hand_over(packet)),
            Some(in_order) => in_order.resolve(number, packet, |packet| sink.hand_over(packet)),
        }
    }
}
