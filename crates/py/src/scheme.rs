//! Handover schemes that are classes of Python: events and a view in, actions out.

use crate::classes::{Definition, Object, Values, answers, keys_of, register};
use crate::control::{View, window_of};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use seamline_scenario::schema::added::Added;
use seamline_tcp::Parameters;
use seamline_tcp::handover::{
    Action, Actions, Build, END_TO_END, Handover, HandoverEvent, Installed, Release, Scheme,
};
use seamline_wire::{Duration, Instant, Mark, Signal};
use std::collections::BTreeSet;

/// The marks that classes may use, by name.
const MARKS: [(&str, Mark); 5] = [
    ("handover", Mark::Handover),
    ("will-handover", Mark::WillHandover),
    ("handover-cancelled", Mark::HandoverCancelled),
    ("new-link", Mark::NewLink { bandwidth_delay_product: None }),
    ("made-before-break", Mark::MadeBeforeBreak { bandwidth_delay_product: None }),
];

/// Make a class usable as a handover scheme. It acts on these marks; a class without marks changes the mobile end only.
#[pyfunction]
pub(crate) fn register_scheme(definition: Definition, marks: BTreeSet<String>) -> PyResult<()> {
    if let Some(unknown) = marks.iter().find(|it| mark_of(it).is_err()) {
        mark_of(unknown)?;
    }
    let installed = if marks.is_empty() { Installed::MobileEnd } else { Installed::BothEnds };
    let kind =
        if marks.is_empty() { "a handover scheme without marks" } else { "a handover scheme with marks" };
    let marks: Vec<Mark> = marks.iter().filter_map(|it| mark_of(it).ok()).collect();
    register(definition, kind, |name, summary| {
        let build = move |parameters: &Parameters| -> Box<dyn Handover> {
            let object = Object::new(name, &parameters.handover.own);
            Box::new(ByClass { object, marks: marks.clone(), wake_at: None })
        };
        let build: &'static Build = Box::leak(Box::new(build));
        let scheme = Scheme { name, summary, cite: "", traits: END_TO_END, installed, refuses: &[], build };
        Added::scheme::<Values>(Box::leak(Box::new(scheme)), move || keys_of(name))
    })
}

fn mark_of(name: &str) -> PyResult<Mark> {
    let found = MARKS.iter().find(|(known, _)| *known == name).map(|(_, mark)| *mark);
    found.ok_or_else(|| {
        let names: Vec<&str> = MARKS.iter().map(|(name, _)| *name).collect();
        PyValueError::new_err(format!("there is no mark \"{name}\"; available: {}", names.join(", ")))
    })
}

fn name_of(mark: Mark) -> Option<&'static str> {
    MARKS.iter().find(|(_, known)| is_alike(*known, mark)).map(|(name, _)| *name)
}

/// Whether two marks are the same but for what they tell of a link.
fn is_alike(one: Mark, other: Mark) -> bool {
    std::mem::discriminant(&one) == std::mem::discriminant(&other)
}

/// What a scheme hears of.
#[pyclass(frozen, get_all, module = "seamline._seamline")]
#[derive(Clone, Debug, Default)]
pub(crate) struct HandoverNews {
    /// `link-going-down`, `link-down`, `link-up`, `link-handover-complete`, `link-parameters-report`, `movement-detected`, `registered`
    /// (IEEE 802.21), `marked`, `unreachable`, `timeout`, `progress`, `data` or `wake`.
    kind: &'static str,
    /// `link-going-down`: seconds until the link is expected to be lost.
    within: Option<f64>,
    /// `link-up`, `link-parameters-report`: rate of the link in bit/s, if it is known.
    rate: Option<f64>,
    /// The same: round-trip time expected over the link in seconds, if it is known.
    round_trip: Option<f64>,
    /// `marked`, `progress`: the mark.
    mark: Option<&'static str>,
    /// `marked`: whether the segment carries payload.
    payload: bool,
}

fn event_of(happened: HandoverEvent) -> HandoverNews {
    let named = |kind| HandoverNews { kind, ..HandoverNews::default() };
    let link = |kind, rate: Option<seamline_wire::units::Rate>, round_trip: Option<Duration>| HandoverNews {
        rate: rate.map(|rate| rate.bits_per_second() as f64),
        round_trip: round_trip.map(|time| time.as_secs_f64()),
        ..named(kind)
    };
    match happened {
        HandoverEvent::Below(Signal::LinkGoingDown { within }) => {
            HandoverNews { within: Some(within.as_secs_f64()), ..named("link-going-down") }
        }
        HandoverEvent::Below(Signal::LinkDown) => named("link-down"),
        HandoverEvent::Below(Signal::LinkUp { rate, round_trip_time }) => {
            link("link-up", rate, round_trip_time)
        }
        HandoverEvent::Below(Signal::LinkHandoverComplete) => named("link-handover-complete"),
        HandoverEvent::Below(Signal::LinkParametersReport { rate, round_trip_time }) => {
            link("link-parameters-report", rate, round_trip_time)
        }
        HandoverEvent::Below(Signal::MovementDetected) => named("movement-detected"),
        HandoverEvent::Below(Signal::Registered) => named("registered"),
        HandoverEvent::Below(_) => named("other-signal"),
        HandoverEvent::Marked { mark, payload, .. } => {
            HandoverNews { mark: name_of(mark), payload, ..named("marked") }
        }
        HandoverEvent::Unreachable => named("unreachable"),
        HandoverEvent::Timeout => named("timeout"),
        HandoverEvent::Progress { mark } => {
            HandoverNews { mark: mark.and_then(name_of), ..named("progress") }
        }
        HandoverEvent::Data => named("data"),
        HandoverEvent::Wake => named("wake"),
    }
}

/// One end's instance of a class.
#[derive(Debug)]
struct ByClass {
    object: Object,
    marks: Vec<Mark>,
    wake_at: Option<Instant>,
}

impl Handover for ByClass {
    fn on(&mut self, happened: HandoverEvent, view: &seamline_tcp::view::View, actions: &mut Actions) {
        if happened == HandoverEvent::Wake {
            self.wake_at = None;
        }
        let answer = self.object.call(|it| {
            let answer = it.call_method1("on", (event_of(happened), View::new(view)))?;
            answers(&answer, |it| one(it, view))
        });
        for answer in answer.unwrap_or_default() {
            match answer {
                Answer::Act(action) => actions.push(action),
                Answer::Wake(at) => self.wake_at = at,
            }
        }
    }
    fn acts_on(&self, mark: Mark) -> bool {
        self.marks.iter().any(|known| is_alike(*known, mark))
    }
    fn wake_at(&self) -> Option<Instant> {
        self.wake_at
    }
}

enum Answer {
    Act(Action),
    Wake(Option<Instant>),
}

/// An action: a name, or a tuple of a name and what belongs to it.
fn one(it: &Bound<'_, PyAny>, view: &seamline_tcp::view::View) -> PyResult<Answer> {
    if let Ok(name) = it.extract::<String>() {
        return simple(&name).map(Answer::Act).ok_or_else(|| unknown(&name));
    }
    let name: String = it.get_item(0)?.extract()?;
    let action = match name.as_str() {
        "acknowledge" => {
            let (_, times, mark): (String, u32, Option<String>) = it.extract()?;
            Action::Acknowledge { times, mark: mark.map(|name| mark_of(&name)).transpose()? }
        }
        "mark" => {
            let (_, mark, segments): (String, String, u32) = it.extract()?;
            Action::Mark { mark: mark_of(&mark)?, segments }
        }
        "set-window" => Action::SetWindow(window_of(&it.get_item(1)?, view.window)?),
        "renew-path" => Action::RenewPath { round_trip_time: seconds(&it.get_item(1)?)? },
        "expect-losses" => {
            Action::ExpectLosses { until: view.now + seconds(&it.get_item(1)?)?.unwrap_or(Duration::ZERO) }
        }
        "wake-after" => return Ok(Answer::Wake(seconds(&it.get_item(1)?)?.map(|after| view.now + after))),
        _ => return Err(unknown(&name)),
    };
    Ok(Answer::Act(action))
}

pub(crate) fn seconds(it: &Bound<'_, PyAny>) -> PyResult<Option<Duration>> {
    let Some(seconds) = it.extract::<Option<f64>>()? else { return Ok(None) };
    if !(0.0..1e9).contains(&seconds) {
        return Err(PyValueError::new_err(format!("{seconds} is not a number of seconds")));
    }
    Ok(Some(Duration::from_secs_f64(seconds)))
}

/// The actions that are a name alone: those of traces.
fn simple(name: &str) -> Option<Action> {
    Some(match name {
        "close-window" => Action::CloseWindow,
        "open-window" => Action::OpenWindow,
        "hold-acknowledgments" => Action::HoldAcknowledgments,
        "release-acknowledgments" => Action::ReleaseAcknowledgments(Release::All),
        "halt-timer" => Action::HaltTimer,
        "freeze" => Action::Freeze,
        "send-one" => Action::SendOne,
        "probe" => Action::Probe,
        "thaw" => Action::Thaw,
        "forget-round-trip" => Action::ForgetRoundTrip,
        "slow-start" => Action::SlowStart,
        "go-back" => Action::GoBack,
        _ => return None,
    })
}

fn unknown(name: &str) -> PyErr {
    PyValueError::new_err(format!(
        "there is no action \"{name}\"; the functions and constants of seamline.actions make all that there are"
    ))
}
