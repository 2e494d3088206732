//! Congestion controls that are classes of Python: the same contract as in Rust, a view in and a window out.

use crate::classes::{Definition, Object, Values, class_of, keys_of, register};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use seamline_scenario::schema::added::Added;
use seamline_tcp::Parameters;
use seamline_tcp::cc::{Algorithm, Build, CongestionControl, Decision, Loss, RateSample, RecoveryState};
use seamline_tcp::view::Window;
use seamline_wire::Duration;

/// Recoveries that a class with `on_rate_sample` makes no sense with.
const NO_RATE_SAMPLES: &[(&str, &str)] = &seamline_tcp::recovery::without_records(
    "on_rate_sample needs the recovery rack: use the profile linux-6.12",
);

/// Make a class usable as a congestion control.
#[pyfunction]
pub(crate) fn register_control(definition: Definition) -> PyResult<()> {
    let (kind, refuses) = match definition.5.contains("on_rate_sample") {
        true => ("a congestion control with on_rate_sample", NO_RATE_SAMPLES),
        false => ("a congestion control without on_rate_sample", &[][..]),
    };
    register(definition, kind, |name, summary| {
        let build: &'static Build =
            Box::leak(Box::new(move |parameters: &Parameters| Control::build(name, parameters)));
        let algorithm = Algorithm { name, summary, cite: "", refuses, needs_send_log: false, build };
        Added::new::<Values>(Box::leak(Box::new(algorithm)), move || keys_of(name))
    })
}

/// What a sender knows, for a class.
#[pyclass(frozen, get_all, module = "seamline._seamline")]
#[derive(Debug)]
pub(crate) struct View {
    /// The time in seconds since the start of the run.
    pub(crate) now: f64,
    /// Congestion window in segments.
    pub(crate) window: f64,
    /// Slow start threshold in segments; infinite while it is arbitrarily high.
    pub(crate) threshold: f64,
    /// Payload of a full segment in bytes.
    pub(crate) segment_size: u32,
    /// What is outstanding in segments (FlightSize, RFC 5681).
    pub(crate) flight: f64,
    /// The window in segments with what inflates it during recovery, bounded by that of the peer.
    pub(crate) effective_window: f64,
    /// Segments in the network: by the record of segments where there is one, otherwise what is outstanding.
    pub(crate) in_flight: f64,
    /// Smoothed round-trip time in seconds; `None` before the first sample.
    pub(crate) smoothed_round_trip: Option<f64>,
    /// The latest round-trip time in seconds.
    pub(crate) latest_round_trip: Option<f64>,
    /// The smallest round-trip time in seconds.
    pub(crate) minimum_round_trip: Option<f64>,
    /// Segments delivered since the connection began; zero without a record of segments (recovery `rack`).
    pub(crate) delivered: u64,
    /// Segments lost since the connection began; zero without a record of segments.
    pub(crate) lost: u64,
    /// Whether the congestion window kept the sender from sending more.
    pub(crate) congestion_limited: bool,
    /// Whether the application has too little to send for measurements to say anything about the network.
    pub(crate) application_limited: bool,
    /// Whether losses are being repaired; without a record of segments never true.
    pub(crate) in_recovery: bool,
}

impl View {
    pub(crate) fn new(view: &seamline_tcp::view::View) -> Self {
        let known =
            |time: Duration| (time > Duration::ZERO && time < Duration::MAX).then(|| time.as_secs_f64());
        let tracked = &view.tracked;
        let has_record = tracked.outstanding_segments > 0 || tracked.delivered > 0;
        View {
            now: view.now.as_secs_f64(),
            window: view.window.congestion,
            threshold: view.window.threshold,
            segment_size: view.segment_size,
            flight: view.flight_segments(),
            effective_window: view.effective_window(),
            in_flight: if has_record { f64::from(tracked.in_flight) } else { view.flight_segments() },
            smoothed_round_trip: known(view.round_trip.smoothed),
            latest_round_trip: known(view.round_trip.latest),
            minimum_round_trip: tracked.minimum_round_trip.or(Some(view.round_trip.minimum)).and_then(known),
            delivered: tracked.delivered,
            lost: tracked.lost,
            congestion_limited: view.congestion_limited,
            application_limited: tracked.is_application_limited,
            in_recovery: matches!(tracked.state, RecoveryState::Recovery | RecoveryState::Loss),
        }
    }
}

/// An acknowledgment, for a class.
#[pyclass(frozen, get_all, module = "seamline._seamline")]
#[derive(Debug)]
pub(crate) struct Acked {
    /// Bytes newly acknowledged cumulatively; zero for a duplicate.
    pub(crate) bytes: u64,
    /// Bytes newly reported as arrived, cumulatively or by SACK.
    pub(crate) delivered: u64,
    /// How many segments it is worth to a window that grows, by the flow's profile.
    pub(crate) segments: f64,
    /// Whether it is a duplicate acknowledgment.
    pub(crate) duplicate: bool,
    /// Whether loss recovery is under way.
    pub(crate) in_recovery: bool,
    /// Segments per second at which the network delivers, by this acknowledgment; only for `on_rate_sample`.
    pub(crate) rate: Option<f64>,
    /// The round-trip time of the newest segment acknowledged in seconds, where it was sent once; only for `on_rate_sample`.
    pub(crate) round_trip: Option<f64>,
    /// Segments newly taken to be lost; only for `on_rate_sample`.
    pub(crate) lost: u64,
}

impl Acked {
    fn new(acked: &seamline_tcp::cc::Acked, view: &seamline_tcp::view::View) -> Self {
        let seamline_tcp::cc::Acked { bytes, delivered, duplicate, in_recovery, .. } = *acked;
        let segments = view.parameters.window.growth(acked, view);
        Acked { bytes, delivered, segments, duplicate, in_recovery, rate: None, round_trip: None, lost: 0 }
    }

    pub(crate) fn of_sample(sample: &RateSample, view: &seamline_tcp::view::View) -> Self {
        let rate = sample.rate.filter(|(_, over)| *over > Duration::ZERO);
        let bytes = sample.acknowledged * u64::from(view.segment_size);
        Acked {
            bytes,
            delivered: bytes,
            segments: sample.acknowledged as f64,
            duplicate: false,
            in_recovery: matches!(view.tracked.state, RecoveryState::Recovery | RecoveryState::Loss),
            rate: rate.map(|(segments, over)| segments as f64 / over.as_secs_f64()),
            round_trip: sample.round_trip.map(|time| time.as_secs_f64()),
            lost: sample.lost,
        }
    }
}

/// One connection's instance of a class.
#[derive(Debug)]
struct Control {
    object: Object,
    observes: bool,
    hears_of_paths: bool,
    hears_of_windows: bool,
    controls_rate: bool,
}

impl Control {
    fn build(name: &'static str, parameters: &Parameters) -> Box<dyn CongestionControl> {
        let class = class_of(name);
        let has = |method: &str| class.as_ref().is_some_and(|class| class.methods.contains(method));
        Box::new(Control {
            object: Object::new(name, &parameters.congestion_control.own),
            observes: has("observe"),
            hears_of_paths: has("on_path_change"),
            hears_of_windows: has("on_window_replaced"),
            controls_rate: has("on_rate_sample"),
        })
    }

    /// The window that a method returns. It stays as it is if the method returns none, or raises.
    fn window(
        &self,
        method: &str,
        arguments: impl for<'py> PyCallArgs<'py>,
        view: &seamline_tcp::view::View,
    ) -> Window {
        let answer = self.object.call(|it| window_of(&it.call_method1(method, arguments)?, view.window));
        answer.unwrap_or(view.window)
    }
}

/// A window as classes return it: nothing for no change, a number for the congestion window, or a pair with the threshold.
pub(crate) fn window_of(answer: &Bound<'_, PyAny>, before: Window) -> PyResult<Window> {
    let (congestion, threshold) = if answer.is_none() {
        return Ok(before);
    } else if let Ok(congestion) = answer.extract::<f64>() {
        (congestion, before.threshold)
    } else {
        answer.extract::<(f64, f64)>().map_err(|_| {
            PyValueError::new_err(
                "a window is a number of segments, a pair (window, threshold), or None for no change",
            )
        })?
    };
    if !(congestion.is_finite() && congestion >= 0.0) || threshold.is_nan() || threshold < 0.0 {
        return Err(PyValueError::new_err(format!("({congestion}, {threshold}) is not a window")));
    }
    Ok(Window { congestion: congestion.max(1.0), threshold })
}

impl CongestionControl for Control {
    fn observe(&mut self, acked: &seamline_tcp::cc::Acked, view: &seamline_tcp::view::View) {
        if self.observes {
            self.object
                .call(|it| it.call_method1("observe", (Acked::new(acked, view), View::new(view))).map(drop));
        }
    }

    fn on_ack(&mut self, acked: &seamline_tcp::cc::Acked, view: &seamline_tcp::view::View) -> Window {
        self.window("on_ack", (Acked::new(acked, view), View::new(view)), view)
    }

    fn on_loss(&mut self, loss: Loss, view: &seamline_tcp::view::View) -> Window {
        self.window("on_loss", (loss == Loss::Collapsed, View::new(view)), view)
    }

    fn on_path_change(&mut self, round_trip: Option<Duration>, view: &seamline_tcp::view::View) -> Window {
        if !self.hears_of_paths {
            return view.window;
        }
        let round_trip = round_trip.map(|time| time.as_secs_f64());
        self.window("on_path_change", (round_trip, View::new(view)), view)
    }

    fn on_window_replaced(&mut self) {
        if self.hears_of_windows {
            self.object.call(|it| it.call_method0("on_window_replaced").map(drop));
        }
    }

    fn controls_rate(&self) -> bool {
        self.controls_rate
    }

    fn on_rate_sample(&mut self, sample: &RateSample, view: &seamline_tcp::view::View) -> Decision {
        let answer = self.object.call(|it| {
            let answer =
                it.call_method1("on_rate_sample", (Acked::of_sample(sample, view), View::new(view)))?;
            decision(&answer, view)
        });
        answer.unwrap_or(Decision { window: view.window, pacing_rate: u64::MAX, application_limited: false })
    }
}

/// A window, or a pair of a window and a rate in bytes per second (`None`: no limit).
fn decision(answer: &Bound<'_, PyAny>, view: &seamline_tcp::view::View) -> PyResult<Decision> {
    let (window, rate) = match answer.extract::<(Bound<'_, PyAny>, Option<f64>)>() {
        Ok((window, rate)) => (window_of(&window, view.window)?, rate),
        Err(_) => (window_of(answer, view.window)?, None),
    };
    if rate.is_some_and(|rate| !rate.is_finite() || rate <= 0.0) {
        return Err(PyValueError::new_err("a pacing rate is a positive number of bytes per second, or None"));
    }
    Ok(Decision {
        window,
        pacing_rate: rate.map_or(u64::MAX, |rate| rate as u64),
        application_limited: view.tracked.is_application_limited,
    })
}
