//! The agent at the base station: keeps packets, sends again what the mobile router asks for, and says what never came.

use super::ObtcpParameters;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::key::{ConnectionKey, Side};
use crate::round_trip::RoundTrip;
use crate::store::Store;
use seamline_wire::control::{MissingBytes, RecoveryMessage, SequenceRange, SequenceRanges};
use seamline_wire::timers::NEVER;
use seamline_wire::{Flags, Instant, Packet, Segment, SequenceNumber};

#[derive(Debug)]
pub(super) struct BaseStation {
    parameters: ObtcpParameters,
    store: Store,
    /// The end of what has come.
    end: Option<SequenceNumber>,
    acknowledged: Option<SequenceNumber>,
    /// To the mobile host and back.
    round_trip: RoundTrip,
    timer: Instant,
}

impl BaseStation {
    pub(super) fn new(parameters: ObtcpParameters) -> Self {
        BaseStation {
            store: Store::default(),
            end: None,
            acknowledged: None,
            round_trip: RoundTrip::of_data(parameters.minimum_timeout, parameters.timer_granularity),
            timer: NEVER,
            parameters,
        }
    }

    /// Data towards the mobile host. Bytes missing before it are reported first, so that the mobile router knows of them when it sees the gap.
    fn on_data(&mut self, now: Instant, packet: &Packet, exit: &mut Exit<'_>) {
        let (first, end) = (packet.segment.sequence, packet.segment.end());
        if self.acknowledged.is_some_and(|acknowledged| end.is_at_or_before(acknowledged)) {
            return;
        }
        if let Some(missing) = self.end.filter(|known| first.is_after(*known)) {
            let lost = [SequenceRange { first: missing, end: first }];
            let key = ConnectionKey::of(packet, Side::Wired);
            exit.report(Side::Wireless, key, MissingBytes::LostByCongestion, &lost);
        }
        self.end = Some(self.end.map_or(end, |known| known.max(end)));
        if packet.segment.length > 0 {
            self.store.keep(now, packet, self.parameters.cache, exit);
        }
        if self.timer == NEVER {
            self.restart_timer(now);
        }
    }

    fn on_acknowledgment(&mut self, now: Instant, segment: &Segment, exit: &mut Exit<'_>) {
        let acknowledgment = segment.acknowledgment;
        self.store.list(segment.sack.behind(acknowledgment));
        if self.acknowledged.is_some_and(|acknowledged| acknowledgment.is_at_or_before(acknowledged)) {
            return;
        }
        self.acknowledged = Some(acknowledgment);
        self.end = Some(self.end.map_or(acknowledgment, |end| end.max(acknowledgment)));
        let answered = self.store.acknowledge(acknowledgment, exit);
        if let Some(round_trip_time) = answered.and_then(|answered| answered.round_trip_time(now)) {
            self.round_trip.sample(round_trip_time);
        }
        let (shortest, most) = (self.round_trip.shortest(), self.parameters.local_retransmissions);
        let timeout =
            self.store.continue_after_timeout(now, acknowledgment, answered.as_ref(), shortest, most, exit);
        if timeout.is_some_and(|timeout| timeout.is_answered()) {
            self.round_trip.end_back_off();
        }
        self.restart_timer(now);
    }

    /// Everything that is asked for goes out at once. Before it an answer says what is not here, in most cases nothing: else a mobile
    /// router could not tell a repair from what the sender sends again, nor an agent that lost its messages from none. Nothing is reported of
    /// the first byte that was asked for, so that it is known whose answer it is.
    fn on_request(
        &mut self,
        now: Instant,
        key: ConnectionKey,
        ranges: &[SequenceRange],
        exit: &mut Exit<'_>,
    ) {
        let (Some(end), Some(SequenceRange { first: begin, .. })) = (self.end, ranges.first().copied())
        else {
            return;
        };
        let known = |range: &SequenceRange| {
            let first = self.acknowledged.map_or(range.first, |acknowledged| range.first.max(acknowledged));
            let asked = SequenceRange { first, end: range.end.min(end) };
            asked.first.is_before(asked.end).then_some(asked)
        };
        let asked: Vec<SequenceRange> = ranges.iter().filter_map(known).collect();
        let absent: Vec<SequenceRange> = asked.iter().flat_map(|range| self.store.absent(*range)).collect();
        let nothing = [SequenceRange { first: begin, end: begin }];
        let answer = if absent.is_empty() { &nothing[..] } else { &absent };
        for part in answer.chunks(SequenceRanges::MAX) {
            exit.report(Side::Wireless, key, MissingBytes::LostByCongestion, part);
        }
        // A mobile router asks no more often; a forged request may.
        let most = self.parameters.requests;
        asked.iter().for_each(|range| self.store.send_asked_for(now, *range, most, exit));
        self.restart_timer(now);
    }

    fn restart_timer(&mut self, now: Instant) {
        let is_due = self.parameters.base_station_timer && !self.store.is_empty();
        self.timer = if is_due { now + self.round_trip.timeout() } else { NEVER };
    }
}

impl Connection for BaseStation {
    fn on_segment(&mut self, now: Instant, from: Side, packet: Box<Packet>, exit: &mut Exit<'_>) {
        let segment = &packet.segment;
        match from {
            Side::Wired if segment.sequence_length() > 0 => self.on_data(now, &packet, exit),
            Side::Wireless if segment.flags.contains(Flags::ACK) => {
                self.on_acknowledgment(now, segment, exit);
            }
            _ => {}
        }
        exit.forward(from, packet);
    }
    fn on_message(
        &mut self,
        now: Instant,
        from: Side,
        message: RecoveryMessage,
        packet: Box<Packet>,
        exit: &mut Exit<'_>,
    ) {
        if (from, message.about) != (Side::Wireless, MissingBytes::Request) {
            return exit.forward(from, packet);
        }
        let key = ConnectionKey::of_message(&packet, from, &message);
        exit.absorb(packet);
        self.on_request(now, key, message.ranges.as_slice(), exit);
    }
    /// Nothing is heard of the last packets when they are lost: nothing behind them shows the mobile router a gap.
    fn on_wake(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if self.timer > now {
            return;
        }
        self.timer = NEVER;
        let Some(first) = self.store.first_sequence() else { return };
        let missing = self.acknowledged.unwrap_or(first);
        let most = self.parameters.local_retransmissions;
        if self.store.holding(missing).is_some_and(|kept| kept.sent_again < most) {
            let head = SequenceRange { first: missing, end: SequenceNumber(missing.0.wrapping_add(1)) };
            self.store.send_again(now, head, exit);
            let end = self.end.filter(|_| self.parameters.goes_on_after_timeouts);
            self.store.note_timeout(now, end);
            self.round_trip.back_off();
            self.restart_timer(now);
        }
    }
    fn wake_at(&self) -> Instant {
        self.timer
    }
    fn on_arrival(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.store.begin_elsewhere(now, exit);
        self.round_trip.begin_elsewhere();
        self.restart_timer(now);
    }
    fn kept(&self) -> (Option<SequenceNumber>, Vec<&Packet>) {
        (self.acknowledged, self.store.packets().collect())
    }
    fn let_go(&mut self, exit: &mut Exit<'_>) {
        self.store.clear(exit);
        self.timer = NEVER;
    }
}
