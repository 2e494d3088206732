//! The connections of a scenario's flows.

use crate::build;
use crate::schema::{FlowSpec, Scenario};
use seamline_wire::{Instant, TransportPort};

/// One connection of a flow, with the data that both ends need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Its number in the run.
    pub number: u16,
    /// The index of its flow.
    pub flow: usize,
    /// The index of its copy of the flow.
    pub copy: u32,
    /// The nodes of its sender and its receiver.
    pub ends: [usize; 2],
    /// The port of its sender.
    pub sender_port: TransportPort,
    /// The port of its receiver.
    pub receiver_port: TransportPort,
    /// Its start time.
    pub start: Instant,
}

/// All connections of a scenario.
pub fn connections(scenario: &Scenario) -> Vec<Connection> {
    let copies = scenario.flows.iter().enumerate().flat_map(|(index, flow)| {
        (0..flow.count).map(move |copy| (index, copy, flow.start + flow.stagger * u64::from(copy), flow))
    });
    let connection =
        |(number, (flow, copy, start, spec)): (u16, (usize, u32, Instant, &FlowSpec))| Connection {
            number,
            flow,
            copy,
            ends: spec.ends.pair(copy as usize),
            sender_port: TransportPort(build::SENDER_PORTS + number),
            receiver_port: TransportPort(build::RECEIVER_PORTS + number),
            start,
        };
    (0..).zip(copies).map(connection).collect()
}
