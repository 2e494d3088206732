//! The smallest round-trip time of the last minutes.

use seamline_wire::{Duration, Instant};

/// A minimum over a sliding window of time, from three samples (Nichols, lib/win_minmax.c): the best, and the best of what came
/// after each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowedMinimum {
    window: Duration,
    best: [(Instant, Duration); 3],
    is_set: bool,
}

impl WindowedMinimum {
    pub(crate) fn new(window: Duration) -> Self {
        WindowedMinimum { window, best: [(Instant::ZERO, Duration::ZERO); 3], is_set: false }
    }
    pub(crate) fn get(&self) -> Option<Duration> {
        self.is_set.then_some(self.best[0].1)
    }
    pub(crate) fn forget(&mut self) {
        self.is_set = false;
    }
    pub(crate) fn take(&mut self, now: Instant, sample: Duration) {
        let new = (now, sample);
        let expired = now.saturating_since(self.best[2].0) > self.window;
        if !self.is_set || sample <= self.best[0].1 || expired {
            self.best = [new; 3];
            self.is_set = true;
            return;
        }
        if sample <= self.best[1].1 {
            self.best[1] = new;
            self.best[2] = new;
        } else if sample <= self.best[2].1 {
            self.best[2] = new;
        }
        self.advance(new);
    }
    /// The window has moved on: what is too old gives way to the next best, and samples from different parts of the window are kept.
    fn advance(&mut self, new: (Instant, Duration)) {
        let age = new.0.saturating_since(self.best[0].0);
        if age > self.window {
            self.best = [self.best[1], self.best[2], new];
            if new.0.saturating_since(self.best[0].0) > self.window {
                self.best = [self.best[1], new, new];
            }
        } else if self.best[1].0 == self.best[0].0 && age > self.window / 4 {
            self.best[1] = new;
            self.best[2] = new;
        } else if self.best[2].0 == self.best[1].0 && age > self.window / 2 {
            self.best[2] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minimum_expires() {
        let mut minimum = WindowedMinimum::new(Duration::from_secs(10));
        let at = Instant::from_secs;
        let ms = Duration::from_millis;
        assert_eq!(minimum.get(), None);
        minimum.take(at(0), ms(20));
        minimum.take(at(4), ms(30));
        minimum.take(at(8), ms(25));
        assert_eq!(minimum.get(), Some(ms(20)));
        minimum.take(at(11), ms(40));
        assert_eq!(minimum.get(), Some(ms(25)));
    }
}
