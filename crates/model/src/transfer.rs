//! A file, or a flow without end, over two links, one of which is there for a while only.
//!
//! The mover begins on the old link, turns to the new one at a time T0, and goes back when the new one's coverage ends, T_stay
//! after T0. Each of the two handovers takes t*, in which nothing passes; the first of them lies within the stay. With the rates r
//! (old) and R (new) a file of S bits that is not done within the stay takes
//!
//! ```text
//! S/r - (R/r - 1) T_stay + (R/r + 1) t*
//! ```
//!
//! (Fanni, Luglio, Roseti and Zampognaro, "A cross-layer based handover for TCP applications", section VI: with 1 and 11 Mbit/s and
//! 10 MiB these are 84 - 10 T_stay + 12 t* seconds). So the handover is worth it for t* up to T_stay (R - r)/(R + r), or from a
//! stay of t* (R + r)/(R - r) on.
//!
//! Assumed: links that are full whenever they are there, hence no slow start, no losses, and no waiting for timers.

/// The rates of two links, in bit/s of payload, above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Of the link that the mover is on.
    pub old: f64,
    /// Of the link that it may go to.
    pub new: f64,
}

/// A handover and the way back, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Excursion {
    /// From the start of the flow to the handover: T0.
    pub at: f64,
    /// For how long nothing passes, at the handover and again at the return: t*.
    pub interruption: f64,
    /// From the handover to the return; infinite when there is none. With less than the interruption the handover is never
    /// complete, and nothing passes until the return is.
    pub stay: f64,
}

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// So many bits; sooner is better.
    File {
        /// Bits of payload.
        bits: f64,
    },
    /// As much as passes in so many seconds from the start; more is better.
    Horizon {
        /// Seconds.
        seconds: f64,
    },
}

/// The time at which the last bit of a file has passed, in seconds.
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

/// The bits that have passed after so many seconds.
pub fn delivered(seconds: f64, rates: Rates, way: Excursion) -> f64 {
    let until = |end: f64| seconds.min(end);
    let before = rates.old * until(way.at);
    let arrived = way.at + way.interruption.min(way.stay);
    let during = rates.new * (until(way.at + way.stay) - arrived).max(0.0);
    let back = way.at + way.stay + way.interruption;
    before + during + rates.old * (seconds - back).max(0.0)
}

/// What comes of a handover: the seconds until a file has passed, or the bits within a horizon.
pub fn moves(load: Load, rates: Rates, way: Excursion) -> f64 {
    match load {
        Load::File { bits } => transfer_time(bits, rates, way),
        Load::Horizon { seconds } => delivered(seconds, rates, way),
    }
}

/// What comes of staying on the old link, likewise.
pub fn stays(load: Load, rates: Rates) -> f64 {
    match load {
        Load::File { bits } => bits / rates.old,
        Load::Horizon { seconds } => rates.old * seconds,
    }
}

/// What the handover brings over staying: seconds saved for a file, bits more for a horizon; negative when it costs.
pub fn gain(load: Load, rates: Rates, way: Excursion) -> f64 {
    let more = moves(load, rates, way) - stays(load, rates);
    if matches!(load, Load::File { .. }) { -more } else { more }
}

/// The longest interruption with which the handover costs nothing, t*_MAX, in seconds; `None` when none is short enough.
/// The interruption in `way` does not count.
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

/// The shortest stay with which the handover costs nothing, T_MIN, in seconds; `None` when none is long enough. The
/// stay in `way` does not count.
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
            // Asked without a return: at the very end of the file rounding decides whether there is one.
            (rest > 0.0 && worth(f64::INFINITY)).then_some(general.min(done_before_return))
        }
        Load::Horizon { seconds } => {
            let latest = seconds - way.at;
            (latest > 0.0 && worth(f64::INFINITY)).then(|| boundary(latest, 0.0, worth))
        }
    }
}

/// Where `holds` ceases to hold on the way from one place, where it does, to another; by halving.
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
    /// By how many seconds a full link would have been ahead of it.
    pub cost: f64,
}

/// What slow start costs: the window doubles each round trip from `initial_bits` until it fills the link, in which time a full link
/// would have carried more (RFC 5681 section 3.1, with every segment acknowledged).
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
