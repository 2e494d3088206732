//! The format of our own.

use seamline_net::Schedule;
use seamline_net::generate::{StarlinkParameters, starlink};
use seamline_net::schedule::{Capacity, Fates, Handover, Handovers, Steps};
use seamline_recordings::formats::mahimahi;
use seamline_recordings::measured::Conditions;
use seamline_recordings::{Recording, native, recognise};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant, Rate};

const LENGTH: Duration = Duration::from_secs(120);

fn recording(text: &str) -> Recording {
    Recording::from_bytes("file", text.as_bytes()).unwrap()
}

fn refusal(text: &str) -> String {
    native::read(&recording(text)).unwrap_err().to_string()
}

#[test]
fn what_is_written_reads_back_the_same() {
    let side = |parameters| starlink(&parameters, Stream::new(7, "it")).unwrap();
    let hard = StarlinkParameters { fates: Fates::HARD, ..StarlinkParameters::uplink(LENGTH) };
    let loss = Steps::new(vec![(Instant::ZERO, 0.001), (Instant::from_secs(30), 0.25)]).unwrap();
    let down = Schedule { loss: Some(loss), ..side(StarlinkParameters::downlink(LENGTH)) };
    let conditions = Conditions { down, up: side(hard) };
    let text = native::write(&conditions, LENGTH, &["a remark\nof two lines".to_owned()]);
    let read = recognise(&recording(&text)).unwrap();
    assert_eq!((read.format, read.measured.length), ("seamline", LENGTH));
    // Equal values that follow each other are one step, so compare what holds, and where it changes.
    let back = read.measured.conditions.unwrap();
    for (one, other) in [(&conditions.down, &back.down), (&conditions.up, &back.up)] {
        assert_eq!(one.handovers, other.handovers);
        for at in (0..120_000).map(Instant::from_millis) {
            assert_eq!(
                one.one_way_delay.as_ref().unwrap().at(at),
                other.one_way_delay.as_ref().unwrap().at(at)
            );
            assert_eq!(one.loss.as_ref().map(|it| it.at(at)), other.loss.as_ref().map(|it| it.at(at)));
        }
    }
    assert_eq!(native::write(&back, LENGTH, &["a remark\nof two lines".to_owned()]), text);
}

#[test]
fn opportunities_become_mean_rates() {
    let times: String = (1..=1000).map(|time| format!("{time}\n")).collect();
    let capacity = Some(mahimahi::parse(&recording(&times)).unwrap().into());
    let conditions = Conditions::both(Schedule { capacity, ..Schedule::default() });
    let text = native::write(&conditions, Duration::from_secs(1), &[]);
    assert_eq!(text.lines().skip(3).collect::<Vec<_>>(), ["0,12,12,,,,,,"], "{text}");
}

/// What is not plausible for bare numbers is what it is where columns name their units.
#[test]
fn constant_conditions_read_back() {
    for (delay, megabits) in [(Duration::from_millis(20), 50), (Duration::from_micros(300), 100_000)] {
        let side = Schedule {
            one_way_delay: Some(Steps::constant(delay)),
            capacity: Some(Steps::constant(Rate::from_megabits_per_second(megabits)).into()),
            ..Schedule::default()
        };
        let text = native::write(&Conditions::both(side), LENGTH, &[]);
        let back = recognise(&recording(&text)).unwrap().measured.conditions.unwrap();
        for at in [Instant::ZERO, Instant::ZERO + LENGTH, Instant::MAX] {
            assert_eq!(back.down.one_way_delay.as_ref().map(|it| it.at(at)), Some(delay), "{text}");
        }
    }
}

/// The name of a file may look like a length.
#[test]
fn remarks_do_not_change_the_length() {
    let side = Schedule { loss: Some(Steps::constant(0.1)), ..Schedule::default() };
    let text = native::write(&Conditions::both(side), LENGTH, &["length_s=5.csv read as csv".to_owned()]);
    assert_eq!(native::read(&recording(&text)).unwrap().length, LENGTH);
}

/// Values that stay the same to the end count to the end, and not for the second after their last change.
#[test]
fn the_last_value_counts_to_the_end() {
    let text = "# seamline recording 1\n# length_s = 120\ntime_s,down_mbps,up_mbps\n0,10,5\n1,20,\n";
    let read = recognise(&recording(text)).unwrap();
    assert!(read.summary.contains("down capacity 19.9 Mbit/s"), "{}", read.summary);
    let Conditions { down, .. } = read.measured.conditions.unwrap();
    let Some(Capacity::Rate(rates)) = down.capacity else { panic!("no rates") };
    assert_eq!(rates.steps().points().last().unwrap().0, LENGTH);
}

#[test]
fn an_outage_holds_until_it_ends() {
    let head = "# seamline recording 1\n# length_s = 10\ntime_s,down_outage,up_outage\n";
    let read = native::read(&recording(&format!("{head}2,held,\n2.5,none,\n4,lost,lost\n"))).unwrap();
    let Conditions { down, up } = read.conditions.unwrap();
    let outage = |at, interruption, fates| Handover {
        at: Instant::from_millis(at),
        interruption: Duration::from_millis(interruption),
        fates,
    };
    let last = outage(4_000, 6_000, Fates::HARD);
    let expected = Handovers::new(vec![outage(2_000, 500, Fates::SEAMLESS), last]).unwrap();
    assert_eq!(down.handovers, expected);
    assert_eq!(up.handovers, Handovers::new(vec![last]).unwrap());
}

/// A path that changes without an interruption.
#[test]
fn a_handover_that_interrupts_nothing_is_kept() {
    let head = "# seamline recording 1\n# length_s = 10\ntime_s,down_outage,up_outage\n";
    let text = format!("{head}2,handover,handover\n4,held,\n5,none,\n");
    let read = native::read(&recording(&text)).unwrap();
    let conditions = read.conditions.unwrap();
    let lengths = |schedule: &Schedule| -> Vec<u64> {
        schedule.handovers.as_slice().iter().map(|it| it.interruption.as_millis()).collect()
    };
    assert_eq!((lengths(&conditions.down), lengths(&conditions.up)), (vec![0, 1_000], vec![0]));
    let again = native::read(&recording(&native::write(&conditions, read.length, &[]))).unwrap();
    assert_eq!(again.conditions.unwrap(), conditions);
}

#[test]
fn mistakes_are_named_by_line_and_column() {
    let head = "# seamline recording 1\n# length_s = 10\n";
    let wrong = refusal(&format!("{head}time_s,down_mbps\n0,5\n1,fast\n"));
    assert!(wrong.starts_with("file:5, down_mbps: found \"fast\", expected a number from 0 to"), "{wrong}");
    let wrong = refusal(&format!("{head}time_s,down_rate\n0,5\n"));
    assert!(wrong.starts_with("file:3: found \"down_rate\", expected columns out of time_s"), "{wrong}");
    let wrong = refusal(&format!("{head}time_s,up_outage\n0,gone\n"));
    assert!(
        wrong.contains("file:4, up_outage: found \"gone\", expected held, lost, none or handover"),
        "{wrong}"
    );
    let wrong = refusal(&format!("{head}time_s,up_loss\n1,0\n1,0.5\n"));
    assert!(wrong.contains("file:5, time_s: found 1") && wrong.contains("times that increase"), "{wrong}");
    assert!(refusal("# seamline recording 2\ntime_s\n0\n").contains("expected \"# seamline recording 1\""));
    assert!(refusal("# seamline recording 1\ntime_s\n0\n").contains("`# length_s = SECONDS`"));
    assert!(refusal(&format!("{head}down_mbps\n5\n")).contains("expected a column time_s"));
    assert!(refusal(&format!("{head}time_s,up_loss\n")).contains("no record"));
}
