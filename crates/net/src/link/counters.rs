//! What a link has done so far.

use seamline_wire::DropCause;

/// Packets and their bytes on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Count {
    /// Packets.
    pub packets: u64,
    /// Bytes, headers included.
    pub bytes: u64,
}

impl Count {
    #[inline]
    pub(crate) fn add(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }
}

impl std::ops::Add for Count {
    type Output = Count;
    fn add(self, other: Count) -> Count {
        Count { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }
}

/// Packets lost at a link, by cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Drops {
    /// The queue was full.
    pub queue_overflow: Count,
    /// Active queue management chose them.
    pub active_queue_management: Count,
    /// An error model lost them.
    pub error_model: Count,
    /// The link was down or went down.
    pub link_down: Count,
}

impl Drops {
    /// All of them.
    pub fn total(&self) -> Count {
        self.queue_overflow + self.active_queue_management + self.error_model + self.link_down
    }

    pub(crate) fn of(&mut self, cause: Cause) -> &mut Count {
        match cause {
            Cause::QueueOverflow => &mut self.queue_overflow,
            Cause::ActiveQueueManagement => &mut self.active_queue_management,
            Cause::ErrorModel => &mut self.error_model,
            Cause::LinkDown => &mut self.link_down,
        }
    }
}

/// The causes that exist at a link.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cause {
    QueueOverflow,
    ActiveQueueManagement,
    ErrorModel,
    LinkDown,
}

impl From<Cause> for DropCause {
    fn from(cause: Cause) -> DropCause {
        match cause {
            Cause::QueueOverflow => DropCause::QueueOverflow,
            Cause::ActiveQueueManagement => DropCause::ActiveQueueManagement,
            Cause::ErrorModel => DropCause::ErrorModel,
            Cause::LinkDown => DropCause::LinkDown,
        }
    }
}

/// What a link has done since it was made. At any time
/// `arrived = delivered + dropped.total() + withdrawn + what is inside`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counters {
    /// Offered to the link.
    pub arrived: Count,
    /// Taken into the queue or straight into service.
    pub accepted: Count,
    /// Handed over at the far end.
    pub delivered: Count,
    /// Lost.
    pub dropped: Drops,
    /// Taken out of the queue again.
    pub withdrawn: Count,
}
