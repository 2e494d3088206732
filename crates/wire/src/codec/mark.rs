//! Marks as TCP experimental options (RFC 6994).
//!
//! ```text
//! +----------+----------+---------------------+----------+------------------+
//! | kind 254 | length   | experiment id 5EA1  | subtype  | the mark's data  |
//! +----------+----------+---------------------+----------+------------------+
//! ```
//!
//! A new mark needs one line in each of [`layout`], [`write_data`] and [`read`]; the compiler names the first two.

use super::options::OptionBytes;
use crate::losses::{Loss, LossCause, Losses};
use crate::mark::{ConnectionCount, Mark};
use std::num::NonZeroU32;

/// The option kind of marks: RFC3692-style experiment 2 (RFC 4727 section 2).
pub const MARK_OPTION_KIND: u8 = 254;

/// The 16-bit experiment identifier of marks (RFC 6994 section 3). It is not registered with IANA:
/// for experiments among consenting hosts only.
pub const MARK_EXPERIMENT_ID: u16 = 0x5ea1;

/// Kind, length, experiment identifier and subtype.
const PREFIX_LENGTH: usize = 5;

const HANDOVER: u8 = 1;
const WILL_HANDOVER: u8 = 2;
const HANDOVER_CANCELLED: u8 = 3;
/// Its data is the bandwidth-delay product in bytes, four bytes in network order; zero is unknown.
const NEW_LINK: u8 = 4;
/// Its data is that of [`NEW_LINK`].
const MADE_BEFORE_BREAK: u8 = 5;
/// Its data is three bytes for each of one to four losses, in network order: [`CONGESTION`], three bits of zero, 20 of offset.
const LOSSES: u8 = 6;
const LOSS_LENGTH: usize = 3;
/// The options of RFC 1644; their own kinds, 11 to 13, are obsolete (RFC 6247). The data is a count of four bytes in network order.
const COUNT: u8 = 7;
const NEW_COUNT: u8 = 8;
const ANSWERED_COUNT: u8 = 9;
const CONGESTION: u32 = 1 << 23;

/// The subtype of a mark and the length of its data.
const fn layout(mark: Mark) -> (u8, usize) {
    match mark {
        Mark::Handover => (HANDOVER, 0),
        Mark::WillHandover => (WILL_HANDOVER, 0),
        Mark::HandoverCancelled => (HANDOVER_CANCELLED, 0),
        Mark::NewLink { .. } => (NEW_LINK, 4),
        Mark::MadeBeforeBreak { .. } => (MADE_BEFORE_BREAK, 4),
        Mark::Losses(losses) => (LOSSES, LOSS_LENGTH * losses.len()),
        Mark::ConnectionCount(ConnectionCount::Count(_)) => (COUNT, 4),
        Mark::ConnectionCount(ConnectionCount::New(_)) => (NEW_COUNT, 4),
        Mark::ConnectionCount(ConnectionCount::Answer(_)) => (ANSWERED_COUNT, 4),
    }
}

fn write_data(mark: Mark, option: &mut OptionBytes) {
    match mark {
        Mark::Handover | Mark::WillHandover | Mark::HandoverCancelled => {}
        Mark::NewLink { bandwidth_delay_product } | Mark::MadeBeforeBreak { bandwidth_delay_product } => {
            option.put(&bandwidth_delay_product.map_or(0, NonZeroU32::get).to_be_bytes());
        }
        Mark::Losses(losses) => losses.iter().for_each(|loss| {
            let congestion = if loss.cause == LossCause::Congestion { CONGESTION } else { 0 };
            option.put(&(loss.offset | congestion).to_be_bytes()[1..]);
        }),
        Mark::ConnectionCount(
            ConnectionCount::Count(count) | ConnectionCount::New(count) | ConnectionCount::Answer(count),
        ) => option.put(&count.to_be_bytes()),
    }
}

/// Bytes of a mark's option, without padding.
pub(super) const fn option_length(mark: Mark) -> usize {
    PREFIX_LENGTH + layout(mark).1
}

/// Append a mark's option.
pub(super) fn write(mark: Mark, option: &mut OptionBytes) {
    let [high, low] = MARK_EXPERIMENT_ID.to_be_bytes();
    option.put(&[MARK_OPTION_KIND, option_length(mark) as u8, high, low, layout(mark).0]);
    write_data(mark, option);
}

/// The mark in the body (what follows kind and length) of an option of kind [`MARK_OPTION_KIND`];
/// `None` for an experiment of others, and for a mark that this version does not know.
pub(super) fn read(body: &[u8]) -> Option<Mark> {
    let (identifier, rest) = body.split_first_chunk::<2>()?;
    if u16::from_be_bytes(*identifier) != MARK_EXPERIMENT_ID {
        return None;
    }
    match rest {
        [HANDOVER] => Some(Mark::Handover),
        [WILL_HANDOVER] => Some(Mark::WillHandover),
        [HANDOVER_CANCELLED] => Some(Mark::HandoverCancelled),
        &[subtype @ (NEW_LINK | MADE_BEFORE_BREAK), b0, b1, b2, b3] => {
            let bandwidth_delay_product = NonZeroU32::new(u32::from_be_bytes([b0, b1, b2, b3]));
            Some(match subtype {
                NEW_LINK => Mark::NewLink { bandwidth_delay_product },
                _ => Mark::MadeBeforeBreak { bandwidth_delay_product },
            })
        }
        &[subtype @ (COUNT | NEW_COUNT | ANSWERED_COUNT), b0, b1, b2, b3] => {
            let count = u32::from_be_bytes([b0, b1, b2, b3]);
            Some(Mark::ConnectionCount(match subtype {
                COUNT => ConnectionCount::Count(count),
                NEW_COUNT => ConnectionCount::New(count),
                _ => ConnectionCount::Answer(count),
            }))
        }
        [LOSSES, losses @ ..] => read_losses(losses).map(Mark::Losses),
        _ => None,
    }
}

fn read_losses(bytes: &[u8]) -> Option<Losses> {
    let (losses, rest) = bytes.as_chunks::<LOSS_LENGTH>();
    let mut all = Losses::new();
    let fits = losses.iter().all(|&[high, middle, low]| {
        let bits = u32::from_be_bytes([0, high, middle, low]);
        let cause = if bits & CONGESTION == 0 { LossCause::Air } else { LossCause::Congestion };
        all.push(Loss { offset: bits & !CONGESTION, cause })
    });
    (fits && rest.is_empty() && !all.is_empty()).then_some(all)
}
