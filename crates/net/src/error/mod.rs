//! Error models: which packets a link loses for reasons of its own.
//!
//! A model is a small state machine with its own random stream, so all schemes of a comparison meet the
//! same losses. It sits in an [`ErrorStage`] at one of two places of a [`crate::Link`]: before the queue,
//! where lost packets use no airtime, or after propagation, where they do.

mod gilbert_elliott;
mod over_time;
mod per_packet;

pub use gilbert_elliott::{
    GilbertElliott, GilbertElliottInTime, GilbertElliottParameters, GilbertElliottTimes,
};
pub use over_time::{PeriodicOutage, ScheduledLoss};
pub use per_packet::{Bernoulli, Burst, DropList, LossTrace};

use seamline_wire::{Instant, Packet};
use std::fmt::Debug;

/// A packet that arrives at an error model.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// When.
    pub at: Instant,
    /// How many packets the model was asked about before this one.
    pub index: u64,
    /// The packet.
    pub packet: &'a Packet,
}

/// Copies an error model with its state, so that one can look ahead. Everything that is `Clone` has it.
pub trait CloneModel {
    /// A copy.
    fn clone_model(&self) -> Box<dyn ErrorModel>;
}

impl<M: ErrorModel + Clone + 'static> CloneModel for M {
    fn clone_model(&self) -> Box<dyn ErrorModel> {
        Box::new(self.clone())
    }
}

/// Decides which packets are lost.
pub trait ErrorModel: CloneModel + Debug + Send {
    /// Whether this packet is lost. Called once per packet, in order of arrival. A model draws the same
    /// number of random numbers for every packet, so that runs with different parameters stay aligned.
    fn loses(&mut self, arrival: Arrival<'_>) -> bool;
}

/// Which packets an error model is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AppliesTo {
    /// All of them.
    #[default]
    All,
    /// Those with payload; the others pass, and are not counted.
    Payload,
}

/// An error model in its place.
#[derive(Debug)]
pub struct ErrorStage {
    model: Box<dyn ErrorModel>,
    applies_to: AppliesTo,
    arrivals: u64,
}

impl Clone for ErrorStage {
    fn clone(&self) -> Self {
        ErrorStage { model: self.model.clone_model(), ..*self }
    }
}

impl ErrorStage {
    /// A model that is asked about some or all packets.
    pub fn new(model: impl ErrorModel + 'static, applies_to: AppliesTo) -> Self {
        ErrorStage { model: Box::new(model), applies_to, arrivals: 0 }
    }

    /// The same model, asked about these packets.
    #[must_use]
    pub fn asked_about(self, applies_to: AppliesTo) -> Self {
        ErrorStage { applies_to, ..self }
    }

    /// How many packets the model was asked about.
    pub fn arrivals(&self) -> u64 {
        self.arrivals
    }

    #[inline]
    pub(crate) fn loses(&mut self, at: Instant, packet: &Packet) -> bool {
        if self.applies_to == AppliesTo::Payload && !packet.has_payload() {
            return false;
        }
        let index = self.arrivals;
        self.arrivals += 1;
        self.model.loses(Arrival { at, index, packet })
    }
}

impl<M: ErrorModel + 'static> From<M> for ErrorStage {
    /// The model asked about all packets.
    fn from(model: M) -> Self {
        ErrorStage::new(model, AppliesTo::All)
    }
}
