//! Step functions of time.

use super::ScheduleError;
use seamline_wire::{Duration, Instant};
use std::sync::Arc;

/// A value that changes at given times and holds in between. Cheap to clone: the steps are shared.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps<T> {
    /// Never empty; the first at time zero; times increase.
    points: Arc<[(Duration, T)]>,
    period: Option<Duration>,
    offset: Duration,
}

/// A stretch of time in which a value holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<T> {
    /// The value.
    pub value: T,
    /// When it changes next at the earliest; [`Instant::MAX`] for never.
    pub until: Instant,
}

impl<T: Copy> Steps<T> {
    /// The same value at all times.
    pub fn constant(value: T) -> Self {
        Steps { points: Arc::new([(Duration::ZERO, value)]), period: None, offset: Duration::ZERO }
    }

    /// Each value holds from its time on, the first one from the start, the last one for ever.
    ///
    /// # Errors
    /// When there is no step, or the times do not increase.
    pub fn new(points: Vec<(Instant, T)>) -> Result<Self, ScheduleError> {
        if points.is_empty() {
            return Err(ScheduleError::Empty);
        }
        if let Some(index) = points.windows(2).position(|pair| pair[1].0 <= pair[0].0) {
            return Err(ScheduleError::TimesNotIncreasing { at: points[index + 1].0 });
        }
        let since_start = |at: Instant| at.saturating_since(Instant::ZERO);
        let mut points: Vec<_> = points.into_iter().map(|(at, value)| (since_start(at), value)).collect();
        points[0].0 = Duration::ZERO;
        Ok(Steps { points: points.into(), period: None, offset: Duration::ZERO })
    }

    /// The same steps again after every `period`.
    ///
    /// # Errors
    /// When the period does not end after the last step.
    pub fn repeating(self, period: Duration) -> Result<Self, ScheduleError> {
        let last = self.points[self.points.len() - 1].0;
        if period <= last {
            return Err(ScheduleError::PeriodTooShort { period, last: Instant::ZERO + last });
        }
        Ok(Steps { period: Some(period), ..self })
    }

    /// The same steps seen from a later start: what came at `by` comes at zero.
    #[must_use]
    pub fn skip(self, by: Duration) -> Self {
        Steps { offset: self.offset + by, ..self }
    }

    /// The value at a time.
    pub fn at(&self, at: Instant) -> T {
        self.segment(at).value
    }

    /// The value at a time, and how long it holds.
    pub fn segment(&self, at: Instant) -> Segment<T> {
        let at = (at + self.offset).as_nanos();
        let phase = self.period.map_or(at, |period| at % period.as_nanos());
        let next = self.points.partition_point(|(since, _)| since.as_nanos() <= phase);
        let end = self.points.get(next).map(|(since, _)| *since).or(self.period);
        let until = end.map_or(Instant::MAX, |end| Instant::from_nanos(at - phase) + end - self.offset);
        Segment { value: self.points[next - 1].1, until }
    }

    /// The steps as given: since when each value holds, within one period, before any skipping.
    pub fn points(&self) -> &[(Duration, T)] {
        &self.points
    }

    /// After how long the steps begin again.
    pub fn period(&self) -> Option<Duration> {
        self.period
    }
}
