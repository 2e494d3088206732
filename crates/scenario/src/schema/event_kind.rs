//! The kinds of events that a run may record.

use crate::keys::Choice;

macro_rules! event_kinds {
    ($($kind:ident $name:literal $about:literal;)*) => {
        /// The kind of an event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum EventKind {
            $(#[doc = $about] $kind,)*
        }

        impl EventKind {
            /// Their names in recordings, in the order of declaration.
            pub const NAMES: &[&str] = &[$($name),*];
            /// How many there are.
            pub const COUNT: usize = Self::NAMES.len();

            pub(super) fn choices() -> Vec<Choice> {
                [$(($name, $about)),*].map(Choice::from).into()
            }
        }
    };
}

event_kinds! {
    State "state" "a connection changed its state";
    Sent "segment sent" "a sender sent a segment for the first time";
    Retransmitted "segment sent again" "a sender retransmitted a segment";
    Acknowledgment "acknowledgment" "a sender received an acknowledgment";
    Sender "sender" "window, round-trip time and timeout of a sender, after each input";
    Timeout "retransmission timeout" "the retransmission timer expired";
    Recovery "recovery started" "loss recovery began without a timeout";
    CutUndone "window cut undone" "a loss recovery was spurious, and the window was restored";
    Delivered "delivered" "a receiver passed bytes to its application, in order";
    Dropped "dropped" "a packet was lost";
    Marked "marked" "a queue marked a packet (CE)";
    Queue "queue" "how much waits in a queue, after each change";
    Handover "handover" "a handover is expected, began or ended";
    HandoverAction "handover action" "a handover scheme did something, or ignored a mark";
    CellEntered "cell entered" "a mobile node can be reached in another cell";
    AdvertisementHeard "advertisement heard" "a mobile node heard an advertisement";
    MovementDetected "movement detected" "a mobile node detected that it has moved";
    RegistrationRequested "registration requested" "a mobile node asked for a registration";
    RegistrationAccepted "registration accepted" "a registration of a mobile node is in force";
    RegistrationRefused "registration denied" "a mobile node was refused a registration or binding";
    BindingAdded "binding added" "a home agent has one more binding of a mobile node";
    BindingChanged "binding changed" "packets for a mobile node go elsewhere from now on";
    Other "other" "anything else";
}

impl EventKind {
    /// Whether it comes with packets, so that a part of them may do.
    pub fn comes_with_packets(self) -> bool {
        use EventKind::*;
        matches!(self, Sent | Acknowledgment | Sender | Delivered | Queue)
    }
}
