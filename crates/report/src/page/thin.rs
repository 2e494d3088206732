//! Fewer segments and acknowledgments for a page, in such a way that nothing a reader looks for is lost.

use crate::series::{Acknowledgment, FlowSeries, SegmentSent, SelectiveBlock};

/// A flow with neighbours less than `merge_s` apart taken together: new segments that continue each other
/// become one, of acknowledgments the last stays. Every retransmission, loss and timeout stays. Selective
/// acknowledgments repeat earlier ones; only what is new in them stays.
pub(crate) fn thinned(flow: &FlowSeries, merge_s: f64) -> FlowSeries {
    // Column by column: copying a flow whole would copy the largest ones only to drop them.
    FlowSeries {
        flow: flow.flow.clone(),
        variant: flow.variant.clone(),
        sender: flow.sender.clone(),
        segments: segments(&flow.segments, merge_s),
        acknowledgments: acknowledgments(&flow.acknowledgments, merge_s),
        selective: news(&flow.selective),
        drops: flow.drops.clone(),
        delivered_bytes: flow.delivered_bytes.clone(),
        delivered_bin_s: flow.delivered_bin_s,
        timeouts_s: flow.timeouts_s.clone(),
        recoveries_s: flow.recoveries_s.clone(),
    }
}

fn segments(all: &[SegmentSent], merge_s: f64) -> Vec<SegmentSent> {
    let mut kept: Vec<SegmentSent> = Vec::new();
    for segment in all {
        match kept.last_mut() {
            Some(last)
                if !last.retransmission
                    && !segment.retransmission
                    && segment.time_s - last.time_s < merge_s
                    && segment.start == last.start + u64::from(last.length) =>
            {
                last.length += segment.length;
            }
            _ => kept.push(*segment),
        }
    }
    kept
}

fn acknowledgments(all: &[Acknowledgment], merge_s: f64) -> Vec<Acknowledgment> {
    let mut kept: Vec<Acknowledgment> = Vec::new();
    let mut since = f64::NEG_INFINITY;
    for ack in all {
        match kept.last_mut() {
            Some(last) if ack.time_s - since < merge_s => *last = *ack,
            _ => {
                since = ack.time_s;
                kept.push(*ack);
            }
        }
    }
    kept
}

/// The parts of blocks that no earlier block covered, as far as the latest blocks tell.
fn news(all: &[SelectiveBlock]) -> Vec<SelectiveBlock> {
    const REMEMBERED: usize = 8;
    let mut known: Vec<(u64, u64)> = Vec::new();
    let mut kept = Vec::new();
    for block in all {
        let (mut start, mut end) = (block.start, block.end);
        for (from, to) in &known {
            if *from <= start && start < *to {
                start = *to;
            }
            if *from < end && end <= *to {
                end = *from;
            }
        }
        known.retain(|(from, to)| !(block.start <= *from && *to <= block.end));
        known.insert(0, (block.start, block.end));
        known.truncate(REMEMBERED);
        if start < end {
            kept.push(SelectiveBlock { time_s: block.time_s, start, end });
        }
    }
    kept
}
