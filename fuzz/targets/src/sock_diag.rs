//! What the kernel says of a connection.

use seamline_host::netlink::messages;
use seamline_mobile::kick::{Kick, MOST_MESSAGES, Standing, Step};
use seamline_mobile::system::connection_answer;
use seamline_wire::SequenceNumber;

/// Whatever it says, what is done about it comes to an end.
pub(crate) fn check(bytes: &[u8]) {
    let views = messages(bytes).filter_map(|message| connection_answer(&message).ok().flatten());
    let views: Vec<_> = views.collect();
    let Some(first) = views.first() else { return };
    let next = SequenceNumber(first.retransmissions);
    let standing = Standing::new(next, first);
    for view in &views {
        let _ = (view.is_synchronized(), view.loaded_round_trip(), standing.unacknowledged(view));
    }
    let Some(mut kick) = Kick::new(next, Some(standing), None, first) else { return };
    // The last view over and over, after all the others.
    let mut asked = views.iter().chain(std::iter::repeat(&views[views.len() - 1]));
    let over = (0..=views.len() + usize::from(MOST_MESSAGES))
        .any(|_| matches!(asked.next().map(|view| kick.next(view)), Some(Step::Over(_))));
    assert!(over && kick.messages <= MOST_MESSAGES, "{kick:?}");
}
