//! `loss_notification = { scheme = "eln-ack" }`: telling losses over the air from congestion.

use super::tcp::set;
use crate::reader::{Reader, boolean};
use seamline_tcp::loss_notification::{LossNotification, LossNotificationParameters, Repeat};

/// What both ends do.
pub(crate) const SCHEMES: &[(&str, LossNotification)] = &[
    ("none", LossNotification::None),
    ("eln", LossNotification::Heed),
    ("eln-ack", LossNotification::ListAndHeed),
];
/// When what is still missing is sent once more.
pub(crate) const REPEAT: &[(&str, Repeat)] =
    &[("after a round trip", Repeat::AfterRoundTrip), ("never", Repeat::Never)];

pub(super) fn read(mut reader: Reader<'_>, notification: &mut LossNotificationParameters) {
    set(&mut notification.scheme, reader.choice("scheme", SCHEMES));
    set(&mut notification.repeat, reader.choice("repeat", REPEAT));
    let go = reader.optional("duplicates_let_segments_go", boolean);
    set(&mut notification.duplicates_let_segments_go, go);
    reader.finish();
}
