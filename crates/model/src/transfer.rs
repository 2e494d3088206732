//! A file transfer, or a flow without end, over two links of which one is available for a limited time.
//!
//! The host starts on the old link, hands over to the new one at time T0, and returns when the new link's coverage
//! ends, T_stay after T0. Each of the two handovers interrupts the flow for t*; the first interruption lies within
//! the stay. With the rates r (old) and R (new), a file of S bits that is not complete within the stay takes
//!
//! ```text
//! S/r - (R/r - 1) T_stay + (R/r + 1) t*
//! ```
//!
//! (Fanni, Luglio, Roseti and Zampognaro, "A cross-layer based handover for TCP applications", section VI; with 1 and
//! 11 Mbit/s and 10 MiB this is 84 - 10 T_stay + 12 t* seconds). So the handover pays off for t* up to T_stay (R -
//! r)/(R + r), or from a stay of t* (R + r)/(R - r).
//!
//! Assumptions: each link is fully used while it is available. There is no slow start, no loss and no waiting for
//! timers.

/// The rates of two links, in bit/s of payload, above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// The link that the host is on.
    pub old: f64,
    /// The link that it may hand over to.
    pub new: f64,
}

/// A handover and the return, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Excursion {
    /// From the start of the flow to the handover: T0.
    pub at: f64,
    /// The length of the interruption at the handover, and again at the return: t*.
    pub interruption: f64,
    /// From the handover to the return; infinite without a return. If it is shorter than the interruption, the
    /// handover never completes, and nothing passes until the return has completed.
    pub stay: f64,
}

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// A file; an earlier completion is better.
    File {
        /// Bits of payload.
        bits: f64,
    },
    /// A flow without end, measured over a fixed time from its start; more data is better.
    Horizon {
        /// Seconds.
        seconds: f64,
    },
}

/// The completion time of a file in seconds.
pub fn transfer_time(bits: f64, rates: Rates, way: Excursion) -> f64 {
    let rest = bits - rates.old * way.at;
    if rest <= 0.0 {
        return bits / rates.old;
    }
    let within_stay = rates.new * (way.stay - way.interruption).max(0.0);
    if rest <= within_stay {
        return way.at + way.interruption + rest / rates.new;
    }
    way.at + way.stay + way.interruption + (rest - within_stay) / rates.old
}

/// The bits delivered in the first `seconds` seconds.
pub fn delivered(seconds: f64, rates: Rates, way: Excursion) -> f64 {
    let until = |end: f64| seconds.min(end);
    let before = rates.old * until(way.at);
    let arrived = way.at + way.interruption.min(way.stay);
    let during = rates.new * (until(way.at + way.stay) - arrived).max(0.0);
    let back = way.at + way.stay + way.interruption;
    before + during + rates.old * (seconds - back).max(0.0)
}

/// The outcome of a handover: the completion time of a file in seconds, or the bits delivered within a horizon.
pub fn moves(load: Load, rates: Rates, way: Excursion) -> f64 {
    match load {
        Load::File { bits } => transfer_time(bits, rates, way),
        Load::Horizon { seconds } => delivered(seconds, rates, way),
    }
}

/// The outcome of staying on the old link, in the same units.
pub fn stays(load: Load, rates: Rates) -> f64 {
    match load {
        Load::File { bits } => bits / rates.old,
        Load::Horizon { seconds } => rates.old * seconds,
    }
}

/// The gain of the handover over staying: seconds saved for a file, additional bits for a horizon. Negative when the
/// handover costs.
pub fn gain(load: Load, rates: Rates, way: Excursion) -> f64 {
    let more = moves(load, rates, way) - stays(load, rates);
    if matches!(load, Load::File { .. }) { -more } else { more }
}

/// The longest interruption for which the handover does not cost anything, t*_MAX, in seconds; `None` when none is
/// short enough. The interruption in `way` is ignored.
pub fn longest_interruption(load: Load, rates: Rates, way: Excursion) -> Option<f64> {
    if rates.new <= rates.old {
        return None;
    }
    let general = way.stay * (rates.new - rates.old) / (rates.new + rates.old);
    match load {
        Load::File { bits } => {
            let rest = bits - rates.old * way.at;
            if rest <= 0.0 {
                return None;
            }
            let without_return = rest / rates.old - rest / rates.new;
            let done_before_return = way.stay - rest / rates.new;
            Some(without_return.min(done_before_return.max(general)))
        }
        Load::Horizon { seconds } => {
            let latest = (seconds - way.at).min(way.stay);
            let worth = |interruption| gain(load, rates, Excursion { interruption, ..way }) >= 0.0;
            (latest > 0.0).then(|| boundary(0.0, latest, worth))
        }
    }
}

/// The shortest stay for which the handover does not cost anything, T_MIN, in seconds; `None` when none is long
/// enough. The stay in `way` is ignored.
pub fn shortest_stay(load: Load, rates: Rates, way: Excursion) -> Option<f64> {
    if rates.new <= rates.old {
        return None;
    }
    let general = way.interruption * (rates.new + rates.old) / (rates.new - rates.old);
    let worth = |stay: f64| gain(load, rates, Excursion { stay, ..way }) >= 0.0;
    match load {
        Load::File { bits } => {
            let rest = bits - rates.old * way.at;
            let done_before_return = way.interruption + rest / rates.new;
            // Tested without a return, because at the very end of the file rounding decides whether a return happens.
            (rest > 0.0 && worth(f64::INFINITY)).then_some(general.min(done_before_return))
        }
        Load::Horizon { seconds } => {
            let latest = seconds - way.at;
            (latest > 0.0 && worth(f64::INFINITY)).then(|| boundary(latest, 0.0, worth))
        }
    }
}

/// The last place between `from`, where `holds` is true, and `to` at which it is still true; found by bisection.
fn boundary(from: f64, to: f64, holds: impl Fn(f64) -> bool) -> f64 {
    if holds(to) {
        return to;
    }
    let (mut from, mut to) = (from, to);
    for _ in 0..100 {
        let middle = f64::midpoint(from, to);
        if holds(middle) {
            from = middle;
        } else {
            to = middle;
        }
    }
    from
}

/// Slow start on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowStart {
    /// How many round trips it takes.
    pub round_trips: u32,
    /// How many seconds a fully used link would be ahead.
    pub cost: f64,
}

/// The cost of slow start compared with a fully used link: the window doubles each round trip from `initial_bits`
/// until it fills the link (RFC 5681 section 3.1, with every segment acknowledged).
pub fn slow_start(bits_per_second: f64, round_trip: f64, initial_bits: f64) -> SlowStart {
    let mut window = initial_bits;
    let mut found = SlowStart { round_trips: 0, cost: 0.0 };
    while window < bits_per_second * round_trip {
        found.cost += round_trip - window / bits_per_second;
        found.round_trips += 1;
        window *= 2.0;
    }
    found
}
