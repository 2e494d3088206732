//! Times in which nothing passed.
//!
//! A probe that an outage meets anywhere on its way shows it. So when packets on the link are lost with it, probes of a
//! round trip before the outage are lost, too; the length given here has that taken off, as a replay loses them again. When packets are held, the
//! probe that waited longest waited for as long as the outage took.

use super::held;
use crate::measured::{Conditions, Probe};
use seamline_net::Schedule;
use seamline_net::schedule::{Arriving, Handover};
use seamline_wire::{Duration, Instant};

/// What became of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// They waited and were delivered afterwards.
    Held,
    /// They were lost.
    Lost,
}

/// A time in which nothing passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// When it began.
    pub at: Instant,
    /// How long it took.
    pub length: Duration,
    /// The shortest and the longest that it can have been.
    pub bounds: (Duration, Duration),
    /// What became of most probes in it.
    pub fate: Fate,
    /// How many probes it met.
    pub probes: usize,
}

/// The outages, and the probes that met none.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Outages, in order.
    pub outages: Vec<Outage>,
    /// Probes that met none.
    pub calm: Vec<Probe>,
    /// The shortest outage that is certain to be found among these probes; `None` for fewer than two.
    pub shortest_visible: Option<Duration>,
}

/// How often chance alone may make an outage of residual losses, per recording.
pub(super) const FALSE_ALARMS: f64 = 0.05;

/// A run of probes that met one outage: indices, the end not included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) from: usize,
    pub(super) to: usize,
    /// How many of them came back.
    pub(super) held: usize,
    /// How long the first of these waited.
    pub(super) wait: Duration,
    /// The round trip without waiting, and by how much it is in doubt.
    pub(super) usual: Duration,
    pub(super) doubt: Duration,
}

impl Run {
    fn lost(from: usize, to: usize) -> Self {
        let (wait, usual, doubt) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        Run { from, to, held: 0, wait, usual, doubt }
    }
}

/// The outages that probes show.
pub fn find(probes: &[Probe]) -> Found {
    let (mut runs, shortest) = lost_runs(probes);
    let longest_queue = held::longest_queue(probes);
    runs.extend(held::runs(probes, longest_queue));
    runs.sort_by_key(|run| run.from);
    let mut outages = Vec::new();
    let mut calm = Vec::with_capacity(probes.len());
    let mut from = 0;
    for run in merge(runs) {
        // Losses that cannot have been an outage of the link are residual loss.
        let Some(outage) = outage(probes, &run) else { continue };
        outages.push(outage);
        calm.extend_from_slice(&probes[from..run.from]);
        from = run.to;
    }
    calm.extend_from_slice(&probes[from..]);
    cut_short(&mut outages);
    let shortest_visible = distance(probes).map(|distance| visible(distance, shortest, longest_queue));
    Found { outages, calm, shortest_visible }
}

/// The shortest outage that is found whatever becomes of packets in it. Lost probes have to be as many as chance does not lose in a row.
/// The first probe that is held, which may be sent a whole distance late, has to wait longer than queues make it wait, and
/// others have to come together with it.
fn visible(distance: Duration, shortest_run: usize, longest_queue: Duration) -> Duration {
    let lost = distance * shortest_run as u64;
    let held = longest_queue.max(distance * held::FEWEST_PAIRS as u64) + distance;
    lost.max(held)
}

/// The outages that conditions contain, of either direction.
pub(super) fn recorded(conditions: &Conditions) -> Vec<Outage> {
    let outage = |it: &Handover| Outage {
        at: it.at,
        length: it.interruption,
        bounds: (it.interruption, it.interruption),
        fate: if it.fates.arriving == Arriving::Wait { Fate::Held } else { Fate::Lost },
        probes: 0,
    };
    let of = |schedule: &Schedule| -> Vec<Outage> {
        schedule.handovers.as_slice().iter().filter(|it| !it.interruption.is_zero()).map(outage).collect()
    };
    of_either(of(&conditions.down), of(&conditions.up))
}

/// The outages of both directions in order; those of both at once are one.
pub(super) fn of_either(down: Vec<Outage>, up: Vec<Outage>) -> Vec<Outage> {
    let mut all = down;
    all.extend(up);
    all.sort_by_key(|outage| (outage.at, outage.length));
    all.dedup_by_key(|outage| (outage.at, outage.length));
    all
}

/// The median distance of probes; `None` for fewer than two.
pub fn distance(probes: &[Probe]) -> Option<Duration> {
    let apart = |pair: &[Probe]| pair[1].sent.saturating_since(pair[0].sent);
    let mut distances: Vec<Duration> = probes.windows(2).map(apart).collect();
    distances.sort_unstable();
    distances.get(distances.len() / 2).copied()
}

/// Runs of lost probes that are too long for residual loss, and from which length on they are.
fn lost_runs(probes: &[Probe]) -> (Vec<Run>, usize) {
    let mut runs = Vec::new();
    let mut from = 0;
    for block in probes.chunk_by(|one, other| one.round_trip().is_some() == other.round_trip().is_some()) {
        let to = from + block.len();
        if block[0].round_trip().is_none() {
            runs.push(Run::lost(from, to));
        }
        from = to;
    }
    let shortest = shortest_run(probes.len(), &runs);
    runs.retain(|run| run.to - run.from >= shortest);
    (runs, shortest)
}

/// The length from which a run of losses is an outage. The residual loss is that of shorter runs, so both are found together.
fn shortest_run(probes: usize, runs: &[Run]) -> usize {
    let mut shortest = usize::MAX;
    loop {
        let lengths = || runs.iter().map(|run| run.to - run.from);
        let lost: usize = lengths().filter(|length| *length < shortest).sum();
        let outside: usize = lengths().filter(|length| *length >= shortest).sum();
        let share = lost as f64 / (probes - outside).max(1) as f64;
        let next = longest_by_chance(probes, share) + 1;
        // Each pass takes runs away, which lowers the share, so this ends.
        if next >= shortest {
            return shortest;
        }
        shortest = next;
    }
}

/// The longest run of losses that a share of independent losses makes more often than [`FALSE_ALARMS`]. A single loss is
/// never an outage.
fn longest_by_chance(probes: usize, share: f64) -> usize {
    let expected = |length: usize| probes as f64 * (1.0 - share) * libm::pow(share, length as f64);
    (2..=probes).find(|length| expected(*length) < FALSE_ALARMS).unwrap_or(probes + 1) - 1
}

/// Runs that touch are one outage, unless each has probes that were held: these came back at different times.
fn merge(runs: Vec<Run>) -> Vec<Run> {
    let mut merged: Vec<Run> = Vec::new();
    for run in runs {
        match merged.last_mut() {
            Some(last) if run.from < last.to || run.from == last.to && (last.held == 0 || run.held == 0) => {
                last.to = last.to.max(run.to);
                last.held += run.held;
                if run.held > 0 {
                    (last.wait, last.usual, last.doubt) = (run.wait, run.usual, run.doubt);
                }
            }
            _ => merged.push(run),
        }
    }
    merged
}

/// The outage of a run; `None` when it cannot have taken any time.
fn outage(probes: &[Probe], run: &Run) -> Option<Outage> {
    let found =
        if run.held * 2 >= run.to - run.from { held_outage(probes, run) } else { lost_outage(probes, run) };
    found.filter(|outage| !outage.length.is_zero())
}

/// One that was waited for: it took as long as the first of them waited, and as long as probes before that were lost.
fn held_outage(probes: &[Probe], run: &Run) -> Option<Outage> {
    let mut held = probes[run.from..run.to].iter().filter(|probe| probe.round_trip().is_some());
    let first = held.next()?;
    let came = |probe: &Probe| Some(probe.sent + probe.round_trip()?);
    let last = held.next_back().unwrap_or(first);
    // The first were on their way back, the last on their way there.
    let less = |at: Instant, by: Duration| Instant::ZERO + at.saturating_since(Instant::ZERO + by);
    let end = less(came(first)?, run.usual.mul_f64(0.5)).min(less(came(last)?, run.usual));
    let step = step(probes, run.from)?;
    // Of these, the ones that were on the link already may have been lost with it.
    let lost = first.sent.saturating_since(probes[run.from].sent);
    let before = lost - run.usual.min(lost);
    let length = before + run.wait + step.mul_f64(0.5);
    let bounds = (before + run.wait - run.doubt.min(run.wait), lost + run.wait + step + run.doubt);
    Some(Outage { at: less(end, length), length, bounds, fate: Fate::Held, probes: run.to - run.from })
}

/// One in which packets were lost.
fn lost_outage(probes: &[Probe], run: &Run) -> Option<Outage> {
    let sent = |index: usize| probes.get(index).map(|probe| probe.sent);
    let (first, last) = (sent(run.from)?, sent(run.to - 1)?);
    let before = run.from.checked_sub(1).and_then(sent).unwrap_or(first);
    let after = sent(run.to).unwrap_or(last);
    let usual = held::usual_before(probes, run.from).or_else(|| held::usual_after(probes, run.to));
    let usual = usual.unwrap_or(Duration::ZERO);
    let less = |span: Duration| span - usual.min(span);
    let (begin, end) = (middle(before, first), middle(last, after));
    let length = less(end.saturating_since(begin));
    let at = Instant::ZERO + end.saturating_since(Instant::ZERO + length);
    let bounds = (less(last.saturating_since(first)), after.saturating_since(before));
    Some(Outage { at, length, bounds, fate: Fate::Lost, probes: run.to - run.from })
}

/// The distance of a probe from the one before it.
fn step(probes: &[Probe], at: usize) -> Option<Duration> {
    Some(probes[at].sent.saturating_since(probes[at.checked_sub(1)?].sent))
}

/// An outage ends at the latest where the next one begins.
fn cut_short(outages: &mut Vec<Outage>) {
    outages.sort_by_key(|outage| outage.at);
    outages.dedup_by_key(|outage| outage.at);
    for next in 1..outages.len() {
        let begin = outages[next].at;
        let this = &mut outages[next - 1];
        this.length = this.length.min(begin.saturating_since(this.at));
    }
}

fn middle(one: Instant, other: Instant) -> Instant {
    one + other.saturating_since(one).mul_f64(0.5)
}
