//! Attacks on notifications, played against every registered handover scheme: by a stranger who guesses, by somebody on
//! the path who reads and injects, and by a receiver that misbehaves. SECURITY.md says what is held here.

mod attacker;
mod blind;
mod on_path;
mod path;
mod receiver;
mod replay;
mod watch;

use seamline_wire::{Loss, LossCause, Losses, Mark};
use std::num::NonZeroU32;

/// Every mark of a handover, those with numbers with none, the smallest and the largest.
pub(crate) fn handover_marks() -> Vec<Mark> {
    let products = [None, NonZeroU32::new(1), NonZeroU32::new(u32::MAX)];
    let mut marks = vec![Mark::Handover, Mark::WillHandover, Mark::HandoverCancelled];
    marks.extend(products.map(|bandwidth_delay_product| Mark::NewLink { bandwidth_delay_product }));
    marks.extend(products.map(|bandwidth_delay_product| Mark::MadeBeforeBreak { bandwidth_delay_product }));
    marks
}

/// "The first four segments that you miss an answer to were lost over the air."
pub(crate) fn lost_over_the_air() -> Mark {
    let losses = (0..4).map(|n| Loss { offset: n * 1000, cause: LossCause::Air });
    Mark::Losses(losses.collect::<Losses>())
}

/// The handover schemes of the registry, and none.
pub(crate) fn schemes() -> impl Iterator<Item = Option<&'static seamline_tcp::handover::Scheme>> {
    std::iter::once(None).chain(seamline_tcp::handover::ALL.iter().map(|scheme| Some(*scheme)))
}

pub(crate) fn name(scheme: Option<&'static seamline_tcp::handover::Scheme>) -> &'static str {
    scheme.map_or("none", |scheme| scheme.name)
}
