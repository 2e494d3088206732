//! What iperf3 prints without `-J`.
//!
//! ```text
//! Connecting to host 192.0.2.1, port 5201
//! Reverse mode, remote host 192.0.2.1 is sending
//! [ ID] Interval           Transfer     Bitrate
//! [  5]   0.00-1.00   sec  1.92 MBytes  16.1 Mbits/sec    0   13.5 KBytes
//! [  5][RX-C]   1.00-2.00   sec   109 KBytes  894 Kbits/sec  0.010 ms  3/80 (3.8%)
//! ```

use super::document::{Document, Interval, Stream};
use crate::error::ImportError;
use crate::file::{Recording, quoted};

/// Within this many lines, a log names its peer and has its first header.
const HEAD: usize = 40;
/// Units of rates: of bits they count in thousands, of bytes in 1024s.
const UNITS: [(&str, f64); 10] = [
    ("bits/sec", 1.0),
    ("Kbits/sec", 1e3),
    ("Mbits/sec", 1e6),
    ("Gbits/sec", 1e9),
    ("Tbits/sec", 1e12),
    ("Bytes/sec", 8.0),
    ("KBytes/sec", 8.0 * 1024.0),
    ("MBytes/sec", 8.0 * 1024.0 * 1024.0),
    ("GBytes/sec", 8.0 * 1024.0 * 1024.0 * 1024.0),
    ("TBytes/sec", 8.0 * 1024.0 * 1024.0 * 1024.0 * 1024.0),
];

/// Whether a text names a peer as iperf3 does, and then has a header of intervals.
pub(super) fn looks_like(recording: &Recording) -> bool {
    let mut head = recording.lines().take(HEAD).map(|(_, text)| text);
    head.any(|text| is_client(text) || is_server(text)) && head.any(|text| text.starts_with("[ ID]"))
}

fn is_client(text: &str) -> bool {
    text.starts_with("Connecting to host ")
}

fn is_server(text: &str) -> bool {
    text.starts_with("Accepted connection from ")
}

/// Read the first test of a log, and count the tests.
pub(super) fn read(recording: &Recording) -> Result<(Document, usize), ImportError> {
    let mut log = Log::default();
    let mut tests = 0;
    for (line, text) in recording.lines() {
        tests += usize::from(is_client(text) || is_server(text));
        if tests <= 1 {
            log.take(recording, line, text)?;
        }
    }
    Ok((Document::of_text(log.intervals, log.udp, log.error), tests))
}

#[derive(Default)]
struct Log {
    intervals: Vec<Interval>,
    client: bool,
    reverse: bool,
    retransmits: bool,
    udp: bool,
    error: Option<String>,
}

impl Log {
    fn take(&mut self, recording: &Recording, line: u64, text: &str) -> Result<(), ImportError> {
        self.client |= is_client(text);
        self.reverse |= text.starts_with("Reverse mode");
        if let Some(header) = text.strip_prefix("[ ID]") {
            self.retransmits = header.contains("Retr");
            self.udp |= header.contains("Datagrams");
        }
        if let Some(error) = text.strip_prefix("iperf3: ").filter(|it| it.starts_with("error")) {
            self.error = Some(error.to_owned());
        }
        let is_summary = text.ends_with("sender") || text.ends_with("receiver") || text.starts_with("[SUM]");
        if is_summary || !text.starts_with('[') || !text.contains("/sec") {
            return Ok(());
        }
        let Some(stream) = self.stream(text) else {
            let expected = "an interval, as [  5]   0.00-1.00   sec  1.92 MBytes  16.1 Mbits/sec";
            return Err(recording.at(line, None, quoted(text), expected, "correct or remove the line"));
        };
        // Streams of one interval follow each other.
        match self.intervals.last_mut() {
            Some(last) if last.streams.iter().all(|it| together(it, &stream)) => last.streams.push(stream),
            _ => self.intervals.push(Interval { streams: vec![stream] }),
        }
        Ok(())
    }

    fn stream(&self, text: &str) -> Option<Stream> {
        let (_, rest) = text.strip_prefix('[')?.split_once(']')?;
        let (role, rest) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((role, rest)) => (Some(role), rest),
            None => (None, rest),
        };
        let mut words = rest.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let (start, end): (f64, f64) = (start.parse().ok()?, end.parse().ok()?);
        let [seconds, _, _, rate, unit] = std::array::from_fn(|_| words.next());
        let (_, factor) =
            UNITS.iter().find(|(name, _)| Some(*name) == unit).filter(|_| seconds == Some("sec"))?;
        let bits = rate?.parse::<f64>().ok()? * factor;
        let sender = match role {
            Some(role) => role.starts_with("TX"),
            None if self.client => !self.reverse,
            None => self.retransmits,
        };
        let packets = words.clone().find_map(|word| word.split_once('/'));
        let number = |text: &str| text.parse::<f64>().ok();
        let (lost, packets) = packets.map_or((None, None), |(lost, all)| (number(lost), number(all)));
        Some(Stream {
            start,
            end,
            bytes: bits * (end - start) / 8.0,
            rtt: None,
            packets: packets.filter(|_| self.udp),
            lost_packets: lost.filter(|_| self.udp),
            omitted: text.ends_with("(omitted)"),
            sender: Some(sender),
        })
    }
}

/// Whether two streams are of one interval: they begin within half of it.
fn together(one: &Stream, other: &Stream) -> bool {
    one.omitted == other.omitted && (one.start - other.start).abs() < (one.end - one.start) / 2.0
}
