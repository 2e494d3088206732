//! How many lines a second the log gets: each connection of the cgroup can cause one, and its peer decides when.

use seamline_host::{Every, Line};
use seamline_wire::{Duration, Instant};

/// In a second, all connections together. The counters have everything.
const MOST: usize = 100;

#[derive(Debug)]
pub(super) struct Budget {
    next: Every,
    used: usize,
    left_out: u64,
}

impl Budget {
    pub(super) fn new() -> Self {
        Budget { next: Every::new(Duration::from_secs(1)), used: 0, left_out: 0 }
    }

    /// Those of the lines that are within it; first, how many were not in the second before.
    pub(super) fn within(&mut self, now: Instant, lines: impl Iterator<Item = Line>) -> Vec<Line> {
        let mut all = Vec::new();
        if self.next.is_due(now) {
            self.used = 0;
            let left_out = std::mem::take(&mut self.left_out);
            all.extend((left_out > 0).then(|| Line::warning("left-out").with("lines", left_out)));
        }
        for line in lines {
            if self.used < MOST {
                self.used += 1;
                all.push(line);
            } else {
                self.left_out += 1;
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_has_so_many_lines_and_the_next_one_says_how_many_it_had_not() {
        let mut budget = Budget::new();
        let mut write = |millis: u64, lines: usize| {
            let lines = (0..lines).map(|_| Line::new("ignored"));
            let events = budget.within(Instant::from_millis(millis), lines);
            let left_out = events.iter().filter(|it| it.event == "left-out").count();
            (events.len() - left_out, left_out)
        };
        assert_eq!(write(5000, 70), (70, 0));
        assert_eq!(write(5200, 70), (30, 0));
        assert_eq!(write(5900, 500), (0, 0));
        assert_eq!(write(6000, 0), (0, 1));
        assert_eq!(write(6100, 200), (100, 0));
        assert_eq!((write(7000, 1), write(8000, 1)), ((1, 1), (1, 0)));
    }
}
