//! Random headers, drawn from whatever the caller draws from: a property test's numbers, a seeded
//! stream or a fuzzer's bytes.

use seamline_wire::codec::{Headers, IpHeader, Ipv4Header, Ipv6Header, TrafficClass, fit_sack_blocks};
use seamline_wire::{
    ConnectionCount, Flags, Loss, LossCause, Losses, Mark, SackBlock, SackBlocks, Segment, SequenceNumber,
    Timestamps, TransportPort,
};
use std::num::NonZeroU32;

/// Every mark there is, and none.
pub(crate) fn marks() -> [Option<Mark>; 15] {
    let lost = |count: u32| {
        let losses = (0..count).map(|n| Loss {
            offset: Losses::FURTHEST / (n + 1),
            cause: if n % 2 == 0 { LossCause::Air } else { LossCause::Congestion },
        });
        Some(Mark::Losses(losses.collect()))
    };
    [
        None,
        Some(Mark::Handover),
        Some(Mark::WillHandover),
        Some(Mark::HandoverCancelled),
        Some(Mark::NewLink { bandwidth_delay_product: None }),
        Some(Mark::NewLink { bandwidth_delay_product: NonZeroU32::new(68_750) }),
        Some(Mark::NewLink { bandwidth_delay_product: Some(NonZeroU32::MAX) }),
        Some(Mark::MadeBeforeBreak { bandwidth_delay_product: None }),
        Some(Mark::MadeBeforeBreak { bandwidth_delay_product: Some(NonZeroU32::MIN) }),
        Some(Mark::ConnectionCount(ConnectionCount::Count(7))),
        Some(Mark::ConnectionCount(ConnectionCount::New(u32::MAX))),
        Some(Mark::ConnectionCount(ConnectionCount::Answer(1))),
        lost(1),
        lost(2),
        lost(4),
    ]
}

/// Any headers that can be represented on the wire, in front of `payload_length` bytes. `draw(n)` is a
/// number below `n`.
pub(crate) fn headers(draw: &mut dyn FnMut(u64) -> u64, payload_length: usize) -> Headers {
    let ip = if draw(2) == 0 { ipv4(draw) } else { ipv6(draw) };
    Headers {
        ip,
        source_port: TransportPort(any(draw) as u16),
        destination_port: TransportPort(any(draw) as u16),
        segment: segment(draw, payload_length),
    }
}

/// That many bytes.
pub(crate) fn bytes(draw: &mut dyn FnMut(u64) -> u64, length: usize) -> Vec<u8> {
    (0..length).map(|_| draw(256) as u8).collect()
}

fn ipv4(draw: &mut dyn FnMut(u64) -> u64) -> IpHeader {
    IpHeader::V4(Ipv4Header {
        source: any(draw).into(),
        destination: any(draw).into(),
        traffic_class: TrafficClass(any(draw) as u8),
        identification: any(draw) as u16,
        dont_fragment: draw(2) == 1,
        time_to_live: any(draw) as u8,
    })
}

fn ipv6(draw: &mut dyn FnMut(u64) -> u64) -> IpHeader {
    let mut address = || (0..4).fold(0u128, |bits, _| bits << 32 | u128::from(any(draw)));
    let (source, destination) = (address().into(), address().into());
    IpHeader::V6(Ipv6Header {
        source,
        destination,
        traffic_class: TrafficClass(any(draw) as u8),
        flow_label: any(draw) & Ipv6Header::FLOW_LABEL_MASK,
        hop_limit: any(draw) as u8,
    })
}

fn segment(draw: &mut dyn FnMut(u64) -> u64, payload_length: usize) -> Segment {
    let flags = Flags(any(draw) as u16 & 0x1ff);
    let syn = flags.contains(Flags::SYN);
    let mut segment = Segment {
        sequence: SequenceNumber(any(draw)),
        acknowledgment: SequenceNumber(any(draw)),
        length: payload_length as u32,
        window: any(draw) as u16,
        flags,
        window_scale: maybe(draw, |draw| draw(15) as u8).filter(|_| syn),
        maximum_segment_size: maybe(draw, |draw| any(draw) as u16).filter(|_| syn),
        sack_permitted: draw(2) == 1 && syn,
        mark: marks()[draw(marks().len() as u64) as usize],
        timestamps: maybe(draw, |draw| Timestamps { value: any(draw), echo: any(draw) }),
        sack: sack_blocks(draw),
    };
    fit_sack_blocks(&mut segment);
    segment
}

fn sack_blocks(draw: &mut dyn FnMut(u64) -> u64) -> SackBlocks {
    let count = draw(5);
    let block = |_| SackBlock { left: SequenceNumber(any(draw)), right: SequenceNumber(any(draw)) };
    (0..count).map(block).collect()
}

/// 32 bits, often at the edges of what fields hold.
fn any(draw: &mut dyn FnMut(u64) -> u64) -> u32 {
    match draw(4) {
        0 => draw(4) as u32,
        1 => u32::MAX - draw(4) as u32,
        _ => draw(1 << 32) as u32,
    }
}

fn maybe<T>(
    draw: &mut dyn FnMut(u64) -> u64,
    value: impl FnOnce(&mut dyn FnMut(u64) -> u64) -> T,
) -> Option<T> {
    (draw(2) == 1).then(|| value(draw))
}
