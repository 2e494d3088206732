//! What is said of interfaces that join packets into larger ones: those could not leave again.

use seamline_host::Line;
use seamline_host::interface::{COALESCING, Offload, coalescing};
use std::io;

/// # Errors
/// When one of them joins packets; then the commands are named that end that. When one is missing.
pub(super) fn refuse_joining(interfaces: &[String; 2]) -> io::Result<()> {
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
        "packets would be joined into larger ones before the agent sees them, which could not leave again; turn that off: {}",
        commands.join(" && ")
    );
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// That one joins packets which has come back, before any have come: a device is made with its driver's offloads, whatever its namesake had. What
/// goes wrong in asking is no reason to say so.
pub(super) fn joins(interface: &str) -> Option<Line> {
    let found = coalescing(interface).unwrap_or_default();
    let why = "packets are joined into larger ones before the agent sees them, which cannot leave again";
    (!found.is_empty()).then(|| {
        Line::new("warning")
            .with("why", why)
            .with("interface", interface)
            .with("command", turn_off(interface, &found))
    })
}

/// A frame of this length came, which no wire has carried.
pub(super) fn joined(interface: &str, length: usize) -> Line {
    let commands = format!(
        "{}; where it is virtual, at its other end: ethtool -K PEER tso off gso off",
        turn_off(interface, &COALESCING)
    );
    Line::new("warning")
        .with("why", "packets come joined, longer than the MTU, and cannot leave again")
        .with("interface", interface)
        .with("bytes", length)
        .with("command", commands)
}

fn turn_off(interface: &str, offloads: &[Offload]) -> String {
    let names: Vec<String> = offloads.iter().map(|Offload { name, .. }| format!("{name} off")).collect();
    format!("ethtool -K {interface} {}", names.join(" "))
}
