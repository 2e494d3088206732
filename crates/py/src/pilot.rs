//! A congestion control that decides in intervals: what it measures between decisions, and what a decision does to window and rate. An
//! environment's native side and policies that are classes of Python share it, so that a policy sees in a run what it saw in training.

use crate::control::{Acked, View};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use seamline_wire::{Duration, Instant};

/// The least window that a policy can choose, in segments.
const LEAST_WINDOW: f64 = 2.0;
/// The largest window that a policy can choose, in segments.
const LARGEST_WINDOW: f64 = 1e5;
/// A paced sender may have this many times rate x round-trip time in flight, so that the rate alone limits it.
const WINDOW_OF_RATE: f64 = 2.0;

/// Senders read a clock of microseconds, as those of Linux do, so decisions are due at whole ones.
pub(crate) const TICK: Duration = Duration::from_micros(1);

/// When decisions are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Every {
    /// At fixed intervals.
    Time(Duration),
    /// After this many smoothed round-trip times.
    RoundTrips(f64),
}

/// What decisions change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lever {
    Window,
    Rate,
}

/// What is measured between two decisions, and the state at the end; `python/src/seamline/gym.py` has units and meaning.
pub(crate) const NAMES: [&str; 17] = [
    "time",
    "interval",
    "window",
    "pacing_rate",
    "in_flight",
    "segment_size",
    "smoothed_round_trip",
    "minimum_round_trip",
    "round_trip",
    "previous_round_trip",
    "throughput",
    "most_throughput",
    "delivery_rate",
    "delivered",
    "lost",
    "sent",
    "timeouts",
];

/// Values in the order of [`NAMES`].
pub(crate) type Measured = [f64; NAMES.len()];

/// What is known after an acknowledgment.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    in_flight: f64,
    segment_size: f64,
    smoothed: f64,
    minimum: f64,
    delivered: u64,
    lost: u64,
}

impl Known {
    fn of(view: &View) -> Self {
        Known {
            in_flight: view.in_flight,
            segment_size: f64::from(view.segment_size),
            smoothed: view.smoothed_round_trip.unwrap_or(0.0),
            minimum: view.minimum_round_trip.unwrap_or(0.0),
            delivered: view.delivered,
            lost: view.lost,
        }
    }
    /// Segments that have left: each is delivered, lost or in flight.
    fn sent(&self) -> f64 {
        (self.delivered + self.lost) as f64 + self.in_flight
    }
}

/// Sums over an interval.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    round_trips: f64,
    samples: u32,
    /// The largest sample in segments per second.
    rate: f64,
    timeouts: u32,
}

/// Measures, and decides on window and rate.
#[derive(Clone, Debug)]
pub(crate) struct Pilot {
    every: Every,
    lever: Lever,
    /// Segments, or segments per second; `None` before the first acknowledgment.
    chosen: Option<f64>,
    /// After a timeout the window begins again, and grows up to what was chosen.
    restarted: Option<f64>,
    /// When the interval under way began, and when it ends.
    interval: [Instant; 2],
    known: Known,
    before: Known,
    sums: Sums,
    round_trip: f64,
    most_throughput: f64,
}

impl Pilot {
    pub(crate) fn new(every: Every, lever: Lever) -> Self {
        Pilot {
            every,
            lever,
            chosen: None,
            restarted: None,
            interval: [Instant::ZERO; 2],
            known: Known::default(),
            before: Known::default(),
            sums: Sums::default(),
            round_trip: 0.0,
            most_throughput: 0.0,
        }
    }

    /// When the next decision is due; `None` before the first acknowledgment.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.chosen.map(|_| self.interval[1])
    }

    /// An acknowledgment: window in segments, and pacing rate in bytes per second.
    pub(crate) fn acknowledged(&mut self, now: Instant, sample: &Acked, view: &View) -> (f64, Option<f64>) {
        self.known = Known::of(view);
        self.sums.rate = self.sums.rate.max(sample.rate.unwrap_or(0.0));
        if let Some(round_trip) = sample.round_trip {
            self.sums.round_trips += round_trip;
            self.sums.samples += 1;
        }
        if self.chosen.is_none() {
            self.begin(now, view);
        }
        let window = self.window();
        let segments = sample.delivered as f64 / self.known.segment_size;
        self.restarted = self.restarted.map(|restarted| restarted + segments).filter(|it| *it < window);
        (self.restarted.unwrap_or(window), self.rate().map(|rate| rate * self.known.segment_size))
    }

    fn begin(&mut self, now: Instant, view: &View) {
        self.interval = [now, now];
        self.before = self.known;
        self.round_trip = view.latest_round_trip.unwrap_or(self.known.smoothed);
        self.chosen = Some(match self.lever {
            Lever::Window => view.window,
            Lever::Rate => view.window / self.known.smoothed.max(1e-6),
        });
    }

    /// A timeout: everything in flight is lost.
    pub(crate) fn timed_out(&mut self) -> f64 {
        self.sums.timeouts += 1;
        self.restarted = Some(1.0);
        1.0
    }

    /// The window in segments unless it was restarted.
    fn window(&self) -> f64 {
        let chosen = self.chosen.unwrap_or(LEAST_WINDOW);
        match self.lever {
            Lever::Window => chosen,
            Lever::Rate => (WINDOW_OF_RATE * chosen * self.known.smoothed).max(2.0 * LEAST_WINDOW),
        }
    }

    /// The pacing rate in segments per second.
    fn rate(&self) -> Option<f64> {
        self.chosen.filter(|_| self.lever == Lever::Rate)
    }

    /// Multiply the window or the rate.
    pub(crate) fn decide(&mut self, factor: f64) {
        let Some(chosen) = &mut self.chosen else { return };
        let round_trip = match self.lever {
            Lever::Window => 1.0,
            Lever::Rate => self.known.smoothed.max(1e-6),
        };
        *chosen = (*chosen * factor).clamp(LEAST_WINDOW / round_trip, LARGEST_WINDOW / round_trip);
    }

    /// End the interval at `now`, and begin the next one.
    pub(crate) fn measure(&mut self, now: Instant) -> Measured {
        let [began, _] = self.interval;
        let interval = now.saturating_since(began).as_secs_f64();
        let (known, before, sums) = (self.known, self.before, self.sums);
        let previous = self.round_trip;
        if sums.samples > 0 {
            self.round_trip = sums.round_trips / f64::from(sums.samples);
        }
        let bits = 8.0 * known.segment_size;
        let delivered = known.delivered.saturating_sub(before.delivered) as f64;
        let throughput = if interval > 0.0 { delivered * bits / interval } else { 0.0 };
        self.most_throughput = self.most_throughput.max(throughput);
        let measured: Measured = [
            now.as_secs_f64(),
            interval,
            self.restarted.unwrap_or_else(|| self.window()),
            self.rate().map_or(f64::INFINITY, |rate| rate * bits),
            known.in_flight,
            known.segment_size,
            known.smoothed,
            known.minimum,
            self.round_trip,
            previous,
            throughput,
            self.most_throughput,
            sums.rate * bits,
            delivered,
            known.lost.saturating_sub(before.lost) as f64,
            (known.sent() - before.sent()).max(0.0),
            f64::from(sums.timeouts),
        ];
        let next = match self.every {
            Every::Time(time) => time,
            Every::RoundTrips(count) => Duration::from_secs_f64(count * known.smoothed),
        };
        self.interval = [now, whole(now + next.max(TICK))];
        (self.before, self.sums) = (known, Sums::default());
        measured
    }
}

fn whole(at: Instant) -> Instant {
    Instant::from_nanos(at.as_nanos() / TICK.as_nanos() * TICK.as_nanos())
}

/// The same for policies that are classes of Python.
#[pyclass(name = "Pilot", module = "seamline._seamline")]
pub(crate) struct PyPilot(Pilot);

/// When decisions are made, and what they change, as Python says it: seconds or round-trip times, one of both.
pub(crate) fn settings(
    interval: Option<f64>,
    round_trips: Option<f64>,
    action: &str,
) -> PyResult<(Every, Lever)> {
    let positive = |value: f64| (value.is_finite() && value > 0.0).then_some(value);
    let every = match (interval.map(positive), round_trips.map(positive)) {
        (Some(Some(seconds)), None) => Every::Time(Duration::from_secs_f64(seconds)),
        (None, Some(Some(count))) => Every::RoundTrips(count),
        _ => {
            return Err(PyValueError::new_err(
                "an interval is a positive number of seconds or of round-trip times",
            ));
        }
    };
    let lever = match action {
        "window" => Lever::Window,
        "rate" => Lever::Rate,
        other => {
            return Err(PyValueError::new_err(format!("action \"{other}\": it is \"window\" or \"rate\"")));
        }
    };
    Ok((every, lever))
}

#[pymethods]
impl PyPilot {
    /// Decides every `interval` seconds, or after `round_trips` smoothed round-trip times, on the "window" or the "rate".
    #[new]
    fn new(interval: Option<f64>, round_trips: Option<f64>, action: &str) -> PyResult<Self> {
        let (every, lever) = settings(interval, round_trips, action)?;
        Ok(PyPilot(Pilot::new(every, lever)))
    }

    /// The measurements of an interval that ended before `now`, in seconds. A decision follows each.
    fn ended(&mut self, now: f64) -> Option<Measured> {
        let due = self.0.due()?;
        (due < at(now)).then(|| self.0.measure(due))
    }

    /// Multiply the window or the rate.
    fn decide(&mut self, factor: f64) {
        self.0.decide(factor);
    }

    /// An acknowledgment: the window in segments, and the pacing rate in bytes per second.
    fn acknowledged(&mut self, sample: &Acked, view: &View) -> (f64, Option<f64>) {
        self.0.acknowledged(at(view.now), sample, view)
    }

    /// A loss: the window in segments.
    fn lost(&mut self, timeout: bool, view: &View) -> f64 {
        if timeout { self.0.timed_out() } else { view.window }
    }
}

/// A time of Python. Seconds in 53 bits give back each nanosecond of the first 100 days.
fn at(seconds: f64) -> Instant {
    Instant::ZERO + Duration::from_secs_f64(seconds)
}
