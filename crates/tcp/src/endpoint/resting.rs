//! A connection with nothing under way takes a quarter of the memory, for whoever has many of which few are busy.

use super::input::ChallengeLimiter;
use super::marks::MarkBudget;
use super::{Agreed, Endpoint, State};
use crate::emit::{Address, Header, TimestampClock};
use crate::offset::Offset;
use crate::parameters::Parameters;
use crate::receiver::{Receiver, RestingReceiver};
use crate::sender::{RestingSender, Sender};
use crate::variant::Variant;
use seamline_wire::{Instant, SequenceNumber};
use std::sync::Arc;

/// All that is to be remembered of an open connection while nothing happens: it has no timer, and nothing that was supplied,
/// sent or received is waiting for anything. [`Resting::wake`] makes the same endpoint of it, for the next packet or call.
#[derive(Debug)]
pub struct Resting {
    sender: RestingSender,
    receiver: RestingReceiver,
    kept: Kept,
}

/// What is kept beside both directions.
#[derive(Debug)]
struct Kept {
    local: Address,
    remote: Address,
    /// TS.Recent, and since when.
    timestamps: Option<(u32, Instant)>,
    /// How far SND.WL1 and SND.WL2 lie behind what is expected.
    last_window_update: [u32; 2],
    largest_segment: u32,
    first_initial_sequence: SequenceNumber,
    segments_received: u32,
    duplicate_segments_received: u32,
    challenge_acks: u32,
    peer_window_shift: u8,
    sack: bool,
    window_scaled: bool,
    passive: bool,
    reads_at_once: bool,
}

impl Endpoint {
    /// Let the connection rest.
    ///
    /// # Errors
    /// The endpoint itself when something is under way, when it is not in ESTABLISHED, when it has a handover scheme or keeps a
    /// log of what it sent (Vegas), or when it has counted beyond 2^32.
    pub fn rest(mut self, now: Instant) -> Result<Resting, Box<Endpoint>> {
        let (Some(kept), Some(receiver)) = (self.kept(now), self.receiver.rest()) else {
            return Err(Box::new(self));
        };
        match self.sender.rest() {
            Ok(sender) => Ok(Resting { sender, receiver, kept }),
            Err(sender) => {
                self.sender = sender;
                Err(Box::new(self))
            }
        }
    }

    fn kept(&self, now: Instant) -> Option<Kept> {
        let next = self.receiver.next();
        let no_timer = self.time_wait_until.is_none() && self.keepalive_at.is_none();
        let rests = self.state == State::Established
            && self.mover.is_none()
            && no_timer
            && self.header.carries_no_mark()
            && self.challenge.is_quiet(now)
            && self.segment_size_agreed == self.sender.view.segment_size
            && self.bytes_delivered == next.saturating_since(Offset::FIRST_BYTE);
        let (start, acknowledged) = self.last_window_update;
        let behind = |reached: Offset, at: Offset| u32::try_from(reached.0.checked_sub(at.0)?).ok();
        rests.then_some(())?;
        Some(Kept {
            local: self.header.local,
            remote: self.header.remote,
            timestamps: self.header.timestamps.map(|clock| (clock.recent, clock.recent_since)),
            last_window_update: [
                behind(next, start)?,
                behind(self.sender.view.unacknowledged, acknowledged)?,
            ],
            largest_segment: self.header.largest_segment,
            first_initial_sequence: self.first_initial_sequence,
            segments_received: u32::try_from(self.segments_received).ok()?,
            duplicate_segments_received: u32::try_from(self.duplicate_segments_received).ok()?,
            challenge_acks: u32::try_from(self.challenge.sent()).ok()?,
            peer_window_shift: self.agreed.peer_window_shift,
            sack: self.header.sack,
            window_scaled: self.header.window_scaled,
            passive: self.passive,
            reads_at_once: self.reads_at_once,
        })
    }
}

impl Resting {
    /// The endpoint as it was; with the parameters and the variant that it was made with.
    pub fn wake(self, parameters: &Arc<Parameters>, variant: Variant) -> Endpoint {
        let Resting { sender, receiver, kept } = self;
        let sender = Sender::wake(sender, parameters);
        let next = receiver.next;
        let clock = parameters.segments.timestamp_tick.zip(kept.timestamps);
        let timestamps =
            clock.map(|(tick, (recent, recent_since))| TimestampClock { tick, recent, recent_since });
        let [start, acknowledged] = kept.last_window_update.map(u64::from);
        let unacknowledged = sender.view.unacknowledged;
        let mut header = Header::new(kept.local, kept.remote, parameters);
        header.timestamps = timestamps;
        header.sack = kept.sack;
        header.window_scaled = kept.window_scaled;
        header.largest_segment = kept.largest_segment;
        Endpoint {
            variant,
            state: State::Established,
            close_reason: None,
            passive: kept.passive,
            reads_at_once: kept.reads_at_once,
            header,
            segment_size_agreed: sender.view.segment_size,
            sender,
            receiver: Receiver::wake(&receiver, parameters),
            agreed: Agreed { peer_window_shift: kept.peer_window_shift },
            first_initial_sequence: kept.first_initial_sequence,
            last_window_update: (Offset(next.0 - start), Offset(unacknowledged.0 - acknowledged)),
            bytes_delivered: next.saturating_since(Offset::FIRST_BYTE),
            segments_received: kept.segments_received.into(),
            duplicate_segments_received: kept.duplicate_segments_received.into(),
            challenge: ChallengeLimiter::quiet(
                parameters.connection.challenge_ack_interval,
                kept.challenge_acks.into(),
            ),
            mover: None,
            marks: MarkBudget::default(),
            syn_retransmissions: 0,
            time_wait_until: None,
            keepalive_at: None,
            keepalives_unanswered: 0,
            parameters: Arc::clone(parameters),
        }
    }
}
