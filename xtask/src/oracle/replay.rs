//! Our run of a reference's scenario: two hosts and a chain of links.

use super::HEADER_BYTES;
use super::chain::Hop;
use super::record::{Counters, Keep, Outcome, Recorder};
use super::setup::{Setup, Variant};
use super::tie_order::{Exceptions, TieOrder};
use seamline_net::error::{AppliesTo, DropList, ErrorStage, PeriodicOutage};
use seamline_net::schedule::{Arriving, Fates, Handovers, InFlight, InService, Queued};
use seamline_net::{Limit, LimitMeaning, Link, LinkConfig, QueueConfig, Schedule};
use seamline_sim::{ElementId, Observer, World};
use seamline_tcp::host::ConnectionId;
use seamline_tcp::rtt::Estimator;
use seamline_tcp::send_log::LogUpkeep;
use seamline_tcp::{Address, Application, EndpointConfig, Host, Opening, Parameters, profile, variant};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant, NodeId, Port, SequenceNumber, TransportPort};
use std::collections::BTreeSet;
use std::sync::Arc;

/// One run.
#[derive(Debug)]
pub(super) struct Run<'a> {
    /// Its settings.
    pub(super) setup: &'a Setup,
    /// Where the sender's clock stands at time zero, as a fraction of a tick.
    pub(super) clock_phase: f64,
    /// Arrival indices of the packets to lose.
    pub(super) losses: Vec<u64>,
    /// What to keep besides counters.
    pub(super) keep: Keep,
    /// Where simultaneous events are not ordered by ns-2's rule.
    pub(super) exceptions: Exceptions,
}

/// No more packets than this can arrive at the error model of the last hop in the run's time.
pub(super) fn most_arrivals(setup: &Setup) -> u64 {
    let hops = setup.chain.hops();
    let feeding = if setup.loss_at_head { hops.iter().rev().nth(1) } else { hops.last() };
    let bytes = feeding.map_or(0, |hop| hop.rate.bytes_in(Duration::from_secs_f64(setup.dur)));
    bytes / u64::from(setup.wire_bytes().max(1)) + 1
}

const SENDER: Address = Address { node: NodeId(0), port: TransportPort(1) };
const RECEIVER: Address = Address { node: NodeId(1), port: TransportPort(2) };

/// Run it.
///
/// # Errors
/// When the settings have no counterpart here.
pub(super) fn run(run: &Run<'_>) -> Result<Outcome, String> {
    let setup = run.setup;
    let parameters = Arc::new(parameters(setup, run.clock_phase)?);
    let payload = u32::from(parameters.segments.maximum_segment_size);
    let after_end = Duration::from_nanos(u64::from(!run.exceptions.end_included));
    let end = Instant::ZERO + Duration::from_secs_f64(setup.dur) - after_end;
    if run.keep == Keep::default() {
        let (mut world, sender) = ring(run, &parameters, World::new())?;
        world.run_until(end);
        return Ok(Outcome::new(counters(&world, sender, payload), ties(&world, sender)));
    }
    let recorder = Recorder::new(payload, setup.opens_with_syn(), run.keep, last_hop(setup));
    let (mut world, sender) = ring(run, &parameters, World::with_observer(recorder))?;
    world.run_until(end);
    let outcome = Outcome::new(counters(&world, sender, payload), ties(&world, sender));
    Ok(world.into_observer().finish(outcome))
}

/// The link there that has the error model, as [`ring`] numbers it.
fn last_hop(setup: &Setup) -> ElementId {
    ElementId(setup.chain.hops().len() as u32)
}

fn ties<O: Observer>(world: &World<TieOrder, O>, sender: ElementId) -> Vec<Instant> {
    world.machine(sender).map_or(Vec::new(), |host| host.ties().to_vec())
}

/// Put the sender, the links there, the receiver and the links back into a ring. The sender comes first: [`Recorder`]
/// relies on it.
fn ring<O: Observer>(
    run: &Run<'_>,
    parameters: &Arc<Parameters>,
    mut world: World<TieOrder, O>,
) -> Result<(World<TieOrder, O>, ElementId), String> {
    let (forward, backward) = links(run)?;
    let (sender, receiver) = hosts(run.setup, parameters)?;
    let sender = world.add(TieOrder::new(sender, run.exceptions.packet_first.clone()));
    let mut elements = vec![sender];
    elements.extend(forward.into_iter().map(|link| world.add_link(link)));
    elements.push(world.add(TieOrder::new(receiver, BTreeSet::new())));
    elements.extend(backward.into_iter().map(|link| world.add_link(link)));
    let next = elements.iter().cycle().skip(1);
    for (from, to) in elements.iter().zip(next) {
        world.connect(*from, Port(0), *to, Port(0));
    }
    Ok((world, sender))
}

fn counters<O: Observer>(world: &World<TieOrder, O>, sender: ElementId, payload: u32) -> Counters {
    let host = world.machine(sender);
    let statistics = host.map(|host| host.host().endpoint(ConnectionId(0)).statistics());
    let statistics = statistics.unwrap_or_default();
    let signed = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    Counters {
        acked_data: signed(statistics.bytes_acknowledged / u64::from(payload)),
        sent: signed(statistics.sender.segments_sent),
        rexmit: signed(statistics.sender.retransmissions),
        timeouts: signed(statistics.sender.timeouts),
        cuts: signed(statistics.sender.window_cuts),
    }
}

fn hosts(setup: &Setup, parameters: &Arc<Parameters>) -> Result<(Host, Host), String> {
    let variant = variant::find(setup.variant.ours(), parameters).map_err(|e| e.to_string())?;
    let start = SequenceNumber(0);
    let config = |local, remote| EndpointConfig {
        local,
        remote,
        parameters: parameters.clone(),
        variant,
        initial_sequence: start,
    };
    let established = || Opening::Established { peer: parameters.clone(), peer_initial_sequence: start };
    let (active, passive) = if setup.opens_with_syn() {
        (Opening::Active, Opening::Passive)
    } else {
        (established(), established())
    };
    let mut sender = Host::new(SENDER.node);
    sender.add(config(SENDER, RECEIVER), active, Application::endless(Instant::ZERO));
    let mut receiver = Host::new(RECEIVER.node);
    receiver.add(config(RECEIVER, SENDER), passive, Application::sink());
    Ok((sender, receiver))
}

/// ns-2.35's parameters with what the setup overrides.
fn parameters(setup: &Setup, clock_phase: f64) -> Result<Parameters, String> {
    let mut parameters = (profile::NS2_2010.parameters)();
    let tick = Duration::from_secs_f64(setup.tick);
    parameters.round_trip.estimator = Estimator::Ticks { tick, phase: tick.mul_f64(clock_phase) };
    parameters.round_trip.minimum_timeout = Duration::from_secs_f64(setup.minrto);
    parameters.window.initial = f64::from(setup.iw);
    parameters.window.initial_threshold = f64::from(setup.window);
    parameters.window.limit = setup.window;
    parameters.recovery.limited_transmit = setup.limtx;
    let payload = setup.wire_bytes().checked_sub(HEADER_BYTES).and_then(|bytes| u16::try_from(bytes).ok());
    parameters.segments.maximum_segment_size =
        payload.filter(|bytes| *bytes > 0).ok_or_else(|| format!("packets of {} bytes", setup.pkt))?;
    let vegas = &mut parameters.vegas;
    (vegas.alpha, vegas.beta, vegas.gamma) = (setup.alpha, setup.beta, setup.gamma);
    vegas.log_upkeep = LogUpkeep::Ns2Ring { segments: setup.window };
    if setup.variant == Variant::Vegas && setup.syn {
        vegas.initial_window_at_second_ack = Some(f64::from(setup.iw));
        parameters.window.initial = 1.0;
    }
    Ok(parameters)
}

/// The links of both directions, each in the order a packet meets them.
fn links(run: &Run<'_>) -> Result<(Vec<Link>, Vec<Link>), String> {
    let setup = run.setup;
    let limit = Limit::Packets(setup.qlim);
    let hops = setup.chain.hops();
    let plain = |hop: &Hop| LinkConfig {
        queue: QueueConfig::DropTail { limit, meaning: LimitMeaning::Ns2 },
        ..LinkConfig::new(hop.rate, hop.one_way_delay)
    };
    let mut forward: Vec<LinkConfig> = hops.iter().map(plain).collect();
    let mut backward: Vec<LinkConfig> = hops.iter().rev().map(plain).collect();
    if let (Some(down), Some(up)) = (forward.last_mut(), backward.first_mut()) {
        if !run.losses.is_empty() {
            let listed = ErrorStage::new(DropList::new(run.losses.iter().copied()), AppliesTo::All);
            *(if setup.loses_before_queue() { &mut down.head_error } else { &mut down.end_error }) =
                Some(listed);
        }
        if setup.out > 0.0 {
            let span = Duration::from_secs_f64;
            let outage = PeriodicOutage::new(span(setup.period), span(setup.out));
            down.end_error = Some(outage.into());
            up.end_error = Some(outage.into());
            if setup.outage_empties_queue {
                down.scheduled = Some(seamline_net::Scheduled {
                    schedule: emptied_queues(setup)?,
                    loss_stream: Stream::new(0, "unused"),
                });
            }
        }
    }
    let make = |configs: Vec<LinkConfig>| configs.into_iter().map(Link::new).collect();
    Ok((make(forward), make(backward)))
}

/// At the start of each outage what waits is lost; the packet in transmission goes on.
fn emptied_queues(setup: &Setup) -> Result<Schedule, String> {
    let starts = (1..).map(|k| f64::from(k) * setup.period).take_while(|start| *start < setup.dur);
    let starts = starts.map(|start| Instant::ZERO + Duration::from_secs_f64(start));
    let fates = Fates {
        queued: Queued::Drop,
        in_service: InService::Finish,
        in_flight: InFlight::Deliver,
        arriving: Arriving::Wait,
    };
    let handovers = Handovers::at(starts, Duration::ZERO, fates).map_err(|e| e.to_string())?;
    Ok(Schedule { handovers, ..Schedule::default() })
}
