//! Warnings about interfaces that coalesce packets (GRO, LRO): a packet longer than the MTU cannot leave again.

use seamline_host::Line;
use seamline_host::interface::{COALESCING, Offload, coalescing};
use std::io;

/// # Errors
/// If an interface coalesces packets, with the commands that turn that off; if one is missing.
pub(super) fn refuse_coalescing(interfaces: &[String; 2]) -> io::Result<()> {
    let mut commands = Vec::new();
    for interface in interfaces {
        let found = coalescing(interface)?;
        if !found.is_empty() {
            commands.push(turn_off(interface, &found));
        }
    }
    if commands.is_empty() {
        return Ok(());
    }
    let why = format!(
        "the interfaces coalesce packets, which then exceed the MTU and cannot be forwarded; turn that off: {}",
        commands.join(" && ")
    );
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// A warning if an interface that has returned coalesces packets: a new device has its driver's offloads, whatever the old one had. A failed
/// probe gives no warning.
pub(super) fn coalesces(interface: &str) -> Option<Line> {
    let found = coalescing(interface).unwrap_or_default();
    let why = "the interface coalesces packets, which then exceed the MTU and cannot be forwarded";
    (!found.is_empty()).then(|| {
        Line::warning("warning")
            .with("why", why)
            .with("interface", interface)
            .with("command", turn_off(interface, &found))
    })
}

/// A warning about a frame of this length, which no wire has carried.
pub(super) fn coalesced(interface: &str, length: usize) -> Line {
    let commands = format!(
        "{}; on a virtual interface also at the other end: ethtool -K PEER tso off gso off",
        turn_off(interface, &COALESCING)
    );
    Line::warning("warning")
        .with("why", "coalesced packets arrive, longer than the MTU, and cannot be forwarded")
        .with("interface", interface)
        .with("bytes", length)
        .with("command", commands)
}

fn turn_off(interface: &str, offloads: &[Offload]) -> String {
    let names: Vec<String> = offloads.iter().map(|Offload { name, .. }| format!("{name} off")).collect();
    format!("ethtool -K {interface} {}", names.join(" "))
}
