//! Two ends and the network between them.

use crate::end::End;
use crate::pipe::Pipe;
use crate::plan::Plan;
use seamline_tcp::parameters::Parameters;
use seamline_tcp::{Address, Endpoint, EndpointConfig, Opening, State, Variant};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant, NodeId, Segment, SequenceNumber, Signal, TransportPort};
use std::collections::VecDeque;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) now: Instant,
    pub(crate) ends: [End; 2],
    pipes: [Pipe; 2],
    pub(crate) good_from: Instant,
    /// What the layers below tell each end, in order of time.
    signals: VecDeque<(Instant, usize, Signal)>,
    /// Everything that has left an end.
    pub(crate) trace: Vec<(Instant, usize, Segment)>,
}

/// Schemes that close the window although there is room.
const CLOSE_THE_WINDOW: [&str; 4] = ["freeze", "freeze-timestamps", "tcp-md", "tcp-r"];
/// Schemes that hold acknowledgments back.
const HOLD_ACKNOWLEDGMENTS: [&str; 2] = ["ack-buffering", "mobility-vegas"];
/// More packets than any case needs, so that a storm of acknowledgments is noticed.
const STORM: u64 = 60_000;

/// The smallest window a variant may show, in segments: one; but with the bookkeeping of ns-2 Vegas's own
/// recovery closes the window when a retransmission without a cut is acknowledged.
pub(crate) fn least_window(variant: &Variant, mut parameters: Parameters) -> f64 {
    let closes = variant.recovery.name == "vegas-fine" && parameters.ns2().vegas.deflates_to_forgotten_window;
    if closes { 0.0 } else { 1.0 }
}

fn address(side: usize) -> Address {
    Address { node: NodeId(side as u32), port: TransportPort(5000 + side as u16) }
}

impl Run {
    /// Both ends open at time zero.
    pub(crate) fn new(plan: &Plan, parameters: fn() -> Parameters, variant: Variant) -> Self {
        let config = |side: usize| {
            let app = &plan.apps[side];
            let mut parameters = parameters();
            parameters.receiver.buffer = app.buffer;
            parameters.segments.window_scale = app.scaled.then_some(7);
            parameters.segments.timestamp_tick = app.timestamps.then_some(Duration::from_millis(1));
            parameters.segments.selective_acknowledgments = app.sack;
            parameters.connection.user_timeout = None;
            // A listener that gives up before the network is good resets a peer for whom the connection is open.
            let most = &mut parameters.connection.most_syn_ack_retransmissions;
            *most = (*most).max(5);
            parameters.loss_notification = plan.loss_notification.clone();
            parameters.ns2().first_marked_duplicate_repairs = plan.first_marked_duplicate_repairs;
            EndpointConfig {
                local: address(side),
                remote: address(1 - side),
                parameters: Arc::new(parameters),
                variant,
                handover: plan.handover,
                initial_sequence: SequenceNumber(app.initial),
            }
        };
        let good_from = Instant::from_millis(plan.good_from);
        let end = |side: usize| {
            let (ours, peers) = (plan.apps[side].clone(), &plan.apps[1 - side]);
            End::new(side, Endpoint::new(config(side)), ours, peers, least_window(&variant, parameters()))
        };
        let pipe = |side: usize| {
            let random = Stream::new(plan.seed, if side == 0 { "there" } else { "back" });
            Pipe::new(plan.pipes[side].clone(), good_from, random)
        };
        let mut run = Run {
            now: Instant::ZERO,
            ends: [end(0), end(1)],
            pipes: [pipe(0), pipe(1)],
            good_from,
            signals: plan
                .signals
                .iter()
                .map(|notices| (Instant::from_millis(notices.at), notices.side, notices.signal))
                .collect(),
            trace: Vec::new(),
        };
        let is_one_of = |names: &[&str]| plan.handover.is_some_and(|scheme| names.contains(&scheme.name));
        for end in &mut run.ends {
            end.patient_until = good_from;
            end.closes_its_window = is_one_of(&CLOSE_THE_WINDOW);
            end.holds_acknowledgments = is_one_of(&HOLD_ACKNOWLEDGMENTS);
        }
        let active = [plan.apps[0].active, plan.apps[1].active || !plan.apps[0].active];
        for side in [1, 0] {
            let opening = if active[side] { Opening::Active } else { Opening::Passive };
            let End { endpoint, out, .. } = &mut run.ends[side];
            endpoint.open(Instant::ZERO, opening, out);
            run.settle(side);
        }
        run
    }

    fn settle(&mut self, side: usize) {
        let Run { ends, pipes, now, trace, .. } = self;
        ends[side].dispatch(|loaded| {
            trace.push((*now, side, loaded.packet.segment));
            pipes[side].send(*now, loaded);
        });
        ends[side].watch(*now);
        assert!(ends[side].packets_sent < STORM, "end {side} has sent {STORM} packets by {now}");
    }

    /// Let everything due up to `end` happen. Returns whether anything is left to happen.
    pub(crate) fn until(&mut self, end: Instant) -> bool {
        loop {
            let wakes = [0, 1].map(|side| self.ends[side].endpoint.wake_at());
            let arrivals = [0, 1].map(|side| self.pipes[side].next_arrival());
            let deeds = [0, 1].map(|side| self.ends[side].next_deed());
            let notices = self.signals.front().map(|(at, ..)| *at);
            let soonest = wakes.into_iter().chain(arrivals).chain(deeds).chain([notices]).flatten().min();
            let Some(at) = soonest else {
                self.now = end;
                return false;
            };
            if at > end {
                self.now = end;
                return true;
            }
            self.now = self.now.max(at);
            if let Some(side) = wakes.iter().position(|due| *due == soonest) {
                self.wake(side);
            } else if let Some(from) = arrivals.iter().position(|due| *due == soonest) {
                let loaded = self.pipes[from].arrived().expect("an arrival is due");
                self.ends[1 - from].take(self.now, &loaded);
                self.settle(1 - from);
            } else if let Some(side) = deeds.iter().position(|due| *due == soonest) {
                self.ends[side].act(self.now);
                self.settle(side);
            } else if let Some((_, side, signal)) = self.signals.pop_front() {
                self.ends[side].hear(self.now, signal);
                self.settle(side);
            }
        }
    }
    fn wake(&mut self, side: usize) {
        let now = self.now;
        let End { endpoint, out, .. } = &mut self.ends[side];
        endpoint.on_wake(now, out);
        let due = self.ends[side].endpoint.wake_at();
        assert!(due.is_none_or(|due| due > now), "end {side} wakes at {now} for {due:?} again");
        self.settle(side);
    }

    /// What moves when the connection makes progress.
    pub(crate) fn progress(&self) -> [(State, u64, u64); 2] {
        [0, 1].map(|side| {
            let endpoint = &self.ends[side].endpoint;
            let statistics = endpoint.statistics();
            (endpoint.state(), statistics.bytes_delivered, statistics.bytes_acknowledged)
        })
    }
    pub(crate) fn is_done(&self) -> bool {
        self.ends.iter().all(End::is_done)
    }
}
