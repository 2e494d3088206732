//! Building packets: header fields, options and sizes.

use crate::ecn::EcnState;
use crate::loss_notification::LossNotification;
use crate::parameters::Parameters;
use crate::receiver::Receiver;
use seamline_wire::codec::{fit_sack_blocks, options_length};
use seamline_wire::{
    Duration, Flags, Instant, Mark, NodeId, Outbox, Packet, Port, Segment, SequenceNumber, Timestamps,
    TransportPort,
};

/// One end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Address {
    /// The node.
    pub node: NodeId,
    /// Its port.
    pub port: TransportPort,
}

/// What goes into every segment of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) local: Address,
    pub(crate) remote: Address,
    /// Header bytes are counted as in ns-2.
    flat_headers: bool,
    pub(crate) timestamps: Option<TimestampClock>,
    pub(crate) sack: bool,
    pub(crate) window_scaled: bool,
    /// Acknowledgments list losses.
    pub(crate) lists_losses: bool,
    /// Payload and options of a segment together are not longer than this.
    pub(crate) largest_segment: u32,
    /// What ECN asks for.
    pub(crate) ecn: EcnState,
    /// What a handover scheme marks.
    pub(crate) marking: Marking,
    /// What a handover scheme keeps back.
    pub(crate) held: HeldAcknowledgments,
}

/// A mark to put on the next segments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marking {
    mark: Option<Mark>,
    segments: u32,
}

impl Marking {
    pub(crate) fn begin(&mut self, mark: Mark, segments: u32) {
        *self = Marking { mark: (segments > 0).then_some(mark), segments };
    }
    /// The mark of the segment that leaves now.
    fn take(&mut self) -> Option<Mark> {
        let mark = self.mark?;
        self.begin(mark, self.segments - 1);
        Some(mark)
    }
}

/// Acknowledgments that a handover scheme keeps back until the peer can hear them (mobility-vegas-2020, section 4.2), in the order in
/// which they fell due. Each acknowledges more than the one before, so there are no more of
/// them than bytes in the window that was offered.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldAcknowledgments(Option<Vec<Segment>>);

impl HeldAcknowledgments {
    pub(crate) fn is_holding(&self) -> bool {
        self.0.is_some()
    }
    /// From now on.
    pub(crate) fn hold(&mut self) {
        self.0.get_or_insert_default();
    }
    /// Keep this one, unless it repeats the last.
    pub(crate) fn keep(&mut self, segment: Segment) {
        if let Some(held) = &mut self.0
            && held.last().is_none_or(|last| last.acknowledgment != segment.acknowledgment)
        {
            held.push(segment);
        }
    }
    /// Another segment leaves, which acknowledges all that they do.
    pub(crate) fn overtake(&mut self) {
        if let Some(held) = &mut self.0 {
            held.clear();
        }
    }
    /// Keep none any more; these were.
    pub(crate) fn release(&mut self) -> Vec<Segment> {
        self.0.take().unwrap_or_default()
    }
}

/// The timestamp clock and what is to be echoed (RFC 7323 section 4).
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimestampClock {
    pub(crate) tick: Duration,
    /// TS.Recent.
    pub(crate) recent: u32,
    /// When TS.Recent was last replaced.
    pub(crate) recent_since: Instant,
    /// What is echoed is at least this.
    pub(crate) least_echo: Option<u32>,
}

impl TimestampClock {
    pub(crate) fn new(tick: Duration) -> Self {
        TimestampClock { tick, recent: 0, recent_since: Instant::ZERO, least_echo: None }
    }
    /// TSecr.
    fn echo(&self) -> u32 {
        match self.least_echo {
            Some(least) if self.recent.wrapping_sub(least).cast_signed() < 0 => least,
            _ => self.recent,
        }
    }
    /// Echo at least what a segment would carry that arrived at `now` after as long a way as the last one. The peer's clock is taken to
    /// tick like this one.
    pub(crate) fn advance_echo(&mut self, now: Instant) {
        let ticks = now.saturating_since(self.recent_since).as_nanos() / self.tick.as_nanos().max(1);
        self.least_echo = Some(self.recent.wrapping_add(ticks as u32));
    }
    /// Take over another TS.Recent. A lower bound that it has reached is needed no longer, and would be passed again when the clock wraps.
    pub(crate) fn keep(&mut self, now: Instant, value: u32) {
        (self.recent, self.recent_since) = (value, now);
        self.least_echo = self.least_echo.filter(|least| value.wrapping_sub(*least).cast_signed() < 0);
    }
    /// TSval at `now`; begins at one, because zero means "nothing to echo".
    pub(crate) fn value(&self, now: Instant) -> u32 {
        ((now.as_nanos() / self.tick.as_nanos().max(1)) as u32).wrapping_add(1)
    }
    /// How long ago the echoed value was current.
    pub(crate) fn since(&self, now: Instant, echo: u32) -> Duration {
        self.tick * u64::from(self.value(now).wrapping_sub(echo))
    }
}

/// The timestamps option with its padding.
pub(crate) const TIMESTAMPS_LENGTH: u32 = 12;
const IPV4_AND_TCP_HEADERS: u32 = 40;
const NS2_BYTES_PER_SACK_BLOCK: u32 = 8;

impl Header {
    /// That of a connection on whose options the ends have yet to agree.
    pub(crate) fn new(local: Address, remote: Address, parameters: &Parameters) -> Self {
        let segments = &parameters.segments;
        Header {
            local,
            remote,
            flat_headers: parameters.ns2.flat_headers,
            timestamps: segments.timestamp_tick.map(TimestampClock::new),
            sack: segments.selective_acknowledgments,
            window_scaled: segments.window_scale.is_some(),
            lists_losses: parameters.loss_notification.scheme == LossNotification::ListAndActOn,
            largest_segment: u32::from(segments.maximum_segment_size),
            ecn: EcnState::default(),
            marking: Marking::default(),
            held: HeldAcknowledgments::default(),
        }
    }

    /// Fill in the acknowledging half of a segment and send it.
    pub(crate) fn send(&mut self, now: Instant, segment: Segment, receiver: &mut Receiver, out: &mut Outbox) {
        if segment.length > 0 {
            receiver.note_data_sent(now);
        }
        let mut packet = out.packet();
        packet.segment = segment;
        self.fill(&mut packet.segment, receiver);
        self.held.overtake();
        self.post(now, packet, out);
    }

    /// Send an acknowledgment, or keep it back with others.
    pub(crate) fn acknowledge(
        &mut self,
        now: Instant,
        segment: Segment,
        receiver: &mut Receiver,
        out: &mut Outbox,
    ) {
        let mut packet = out.packet();
        packet.segment = segment;
        self.fill(&mut packet.segment, receiver);
        if self.held.is_holding() {
            self.held.keep(packet.segment);
            out.recycle(packet);
        } else {
            self.post(now, packet, out);
        }
    }

    #[inline]
    fn fill(&mut self, segment: &mut Segment, receiver: &mut Receiver) {
        // Almost no segment has one; to copy none takes time, too.
        if segment.mark.is_none() && self.marking.mark.is_some() {
            segment.mark = self.marking.take();
        }
        segment.acknowledgment = receiver.acknowledgment();
        if self.lists_losses && segment.mark.is_none() && segment.sequence_length() == 0 {
            let losses = receiver.losses();
            segment.mark = (!losses.is_empty()).then_some(Mark::Losses(losses));
        }
        segment.window = receiver.offer(self.window_scaled && !segment.flags.intersects(Flags::SYN));
        let has_room = !self.sack || self.report_blocks(segment, receiver);
        let owed = receiver.must_acknowledge();
        receiver.acknowledged();
        if has_room {
            receiver.duplicate_reported();
        } else if owed {
            receiver.acknowledge_soon();
        }
    }

    /// Put the SACK blocks on a segment, if there are any. Returns `false` if there are some, and none fits.
    fn report_blocks(&self, segment: &mut Segment, receiver: &Receiver) -> bool {
        let blocks = receiver.sack_blocks();
        if blocks.is_empty() {
            return true;
        }
        segment.sack = blocks;
        if segment.length > 0 {
            segment.sack.truncate(self.blocks_beside(segment.length));
        }
        !segment.sack.is_empty()
    }

    /// The longest payload of the next segment: a mark on it takes its place from the payload (RFC 6691 section 2).
    pub(crate) fn longest_payload(&self) -> u32 {
        if self.marking.mark.is_none() || self.flat_headers {
            return u32::MAX;
        }
        let timestamps = self.timestamps.map(|_| Timestamps::default());
        let options = Segment { mark: self.marking.mark, timestamps, ..Segment::default() };
        self.largest_segment.saturating_sub(options_length(&options) as u32).max(1)
    }

    /// Bytes of the options that every segment has.
    pub(crate) fn options_length(&self) -> u32 {
        if self.timestamps.is_some() { TIMESTAMPS_LENGTH } else { 0 }
    }

    /// How many SACK blocks fit next to so much payload (RFC 6691 section 2). When none does and one is owed,
    /// a segment without payload follows.
    fn blocks_beside(&self, length: u32) -> usize {
        const KIND_LENGTH_AND_PADDING: u32 = 4;
        const BLOCK: u32 = 8;
        let taken = length + self.options_length() + KIND_LENGTH_AND_PADDING;
        let room = self.largest_segment.saturating_sub(taken);
        (room / BLOCK) as usize
    }

    /// Send a segment whose acknowledging half is filled in already, or has no meaning.
    pub(crate) fn send_bare(&mut self, now: Instant, segment: Segment, out: &mut Outbox) {
        let mut packet = out.packet();
        packet.segment = segment;
        self.post(now, packet, out);
    }

    /// Send a packet with this segment. What else is in the packet may be left over from an earlier life.
    fn post(&mut self, now: Instant, mut packet: Box<Packet>, out: &mut Outbox) {
        let segment = &mut packet.segment;
        if let Some(clock) = &self.timestamps {
            let echo = if segment.flags.intersects(Flags::ACK) { clock.echo() } else { 0 };
            segment.timestamps = Some(Timestamps { value: clock.value(now), echo });
        }
        fit_sack_blocks(segment);
        let ecn = self.ecn.mark(segment);
        let wire_bytes = self.wire_bytes(segment);
        packet.ecn = ecn;
        packet.wire_bytes = wire_bytes;
        packet.make_bare();
        packet.source = self.local.node;
        packet.destination = self.remote.node;
        packet.source_port = self.local.port;
        packet.destination_port = self.remote.port;
        out.send(Port(0), packet);
    }

    fn wire_bytes(&self, segment: &Segment) -> u32 {
        let options = match self.flat_headers {
            false => options_length(segment) as u32,
            true => NS2_BYTES_PER_SACK_BLOCK * segment.sack.len() as u32,
        };
        IPV4_AND_TCP_HEADERS + options + segment.length
    }
}

/// A reset in answer to a segment that belongs to no connection (RFC 9293 section 3.5.2).
pub(crate) fn reset_for(packet: &Packet, out: &mut Outbox) {
    let arrived = &packet.segment;
    if arrived.flags.intersects(Flags::RST) {
        return;
    }
    let segment = if arrived.flags.intersects(Flags::ACK) {
        Segment { sequence: arrived.acknowledgment, flags: Flags::RST, ..Segment::default() }
    } else {
        Segment {
            sequence: SequenceNumber(0),
            acknowledgment: arrived.end(),
            flags: Flags::RST | Flags::ACK,
            ..Segment::default()
        }
    };
    let mut answer = out.packet();
    *answer = Packet {
        source: packet.destination,
        destination: packet.source,
        source_port: packet.destination_port,
        destination_port: packet.source_port,
        wire_bytes: IPV4_AND_TCP_HEADERS,
        segment,
        ..Packet::default()
    };
    out.send(Port(0), answer);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is echoed keeps to the peer's clock when that wraps, 2^31 ticks after a bound was reached and later.
    #[test]
    fn a_lower_bound_ends_when_it_is_reached() {
        let mut clock = TimestampClock::new(Duration::from_millis(1));
        clock.keep(Instant::ZERO, 100);
        clock.advance_echo(Instant::from_millis(50));
        assert_eq!(clock.echo(), 150);
        clock.keep(Instant::from_millis(60), 120);
        assert_eq!(clock.echo(), 150, "the bound is not reached");
        for value in [150, 1 << 30, (1 << 31) + 149, (1 << 31) + 151, u32::MAX, 149] {
            clock.keep(Instant::from_secs(1), value);
            assert_eq!(clock.echo(), value);
        }
    }
}
