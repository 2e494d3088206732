//! `loss_notification = { scheme = "eln-ack" }`: losses on the air are distinguished from congestion.

use crate::keys::{Keys, boolean, choice, table};
use seamline_tcp::loss_notification::{LossNotification, LossNotificationParameters, Repeat};

const SCHEMES: &[(&str, LossNotification)] = &[
    ("none", LossNotification::None),
    ("eln", LossNotification::ActOn),
    ("eln-ack", LossNotification::ListAndActOn),
];
const REPEAT: &[(&str, Repeat)] = &[
    ("after a round trip", Repeat::AfterRoundTrip { variations: 0 }),
    ("after a round trip and its variation", Repeat::AfterRoundTrip { variations: 1 }),
    ("after a round trip and four variations", Repeat::AfterRoundTrip { variations: 4 }),
    ("never", Repeat::Never),
];

pub(super) fn keys<'a>() -> Keys<'a, LossNotificationParameters> {
    table! { LossNotificationParameters;
        key scheme: choice(SCHEMES), "`eln`: the sender acts on loss notifications; `eln-ack`: the receiver also lists losses";
        key repeat: choice(REPEAT), "When a segment that is still missing is retransmitted again; the round-trip time is the smoothed one";
        key duplicates_release_segments (duplicates_let_segments_go): boolean(), "Each duplicate acknowledgment releases a new segment while a loss over the air is repaired";
    }
    .replaced("duplicates_let_segments_go", "`duplicates_release_segments`")
}
