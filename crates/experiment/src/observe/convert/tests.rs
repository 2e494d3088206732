//! Tables against the event lists and captures that are written directly.

use super::{ConvertError, convert, converted_path};
use crate::observe::capture::SenderCapture;
use crate::observe::{EventList, EventTable, PacketTable, PcapngFile};
use proptest::prelude::*;
use seamline_scenario::build::{RECEIVER_PORTS, SENDER_PORTS};
use seamline_sim::ElementId;
use seamline_wire::{
    DropCause, Duration, Ecn, Event, Extra, Flags, HandoverPhase, Instant, MarkRefusal, MobilityEvent,
    NodeId, Packet, SackBlock, Segment, SenderSample, SequenceNumber, Timestamps, TransportPort, Tunnel,
};
use std::fs;
use std::path::Path;

/// Two elements have the same name.
fn names() -> ([(ElementId, String); 3], [String; 2]) {
    let named = |element, name: &str| (ElementId(element), name.to_owned());
    ([named(0, "server"), named(2, "radio/down"), named(3, "server")], ["main/0".into(), "main/1".into()])
}

fn port() -> impl Strategy<Value = TransportPort> {
    let own = |first: u16| (0..4_u16).prop_map(move |number| TransportPort(first + number));
    prop_oneof![8 => own(SENDER_PORTS), 8 => own(RECEIVER_PORTS), 1 => any::<u16>().prop_map(TransportPort)]
}

fn span() -> impl Strategy<Value = Duration> {
    prop_oneof![0..1_000_000_000_u64, 0..i64::MAX as u64].prop_map(Duration::from_nanos)
}

fn sample() -> impl Strategy<Value = SenderSample> {
    let window = || prop_oneof![1.0..1e4_f64, any::<f64>()];
    (window(), window(), any::<u32>(), span(), span()).prop_map(
        |(window, threshold, in_flight, srtt, rto)| SenderSample {
            congestion_window: window,
            slow_start_threshold: threshold,
            bytes_in_flight: in_flight,
            duplicate_acks: 0,
            smoothed_round_trip_time: srtt,
            round_trip_time_variation: Duration::ZERO,
            retransmission_timeout: rto,
            backoff: 1,
        },
    )
}

fn mobility() -> impl Strategy<Value = MobilityEvent> {
    (any::<u32>(), 0..7_u8).prop_map(|(number, kind)| {
        let node = NodeId(number);
        match kind {
            0 => MobilityEvent::CellEntered { cell: number / 2 },
            1 => MobilityEvent::AdvertisementHeard { agent: node },
            2 => MobilityEvent::MovementDetected { agent: node },
            3 => MobilityEvent::RegistrationRequested { care_of_address: node },
            4 => MobilityEvent::RegistrationAccepted { care_of_address: node, after_move: true },
            5 => MobilityEvent::BindingAdded { home_address: node, care_of_address: node },
            _ => MobilityEvent::BindingChanged {
                home_address: node,
                care_of_address: (number % 2 == 0).then_some(node),
            },
        }
    })
}

/// Any event; each kind is as likely as any other.
fn event() -> impl Strategy<Value = Event> {
    let fields = (port(), any::<u32>(), any::<u32>(), any::<bool>(), sample(), mobility(), 0..16_u8);
    fields.prop_map(|(port, number, length, truth, sample, mobility, kind)| {
        let sequence = SequenceNumber(number);
        let (source, source_port) = (NodeId(number), port);
        match kind {
            0 => Event::ConnectionState { port, state: if truth { "SYN-SENT" } else { "CLOSED" } },
            1 => Event::SegmentSent { port, sequence, length, retransmission: truth },
            2 => Event::AckReceived { port, acknowledgment: sequence },
            3 | 4 => Event::Sender { port, sample },
            5 => Event::RetransmissionTimeout { port },
            6 => Event::RecoveryStarted { port },
            7 => Event::CutUndone { port },
            8 => Event::Delivered { port, bytes: length },
            9 => {
                let cause = DropCause::ALL[length as usize % DropCause::ALL.len()];
                Event::Dropped { cause, source, source_port, sequence, length }
            }
            10 => Event::Marked { source, source_port, sequence, length },
            11 => Event::Queue { packets: number, bytes: length },
            12 => Event::HandoverAction { port, action: if truth { "froze" } else { "thawed" } },
            13 => {
                let reason = MarkRefusal::ALL[length as usize % MarkRefusal::ALL.len()];
                Event::MarkRefused { port, reason }
            }
            14 => Event::Handover(if truth { HandoverPhase::Started } else { HandoverPhase::Completed }),
            _ => Event::Mobility(mobility),
        }
    })
}

/// Events in order of time, some at the same time.
fn events() -> impl Strategy<Value = Vec<(Instant, ElementId, Event)>> {
    let step = prop_oneof![2 => Just(0_u64), 5 => 0..1_000_000_u64, 1 => 0..1_u64 << 40];
    proptest::collection::vec((step, 0..6_u32, event()), 0..300).prop_map(|all| {
        let mut now = Instant::ZERO;
        let timed = all.into_iter().map(|(step, at, event)| {
            now += Duration::from_nanos(step);
            (now, ElementId(at), event)
        });
        timed.collect()
    })
}

/// Write events both ways, many times over so that there are several pages; the list, and the one made from the table.
fn both_lists(events: &[(Instant, ElementId, Event)], times: usize, folder: &Path) -> [Vec<u8>; 2] {
    let (elements, connections) = names();
    let table = folder.join("run-events.parquet");
    let mut list = EventList::create(&folder.join("direct.csv")).expect("a new file");
    let mut columns = EventTable::create(&table, "seamline run").expect("a new file");
    list.name(&elements, &connections);
    columns.name(&elements, &connections);
    let last = events.last().map_or(Instant::ZERO, |(now, ..)| *now);
    for time in 0..times {
        for (now, at, event) in events {
            let now = *now + Duration::from_nanos((last.as_nanos() + 1) * time as u64);
            list.write(now, *at, event);
            columns.write(now, *at, event);
        }
    }
    let direct = list.finish().expect("room on the disk");
    columns.finish().expect("room on the disk");
    let made = converted_path(&table).expect("a table");
    assert_eq!(made, folder.join("run.csv"));
    convert(&table, &made, &|| true).expect("a table");
    [direct, made].map(|path| fs::read(path).expect("a list"))
}

fn segment() -> impl Strategy<Value = Segment> {
    let numbers = (any::<u32>(), any::<u32>(), 0..70_000_u32, any::<u16>(), 0..0x200_u16);
    let options = (any::<Option<u32>>(), 0..4_u8, 0..4_usize);
    (numbers, options).prop_map(
        |((sequence, acknowledgment, length, window, flags), (timestamps, kind, blocks))| {
            let block = |number: usize| SackBlock {
                left: SequenceNumber(number as u32 * 10),
                right: SequenceNumber(number as u32 * 10 + 5),
            };
            Segment {
                sequence: SequenceNumber(sequence),
                acknowledgment: SequenceNumber(acknowledgment),
                length: length.min(60_000),
                window,
                flags: Flags(flags),
                maximum_segment_size: (kind == 0).then_some(1460),
                window_scale: (kind == 0).then_some(7),
                sack_permitted: kind == 0,
                timestamps: timestamps.map(|value| Timestamps { value, echo: value / 3 }),
                sack: (0..blocks).filter(|_| kind == 1).map(block).collect(),
                ..Segment::default()
            }
        },
    )
}

fn packet() -> impl Strategy<Value = Packet> {
    let ends = (0..1_u32 << 24, prop_oneof![0..1_u32 << 24, Just(u32::MAX), Just(u32::MAX - 1)]);
    let fields = (ends, any::<u16>(), any::<u16>(), 0..70_000_u32, segment(), 0..4_u8, 0..8_u8);
    fields.prop_map(|((source, destination), from, to, wire_bytes, segment, ecn, kind)| {
        let mut packet = Packet {
            source: NodeId(source),
            destination: NodeId(destination),
            source_port: TransportPort(from),
            destination_port: TransportPort(to),
            wire_bytes,
            ecn: Ecn::from_bits(ecn),
            segment,
            ..Packet::default()
        };
        match kind {
            0 => drop(packet.encapsulate(Tunnel { entry: NodeId(1), exit: NodeId(2) })),
            1 => packet.extra = Some(Box::new(Extra::Foreign([0x45, 1, 2, 3, 4].as_slice().into()))),
            _ => {}
        }
        packet
    })
}

fn both_captures(packets: &[(bool, Packet, Option<String>)], times: usize, folder: &Path) -> [Vec<u8>; 2] {
    let table = folder.join("run-packets.parquet");
    let pcapng = PcapngFile::create(&folder.join("direct.pcapng"), "seamline run").expect("a new file");
    let columns = PacketTable::create(&table, "seamline run").expect("a new file");
    let mut capture = SenderCapture::new(Some(pcapng), Some(columns)).expect("two files");
    let interfaces = [ElementId(1), ElementId(4)];
    capture.declare(interfaces[0], "server");
    capture.declare(interfaces[1], "phone/radio");
    let mut now = Instant::ZERO;
    for (is_second, packet, remark) in std::iter::repeat_n(packets, times).flatten() {
        now += Duration::from_micros(7);
        capture.record(now, u16::from(*is_second), packet, remark.clone());
    }
    let written: Result<Vec<_>, _> = capture.finish().collect();
    let direct = written.expect("room on the disk").remove(0);
    let made = converted_path(&table).expect("a table");
    assert_eq!(made, folder.join("run.pcapng"));
    convert(&table, &made, &|| true).expect("a table");
    [direct, made].map(|path| fs::read(path).expect("a capture"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_table_has_all_that_an_event_list_has(events in events(), times in prop_oneof![3 => Just(1), 1 => Just(60_usize)]) {
        let folder = tempfile::tempdir().expect("a folder");
        let [direct, made] = both_lists(&events, times, folder.path());
        prop_assert_eq!(String::from_utf8(made), String::from_utf8(direct));
    }

    #[test]
    fn a_table_has_all_that_a_capture_has(
        packets in proptest::collection::vec((any::<bool>(), packet(), proptest::option::weighted(0.1, "[a-zé ]{0,20}")), 0..200),
        times in prop_oneof![3 => Just(1), 1 => Just(60_usize)],
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let [direct, made] = both_captures(&packets, times, folder.path());
        prop_assert!(made == direct, "{} bytes, {} in the capture", made.len(), direct.len());
    }
}

/// Any byte that changes, and any end that is missing, is found or does no harm: no panic, and no result next to an error.
#[test]
fn a_damaged_table_is_refused_or_read() {
    let folder = tempfile::tempdir().expect("a folder");
    both_lists(&events_of_all_columns(), 1, folder.path());
    both_captures(&packets_of_all_columns(), 1, folder.path());
    for name in ["run-events.parquet", "run-packets.parquet"] {
        let table = folder.path().join(name);
        let whole = fs::read(&table).expect("a table");
        for place in 0..whole.len() {
            assert!(!is_read(&table, &whole[..place]), "cut at {place}");
            for bits in [0x01, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[place] ^= bits;
                is_read(&table, &bytes);
            }
        }
    }
}

/// Whether a table with these bytes is read, and not refused in words.
fn is_read(table: &Path, bytes: &[u8]) -> bool {
    fs::write(table, bytes).expect("room on the disk");
    let to = table.with_file_name("damaged");
    match convert(table, &to, &|| true) {
        Ok(_) => fs::remove_file(&to).is_ok(),
        Err(ConvertError::Unreadable(path, cause)) => {
            assert_eq!(path, table);
            assert!(cause.to_string().starts_with("it is "), "{cause}");
            assert!(!to.exists());
            false
        }
        Err(other) => panic!("{other}"),
    }
}

fn events_of_all_columns() -> Vec<(Instant, ElementId, Event)> {
    let (port, millis) = (TransportPort(SENDER_PORTS), Duration::from_millis);
    let sample = SenderSample {
        congestion_window: 2.5,
        slow_start_threshold: 1e9,
        bytes_in_flight: 3000,
        duplicate_acks: 0,
        smoothed_round_trip_time: millis(30),
        round_trip_time_variation: Duration::ZERO,
        retransmission_timeout: millis(1000),
        backoff: 1,
    };
    let event = |number: u32| match number % 4 {
        0 => Event::Sender { port, sample },
        1 => {
            let (sequence, length) = (SequenceNumber(number * 77), number);
            Event::SegmentSent { port, sequence, length, retransmission: false }
        }
        2 => Event::Handover(HandoverPhase::Started),
        _ => Event::Queue { packets: number, bytes: number * 1500 },
    };
    let timed =
        |number: u32| (Instant::from_nanos(u64::from(number) * 3000), ElementId(number % 4), event(number));
    (0..120).map(timed).collect()
}

fn packets_of_all_columns() -> Vec<(bool, Packet, Option<String>)> {
    let packet = |number: u32| {
        let timestamps = Some(Timestamps { value: number, echo: number / 3 });
        let mut packet = Packet {
            source: NodeId(number % 3),
            wire_bytes: number * 100,
            segment: Segment { timestamps, ..Segment::default() },
            ..Packet::default()
        };
        if number.is_multiple_of(5) {
            packet.extra = Some(Box::new(Extra::Foreign([0x45, 1, 2, 3, 4].as_slice().into())));
        }
        (number.is_multiple_of(2), packet, number.is_multiple_of(7).then(|| format!("remark {number}")))
    };
    (0..60).map(packet).collect()
}

#[test]
fn what_is_no_table_is_refused_and_a_stop_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run-events.parquet");
    let refused = |path: &Path| converted_path(path).expect_err("it is no table").to_string();
    assert!(refused(&path).contains("No such file"), "{}", refused(&path));
    fs::write(&path, "time_s,element\n").expect("room on the disk");
    assert!(refused(&path).contains("it is not a Parquet file"), "{}", refused(&path));
    let fields = [crate::columns::Field { name: "a", kind: crate::columns::Kind::Long, optional: false }];
    let other =
        crate::columns::Table::new(Vec::new(), &fields, Vec::new()).and_then(crate::columns::Table::finish);
    fs::write(&path, other.expect("memory suffices")).expect("room on the disk");
    assert!(refused(&path).contains("--parquet did not write it"), "{}", refused(&path));
    let events = [(Instant::ZERO, ElementId(0), Event::Queue { packets: 1, bytes: 2 })];
    both_lists(&events, 1, folder.path());
    let to = folder.path().join("stopped.csv");
    assert!(matches!(convert(&path, &to, &|| false), Err(ConvertError::Stopped)));
    assert!(!to.exists());
}

/// As when a run is interrupted.
#[test]
fn unfinished_tables_leave_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut events = EventTable::create(&folder.path().join("run-events.parquet"), "").expect("a new file");
    let packets = PacketTable::create(&folder.path().join("run-packets.parquet"), "").expect("a new file");
    let mut capture = SenderCapture::new(None, Some(packets)).expect("a file");
    capture.declare(ElementId(0), "server");
    for number in 0..200_000 {
        let now = Instant::from_nanos(number);
        events.write(now, ElementId(0), &Event::Queue { packets: number as u32, bytes: 0 });
        capture.record(now, 0, &Packet::default(), None);
    }
    drop((events, capture));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}
