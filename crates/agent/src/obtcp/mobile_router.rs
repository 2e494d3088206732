//! The agent at the mobile router: requests missing bytes from the base station, and repairs losses on the way to the mobile host.

use super::ObtcpParameters;
use super::echoes::Echoes;
use super::gaps::{Cause, Gaps};
use crate::connection::Connection;
use crate::exit::Exit;
use crate::heard::{Heard, News};
use crate::key::{ConnectionKey, Side};
use crate::round_trip::RoundTrip;
use crate::store::Store;
use seamline_wire::control::{MissingBytes, RecoveryMessage, SequenceRange, SequenceRanges};
use seamline_wire::timers::NEVER;
use seamline_wire::{Duration, Flags, Instant, Packet, Segment, SequenceNumber};

#[derive(Debug)]
pub(super) struct MobileRouter {
    parameters: ObtcpParameters,
    store: Store,
    gaps: Gaps,
    /// The ends of the connection, once a packet of it has come.
    key: Option<ConnectionKey>,
    /// The end of what has come.
    end: Option<SequenceNumber>,
    heard: Heard,
    /// From a request to its repair.
    to_base_station: RoundTrip,
    /// From a packet to its acknowledgment.
    to_host: RoundTrip,
    /// Whether there is an agent at the base station: it has answered.
    is_answered: bool,
    /// Requests in a row that were not answered in time.
    unanswered: u32,
    echoes: Echoes,
    /// The sender has not got so many acknowledgments: it sends again what is acknowledged.
    owed: u32,
    host_timer: Instant,
}

impl MobileRouter {
    pub(super) fn new(parameters: ObtcpParameters) -> Self {
        MobileRouter {
            store: Store::default(),
            gaps: Gaps::default(),
            key: None,
            end: None,
            heard: Heard::default(),
            to_base_station: RoundTrip::of_requests(parameters.minimum_timeout, parameters.timer_granularity),
            to_host: RoundTrip::of_data(parameters.minimum_timeout, parameters.timer_granularity),
            is_answered: false,
            unanswered: 0,
            echoes: Echoes::default(),
            owed: 0,
            host_timer: NEVER,
            parameters,
        }
    }

    /// Data towards the mobile host. Packets behind a gap are kept, too: the paper speaks of those in sequence alone, but the next link
    /// may lose the others as well, and then only the fixed host could retransmit them.
    fn on_data(&mut self, now: Instant, packet: &Packet, exit: &mut Exit<'_>) {
        let came = SequenceRange { first: packet.segment.sequence, end: packet.segment.end() };
        if self.heard.acknowledged.is_some_and(|acknowledged| came.first.is_before(acknowledged)) {
            self.owed += 1;
        }
        if self.heard.acknowledged.is_some_and(|acknowledged| came.end.is_at_or_before(acknowledged)) {
            return;
        }
        if let Some(Cause::Air { requests: 1, asked_at, .. }) = self.gaps.fill(came)
            && self.is_answered
        {
            self.to_base_station.sample(now.saturating_since(asked_at));
        }
        if packet.segment.length > 0 {
            self.store.keep(now, packet, self.parameters.cache, exit);
        }
        if self.host_timer == NEVER {
            self.restart_host_timer(now);
        }
        let known = self.end.replace(self.end.map_or(came.end, |known| known.max(came.end)));
        if let Some(first) = known.filter(|known| came.first.is_after(*known)) {
            let cause = Cause::Air { requests: 0, asked_at: now, again_at: now };
            self.gaps.add(SequenceRange { first, end: came.first }, cause);
            self.request(now, exit);
        }
    }

    /// Ask for everything that it is time to ask for, in one message if it fits.
    fn request(&mut self, now: Instant, exit: &mut Exit<'_>) {
        let Some(key) = self.key else { return };
        let (again_at, most) = (now + self.to_base_station.timeout(), self.parameters.requests);
        let mut ranges = Vec::new();
        for gap in self.gaps.iter_mut() {
            let Cause::Air { requests, again_at: due, .. } = gap.cause else { continue };
            if due > now {
                continue;
            }
            if requests >= most {
                gap.cause = Cause::Congestion;
                continue;
            }
            gap.cause = Cause::Air { requests: requests + 1, asked_at: now, again_at };
            ranges.push(gap.range);
        }
        ranges
            .chunks(SequenceRanges::MAX)
            .for_each(|ranges| exit.report(Side::Wired, key, MissingBytes::Request, ranges));
    }

    fn is_asked_for(&self, place: SequenceNumber) -> bool {
        let cause = self.gaps.at(place).map(|gap| gap.cause);
        matches!(cause, Some(Cause::Air { requests: 1.., .. }))
    }

    /// The base station has not got these bytes; or it has all that it was asked for from this byte on, which only one can say that was asked.
    fn on_lost_by_congestion(&mut self, ranges: &[SequenceRange]) {
        let is_news = |range: &SequenceRange| range.first != range.end || self.is_asked_for(range.first);
        if !ranges.iter().any(is_news) {
            return;
        }
        (self.is_answered, self.unanswered) = (true, 0);
        for range in ranges {
            let first =
                self.heard.acknowledged.map_or(range.first, |acknowledged| range.first.max(acknowledged));
            // What is here is not missing, whatever the base station says.
            for lost in self.store.absent(SequenceRange { first, end: range.end }) {
                self.gaps.fill(lost);
                self.gaps.add(lost, Cause::Congestion);
            }
        }
    }

    /// Whether an acknowledgment from the mobile host is forwarded.
    fn passes(&mut self, now: Instant, segment: &Segment, exit: &mut Exit<'_>) -> bool {
        let acknowledgment = segment.acknowledgment;
        match self.heard.hear(segment) {
            News::Old | News::More => true,
            News::Repeated => self.was_owed() || !self.echoes.explain_copy(),
            News::Duplicate | News::NewGap => {
                self.was_owed() || self.passes_duplicate(now, acknowledgment, exit)
            }
            News::Progress => {
                self.on_progress(now, acknowledgment, exit);
                true
            }
        }
    }

    fn on_progress(&mut self, now: Instant, acknowledgment: SequenceNumber, exit: &mut Exit<'_>) {
        let answered = self.store.acknowledge(acknowledgment, exit);
        if let Some(round_trip_time) = answered.and_then(|answered| answered.round_trip_time(now)) {
            self.to_host.sample(round_trip_time);
        }
        self.owed = 0;
        self.echoes.on_progress(now);
        let first = SequenceNumber(acknowledgment.0.wrapping_sub(1 << 30));
        self.gaps.fill(SequenceRange { first, end: acknowledgment });
        self.end = Some(self.end.map_or(acknowledgment, |end| end.max(acknowledgment)));
        self.restart_host_timer(now);
    }

    /// Whether the sender has not got one acknowledgment; this one is it.
    fn was_owed(&mut self) -> bool {
        let was_owed = self.owed > 0;
        self.owed = self.owed.saturating_sub(1);
        was_owed
    }

    fn passes_duplicate(&mut self, now: Instant, missing: SequenceNumber, exit: &mut Exit<'_>) -> bool {
        if let Some(gap) = self.gaps.at(missing) {
            // If no agent answers, the sender must learn of the loss.
            let most = if self.is_answered { self.parameters.requests } else { 1 };
            return gap.cause == Cause::Congestion || self.unanswered >= most;
        }
        let Some(kept) = self.store.holding(missing) else {
            // Where the host has all that ever came, nothing is missing that the sender could know of.
            let has_all = self.end.is_some_and(|end| missing.is_at_or_after(end));
            return !if has_all { self.echoes.may_come(now) } else { self.echoes.explain_one() };
        };
        if kept.sent_again >= self.parameters.local_retransmissions {
            return true;
        }
        // Sooner it cannot tell of what was sent last: something sent before that caused it.
        let soonest = kept.sent_at + self.to_host.smoothed().unwrap_or(Duration::ZERO);
        if !self.echoes.explain_one() && now >= soonest {
            self.go_back(now, missing, exit);
        }
        false
    }

    /// Send everything from `missing` on again, as the paper's agent does.
    fn go_back(&mut self, now: Instant, missing: SequenceNumber, exit: &mut Exit<'_>) {
        let copies = self.store.send_all_again(now, missing, exit);
        self.echoes.went_back(copies, now + self.to_host.timeout());
        self.restart_host_timer(now);
    }

    fn restart_host_timer(&mut self, now: Instant) {
        self.host_timer = if self.store.is_empty() { NEVER } else { now + self.to_host.timeout() };
    }

    fn on_host_timeout(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.host_timer = NEVER;
        let Some(first) = self.store.first_sequence() else { return };
        let missing = self.heard.acknowledged.unwrap_or(first);
        let most = self.parameters.local_retransmissions;
        if self.store.holding(missing).is_some_and(|kept| kept.sent_again < most) {
            self.to_host.back_off();
            self.go_back(now, missing, exit);
        }
    }
}

impl Connection for MobileRouter {
    fn on_segment(&mut self, now: Instant, from: Side, packet: Box<Packet>, exit: &mut Exit<'_>) {
        let segment = &packet.segment;
        self.key.get_or_insert_with(|| ConnectionKey::of(&packet, from));
        match from {
            Side::Wired if segment.sequence_length() > 0 => {
                self.on_data(now, &packet, exit);
                exit.forward(from, packet);
            }
            Side::Wireless if segment.flags.contains(Flags::ACK) => {
                if self.passes(now, segment, exit) {
                    exit.forward(from, packet);
                } else {
                    exit.suppress(from, packet);
                }
            }
            _ => exit.forward(from, packet),
        }
    }
    fn on_message(
        &mut self,
        _now: Instant,
        from: Side,
        message: RecoveryMessage,
        packet: Box<Packet>,
        exit: &mut Exit<'_>,
    ) {
        if (from, message.about) != (Side::Wired, MissingBytes::LostByCongestion) {
            return exit.forward(from, packet);
        }
        exit.absorb(packet);
        self.on_lost_by_congestion(message.ranges.as_slice());
    }
    fn on_wake(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if self.gaps.again_at().is_some_and(|again_at| again_at <= now) {
            self.unanswered += 1;
            self.to_base_station.back_off();
            self.request(now, exit);
        }
        if self.host_timer <= now {
            self.on_host_timeout(now, exit);
        }
    }
    fn wake_at(&self) -> Instant {
        self.gaps.again_at().unwrap_or(NEVER).min(self.host_timer)
    }
    fn on_arrival(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if let Some(first) = self.store.first_sequence() {
            self.go_back(now, first, exit);
        }
    }
    fn let_go(&mut self, exit: &mut Exit<'_>) {
        self.store.clear(exit);
        self.host_timer = NEVER;
    }
}
