//! `loss = { model = "bernoulli", probability = "1 %", place = "end" }`: error models of a link.

use crate::codes::Code;
use crate::document::{Node, Value};
use crate::reader::{Reader, integer, list};
use crate::recordings;
use crate::units::{self, Complaint};
use seamline_net::error::{
    AppliesTo, Bernoulli, Burst, DropList, ErrorStage, GilbertElliott, GilbertElliottInTime,
    GilbertElliottParameters, GilbertElliottTimes, LossTrace, PeriodicOutage,
};
use seamline_wire::Duration;
use seamline_wire::random::Stream;
use std::sync::Arc;

/// The error models a scenario may name, with a line about each.
pub const MODELS: &[(&str, &str)] = &[
    ("bernoulli", "each packet is lost with one probability"),
    (
        "gilbert-elliott",
        "a good and a bad state with a loss probability each, that change per packet or with time (Gilbert 1960, Elliott 1963)",
    ),
    ("burst", "an error starts with a probability and takes a number of packets"),
    ("list", "the packets with these arrival indices are lost"),
    ("outage", "everything is lost for a while, once per period"),
    ("trace", "the fate of each packet in turn, from a file of 0 (arrives) and 1 (lost)"),
];

pub(crate) const PLACES: &[(&str, Place)] = &[("end", Place::End), ("before-queue", Place::BeforeQueue)];
pub(crate) const APPLIES_TO: &[(&str, AppliesTo)] =
    &[("all", AppliesTo::All), ("payload", AppliesTo::Payload)];

/// Where on a link packets are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// After propagation: what is lost has used airtime.
    End,
    /// Before the queue.
    BeforeQueue,
}

/// An error model in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct LossSpec {
    /// What it does.
    pub model: LossModel,
    /// Where.
    pub place: Place,
    /// Which packets it sees.
    pub applies_to: AppliesTo,
}

/// What an error model does.
#[derive(Clone, Debug, PartialEq)]
pub enum LossModel {
    /// Independent losses.
    Bernoulli {
        /// Of each packet.
        probability: f64,
    },
    /// Two states that change from packet to packet.
    GilbertElliott(GilbertElliottParameters),
    /// Two states that change with time.
    GilbertElliottInTime(GilbertElliottTimes),
    /// Errors that take several packets.
    Burst {
        /// That an error starts at a packet.
        start_probability: f64,
        /// Packets that it takes.
        length: u32,
    },
    /// Named packets.
    List(Vec<u64>),
    /// Everything, for a while.
    Outage {
        /// From one outage to the next.
        period: Duration,
        /// Of each outage.
        length: Duration,
    },
    /// A recorded fate for each packet.
    Trace(Arc<[bool]>),
}

impl LossSpec {
    /// The model, drawing from the stream of this name under this seed; a state that changes with time draws from
    /// one of its own, `NAME/state`.
    pub fn build(&self, seed: u64, name: &str) -> ErrorStage {
        let stream = Stream::new(seed, name);
        match &self.model {
            LossModel::Bernoulli { probability } => {
                ErrorStage::new(Bernoulli::new(*probability, stream), self.applies_to)
            }
            LossModel::GilbertElliott(parameters) => {
                ErrorStage::new(GilbertElliott::new(*parameters, stream), self.applies_to)
            }
            LossModel::GilbertElliottInTime(times) => {
                let states = Stream::new(seed, &format!("{name}/state"));
                ErrorStage::new(GilbertElliottInTime::new(*times, states, stream), self.applies_to)
            }
            LossModel::Burst { start_probability, length } => {
                ErrorStage::new(Burst::new(*start_probability, *length, stream), self.applies_to)
            }
            LossModel::List(indices) => {
                ErrorStage::new(DropList::new(indices.iter().copied()), self.applies_to)
            }
            LossModel::Outage { period, length } => {
                ErrorStage::new(PeriodicOutage::new(*period, *length), self.applies_to)
            }
            LossModel::Trace(lost) => ErrorStage::new(LossTrace::new(lost.clone()), self.applies_to),
        }
    }
}

/// Read the error models under `loss`: one, or a list with at most one per place. `None` when there are
/// none, or one is wrong, which has been noted.
pub(super) fn read_all(reader: &mut Reader<'_>) -> Option<Vec<LossSpec>> {
    let node = reader.node("loss")?;
    let span = node.span;
    let models = reader.tables("loss");
    let named = if let Value::List(items) = &node.value { items.len() } else { 1 };
    let all: Vec<LossSpec> = models.into_iter().filter_map(read).collect();
    if all.len() < named {
        return None;
    }
    for place in [Place::End, Place::BeforeQueue] {
        if all.iter().filter(|loss| loss.place == place).count() > 1 {
            let complaint = Complaint::new("only one error model fits at each place")
                .code(Code::Conflict)
                .tip("set `place` to \"end\" or \"before-queue\"");
            reader.refuse("loss", span, complaint);
        }
    }
    Some(all)
}

fn read(mut reader: Reader<'_>) -> Option<LossSpec> {
    let names: Vec<(&str, &str)> = MODELS.iter().map(|(name, _)| (*name, *name)).collect();
    let model = match reader.required_choice("model", &names)? {
        "bernoulli" => bernoulli(&mut reader),
        "gilbert-elliott" => gilbert_elliott(&mut reader),
        "burst" => burst(&mut reader),
        "list" => reader.required("indices", list(index)).map(LossModel::List),
        "outage" => outage(&mut reader),
        _ => trace(&mut reader),
    };
    let place = reader.choice("place", PLACES).unwrap_or(Place::End);
    let applies_to = reader.choice("applies_to", APPLIES_TO).unwrap_or_default();
    reader.finish();
    Some(LossSpec { model: model?, place, applies_to })
}

fn bernoulli(reader: &mut Reader<'_>) -> Option<LossModel> {
    let probability = reader.required("probability", units::ratio)?;
    Some(LossModel::Bernoulli { probability })
}

/// The states change per packet, with probabilities, or with time, by their mean durations.
fn gilbert_elliott(reader: &mut Reader<'_>) -> Option<LossModel> {
    let in_time = reader.has("mean_good") || reader.has("mean_bad");
    for key in ["good_to_bad", "bad_to_good"] {
        if let Some(node) = reader.node(key).filter(|_| in_time) {
            let complaint = Complaint::new("the states change either per packet or with time")
                .code(Code::Conflict)
                .tip("keep `good_to_bad` and `bad_to_good`, or `mean_good` and `mean_bad`");
            reader.refuse(key, node.span, complaint);
        }
    }
    let loss_in_good = reader.or("loss_in_good", 0.0, units::ratio);
    let loss_in_bad = reader.or("loss_in_bad", 1.0, units::ratio);
    if in_time {
        let mean_good = reader.required("mean_good", mean_duration);
        let mean_bad = reader.required("mean_bad", mean_duration);
        return Some(LossModel::GilbertElliottInTime(GilbertElliottTimes {
            mean_good: mean_good?,
            mean_bad: mean_bad?,
            loss_in_good: loss_in_good?,
            loss_in_bad: loss_in_bad?,
        }));
    }
    let good_to_bad = reader.required("good_to_bad", units::ratio);
    let bad_to_good = reader.required("bad_to_good", units::ratio);
    Some(LossModel::GilbertElliott(GilbertElliottParameters {
        good_to_bad: good_to_bad?,
        bad_to_good: bad_to_good?,
        loss_in_good: loss_in_good?,
        loss_in_bad: loss_in_bad?,
    }))
}

/// Every change of state takes a draw, also on an idle link, so that much shorter ones would take for ever.
fn mean_duration(node: &Node) -> Result<Duration, Complaint> {
    const SHORTEST: Duration = Duration::from_micros(1);
    match units::duration(node)? {
        mean if mean < SHORTEST => {
            Err(Complaint::new(format!("a state lasts {SHORTEST} or longer")).code(Code::OutOfBounds))
        }
        mean => Ok(mean),
    }
}

fn burst(reader: &mut Reader<'_>) -> Option<LossModel> {
    let start_probability = reader.required("start_probability", units::ratio);
    let length = reader.required("length", integer(1, 1_000_000));
    Some(LossModel::Burst { start_probability: start_probability?, length: u32::try_from(length?).ok()? })
}

fn outage(reader: &mut Reader<'_>) -> Option<LossModel> {
    let period = reader.required("period", units::positive_duration);
    let length = reader.required("length", units::duration);
    Some(LossModel::Outage { period: period?, length: length? })
}

fn trace(reader: &mut Reader<'_>) -> Option<LossModel> {
    let context = reader.context;
    reader.required("file", |node| recordings::loss_trace(context, node)).map(LossModel::Trace)
}

fn index(node: &Node) -> Result<u64, Complaint> {
    match node.value {
        Value::Integer(index) if index >= 0 => Ok(index as u64),
        _ => Err(Complaint::new("an index counts packets from 0").code(Code::WrongKind)),
    }
}
