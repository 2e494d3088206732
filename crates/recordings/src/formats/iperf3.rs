//! Output of iperf3 (github.com/esnet/iperf): JSON of `-J`, the lines of `--json-stream` (3.17 and later), and what it prints
//! without these, which has three digits of each rate and no round trips.
//!
//! Each interval has the bytes of each stream, counted at the end that wrote the file; `sender` says whether that end sends. A sending
//! TCP also has its round-trip time in microseconds (`rtt`), which contains the queueing that the test itself causes. A receiving UDP
//! has packets and lost packets. Intervals are seconds since the begin of the test; those of `-O` (`omitted`) count from their own
//! begin and are left out. The end that wrote the file is taken to be the host that moves.

mod document;
mod text;

use super::json;
use crate::error::ImportError;
use crate::file::{LONGEST_SECONDS, Recording};
use crate::measured::{DelayMeaning, Delays, Direction, Losses, Measured, RateMeaning, Rates, Sample};
use crate::series;
use document::{Document, Stream, Summary};
use seamline_wire::{Duration, Instant};

/// An interval shorter than this share of the one before it is its rest: the last interval of a test ends with the test.
const REST: f64 = 0.1;

/// Whether the keys are those of one of the forms.
pub fn looks_like(recording: &Recording) -> bool {
    let keys = json::keys(recording);
    let whole = ["start", "intervals", "end"].iter().all(|key| keys.contains(key));
    whole || keys == ["event", "data"] || text::looks_like(recording)
}

/// Read the output of iperf3.
///
/// # Errors
/// When it is no such output, the test failed before its first interval, or a value is out of range.
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    let (document, tests) = document::read(recording)?;
    let mut sides = [Side::new(Direction::Up), Side::new(Direction::Down)];
    let mut omitted = 0;
    for (index, interval) in document.intervals.iter().enumerate() {
        if interval.streams.iter().any(|stream| stream.omitted) {
            omitted += 1;
            continue;
        }
        for side in &mut sides {
            let ours = |stream: &&Stream| document.sends(stream) == (side.direction == Direction::Up);
            let streams: Vec<&Stream> = interval.streams.iter().filter(ours).collect();
            side.take(recording, index, &streams, omitted > 0)?;
        }
    }
    if sides.iter().all(|side| side.bytes.is_empty()) {
        return Err(no_interval(recording, &document));
    }
    let length = sides.iter().map(|side| series::end(&side.bytes)).max().unwrap_or(Duration::ZERO);
    let udp = document.is_udp();
    let mut measured = Measured { began: document.began(), length, ..Measured::default() };
    for side in sides {
        side.into(&mut measured, udp);
    }
    if udp && let Some(loss) = document.end.sum.as_ref().and_then(|sum| sent_loss(&measured, sum, length)) {
        measured.losses.push(loss);
    }
    measured.notes = notes(&document, &measured, omitted, tests);
    Ok(measured)
}

fn no_interval(recording: &Recording, document: &Document) -> ImportError {
    let found =
        document.error.clone().map_or("no interval".to_owned(), |error| format!("the error {error:?}"));
    recording.whole(found, "a test with at least one interval", "run the test again")
}

/// What passes in one direction.
struct Side {
    direction: Direction,
    bytes: Vec<Sample<f64>>,
    round_trips: Vec<Sample<Duration>>,
    losses: Vec<Sample<f64>>,
}

impl Side {
    fn new(direction: Direction) -> Self {
        Side { direction, bytes: Vec::new(), round_trips: Vec::new(), losses: Vec::new() }
    }

    /// One interval of all streams in this direction; `restarted` when the test has omitted its begin.
    fn take(
        &mut self,
        recording: &Recording,
        index: usize,
        streams: &[&Stream],
        restarted: bool,
    ) -> Result<(), ImportError> {
        let Some((mut from, until)) = self.span(recording, index, streams)? else { return Ok(()) };
        if restarted && self.bytes.is_empty() {
            // iperf3 lets the first interval that counts begin where the last omitted one ended, by the clock before it.
            from = Instant::ZERO;
        }
        let bytes: f64 = streams.iter().map(|stream| stream.bytes).sum();
        if !(0.0..=crate::file::HIGHEST_RATE * LONGEST_SECONDS).contains(&bytes) {
            let path = format!("intervals[{index}].streams[].bytes");
            return Err(json::value(recording, &path, bytes, "a number of bytes"));
        }
        if let Some(last) = self.bytes.last_mut()
            && (until - from).as_secs_f64() < REST * last.until.saturating_since(last.from).as_secs_f64()
        {
            last.until = until;
            last.value += bytes;
            return Ok(());
        }
        self.bytes.push(Sample { from, until, value: bytes });
        let round_trips: Vec<f64> = streams.iter().filter_map(|it| it.rtt).filter(|rtt| *rtt > 0.0).collect();
        if !round_trips.is_empty() {
            let mean = round_trips.iter().sum::<f64>() / round_trips.len() as f64;
            let path = || format!("intervals[{index}].streams[].rtt");
            let value = json::delay(recording, path, mean * 1e-6)?;
            self.round_trips.push(Sample { from, until, value });
        }
        let packets: f64 = streams.iter().filter_map(|it| it.packets).sum();
        if let Some(lost) = streams.iter().map(|it| it.lost_packets).sum::<Option<f64>>()
            && packets > 0.0
        {
            // Packets that come late make earlier losses undone.
            self.losses.push(Sample { from, until, value: (lost / packets).clamp(0.0, 1.0) });
        }
        Ok(())
    }

    /// From the begin of the first stream to the end of the last; `None` without streams, or when they took no time.
    fn span(
        &self,
        recording: &Recording,
        index: usize,
        streams: &[&Stream],
    ) -> Result<Option<(Instant, Instant)>, ImportError> {
        let Some(start) = streams.iter().map(|it| it.start).reduce(f64::min) else { return Ok(None) };
        let end = streams.iter().map(|it| it.end).fold(start, f64::max);
        for (name, value) in [("start", start), ("end", end)] {
            if !(0.0..=LONGEST_SECONDS).contains(&value) {
                let path = format!("intervals[{index}].streams[].{name}");
                return Err(json::value(recording, &path, value, "seconds since the begin of the test"));
            }
        }
        let at = |seconds| Instant::ZERO + Duration::from_secs_f64(seconds);
        let last = self.bytes.last().map_or(Instant::ZERO, |it| it.until);
        let (from, until) = (at(start).max(last), at(end));
        Ok((until > from).then_some((from, until)))
    }

    fn into(self, measured: &mut Measured, udp: bool) {
        let Side { direction, bytes, round_trips, losses } = self;
        if bytes.is_empty() {
            return;
        }
        // What UDP sends says nothing of the link, nor does what arrives if nothing is lost: less was sent than fits.
        let filled = losses.iter().any(|sample| sample.value > 0.0);
        let meaning = if !udp || filled { RateMeaning::Goodput } else { RateMeaning::Traffic };
        let rate = |it: &Sample<f64>| series::rate(it.value, it.until.saturating_since(it.from));
        let samples = bytes.iter().map(|it| Sample { from: it.from, until: it.until, value: rate(it) });
        measured.rates.push(Rates { direction, meaning, samples: samples.collect() });
        if !round_trips.is_empty() {
            let meaning = DelayMeaning::RoundTrip;
            measured.delays.push(Delays { meaning, loaded: true, samples: round_trips });
        }
        if !losses.is_empty() {
            measured.losses.push(Losses { direction: Some(direction), samples: losses });
        }
    }
}

/// What the other end counted of the UDP packets of this one, as one span.
fn sent_loss(measured: &Measured, sum: &Summary, length: Duration) -> Option<Losses> {
    let counted = measured.losses.iter().any(|it| it.direction == Some(Direction::Up));
    let sends = measured.rates.iter().any(|it| it.direction == Direction::Up);
    let (lost, packets) = (sum.lost_packets?, sum.packets.filter(|packets| *packets > 0.0)?);
    let value = (lost / packets).clamp(0.0, 1.0);
    let span = Sample { from: Instant::ZERO, until: Instant::ZERO + length, value };
    (sends && !counted).then(|| Losses { direction: Some(Direction::Up), samples: vec![span] })
}

fn notes(document: &Document, measured: &Measured, omitted: usize, tests: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if document.is_udp() {
        notes.push("A UDP test sends at the rate that the user has set. The received rate is the capacity only while packets are lost.".to_owned());
        if measured.losses.iter().any(|it| it.direction == Some(Direction::Up) && it.samples.len() == 1) {
            notes.push("The uplink loss is one value for the whole test.".to_owned());
        }
    } else {
        notes.push(
            "The capacity is at least the goodput of TCP. How much higher it is was not measured.".to_owned(),
        );
        notes.push("iperf3 reports no loss rate for TCP.".to_owned());
    }
    if let Some(name) = document.end.sender_tcp_congestion.as_ref() {
        notes.push(format!("The congestion control of the sender was {name}."));
    }
    if document.is_text {
        notes.push(
            "The text has only three digits of each rate, no round-trip times and no time of day. `iperf3 -J` writes all of them.".to_owned(),
        );
    } else if measured.delays.is_empty() {
        notes.push("Only a TCP sender measures round-trip times.".to_owned());
    } else {
        notes.push(
            "Round-trip times are TCP's smoothed ones. They include the queueing of the test itself."
                .to_owned(),
        );
    }
    if omitted > 0 {
        notes.push(format!("Intervals left out because the test omits its beginning (-O): {omitted}."));
    }
    if let Some(error) = &document.error {
        notes.push(format!("The test ended with an error: {error}."));
    }
    if tests > 1 {
        notes.push(format!("The file has {tests} tests; the first is read."));
    }
    notes
}
