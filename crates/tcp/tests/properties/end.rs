//! One end: an endpoint, the application that uses it, and a watch over everything it does.

use crate::pipe::Loaded;
use crate::plan::AppPlan;
use seamline_tcp::{Endpoint, NetworkError, State};
use seamline_wire::{Flags, Instant, Outbox, Segment, SequenceNumber, Signal};

/// The byte at a position of the stream that the end of this number sends.
fn byte(side: usize, position: u64) -> u8 {
    let mixed = (position + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17 + side as u32);
    (mixed >> 56) as u8
}

/// The position in a stream of the byte numbered `sequence`, nearest to `near`.
fn position(sequence: SequenceNumber, initial: SequenceNumber, near: u64) -> u64 {
    position_after(sequence, initial, near).expect("a position in the stream")
}

/// The same; `None` for a number before the stream's first.
fn position_after(sequence: SequenceNumber, initial: SequenceNumber, near: u64) -> Option<u64> {
    let expected = initial + 1 + near as u32;
    let distance = i64::from((sequence.0.wrapping_sub(expected.0)) as i32);
    near.checked_add_signed(distance)
}

#[derive(Debug)]
pub(crate) struct End {
    side: usize,
    pub(crate) endpoint: Endpoint,
    pub(crate) out: Outbox,
    pub(crate) plan: AppPlan,
    pub(crate) supplied: u64,
    next_supply: Instant,
    next_read: Instant,
    aborted: bool,
    initial: SequenceNumber,
    peer_initial: SequenceNumber,
    window_shift: u8,
    /// The bytes received, by position; `None` where none has arrived.
    received: Vec<Option<u8>>,
    verified: u64,
    sent_up_to: u64,
    /// The largest right edge the peer has announced, as a position.
    announced_edge: Option<u64>,
    /// The largest right edge we have offered, as a position.
    offered_edge: Option<u64>,
    pub(crate) packets_sent: u64,
    /// From then on the application reads everything there is.
    pub(crate) patient_until: Instant,
    /// Whether its handover scheme may close the window although there is room.
    pub(crate) closes_its_window: bool,
    /// Whether its handover scheme may hold acknowledgments back.
    pub(crate) holds_acknowledgments: bool,
    /// Segments that have come since the last one left.
    unanswered: u64,
    /// The smallest congestion window that the recovery promises.
    least_window: f64,
}

impl End {
    pub(crate) fn new(
        side: usize,
        endpoint: Endpoint,
        plan: AppPlan,
        peer: &AppPlan,
        least_window: f64,
    ) -> Self {
        let shift = if plan.scaled && peer.scaled { 7 } else { 0 };
        let mut end = End {
            side,
            endpoint,
            out: Outbox::new(),
            supplied: 0,
            next_supply: Instant::ZERO,
            next_read: Instant::ZERO,
            aborted: false,
            initial: SequenceNumber(plan.initial),
            peer_initial: SequenceNumber(peer.initial),
            window_shift: shift,
            received: vec![None; peer.bytes as usize],
            verified: 0,
            sent_up_to: 0,
            announced_edge: None,
            offered_edge: None,
            packets_sent: 0,
            patient_until: Instant::ZERO,
            closes_its_window: false,
            holds_acknowledgments: false,
            unanswered: 0,
            least_window,
            plan,
        };
        if end.plan.read == 0 {
            end.endpoint.read_at_once();
        }
        end
    }

    /// The application's next deed.
    pub(crate) fn next_deed(&self) -> Option<Instant> {
        let supply = (self.supplied < self.plan.bytes).then_some(self.next_supply);
        let read = (self.plan.read > 0 && self.endpoint.readable() > 0).then_some(self.next_read);
        let abort = self.plan.abort_at.filter(|_| !self.aborted).map(Instant::from_millis);
        [supply, read, abort].into_iter().flatten().min()
    }
    /// The application does what is due.
    pub(crate) fn act(&mut self, now: Instant) {
        let millis = seamline_wire::Duration::from_millis;
        if self.supplied < self.plan.bytes && self.next_supply <= now {
            let piece = self.plan.bytes.div_ceil(self.plan.pieces).min(self.plan.bytes - self.supplied);
            self.endpoint.supply(now, piece, &mut self.out);
            self.supplied += piece;
            self.next_supply = now + millis(self.plan.supply_interval);
            if self.supplied == self.plan.bytes {
                self.close_when_open(now);
            }
        }
        if self.plan.read > 0 && self.next_read <= now && self.endpoint.readable() > 0 {
            let bytes = if now < self.patient_until { self.plan.read } else { u64::MAX };
            self.endpoint.consume(now, bytes, &mut self.out);
            self.next_read = now + millis(self.plan.read_interval);
        }
        if self.plan.abort_at.is_some_and(|at| Instant::from_millis(at) <= now) && !self.aborted {
            self.aborted = true;
            self.endpoint.abort(now, &mut self.out);
        }
    }
    /// Close once everything is supplied; before the connection opens that would end it.
    pub(crate) fn close_when_open(&mut self, now: Instant) {
        if self.supplied == self.plan.bytes && self.endpoint.state().may_send() {
            self.endpoint.close(now, &mut self.out);
        }
    }

    /// A packet arrives.
    pub(crate) fn take(&mut self, now: Instant, loaded: &Loaded) {
        let segment = &loaded.packet.segment;
        self.unanswered += 1;
        self.note_announced_edge(segment);
        self.store(segment, &loaded.payload);
        let met_nobody = self.has_met_nobody();
        self.endpoint.on_packet(now, &loaded.packet, &mut self.out);
        if met_nobody && !self.has_met_nobody() {
            self.peer_initial = segment.sequence;
        }
        self.close_when_open(now);
        self.verify();
    }
    fn has_met_nobody(&self) -> bool {
        matches!(self.endpoint.state(), State::Listen | State::SynSent)
    }
    /// A layer below has news. Of a link that goes down the network reports as well that the first outstanding byte was not delivered.
    pub(crate) fn hear(&mut self, now: Instant, signal: Signal) {
        self.endpoint.on_signal(now, signal, &mut self.out);
        if signal == Signal::LinkDown {
            let first = self.initial + 1 + self.endpoint.statistics().bytes_acknowledged as u32;
            self.endpoint.on_icmp(now, first, NetworkError::Unreachable, &mut self.out);
        }
    }
    fn note_announced_edge(&mut self, segment: &Segment) {
        if segment.flags.intersects(Flags::ACK) && !segment.flags.intersects(Flags::RST) {
            // There is none in an acknowledgment for the half-open connection that a listener gave up.
            let edge = self.edge(segment, self.initial, self.sent_up_to);
            self.announced_edge = self.announced_edge.max(edge);
        }
    }
    fn edge(&self, segment: &Segment, initial: SequenceNumber, near: u64) -> Option<u64> {
        let shift = if segment.flags.intersects(Flags::SYN) { 0 } else { self.window_shift };
        let acknowledged = position_after(segment.acknowledgment, initial, near)?;
        Some(acknowledged + (u64::from(segment.window) << shift))
    }
    fn store(&mut self, segment: &Segment, payload: &[u8]) {
        if payload.is_empty() {
            return;
        }
        let start = position(segment.sequence, self.peer_initial, self.verified);
        for (place, value) in (start..).zip(payload) {
            if let Some(slot) = self.received.get_mut(place as usize) {
                assert!(slot.is_none_or(|old| old == *value), "byte {place} differs from an earlier copy");
                *slot = Some(*value);
            }
        }
    }
    /// What the endpoint calls delivered has arrived, and is what was sent.
    fn verify(&mut self) {
        let delivered = self.endpoint.statistics().bytes_delivered;
        assert!(delivered as usize <= self.received.len(), "more delivered than was ever sent");
        assert!(delivered >= self.verified, "delivery went backwards");
        for place in self.verified..delivered {
            let value = self.received[place as usize];
            assert_eq!(value, Some(byte(1 - self.side, place)), "byte {place} was delivered");
        }
        self.verified = delivered;
    }

    /// Look at what leaves, give it its payload and hand it over.
    pub(crate) fn dispatch(&mut self, mut hand_over: impl FnMut(Loaded)) {
        let packets: Vec<_> = self.out.packets.drain(..).collect();
        for (_, packet) in packets {
            let payload = self.inspect(&packet.segment);
            self.packets_sent += 1;
            hand_over(Loaded { packet: *packet, payload });
        }
    }
    fn inspect(&mut self, segment: &Segment) -> Vec<u8> {
        if segment.flags.intersects(Flags::RST) {
            return Vec::new();
        }
        if segment.flags.intersects(Flags::SYN) && segment.sequence != self.initial {
            // A listener that gave up has begun again.
            self.initial = segment.sequence;
            (self.announced_edge, self.offered_edge) = (None, None);
        }
        if segment.flags.intersects(Flags::ACK) {
            self.inspect_window(segment);
        }
        if segment.length == 0 {
            return Vec::new();
        }
        let start = position(segment.sequence, self.initial, self.sent_up_to);
        let end = start + u64::from(segment.length);
        assert!(end <= self.supplied, "{start}..{end} was never supplied");
        let edge = self.announced_edge.expect("data after an acknowledgment");
        let probes = segment.length == 1;
        assert!(end <= edge || (probes && start <= edge), "{start}..{end} lies beyond the offered {edge}");
        self.sent_up_to = self.sent_up_to.max(end);
        (start..end).map(|place| byte(self.side, place)).collect()
    }
    /// The right edge never moves left, but by rounding to the window's scale (RFC 7323 section 2.4), or all the
    /// way when a scheme closes the window on purpose (Freeze-TCP).
    fn inspect_window(&mut self, segment: &Segment) {
        let edge = self.edge(segment, self.peer_initial, self.verified).expect("a position in the stream");
        let rounding = (1 << self.window_shift) - 1;
        let before = self.offered_edge.unwrap_or(0);
        let unscaled = segment.flags.intersects(Flags::SYN);
        let closed = self.closes_its_window && segment.window == 0;
        assert!(
            edge + rounding >= before || unscaled || closed,
            "the right edge moved from {before} to {edge}"
        );
        let kept = self.endpoint.readable();
        let most = self.endpoint.statistics().bytes_delivered - kept + u64::from(self.plan.buffer) + 1;
        // Linux rounds the window up for each acknowledgment, also for those that are held and never leave.
        let unseen = if self.holds_acknowledgments { std::mem::take(&mut self.unanswered) } else { 0 };
        assert!(
            edge <= most.max(before) + rounding * (1 + unseen),
            "offered {edge}, the buffer ends at {most}"
        );
        self.offered_edge = Some(edge.max(before));
    }

    /// What holds between any two inputs.
    pub(crate) fn watch(&self, now: Instant) {
        let sample = self.endpoint.sample();
        let window = sample.congestion_window;
        assert!(window.is_finite() && window >= self.least_window, "a window of {window}");
        assert!(sample.slow_start_threshold >= 1.0, "a threshold of {}", sample.slow_start_threshold);
        let due = self.endpoint.wake_at();
        assert!(due.is_none_or(|due| due >= now), "waits for {due:?}, which is past");
        let statistics = self.endpoint.statistics();
        assert!(statistics.bytes_acknowledged <= self.supplied);
        assert_eq!(self.endpoint.buffered(), self.supplied - statistics.bytes_acknowledged);
        if self.endpoint.state().is_synchronized() {
            let next = position(self.endpoint.next_expected(), self.peer_initial, self.verified);
            assert!(next == self.verified || next == self.verified + 1, "next is {next}");
        }
    }
    /// Whether everything is sent, received and closed.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self.endpoint.state(), State::Closed | State::TimeWait)
    }
}
