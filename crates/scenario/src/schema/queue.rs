//! `queue = { discipline = "drop-tail", limit = "50 packets", meaning = "plain" }`

use crate::codes::Code;
use crate::reader::{Reader, integer};
use crate::units::{self, Amount};
use seamline_net::{CoDelConfig, Limit, QueueConfig};

pub(crate) const DISCIPLINES: &[(&str, Discipline)] = &[
    ("unlimited", Discipline::Unlimited),
    ("drop-tail", Discipline::DropTail),
    ("codel", Discipline::CoDel),
];
/// Whether the limit counts the packet in service.
pub(crate) const MEANINGS: &[(&str, bool)] = &[("plain", false), ("ns-2", true)];

#[derive(Clone, Copy)]
pub(crate) enum Discipline {
    Unlimited,
    DropTail,
    CoDel,
}

/// Read a queue; `None` when it is wrong, which has been noted.
pub(super) fn read(mut reader: Reader<'_>) -> Option<QueueConfig> {
    let queue = match reader.required_choice("discipline", DISCIPLINES)? {
        Discipline::Unlimited => Some(QueueConfig::Unlimited),
        Discipline::DropTail => drop_tail(&mut reader),
        Discipline::CoDel => codel(&mut reader),
    };
    reader.finish();
    queue
}

fn drop_tail(reader: &mut Reader<'_>) -> Option<QueueConfig> {
    let limit = reader.required("limit", units::amount).and_then(|amount| limit(reader, amount));
    let counts_served = reader.choice("meaning", MEANINGS).unwrap_or_default();
    Some(QueueConfig::DropTail(match limit? {
        Limit::Packets(packets) => Limit::Packets(packets.saturating_sub(u32::from(counts_served))),
        Limit::Bytes(bytes) => Limit::Bytes(bytes.saturating_sub(u64::from(counts_served))),
    }))
}

/// RFC 8289: target 5 ms, interval 100 ms.
fn codel(reader: &mut Reader<'_>) -> Option<QueueConfig> {
    let default = CoDelConfig::default();
    let target = reader.or("target", default.target, units::positive_duration);
    let interval = reader.or("interval", default.interval, units::positive_duration);
    let maximum_packet = reader.or("maximum_packet", i64::from(default.maximum_packet), integer(1, 65_535));
    let limit = match reader.optional("limit", units::amount) {
        Some(amount) => Some(limit(reader, amount)?),
        None => None,
    };
    Some(QueueConfig::CoDel(CoDelConfig {
        target: target?,
        interval: interval?,
        maximum_packet: u32::try_from(maximum_packet?).ok()?,
        limit,
    }))
}

fn limit(reader: &mut Reader<'_>, amount: Amount) -> Option<Limit> {
    match amount {
        Amount::Bytes(bytes) => Some(Limit::Bytes(bytes)),
        Amount::Packets(packets) => match u32::try_from(packets) {
            Ok(packets) => Some(Limit::Packets(packets)),
            Err(_) => reader.optional("limit", |_| {
                Err(units::Complaint::new("too many packets").code(Code::OutOfBounds))
            }),
        },
    }
}
