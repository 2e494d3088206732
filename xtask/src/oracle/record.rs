//! From the simulator's events to ns-2's view of a run: packet numbers, counters, trace rows.

use super::replay::SENDING_ELEMENT;
use super::trace::{Kind, Row, VARIABLES, Variables};
use seamline_sim::{ElementId, Observer};
use seamline_wire::{Event, Instant, SenderSample, SequenceNumber};

/// What to keep in addition to counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Keep {
    pub(super) rows: bool,
    /// When each acknowledgment arrived.
    pub(super) acknowledgments: bool,
}

/// Records one flow.
#[derive(Debug)]
pub(super) struct Recorder {
    numbering: Numbering,
    keep: Keep,
    lossy: ElementId,
    rows: Vec<Row>,
    samples: Vec<(Instant, Variables)>,
    acknowledged: Vec<(Instant, i64)>,
}

/// The sender's counters at the end of a run, in packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters {
    /// Data acknowledged cumulatively.
    pub(super) acked_data: i64,
    /// Sent, retransmissions and SYN included.
    pub(super) sent: i64,
    /// Retransmitted.
    pub(super) rexmit: i64,
    /// Expirations of the retransmission timer.
    pub(super) timeouts: i64,
    /// How often the window was cut.
    pub(super) cuts: i64,
}

/// What one run gave.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The sender's counters.
    pub(super) counters: Counters,
    /// How often rounding let a packet come before a timer of the same time.
    pub(super) packets_first: usize,
    /// Rows of a trace, when asked for.
    pub(super) rows: Vec<Row>,
    acknowledged: Vec<(Instant, i64)>,
}

impl Recorder {
    /// A recorder for a flow whose data packets carry `payload` bytes, and for drops at the link `lossy`.
    pub(super) fn new(payload: u32, opens_with_syn: bool, keep: Keep, lossy: ElementId) -> Self {
        Recorder {
            numbering: Numbering { payload: i64::from(payload), opens_with_syn, last: None },
            keep,
            lossy,
            rows: Vec::new(),
            samples: Vec::new(),
            acknowledged: Vec::new(),
        }
    }

    fn at_sender(&mut self, now: Instant, event: &Event) {
        match *event {
            Event::SegmentSent { sequence, retransmission, .. } => {
                let packet = self.numbering.packet(sequence);
                self.row(now, if retransmission { Kind::Rexmit } else { Kind::Send }, packet);
            }
            Event::AckReceived { acknowledgment, .. } => {
                let packet = self.numbering.acknowledged(acknowledgment);
                self.row(now, Kind::Ack, packet);
                if self.keep.acknowledgments {
                    self.acknowledged.push((now, packet));
                }
            }
            Event::Sender { sample, .. } if self.keep.rows => self.samples.push((now, variables(&sample))),
            _ => {}
        }
    }
    fn at_link(&mut self, now: Instant, event: &Event) {
        if let Event::Dropped { sequence, .. } = *event {
            let packet = self.numbering.packet(sequence);
            self.row(now, Kind::Drop, packet);
        }
    }

    fn row(&mut self, now: Instant, kind: Kind, seq: i64) {
        if self.keep.rows {
            self.rows.push(Row { time: now.as_secs_f64(), kind, seq, variables: UNREPORTED });
        }
    }

    /// The run is over: add to its outcome what was kept.
    pub(super) fn finish(mut self, outcome: Outcome) -> Outcome {
        self.rows.sort_by_key(|row| ((row.time * 1e6).round() as u64, row.kind.rank()));
        fill_in_variables(&mut self.rows, &self.samples);
        Outcome { rows: self.rows, acknowledged: self.acknowledged, ..outcome }
    }
}

impl Observer for Recorder {
    fn event(&mut self, now: Instant, at: ElementId, event: &Event) {
        if at == SENDING_ELEMENT {
            self.at_sender(now, event);
        } else if at == self.lossy {
            self.at_link(now, event);
        }
    }
}

impl Outcome {
    /// A run of which nothing else was kept.
    pub(super) fn new(counters: Counters) -> Outcome {
        Outcome { counters, packets_first: 0, rows: Vec::new(), acknowledged: Vec::new() }
    }
    /// How many packets had been acknowledged before `seconds`.
    pub(super) fn acknowledged_before(&self, seconds: f64) -> i64 {
        let before = self.acknowledged.iter().take_while(|(time, _)| time.as_secs_f64() < seconds);
        before.map(|(_, packet)| packet + 1).max().unwrap_or(0)
    }
    /// When packet `number` was first acknowledged, in seconds.
    pub(super) fn time_of_acknowledgment(&self, number: i64) -> Option<f64> {
        self.acknowledged.iter().find(|(_, packet)| *packet >= number).map(|(time, _)| time.as_secs_f64())
    }
}

const UNREPORTED: Variables = [f64::NAN; VARIABLES.len()];

fn variables(sample: &SenderSample) -> Variables {
    [
        sample.congestion_window,
        sample.slow_start_threshold,
        f64::from(sample.duplicate_acks),
        sample.smoothed_round_trip_time.as_secs_f64(),
        sample.round_trip_time_variation.as_secs_f64(),
        f64::from(sample.backoff),
    ]
}

/// Give every row the variables after everything at its instant. "At its instant" as in the reference:
/// ns-2 prints a variable's time with five decimals, and those up to 6 us later count.
fn fill_in_variables(rows: &mut [Row], samples: &[(Instant, Variables)]) {
    let mut samples = samples
        .iter()
        .map(|(time, variables)| ((time.as_secs_f64() * 1e5).round() / 1e5, variables))
        .peekable();
    let mut current = UNREPORTED;
    for row in rows {
        while let Some((_, variables)) = samples.next_if(|(time, _)| *time <= row.time + 6e-6) {
            current = *variables;
        }
        row.variables = current;
    }
}

/// From sequence numbers to ns-2's packet numbers.
#[derive(Debug)]
struct Numbering {
    payload: i64,
    opens_with_syn: bool,
    /// The latest sequence number and its distance from the first.
    last: Option<(SequenceNumber, i64)>,
}

impl Numbering {
    /// Distance from the first sequence number seen, across the wrap.
    fn offset(&mut self, sequence: SequenceNumber) -> i64 {
        let (last, last_offset) = self.last.unwrap_or((sequence, 0));
        let offset = last_offset + i64::from((sequence - last) as i32);
        self.last = Some((sequence, offset));
        offset
    }
    /// The number of the packet that begins at `sequence`.
    fn packet(&mut self, sequence: SequenceNumber) -> i64 {
        let offset = self.offset(sequence);
        match self.opens_with_syn {
            true if offset == 0 => 0,
            true => (offset - 1) / self.payload + 1,
            false => offset / self.payload,
        }
    }
    /// The highest packet that is acknowledged cumulatively; -1 for none.
    fn acknowledged(&mut self, acknowledgment: SequenceNumber) -> i64 {
        let offset = self.offset(acknowledgment);
        match self.opens_with_syn {
            true if offset == 0 => -1,
            true => (offset - 1) / self.payload,
            false => offset / self.payload - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_counted_from_the_syn_or_from_the_first_byte() {
        let first = SequenceNumber(u32::MAX - 500);
        let mut with_syn = Numbering { payload: 1000, opens_with_syn: true, last: None };
        assert_eq!(with_syn.packet(first), 0);
        assert_eq!(with_syn.packet(first + 1), 1);
        assert_eq!(with_syn.packet(first + 1001), 2);
        assert_eq!(with_syn.acknowledged(first + 1), 0);
        assert_eq!(with_syn.acknowledged(first + 2001), 2);
        let mut without = Numbering { payload: 1000, opens_with_syn: false, last: None };
        assert_eq!(without.packet(first), 0);
        assert_eq!(without.packet(first + 3000), 3);
        assert_eq!(without.acknowledged(first), -1);
        assert_eq!(without.acknowledged(first + 4000), 3);
    }

    #[test]
    fn rows_carry_the_variables_after_everything_at_their_instant() {
        let sample = |cwnd: f64| [cwnd; VARIABLES.len()];
        let row = |time: f64| Row { time, kind: Kind::Send, seq: 0, variables: UNREPORTED };
        let mut rows = [row(0.1), row(0.2)];
        let at = |nanos: u64| Instant::from_nanos(nanos);
        fill_in_variables(
            &mut rows,
            &[(at(100_000_000), sample(1.0)), (at(100_000_000), sample(2.0)), (at(200_020_000), sample(3.0))],
        );
        assert_eq!(rows.map(|row| row.variables[0]), [2.0, 2.0]);
    }
}
