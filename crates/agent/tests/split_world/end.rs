//! A host with one connection: sends, closes, reads at its own pace, and may give up.

use seamline_tcp::{Address, Endpoint, EndpointConfig, Opening, profile, variant};
use seamline_wire::{Duration, Input, Instant, Machine, NodeId, Outbox, SequenceNumber, TransportPort};

/// What a host does. Times in milliseconds.
#[derive(Clone, Debug)]
pub(crate) struct EndPlan {
    pub(crate) initial: u32,
    /// Bytes read at once; 0 is everything as it arrives.
    pub(crate) read: u64,
    pub(crate) read_interval: u64,
    /// It reads nothing before.
    pub(crate) reads_from: u64,
    /// Of its receiver.
    pub(crate) buffer: u32,
    /// What it sends before it closes.
    pub(crate) bytes: u64,
    pub(crate) abort_at: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct End {
    pub(crate) endpoint: Endpoint,
    plan: EndPlan,
    opening: Option<Opening>,
    next_read: Instant,
    abort_at: Option<Instant>,
    has_closed: bool,
}

impl End {
    pub(crate) fn new(side: usize, opens: bool, plans: &[EndPlan; 2]) -> Self {
        let plan = plans[side].clone();
        let address =
            |side: usize| Address { node: NodeId(1 + side as u32), port: TransportPort(5000 + side as u16) };
        let mut parameters = (profile::find("rfc").expect("it is there").parameters)();
        parameters.set_receive_buffer(plan.buffer);
        let mut endpoint = Endpoint::new(EndpointConfig {
            local: address(side),
            remote: address(1 - side),
            variant: variant::find("newreno", &parameters).expect("it is there"),
            parameters: parameters.into(),
            handover: None,
            initial_sequence: SequenceNumber(plan.initial),
        });
        if plan.read == 0 {
            endpoint.read_at_once();
        }
        End {
            endpoint,
            opening: Some(if opens { Opening::Active } else { Opening::Passive }),
            next_read: Instant::from_millis(plan.reads_from),
            abort_at: plan.abort_at.map(Instant::from_millis),
            has_closed: false,
            plan,
        }
    }

    fn next_deed(&self) -> Option<Instant> {
        let opening = self.opening.as_ref().map(|_| Instant::ZERO);
        let reading = (self.plan.read > 0 && self.endpoint.readable() > 0).then_some(self.next_read);
        [opening, reading, self.abort_at].into_iter().flatten().min()
    }

    fn act(&mut self, now: Instant, out: &mut Outbox) {
        if let Some(opening) = self.opening.take() {
            self.endpoint.open(now, opening, out);
            self.endpoint.supply(now, self.plan.bytes, out);
        }
        if self.plan.read > 0 && self.next_read <= now && self.endpoint.readable() > 0 {
            self.endpoint.consume(now, self.plan.read, out);
            self.next_read = now + Duration::from_millis(self.plan.read_interval);
        }
        if self.abort_at.is_some_and(|at| at <= now) {
            self.abort_at = None;
            self.endpoint.abort(now, out);
        }
    }
}

impl Machine for End {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(_, packet) => {
                self.endpoint.on_packet(now, &packet, out);
                out.recycle(packet);
            }
            Input::Wake => {
                self.act(now, out);
                self.endpoint.on_wake(now, out);
            }
            Input::Signal(_) => {}
        }
        if !self.has_closed && self.endpoint.state().may_send() {
            self.has_closed = true;
            self.endpoint.close(now, out);
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        [self.next_deed(), self.endpoint.wake_at()].into_iter().flatten().min()
    }
}
