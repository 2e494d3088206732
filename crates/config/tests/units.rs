//! Quantities in words, and the messages about those that are not clear.

use seamline_config::document::{Node, Value};
use seamline_config::source::SourceId;
use seamline_config::units::{self, Amount, Complaint};
use seamline_wire::{Duration, Rate};

fn node(value: Value) -> Node {
    Node { span: SourceId::FILE.span(0..0), value }
}

fn text(text: &str) -> Node {
    node(Value::Text(text.to_owned()))
}

fn words(complaint: Complaint) -> String {
    format!("{} / {}", complaint.label, complaint.tips.join(" / "))
}

#[test]
fn times() {
    for (written, nanos) in [
        ("7 ns", 7),
        ("0 s", 0),
        ("1.5 us", 1_500),
        ("50ms", 50_000_000),
        ("0.1 s", 100_000_000),
        (" 60 s ", 60_000_000_000),
        ("2 min", 120_000_000_000),
        ("1 h", 3_600_000_000_000),
        ("1e-3 s", 1_000_000),
    ] {
        assert_eq!(units::duration(&text(written)), Ok(Duration::from_nanos(nanos)), "{written}");
    }
}

#[test]
fn rates_in_bits_and_in_bytes() {
    for (written, bits) in [
        ("1 bit/s", 1),
        ("2 Mbit/s", 2_000_000),
        ("2.5 Gbit/s", 2_500_000_000),
        ("1 MB/s", 8_000_000),
        ("0 bit/s", 0),
    ] {
        assert_eq!(units::rate(&text(written)), Ok(Rate::from_bits_per_second(bits)), "{written}");
    }
}

#[test]
fn sizes_by_thousands_and_by_1024() {
    assert_eq!(units::bytes(&text("1000 bytes")), Ok(1000));
    assert_eq!(units::bytes(&text("1.5 kB")), Ok(1500));
    assert_eq!(units::bytes(&text("1 KiB")), Ok(1024));
    assert_eq!(units::bytes(&text("8 MiB")), Ok(8 << 20));
    assert_eq!(units::bytes(&text("5 GB")), Ok(5_000_000_000));
    assert_eq!(units::amount(&text("50 packets")), Ok(Amount::Packets(50)));
    assert_eq!(units::amount(&text("1 packet")), Ok(Amount::Packets(1)));
    assert_eq!(units::amount(&text("100 kB")), Ok(Amount::Bytes(100_000)));
}

#[test]
fn shares_are_in_per_cent() {
    assert_eq!(units::ratio(&text("1 %")), Ok(0.01));
    assert_eq!(units::ratio(&text("0.5%")), Ok(0.005));
    assert_eq!(units::ratio(&text("100 %")), Ok(1.0));
}

#[test]
fn what_is_not_clear_gets_the_spelling_that_is() {
    type Read = fn(&Node) -> Option<String>;
    let time: Read = |node| units::duration(node).err().map(words);
    let rate: Read = |node| units::positive_rate(node).err().map(words);
    let size: Read = |node| units::amount(node).err().map(words);
    let share: Read = |node| units::ratio(node).err().map(words);
    for (read, written, expected) in [
        (rate, "10 Mbps", "did you mean Mbit/s or MB/s?"),
        (rate, "10 Mb", "did you mean Mbit/s or MB/s?"),
        (rate, "10 kbps", "did you mean kbit/s or kB/s?"),
        (rate, "10 mbit/s", "did you mean Mbit/s?"),
        (rate, "10 Mbits/s", "a similar unit exists: `Mbit/s`"),
        (rate, "10 ms", "`ms` makes a time, expected a rate"),
        (rate, "0 Mbit/s", "more than zero"),
        (rate, "-2 Mbit/s", "must not be negative"),
        (rate, "1e30 bit/s", "too large"),
        (rate, "1e999 bit/s", "too large a number"),
        (rate, "0.1 bit/s", "too small"),
        (rate, "fast", "no number, expected a rate"),
        (rate, "", "no number, expected a rate"),
        (rate, "1.2.3 Mbit/s", "`1.2.3` is not a number"),
        (time, "nan s", "`nan` is not a number"),
        (time, "inf s", "`inf` is not a number"),
        (time, "5 m", "did you mean min or ms?"),
        (time, "5 sec", "did you mean s?"),
        (time, "5", "the unit is missing"),
        (time, "5 apples", "units there are: ns, us"),
        (size, "12000b", "did you mean bytes"),
        (size, "50 KB", "kB (1000 bytes) or KiB (1024 bytes)"),
        (size, "50", "write \"50 packets\" or \"50 kB\""),
        (size, "1.5 packets", "packets are whole numbers"),
        (share, "120 %", "too large: at most 100 %"),
        (share, "1", "write \"100 %\""),
    ] {
        let message = read(&text(written)).unwrap_or_else(|| panic!("{written} was taken"));
        assert!(message.contains(expected), "{written}: {message}");
    }
    assert!(share(&node(Value::Float(0.01))).unwrap().contains("write \"1 %\""));
    assert!(time(&node(Value::Integer(5))).unwrap().contains("the unit is missing"));
    assert!(time(&node(Value::Boolean(true))).unwrap().contains("a boolean"));
}
