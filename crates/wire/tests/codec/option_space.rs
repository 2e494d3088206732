//! What fits into 40 bytes of options, for every combination of options.

use crate::generate::marks;
use seamline_wire::codec::{
    Headers, IpHeader, OPTION_SPACE, decode, encode_to_vec, fit_sack_blocks, options_length,
};
use seamline_wire::{
    Flags, Loss, LossCause, Losses, Mark, SackBlock, Segment, SequenceNumber, Timestamps, TransportPort,
};
use std::net::Ipv4Addr;
use std::num::NonZeroU32;

fn blocks(count: u32) -> impl Iterator<Item = SackBlock> {
    (0..count).map(|n| SackBlock { left: SequenceNumber(16 * n), right: SequenceNumber(16 * n + 8) })
}

fn written(segment: Segment) -> Vec<u8> {
    let ip = IpHeader::v4(Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2));
    let ports = (TransportPort(1), TransportPort(2));
    let headers = Headers { ip, source_port: ports.0, destination_port: ports.1, segment };
    encode_to_vec(&headers, &[]).expect("a small packet")
}

/// Every combination of options that a segment can have, fitting or not.
fn combinations() -> impl Iterator<Item = Segment> {
    (0..2 * 2 * 2 * 2 * 2 * 5 * marks().len()).map(|mut n| {
        let mut digit = |base: usize| {
            let value = n % base;
            n /= base;
            value
        };
        Segment {
            flags: if digit(2) == 1 { Flags::SYN } else { Flags::ACK },
            maximum_segment_size: (digit(2) == 1).then_some(1460),
            window_scale: (digit(2) == 1).then_some(7),
            sack_permitted: digit(2) == 1,
            timestamps: (digit(2) == 1).then_some(Timestamps { value: 1, echo: 2 }),
            sack: blocks(digit(5) as u32).collect(),
            mark: marks()[digit(marks().len())],
            ..Segment::default()
        }
    })
}

/// Bytes of the options without any padding but that of timestamps (RFC 7323 appendix A): what an ideal packer would need. Lengths from RFC 9293
/// section 3.1, RFC 7323, RFC 2018, and for marks RFC 6994 section 3 plus a subtype, four bytes of a new
/// link or of a count, and three of each loss.
fn unpadded_length(segment: &Segment, sack_blocks: usize) -> usize {
    let syn = usize::from(segment.flags == Flags::SYN);
    let present = |is: bool, length: usize| if is { length } else { 0 };
    syn * present(segment.maximum_segment_size.is_some(), 4)
        + syn * present(segment.window_scale.is_some(), 3)
        + syn * present(segment.sack_permitted, 2)
        + present(segment.timestamps.is_some(), 12)
        + segment.mark.map_or(0, |mark| {
            let is_new_link = matches!(mark, Mark::NewLink { .. } | Mark::MadeBeforeBreak { .. });
            let losses = mark.losses().map_or(0, Losses::len);
            let is_count = matches!(mark, Mark::ConnectionCount(_));
            5 + present(is_new_link || is_count, 4) + 3 * losses
        })
        + present(sack_blocks > 0, 2 + 8 * sack_blocks)
}

#[test]
fn the_predicted_length_is_the_written_one() {
    for segment in combinations() {
        let packet = written(segment);
        assert_eq!(packet.len(), 40 + options_length(&segment), "{segment:?}");
        assert_eq!(usize::from(packet[32] >> 4) * 4, 20 + options_length(&segment), "{segment:?}");
        assert!(options_length(&segment) <= OPTION_SPACE);
    }
}

/// A SYN acknowledges no data out of order; the padding that Linux puts there may cost it a block.
#[test]
fn as_many_blocks_as_an_ideal_packer_could_place() {
    for segment in combinations().filter(|segment| segment.flags != Flags::SYN) {
        let mut fitted = segment;
        fit_sack_blocks(&mut fitted);
        let possible = (0..=segment.sack.len())
            .rev()
            .find(|count| unpadded_length(&segment, *count) <= OPTION_SPACE)
            .expect("nothing at all always fits");
        assert_eq!(fitted.sack.len(), possible, "{segment:?}");
        assert_eq!(fitted.sack.as_slice(), &segment.sack.as_slice()[..possible], "the first ones stay");
        let packet = written(segment);
        let read = decode(&packet).expect("sound").headers.segment;
        assert_eq!(read.sack, fitted.sack, "{segment:?}");
    }
}

#[test]
fn nothing_else_is_lost() {
    for segment in combinations() {
        let mut expected = segment;
        fit_sack_blocks(&mut expected);
        if segment.flags != Flags::SYN {
            (expected.maximum_segment_size, expected.window_scale, expected.sack_permitted) =
                (None, None, false);
        }
        let packet = written(segment);
        assert_eq!(decode(&packet).map(|decoded| decoded.headers.segment), Ok(expected));
    }
}

#[test]
fn known_capacities() {
    let fitting = |mark, timestamps: bool, flags| {
        let mut segment = Segment {
            mark,
            flags,
            timestamps: timestamps.then(Timestamps::default),
            sack: blocks(4).collect(),
            ..Segment::default()
        };
        fit_sack_blocks(&mut segment);
        (segment.sack.len(), options_length(&segment))
    };
    assert_eq!(fitting(None, false, Flags::ACK), (4, 36));
    assert_eq!(fitting(None, true, Flags::ACK), (3, 40), "RFC 2018 section 3");
    for mark in [Mark::Handover, Mark::WillHandover, Mark::HandoverCancelled] {
        assert_eq!(fitting(Some(mark), false, Flags::ACK), (4, 40));
        assert_eq!(fitting(Some(mark), true, Flags::ACK), (2, 36));
    }
    let new_link = Mark::NewLink { bandwidth_delay_product: NonZeroU32::new(1) };
    assert_eq!(fitting(Some(new_link), false, Flags::ACK), (3, 36));
    assert_eq!(fitting(Some(new_link), true, Flags::ACK), (2, 40));
    let losses = |count: u32| {
        let losses = (0..count).map(|offset| Loss { offset, cause: LossCause::Air });
        Some(Mark::Losses(losses.collect()))
    };
    assert_eq!(fitting(losses(1), true, Flags::ACK), (2, 40));
    assert_eq!(fitting(losses(4), true, Flags::ACK), (1, 40));
    assert_eq!(fitting(losses(4), false, Flags::ACK), (2, 36));
}

#[test]
fn timestamps_then_mark_then_sack() {
    let segment = Segment {
        mark: Some(Mark::Handover),
        timestamps: Some(Timestamps { value: 0x0102_0304, echo: 0x0506_0708 }),
        sack: blocks(1).collect(),
        ..Segment::default()
    };
    let expected = [
        1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, // NOP NOP timestamps
        254, 5, 0x5e, 0xa1, 1, // experiment 5EA1, subtype 1
        1, 5, 10, 0, 0, 0, 0, 0, 0, 0, 8, // NOP SACK, its blocks on word boundaries
    ];
    assert_eq!(written(segment)[40..], expected);
    let alone = Segment { mark: Some(Mark::WillHandover), ..Segment::default() };
    assert_eq!(written(alone)[40..], [254, 5, 0x5e, 0xa1, 2, 0, 0, 0], "padded by the end of the list");
    let bandwidth_delay_product = NonZeroU32::new(0x0102_0304);
    let reported = Segment { mark: Some(Mark::NewLink { bandwidth_delay_product }), ..Segment::default() };
    assert_eq!(written(reported)[40..], [254, 9, 0x5e, 0xa1, 4, 1, 2, 3, 4, 0, 0, 0], "in network order");
    let losses = [(0x01_0203, LossCause::Congestion), (0x0a_0b0c & Losses::FURTHEST, LossCause::Air)];
    let mark = Mark::Losses(losses.map(|(offset, cause)| Loss { offset, cause }).into_iter().collect());
    let listed = Segment { mark: Some(mark), ..Segment::default() };
    assert_eq!(written(listed)[40..], [254, 11, 0x5e, 0xa1, 6, 0x81, 2, 3, 0x0a, 0x0b, 0x0c, 0]);
}
