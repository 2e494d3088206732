//! Segment scripts: an endpoint alone against what the script injects, checked two-sidedly. A segment
//! that leaves at a time, or with fields, that the script does not expect fails the test, and so does
//! one that is expected and does not leave.

mod segment;

pub(crate) use segment::*;

use seamline_tcp::handover::{self, Scheme};
use seamline_tcp::parameters::Parameters;
use seamline_tcp::{
    Address, CloseReason, Endpoint, EndpointConfig, NetworkError, Opening, State, Write, profile, variant,
};
use seamline_wire::{
    Duration, Ecn, Event, Flags, Instant, NodeId, Outbox, Packet, Segment, SequenceNumber, Signal,
    TransportPort,
};
use std::collections::VecDeque;
use std::sync::Arc;

/// The `rfc` profile with segments of 1000 bytes and neither timestamps nor window scaling, for
/// arithmetic in the head; changed by `change`.
pub(crate) fn plain(change: impl FnOnce(&mut Parameters)) -> Parameters {
    let mut parameters = (profile::RFC.parameters)();
    parameters.segments.maximum_segment_size = 1000;
    parameters.segments.timestamp_tick = None;
    parameters.segments.window_scale = None;
    parameters.receiver.buffer = 65_535;
    change(&mut parameters);
    parameters
}

/// An endpoint under a script.
pub(crate) struct Script {
    pub(crate) endpoint: Endpoint,
    out: Outbox,
    now: Instant,
    ours: SequenceNumber,
    peers: SequenceNumber,
    sent: VecDeque<Segment>,
    fields: Vec<Ecn>,
    transcript: Vec<String>,
    events: Vec<Event>,
}

const OURS: SequenceNumber = SequenceNumber(1_000_000);
const PEERS: SequenceNumber = SequenceNumber(7_000_000);
const LOCAL: Address = Address { node: NodeId(1), port: TransportPort(1) };
const REMOTE: Address = Address { node: NodeId(2), port: TransportPort(2) };

impl Script {
    /// A closed endpoint of this variant.
    pub(crate) fn new(parameters: Parameters, variant: &str) -> Self {
        Script::numbered(parameters, variant, OURS, PEERS)
    }
    /// The same with initial sequence numbers of choice.
    pub(crate) fn numbered(
        parameters: Parameters,
        variant: &str,
        ours: SequenceNumber,
        peers: SequenceNumber,
    ) -> Self {
        Script::with(parameters, variant, None, ours, peers)
    }
    /// An established opener with a handover scheme.
    pub(crate) fn moving(parameters: Parameters, variant: &str, scheme: &str) -> Self {
        Script::moving_after(parameters, variant, scheme, syn_ack())
    }
    /// The same whose peer answers with `answer`.
    pub(crate) fn moving_after(parameters: Parameters, variant: &str, scheme: &str, answer: Seg) -> Self {
        let scheme = handover::find(scheme).expect("a registered scheme");
        let mut script = Script::with(parameters, variant, Some(scheme), OURS, PEERS);
        script.open_to(answer);
        script
    }
    fn with(
        parameters: Parameters,
        variant: &str,
        handover: Option<&'static Scheme>,
        ours: SequenceNumber,
        peers: SequenceNumber,
    ) -> Self {
        let variant = variant::find(variant, &parameters).expect("a registered variant");
        let mut out = Outbox::new();
        out.set_listening(true);
        let endpoint = Endpoint::new(EndpointConfig {
            local: LOCAL,
            remote: REMOTE,
            parameters: Arc::new(parameters),
            variant,
            handover,
            initial_sequence: ours,
        });
        Script {
            endpoint,
            out,
            now: Instant::ZERO,
            ours,
            peers,
            sent: VecDeque::new(),
            fields: Vec::new(),
            transcript: Vec::new(),
            events: Vec::new(),
        }
    }
    /// An active opener, established at 100 ms over a path of 100 ms; the peer answers with `answer`.
    pub(crate) fn connected(parameters: Parameters, variant: &str, answer: Seg) -> Self {
        let mut script = Script::new(parameters, variant);
        script.open_to(answer);
        script
    }
    fn open_to(&mut self, answer: Seg) {
        self.connect();
        self.expect(syn());
        self.at(100).inject(answer).expect(ack(1));
        self.is(State::Established);
    }
    /// The same with a peer that offers nothing but segments of 1000 bytes and a window of 65535.
    pub(crate) fn established(parameters: Parameters, variant: &str) -> Self {
        Script::connected(parameters, variant, syn_ack())
    }

    /// An endpoint that left the handshake out, established at zero; its peer has the same parameters.
    pub(crate) fn without_handshake(parameters: Parameters, variant: &str) -> Self {
        let peer = Arc::new(parameters.clone());
        let mut script = Script::new(parameters, variant);
        let opening = Opening::Established { peer, peer_initial_sequence: PEERS };
        script.endpoint.open(script.now, opening, &mut script.out);
        script.is(State::Established);
        script
    }

    fn fail(&self, what: &str) -> ! {
        panic!("at {}: {what}\n  {}", self.now, self.transcript.join("\n  "));
    }
    fn collect(&mut self) {
        for (_, packet) in self.out.packets.drain(..) {
            let seen = Seg::seen(&packet.segment, self.ours, self.peers);
            self.transcript.push(format!("{} > {seen}", self.now));
            self.sent.push_back(packet.segment);
            self.fields.push(packet.ecn);
        }
        self.events.append(&mut self.out.events);
    }

    /// Let the clock run to `millis` milliseconds; nothing may leave before.
    pub(crate) fn at(&mut self, millis: u64) -> &mut Self {
        self.at_time(Instant::from_millis(millis))
    }
    /// Let the clock run to `time`; nothing may leave before.
    pub(crate) fn at_time(&mut self, time: Instant) -> &mut Self {
        self.expect_nothing();
        let mut wakes = 0;
        while let Some(due) = self.endpoint.wake_at().filter(|due| *due <= time) {
            assert!(due >= self.now, "woken in the past: {due} at {}", self.now);
            self.now = due;
            self.endpoint.on_wake(due, &mut self.out);
            self.collect();
            if due < time {
                self.expect_nothing();
            }
            wakes += 1;
            assert!(wakes < 100_000, "busy loop at {due}");
        }
        self.now = time;
        self
    }
    /// Let `millis` milliseconds pass; nothing may leave before the end.
    pub(crate) fn after(&mut self, millis: u64) -> &mut Self {
        self.at_time(self.now + Duration::from_millis(millis))
    }
    /// Let the clock run to `millis` milliseconds and forget what leaves.
    pub(crate) fn skip_to(&mut self, millis: u64) -> &mut Self {
        let end = Instant::from_millis(millis);
        self.sent.clear();
        while let Some(due) = self.endpoint.wake_at().filter(|due| *due <= end) {
            self.at_time(due).sent.clear();
        }
        self.at_time(end)
    }
    /// Milliseconds since the beginning.
    pub(crate) fn millis(&self) -> u64 {
        self.now.as_nanos() / 1_000_000
    }

    /// The next segment that has left, now, is this one.
    pub(crate) fn expect(&mut self, expected: Seg) -> &mut Self {
        let Some(sent) = self.sent.pop_front() else {
            self.fail(&format!("nothing left, expected {expected}"))
        };
        let seen = Seg::seen(&sent, self.ours, self.peers);
        if let Some(difference) = expected.difference(&seen) {
            self.fail(&format!("{difference}:\n  expected {expected}\n  seen     {seen}"));
        }
        self
    }
    /// Full segments of `size` bytes leave, in order, that cover `bytes`.
    pub(crate) fn expect_run(&mut self, bytes: std::ops::Range<u32>, size: u32) -> &mut Self {
        let mut at = bytes.start;
        while at < bytes.end {
            self.expect(data(at..at + size));
            at += size;
        }
        self
    }
    /// Nothing else has left.
    pub(crate) fn expect_nothing(&mut self) -> &mut Self {
        if let Some(sent) = self.sent.front() {
            let seen = Seg::seen(sent, self.ours, self.peers);
            self.fail(&format!("did not expect {seen}"));
        }
        self
    }
    /// Forget what has left, and return it to the caller.
    pub(crate) fn take(&mut self) -> Vec<Seg> {
        let (ours, peers) = (self.ours, self.peers);
        self.sent.drain(..).map(|segment| Seg::seen(&segment, ours, peers)).collect()
    }
    /// The peer's segment arrives.
    pub(crate) fn inject(&mut self, injected: Seg) -> &mut Self {
        let segment = injected.on_wire(self.peers, self.ours);
        self.transcript.push(format!("{} < {injected}", self.now));
        self.inject_raw(segment)
    }
    /// A segment with absolute sequence numbers arrives.
    pub(crate) fn inject_raw(&mut self, segment: Segment) -> &mut Self {
        self.arrive(segment, Ecn::NotEct)
    }
    /// The peer's segment arrives with this field of its IP header.
    pub(crate) fn inject_marked(&mut self, injected: Seg, ecn: Ecn) -> &mut Self {
        let segment = injected.on_wire(self.peers, self.ours);
        self.transcript.push(format!("{} < {injected} {ecn:?}", self.now));
        self.arrive(segment, ecn)
    }
    fn arrive(&mut self, segment: Segment, ecn: Ecn) -> &mut Self {
        let packet = Packet {
            ecn,
            source: REMOTE.node,
            destination: LOCAL.node,
            source_port: REMOTE.port,
            destination_port: LOCAL.port,
            wire_bytes: 40 + segment.length,
            segment,
            ..Packet::default()
        };
        self.endpoint.on_packet(self.now, &packet, &mut self.out);
        self.collect();
        self
    }
    /// The peer's segment arrives so many times.
    pub(crate) fn inject_times(&mut self, times: u32, injected: Seg) -> &mut Self {
        for _ in 0..times {
            self.inject(injected.clone());
        }
        self
    }

    /// The ECN fields of what has left since they were last asked for.
    pub(crate) fn fields(&mut self) -> Vec<Ecn> {
        std::mem::take(&mut self.fields)
    }
    pub(crate) fn now(&self) -> Instant {
        self.now
    }
    /// A call of the application.
    pub(crate) fn call<R>(&mut self, call: impl FnOnce(&mut Endpoint, Instant, &mut Outbox) -> R) -> R {
        let result = call(&mut self.endpoint, self.now, &mut self.out);
        self.collect();
        result
    }
    pub(crate) fn write(&mut self, bytes: u64, write: Write) -> u64 {
        self.call(|endpoint, now, out| endpoint.write(now, bytes, write, out))
    }
    pub(crate) fn cork(&mut self, corked: bool) -> &mut Self {
        self.call(|endpoint, now, out| endpoint.set_cork(now, corked, out));
        self
    }
    /// Let the clock run to `millis` milliseconds, whatever leaves.
    pub(crate) fn take_until(&mut self, millis: u64) -> &mut Self {
        self.skip_to(millis);
        self.take();
        self
    }

    pub(crate) fn connect(&mut self) -> &mut Self {
        self.endpoint.open(self.now, Opening::Active, &mut self.out);
        self.collect();
        self
    }
    pub(crate) fn listen(&mut self) -> &mut Self {
        self.endpoint.open(self.now, Opening::Passive, &mut self.out);
        self.collect();
        self
    }
    pub(crate) fn supply(&mut self, bytes: u64) -> &mut Self {
        self.endpoint.supply(self.now, bytes, &mut self.out);
        self.collect();
        self
    }
    pub(crate) fn read(&mut self, bytes: u64) -> &mut Self {
        self.endpoint.consume(self.now, bytes, &mut self.out);
        self.collect();
        self
    }
    pub(crate) fn read_at_once(&mut self) -> &mut Self {
        self.endpoint.read_at_once();
        self
    }
    /// A layer below has news.
    pub(crate) fn signal(&mut self, signal: Signal) -> &mut Self {
        self.transcript.push(format!("{} ! {signal:?}", self.now));
        self.endpoint.on_signal(self.now, signal, &mut self.out);
        self.collect();
        self
    }
    pub(crate) fn close(&mut self) -> &mut Self {
        self.endpoint.close(self.now, &mut self.out);
        self.collect();
        self
    }
    pub(crate) fn close_both_ways(&mut self) -> &mut Self {
        self.endpoint.close_both_ways(self.now, &mut self.out);
        self.collect();
        self
    }
    /// ICMP reports an error about our segment at `sequence`.
    pub(crate) fn icmp(&mut self, sequence: u32, error: NetworkError) -> &mut Self {
        self.transcript.push(format!("{} ! {error:?} about {sequence}", self.now));
        self.endpoint.on_icmp(self.now, self.ours + sequence, error, &mut self.out);
        self.collect();
        self
    }
    pub(crate) fn abort(&mut self) -> &mut Self {
        self.endpoint.abort(self.now, &mut self.out);
        self.collect();
        self
    }

    /// The connection is in this state.
    pub(crate) fn is(&mut self, state: State) -> &mut Self {
        if self.endpoint.state() != state {
            self.fail(&format!("expected {}, is {}", state.name(), self.endpoint.state().name()));
        }
        self
    }
    /// The connection is closed for this reason, and waits for nothing.
    pub(crate) fn is_closed(&mut self, reason: CloseReason) -> &mut Self {
        self.is(State::Closed);
        assert_eq!(self.endpoint.close_reason(), Some(reason));
        assert_eq!(self.endpoint.wake_at(), None, "a closed connection waits for nothing");
        self
    }
    /// So many bytes have been received in order.
    pub(crate) fn delivered(&mut self, bytes: u64) -> &mut Self {
        let seen = self.endpoint.statistics().bytes_delivered;
        if seen != bytes {
            self.fail(&format!("expected {bytes} bytes delivered, seen {seen}"));
        }
        self
    }
    /// The congestion window in segments, to a thousandth.
    pub(crate) fn window_is(&mut self, segments: f64) -> &mut Self {
        let seen = self.endpoint.sample().congestion_window;
        if (seen - segments).abs() > 1e-3 {
            self.fail(&format!("expected a window of {segments}, is {seen}"));
        }
        self
    }
    /// The slow start threshold in segments, to a thousandth.
    pub(crate) fn threshold_is(&mut self, segments: f64) -> &mut Self {
        let seen = self.endpoint.sample().slow_start_threshold;
        if (seen - segments).abs() > 1e-3 {
            self.fail(&format!("expected a threshold of {segments}, is {seen}"));
        }
        self
    }
    /// The slow start threshold is arbitrarily high.
    pub(crate) fn threshold_is_unlimited(&mut self) -> &mut Self {
        assert_eq!(self.endpoint.sample().slow_start_threshold, f64::INFINITY);
        self
    }
    /// The retransmission timeout in milliseconds.
    pub(crate) fn timeout_is(&mut self, millis: u64) -> &mut Self {
        let seen = self.endpoint.sample().retransmission_timeout;
        if seen != Duration::from_millis(millis) {
            self.fail(&format!("expected a timeout of {millis} ms, is {seen}"));
        }
        self
    }
    /// Whether the state of this name was entered so far.
    pub(crate) fn has_entered(&self, state: State) -> bool {
        let entered = |e: &Event| matches!(e, Event::ConnectionState { state: s, .. } if *s == state.name());
        self.events.iter().any(entered)
    }
}

impl Drop for Script {
    /// A script ends with nothing left unexpected.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.expect_nothing();
        }
    }
}

/// The flags of a segment, for scripts that look at what [`Script::take`] gave.
pub(crate) fn has(segment: &Seg, flags: Flags) -> bool {
    segment.flags.contains(flags)
}
