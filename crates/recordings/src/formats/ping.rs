//! Output of `ping`: iputils (Linux), BusyBox and macOS.
//!
//! With `-D`, iputils prints the time at which it has the answer, in seconds since 1970; dates with a zone are read, too. Without it, probes are taken to be sent at even distances: those of
//! the statistics at the end if they are there, else one second. A sequence number without an answer is a lost probe; it was
//! sent between its neighbours. `-O` and macOS print a line for each of these, which matters only at the end of the file.

mod line;

use super::table::time;
use crate::Recording;
use crate::error::ImportError;
use crate::file::quoted;
use crate::measured::{Measured, Outcome, Probe};
use line::{Line, classify};
use seamline_wire::{Duration, Instant};
use std::collections::BTreeMap;

/// The usual time between probes.
const USUAL_INTERVAL: f64 = 1.0;
/// The longest round trip accepted, in seconds: sequence numbers wrap long after it.
const LONGEST_ROUND_TRIP: f64 = 3_600.0;
/// How late ping may print an answer, in seconds. A clock that is set back further ends the recording.
const LONGEST_LATENESS: f64 = 1.0;
/// Most lost probes that a jump in the numbers can stand for: more is a damaged file. Half of the space of 16-bit numbers.
const LONGEST_JUMP: u64 = 1 << 15;
/// A file whose numbers jump so often that there are more lost probes than this for each line is damaged.
const MOST_PROBES_PER_LINE: u64 = 100;

/// Whether one of the first lines is of ping.
pub fn looks_like(recording: &Recording) -> bool {
    let start = recording.lines().next().is_some_and(|(_, text)| text.starts_with("PING "));
    start || recording.lines().take(5).any(|(_, text)| matches!(classify(text), Some(Line::Answer { .. })))
}

/// Read the output of ping.
///
/// # Errors
/// When no probe was answered, times go back, or a field is no number in range.
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    let mut probes = Probes::default();
    for (number, text) in recording.lines() {
        match classify(text) {
            Some(line) => probes.take(recording, number, line)?,
            None => probes.skip(number, text),
        }
    }
    probes.finish(recording)
}

/// A time of day in seconds since 1970: a number of `-D`, or a date of `ping | ts '[%FT%.T%z]'`.
fn time_of_day(recording: &Recording, number: u64, text: &str) -> Result<f64, ImportError> {
    match time::zoned(text) {
        Some(nanos) => Ok(nanos as f64 * 1e-9),
        None => recording.number(number, "time of day", text, 1.0, f64::from(u32::MAX)),
    }
}

/// What is known of one probe: the time of day in seconds when its answer came, and its round trip in seconds.
#[derive(Clone, Copy)]
struct Answer {
    came: Option<f64>,
    round_trip: f64,
}

#[derive(Default)]
struct Probes {
    /// By sequence number, counted on where these wrap.
    answers: BTreeMap<u64, Option<Answer>>,
    last: Option<u64>,
    duplicates: usize,
    skipped: usize,
    first_skipped: Option<(u64, String)>,
    /// Probes sent and the time that took, of the statistics.
    sent: Option<(u64, Option<f64>)>,
}

impl Probes {
    fn take(&mut self, recording: &Recording, number: u64, line: Line<'_>) -> Result<(), ImportError> {
        match line {
            Line::Heading => {}
            Line::Answer { stamp, sequence, time, unit, duplicate } => {
                let sequence = self.unwrap(recording, number, sequence)?;
                let round_trip = recording.number(number, "time", time, unit, LONGEST_ROUND_TRIP)?;
                let came = stamp.map(|text| time_of_day(recording, number, text));
                if duplicate || matches!(self.answers.get(&sequence), Some(Some(_))) {
                    self.duplicates += 1;
                } else {
                    self.answers.insert(sequence, Some(Answer { came: came.transpose()?, round_trip }));
                }
            }
            Line::Unanswered { sequence } => {
                let sequence = self.unwrap(recording, number, sequence)?;
                self.answers.entry(sequence).or_insert(None);
            }
            Line::Statistics { sent, millis } => self.sent = Some((sent, millis.map(|it| it / 1e3))),
        }
        Ok(())
    }

    fn skip(&mut self, number: u64, text: &str) {
        self.skipped += 1;
        self.first_skipped.get_or_insert_with(|| (number, quoted(text)));
    }

    /// The sequence number counted on: the one with these 16 bits that is nearest to the last.
    fn unwrap(&mut self, recording: &Recording, number: u64, text: &str) -> Result<u64, ImportError> {
        let wrong = |found: String| {
            let help = "the file may be two recordings in one, or cut; correct or remove the line";
            recording.at(number, Some("icmp_seq"), found, "numbers that count up, from 0 to 65535", help)
        };
        let short: u16 = text.parse().map_err(|_| wrong(quoted(text)))?;
        let short = u64::from(short);
        let Some(last) = self.last else {
            self.last = Some(short);
            return Ok(short);
        };
        let ahead = short.wrapping_sub(last) & 0xffff;
        let back = || (last + ahead).checked_sub(0x1_0000);
        let sequence = if ahead < LONGEST_JUMP { Some(last + ahead) } else { back() };
        let sequence = sequence.ok_or_else(|| wrong(format!("{short} after {}", last & 0xffff)))?;
        self.last = Some(last.max(sequence));
        Ok(sequence)
    }

    fn finish(mut self, recording: &Recording) -> Result<Measured, ImportError> {
        let answered: Vec<(u64, Answer)> =
            self.answers.iter().filter_map(|(sequence, answer)| Some((*sequence, (*answer)?))).collect();
        let Some((first, _)) = answered.first().copied() else {
            return Err(recording.empty("at least one probe with an answer"));
        };
        let first = first.min(*self.answers.keys().next().unwrap_or(&first));
        let last = self.last_sequence(first);
        let probes = last - first + 1;
        if probes > LONGEST_JUMP + MOST_PROBES_PER_LINE * self.answers.len() as u64 {
            let found = format!("{} lines of {probes} probes", self.answers.len());
            let help = "the file may be several recordings in one, or damaged; cut it into parts";
            return Err(recording.whole(found, "fewer jumps in icmp_seq", help));
        }
        let (clock, began) = self.clock(recording, &answered, first)?;
        let mut probes = Vec::new();
        for sequence in first..=last {
            let outcome = match self.answers.remove(&sequence).flatten() {
                Some(answer) => Outcome::Answered {
                    round_trip: Duration::from_secs_f64(answer.round_trip),
                    one_way: None,
                },
                None => Outcome::Lost(None),
            };
            let sent = Instant::ZERO + Duration::from_secs_f64(clock.sent(sequence));
            probes.push(Probe { sent, outcome });
        }
        let end = |probe: &Probe| probe.sent + probe.round_trip().unwrap_or(Duration::ZERO);
        let length = probes.iter().map(end).max().unwrap_or(Instant::ZERO).saturating_since(Instant::ZERO);
        Ok(Measured { began, length, probes, notes: self.notes(&clock), ..Measured::default() })
    }

    /// The last probe that was sent, by the lines and the statistics.
    fn last_sequence(&self, first: u64) -> u64 {
        let seen = self.answers.keys().next_back().copied().unwrap_or(first);
        // iputils counts from 1, others from 0.
        let counted = self.sent.map_or(0, |(sent, _)| (sent + first.min(1)).saturating_sub(1));
        if counted.saturating_sub(seen) < LONGEST_JUMP { seen.max(counted) } else { seen }
    }

    /// When each probe was sent, and the time of day of the first.
    fn clock(
        &self,
        recording: &Recording,
        answered: &[(u64, Answer)],
        first: u64,
    ) -> Result<(Clock, Option<f64>), ImportError> {
        let timed: Vec<(u64, f64)> = answered
            .iter()
            .filter_map(|(sequence, it)| Some((*sequence, it.came? - it.round_trip)))
            .collect();
        if timed.len() < answered.len() || timed.len() < 2 {
            let counted =
                self.sent.and_then(|(sent, seconds)| Some(seconds? / (sent.checked_sub(1)? as f64)));
            let interval = counted.filter(|it| *it > 0.0);
            let (interval, guessed) = (interval.unwrap_or(USUAL_INTERVAL), interval.is_none());
            return Ok((Clock::Even { first, interval, guessed }, None));
        }
        let kept = without_late(&timed);
        let set_back = |pair: &&[(u64, f64)]| pair[1].1 + LONGEST_LATENESS < pair[0].1 || kept.len() < 2;
        if let Some(pair) = timed.windows(2).find(set_back) {
            let found = format!("icmp_seq {} sent before {}", pair[1].0 & 0xffff, pair[0].0 & 0xffff);
            let help = "the clock was set while ping ran; cut the recording there";
            return Err(recording.whole(found, "times that increase", help));
        }
        let mut clock = Clock::Timed { late: timed.len() - kept.len(), timed: kept, origin: 0.0 };
        let began = clock.sent(first);
        if let Clock::Timed { origin, .. } = &mut clock {
            *origin = began;
        }
        Ok((clock, Some(began)))
    }

    fn notes(&self, clock: &Clock) -> Vec<String> {
        let mut notes = Vec::new();
        match clock {
            Clock::Even { guessed: true, .. } => notes.push(
                "The output has no times. Probes are assumed to be sent every second. `ping -D` prints times."
                    .to_owned(),
            ),
            Clock::Even { interval, .. } => notes.push(format!(
                "The output has no times. Probes are assumed to be sent every {:.0} ms, according to the statistics at its end. `ping -D` prints times.",
                interval * 1e3
            )),
            Clock::Timed { late: 0, .. } => {}
            Clock::Timed { late, .. } => notes.push(format!(
                "Answers that ping printed late: {late}; these probes are taken to be sent between their neighbors."
            )),
        }
        if self.duplicates > 0 {
            notes.push(format!("Duplicate answers: {}. Only the first answer counts.", self.duplicates));
        }
        if let Some((line, text)) = &self.first_skipped {
            notes.push(format!(
                "Lines that are not output of ping and are left out: {}. The first is line {line}, {text}.",
                self.skipped
            ));
        }
        notes
    }
}

/// Without answers that were printed late, which seem to be of probes that were sent after a later one: the kernel measures round trips,
/// but ping takes the time of day when it runs again.
fn without_late(timed: &[(u64, f64)]) -> Vec<(u64, f64)> {
    let mut kept: Vec<(u64, f64)> = Vec::with_capacity(timed.len());
    for (sequence, sent) in timed.iter().rev().copied() {
        if kept.last().is_none_or(|(_, next)| sent < *next) {
            kept.push((sequence, sent));
        }
    }
    kept.reverse();
    kept
}

/// When probes were sent, in seconds since the first.
enum Clock {
    /// Those whose sending time is known, in seconds since 1970; others lie between their neighbours.
    Timed { timed: Vec<(u64, f64)>, origin: f64, late: usize },
    /// At even distances.
    Even { first: u64, interval: f64, guessed: bool },
}

impl Clock {
    fn sent(&self, sequence: u64) -> f64 {
        match self {
            Clock::Even { first, interval, .. } => (sequence - first) as f64 * interval,
            Clock::Timed { timed, origin, .. } => {
                let at = timed.partition_point(|(known, _)| *known < sequence);
                // The two known ones around it, or the two at the end that is nearer.
                let right = at.clamp(1, timed.len() - 1);
                let ((from, start), (to, end)) = (timed[right - 1], timed[right]);
                if let Some((_, known)) = timed.get(at).filter(|(known, _)| *known == sequence) {
                    return (known - origin).max(0.0);
                }
                let share = (sequence as f64 - from as f64) / (to - from) as f64;
                (start + (end - start) * share - origin).max(0.0)
            }
        }
    }
}
