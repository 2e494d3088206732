//! What one line of output says.

/// A line that is understood.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// An answer. `unit` is that of `time`, in seconds.
    Answer { stamp: Option<&'a str>, sequence: &'a str, time: &'a str, unit: f64, duplicate: bool },
    /// A probe that has no answer yet, or never will.
    Unanswered { sequence: &'a str },
    /// The statistics: probes sent, and how long that took.
    Statistics { sent: u64, millis: Option<f64> },
    /// One without information.
    Heading,
}

/// Beginnings of lines without information.
const HEADINGS: [&str; 4] = ["PING ", "--- ", "rtt ", "round-trip "];
const UNITS: [(&str, f64); 3] = [("ms", 1e-3), ("us", 1e-6), ("s", 1.0)];

pub(super) fn classify(text: &str) -> Option<Line<'_>> {
    let (stamp, text) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((stamp, rest)) => (Some(stamp.trim()), rest.trim_start()),
        None => (None, text),
    };
    if HEADINGS.iter().any(|heading| text.starts_with(heading)) {
        return Some(Line::Heading);
    }
    if let Some(statistics) = statistics(text) {
        return Some(statistics);
    }
    let sequence = after(text, &["icmp_seq=", "icmp_seq ", "seq="])?;
    let Some(time) = after(text, &["time=", "time<"]) else {
        // An answer that was cut short (`ping -s 8` has no time) is of no use.
        let is_answer = text.contains(" bytes from ");
        return (!is_answer).then_some(Line::Unanswered { sequence });
    };
    let unit = text.split_once(time).map_or("", |(_, rest)| rest.trim_start());
    let unit = UNITS.iter().find(|(name, _)| unit.starts_with(name)).map_or(1e-3, |(_, unit)| *unit);
    Some(Line::Answer { stamp, sequence, time, unit, duplicate: text.contains("DUP!") })
}

/// The number behind one of the keys.
fn after<'a>(text: &'a str, keys: &[&str]) -> Option<&'a str> {
    let (_, rest) = keys.iter().find_map(|key| text.split_once(key))?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
    (end > 0).then_some(&rest[..end])
}

/// `100 packets transmitted, 98 received, 2% packet loss, time 99123ms`
fn statistics(text: &str) -> Option<Line<'_>> {
    let (sent, rest) = text.split_once(" packets transmitted")?;
    let millis = rest.split_once("time ").and_then(|(_, time)| time.trim().strip_suffix("ms")?.parse().ok());
    Some(Line::Statistics { sent: sent.trim().parse().ok()?, millis })
}

#[cfg(test)]
mod tests {
    use super::{Line, classify};

    #[test]
    fn lines_of_the_common_programs() {
        let iputils = "[1700000000.123456] 64 bytes from 1.1.1.1: icmp_seq=7 ttl=57 time=23.4 ms";
        let expected = Line::Answer {
            stamp: Some("1700000000.123456"),
            sequence: "7",
            time: "23.4",
            unit: 1e-3,
            duplicate: false,
        };
        assert_eq!(classify(iputils), Some(expected));
        let busybox = "64 bytes from 1.1.1.1: seq=0 ttl=57 time=23.456 ms";
        assert!(matches!(
            classify(busybox),
            Some(Line::Answer { stamp: None, sequence: "0", time: "23.456", .. })
        ));
        let name = "64 bytes from one.one.one.one (1.1.1.1): icmp_seq=9 ttl=57 time=1023 ms (DUP!)";
        assert!(matches!(classify(name), Some(Line::Answer { time: "1023", duplicate: true, .. })));
        for lost in [
            "[1700000001.2] no answer yet for icmp_seq=8",
            "Request timeout for icmp_seq 8",
            "From 192.168.1.1 icmp_seq=8 Destination Host Unreachable",
        ] {
            assert_eq!(classify(lost), Some(Line::Unanswered { sequence: "8" }), "{lost}");
        }
        let end = "100 packets transmitted, 98 received, +2 errors, 2% packet loss, time 99123ms";
        assert_eq!(classify(end), Some(Line::Statistics { sent: 100, millis: Some(99_123.0) }));
        assert_eq!(classify("ping: sendmsg: Network is unreachable"), None);
        assert_eq!(classify("64 bytes from 1.1.1.1: icmp_seq=7 ttl=57"), None);
    }
}
