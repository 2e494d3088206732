//! `loss = { model = "bernoulli", probability = "1 %", place = "end" }`: error models of a link.

use crate::codes::Code;
use crate::document::{Node, Value};
use crate::keys::{
    Kinds, Section, Shape, Takes, choice, kinds, positive_time, share, table, time, unread, whole,
};
use crate::reader::Reader;
use crate::recordings;
use crate::units::Complaint;
use seamline_net::error::{
    AppliesTo, Bernoulli, Burst, DropList, ErrorStage, GilbertElliott, GilbertElliottInTime,
    GilbertElliottParameters, GilbertElliottTimes, LossTrace, PeriodicOutage,
};
use seamline_wire::Duration;
use seamline_wire::random::Stream;
use std::sync::Arc;

const PLACES: &[(&str, Place)] = &[("end", Place::End), ("before-queue", Place::BeforeQueue)];
const APPLIES_TO: &[(&str, AppliesTo)] = &[("all", AppliesTo::All), ("payload", AppliesTo::Payload)];

/// Where on a link packets are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Place {
    /// After propagation: what is lost has used airtime.
    #[default]
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
    /// Independent losses, with this probability each.
    Bernoulli(f64),
    /// Two states that change from packet to packet.
    GilbertElliott(GilbertElliottParameters),
    /// Two states that change with time.
    GilbertElliottInTime(GilbertElliottTimes),
    /// Errors: the probability that one starts at a packet, and how many packets it takes.
    Burst(f64, u32),
    /// Named packets.
    List(Vec<u64>),
    /// Everything is lost for a while: the time from one outage to the next, and the length of each.
    Outage(Duration, Duration),
    /// A recorded fate for each packet.
    Trace(Arc<[bool]>),
}

impl LossSpec {
    /// The model, drawing from the stream of this name under this seed; a state that changes with time draws from
    /// one of its own, `NAME/state`.
    pub fn build(&self, seed: u64, name: &str) -> ErrorStage {
        let stream = Stream::new(seed, name);
        let stage: ErrorStage = match &self.model {
            LossModel::Bernoulli(probability) => Bernoulli::new(*probability, stream).into(),
            LossModel::GilbertElliott(parameters) => GilbertElliott::new(*parameters, stream).into(),
            LossModel::GilbertElliottInTime(times) => {
                let states = Stream::new(seed, &format!("{name}/state"));
                GilbertElliottInTime::new(*times, states, stream).into()
            }
            LossModel::Burst(starts, length) => Burst::new(*starts, *length, stream).into(),
            LossModel::List(indices) => DropList::new(indices.iter().copied()).into(),
            LossModel::Outage(period, length) => PeriodicOutage::new(*period, *length).into(),
            LossModel::Trace(lost) => LossTrace::new(lost.clone()).into(),
        };
        stage.asked_about(self.applies_to)
    }
}

/// An error model under `loss`.
pub(super) fn section<'a>() -> Section<'a, LossSpec> {
    let models = kinds! { Kinds::new("model", "The error model");
        "bernoulli" => bernoulli(), "each packet is lost with the same probability";
        "gilbert-elliott" => gilbert_elliott(), "a good and a bad state with a loss probability each, which change per packet or with time", "Gilbert 1960, Elliott 1963";
        "burst" => burst(), "a burst starts with a given probability, and loses a given number of packets";
        "list" => listed(), "the packets with these arrival indices are lost";
        "outage" => outage(), "all packets are lost for a given time, once per period";
        "trace" => trace(), "the fate of each packet in turn, from a file of 0 (arrives) and 1 (lost)";
    };
    table! { (_, _, _);
        .definition("loss");
        .kinds(models, |it: &mut (_, _, _)| &mut it.0);
        key place (1): choice(PLACES), "Where packets are lost: after propagation, or before the queue";
        key applies_to (2): choice(APPLIES_TO), "Which packets it affects: all, or those with payload";
    }
    .build((None, Place::default(), AppliesTo::default()), |(model, place, applies_to), _| {
        Some(LossSpec { model: model?, place, applies_to })
    })
}

/// Note that several error models are at one place.
pub(super) fn refuse_shared_places(reader: &mut Reader<'_>, all: &[LossSpec]) {
    for place in [Place::End, Place::BeforeQueue] {
        if all.iter().filter(|loss| loss.place == place).count() > 1 {
            let complaint = Complaint::conflict("only one error model fits at each place")
                .tip("set `place` to \"end\" or \"before-queue\"");
            reader.refuse_value("loss", complaint);
        }
    }
}

fn bernoulli<'a>() -> Section<'a, LossModel> {
    table! { Option<f64>; required probability (self): share(), "Probability that a packet is lost"; }
        .build(None, |probability, _| probability.map(LossModel::Bernoulli))
}

fn burst<'a>() -> Section<'a, LossModel> {
    table! { (_, _);
        required start_probability (0): share(), "Probability that a burst starts at a packet";
        required length (1): whole(1, 1_000_000), "Packets lost in a burst";
    }
    .build((None, None), |(starts, length), _| Some(LossModel::Burst(starts?, length?)))
}

fn outage<'a>() -> Section<'a, LossModel> {
    table! { (_, _);
        required period (0): positive_time(), "Time from one outage to the next";
        required length (1): time(), "Duration of each outage";
    }
    .build((None, None), |(period, length), _| Some(LossModel::Outage(period?, length?)))
}

fn listed<'a>() -> Section<'a, LossModel> {
    let shape = Shape::Integer { least: 0, most: i64::MAX };
    let index = Takes::new(shape, index, |index: &u64| Some(index.to_string()));
    table! { Option<Vec<u64>>;
        required indices (self): index.one_or_many(), "Packets that are lost, counted from 0 in order of arrival";
    }
    .build(None, |indices, _| indices.map(LossModel::List))
}

fn trace<'a>() -> Section<'a, LossModel> {
    table! { Option<Node>;
        required file (self): unread(Shape::Text), "A file of 0 (arrives) and 1 (lost), relative to the scenario";
    }
    .build(None, |file, reader| {
        let lost = recordings::loss_trace(reader.context, &file?);
        reader.accept("file", lost).map(LossModel::Trace)
    })
}

#[derive(Clone, Debug)]
struct States {
    good_to_bad: Option<f64>,
    bad_to_good: Option<f64>,
    mean_good: Option<Duration>,
    mean_bad: Option<Duration>,
    loss_in_good: f64,
    loss_in_bad: f64,
}

/// The states change per packet, with probabilities, or with time, by their mean durations.
fn gilbert_elliott<'a>() -> Section<'a, LossModel> {
    let mean = || time().checked(refuse_short_state);
    let start = States {
        good_to_bad: None,
        bad_to_good: None,
        mean_good: None,
        mean_bad: None,
        loss_in_good: 0.0,
        loss_in_bad: 1.0,
    };
    table! { States;
        optional good_to_bad: share(), "Probability per packet of a change to the bad state";
        optional bad_to_good: share(), "Probability per packet of a change to the good state";
        optional mean_good: mean(), "Mean duration of the good state, instead of `good_to_bad`";
        optional mean_bad: mean(), "Mean duration of the bad state, instead of `bad_to_good`";
        key loss_in_good: share(), "Loss probability in the good state";
        key loss_in_bad: share(), "Loss probability in the bad state";
    }
    .build(start, make_gilbert_elliott)
}

fn make_gilbert_elliott(states: States, reader: &mut Reader<'_>) -> Option<LossModel> {
    let States { good_to_bad, bad_to_good, mean_good, mean_bad, loss_in_good, loss_in_bad } = states;
    let in_time = reader.has("mean_good") || reader.has("mean_bad");
    for key in ["good_to_bad", "bad_to_good"] {
        if in_time && reader.has(key) {
            let complaint = Complaint::conflict("the states change either per packet or with time")
                .tip("keep `good_to_bad` and `bad_to_good`, or `mean_good` and `mean_bad`");
            reader.refuse_value(key, complaint);
        }
    }
    let needed = if in_time { ["mean_good", "mean_bad"] } else { ["good_to_bad", "bad_to_good"] };
    for key in needed {
        reader.need(key);
    }
    Some(match in_time {
        true => LossModel::GilbertElliottInTime(GilbertElliottTimes {
            mean_good: mean_good?,
            mean_bad: mean_bad?,
            loss_in_good,
            loss_in_bad,
        }),
        false => LossModel::GilbertElliott(GilbertElliottParameters {
            good_to_bad: good_to_bad?,
            bad_to_good: bad_to_good?,
            loss_in_good,
            loss_in_bad,
        }),
    })
}

/// Every change of state takes a draw, also on an idle link: far shorter states would take too long to simulate.
fn refuse_short_state(mean: &Duration) -> Result<(), Complaint> {
    const SHORTEST: Duration = Duration::from_micros(1);
    if *mean < SHORTEST {
        return Err(Complaint::out_of_bounds(format!("a state lasts {SHORTEST} or longer")));
    }
    Ok(())
}

fn index(node: &Node) -> Result<u64, Complaint> {
    match node.value {
        Value::Integer(index) if index >= 0 => Ok(index as u64),
        _ => Err(Complaint::new("an index counts packets from 0").code(Code::WrongKind)),
    }
}
