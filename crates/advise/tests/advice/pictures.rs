//! The figure, and recorded links.

use crate::common::{answer, words};
use seamline_advise::causes::Cause;
use seamline_advise::{QuestionInput, format_advice, picture, scenario};
use seamline_scenario::Plan;
use seamline_wire::Duration;
use std::path::Path;

#[test]
fn the_figure_is_svg_with_units_and_a_legend() {
    for (horizon, axis) in [(None, "transfer time (s)"), (Some("3 s"), "delivered (MB)")] {
        let file = if horizon.is_some() { None } else { Some("1 MB") };
        let asked = QuestionInput {
            file,
            horizon,
            seeds: 2,
            stay: "1 s",
            at: Some("300 ms"),
            ..words("lte", "wifi")
        };
        let (question, advice) = answer(&asked);
        let drawn = picture(&question, &advice).svg;
        let document = roxmltree::Document::parse(&drawn).expect("it is XML");
        assert_eq!(document.root_element().tag_name().name(), "svg");
        let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
        let names = advice.schemes.iter().skip(1).map(|scheme| scheme.name.as_str());
        for wanted in names.chain(["unmodified stack", "stays", "closed form", "interruption (s)", axis]) {
            assert!(texts.contains(&wanted), "{wanted} is not in {texts:?}");
        }
    }
}

/// The scenario that `--out` writes is valid.
#[test]
fn the_scenario_of_an_answer_is_valid() {
    let (question, _) = answer(&QuestionInput { seeds: 1, stay: "1 s", ..words("lte, loss=0.1 %", "wifi") });
    let text = scenario::text(&question, seamline_tcp::handover::find("freeze"), Duration::from_secs(20));
    let plan = Plan::new(Path::new("advice.toml"), text.clone(), &[]);
    assert!(plan.is_ok(), "{text}\n{}", plan.unwrap_err().render(false));
}

/// The kept scenario states what seeds add, finds its recording from any directory, and is omitted where no handover
/// completes.
#[test]
fn the_kept_scenario_runs_in_any_directory() {
    let folder = std::env::temp_dir().join(format!("seamline-advise-kept-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("halves");
    two_halves(&path);
    // A relative path from the working directory: up to the root and down again.
    let up: String = std::env::current_dir().unwrap().components().skip(1).map(|_| "../").collect();
    let relative = format!("{up}{}", path.strip_prefix("/").unwrap().display());
    for schedule in [
        format!("recording={relative}"),
        format!("schedule={{ kind = \"mahimahi\", file = \"{relative}\" }}"),
    ] {
        let link = format!("rate=6 Mbit/s, round_trip=40 ms, queue=100 packets, {schedule}");
        let (question, advice) = answer(&QuestionInput { seeds: 2, stay: "1 s", ..words(&link, "lte") });
        let text = scenario::to_keep(&question, &advice).expect("the handover completes");
        assert!(text.contains("# There each seed starts at a different offset in the first 60 s"), "{text}");
        assert!(text.starts_with("# One handover as `seamline advise` was asked about."), "{text}");
        let elsewhere = Path::new("/nowhere/at/all/scenario.toml");
        let plan = Plan::new(elsewhere, text.clone(), &[]);
        assert!(plan.is_ok(), "{text}\n{}", plan.unwrap_err().render(false));
    }
    std::fs::remove_dir_all(&folder).unwrap();
    for asked in [
        QuestionInput { interruption: "3 s", stay: "2 s", seeds: 1, ..words("lte", "wifi") },
        QuestionInput { at: Some("60 s"), seeds: 1, ..words("lte", "wifi") },
    ] {
        let (question, advice) = answer(&asked);
        assert_eq!(scenario::to_keep(&question, &advice), None);
    }
}

/// A run of four seconds can begin nearly anywhere in a recording of five minutes.
#[test]
fn a_short_file_starts_anywhere_in_a_recording() {
    let folder = std::env::temp_dir().join(format!("seamline-advise-long-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("delays.csv");
    let rows: String = (0..=300).map(|second| format!("{second},40\n")).collect();
    std::fs::write(&path, format!("t,delay\n{rows}")).unwrap();
    let table = format!(
        "schedule={{ kind = \"csv\", file = \"{}\", time = {{ column = \"t\", unit = \"s\" }}, one_way_delay = {{ column = \"delay\", unit = \"ms\" }} }}",
        path.display()
    );
    let link = format!("rate=2 Mbit/s, round_trip=80 ms, {table}");
    let (_, advice) = answer(&QuestionInput { seeds: 2, ..words(&link, "wifi") });
    std::fs::remove_dir_all(&folder).unwrap();
    let found = &advice.recordings[0];
    assert!(!found.repeats, "{found:?}");
    let within = found.begins_within_s.expect("a megabyte at 2 Mbit/s takes 4 s");
    assert!((270.0..296.0).contains(&within), "{within}");
    assert!(advice.longest_run_s < 300.0 - within, "{}", advice.longest_run_s);
    assert!(!format_advice(&advice).contains("beyond its end"));
}

/// The lines of probes are over fewer seeds than the line of staying; the remark states both numbers.
#[test]
fn a_figure_states_how_many_seeds_its_means_have() {
    let (question, advice) = answer(&QuestionInput { seeds: 5, file: Some("30 MB"), ..words("lte", "wifi") });
    assert_eq!((advice.effort.seeds, advice.stays.samples), (3, 5));
    for scheme in &advice.schemes {
        assert!(scheme.over_interruption.iter().all(|(_, value)| value.samples == 3), "{scheme:?}");
    }
    let drawn = picture(&question, &advice).svg;
    assert!(drawn.contains("means of 3 seeds (staying: 5) and their 95 % intervals"), "{drawn}");
}

/// A recording of 100 packets per second is as fast as a constant 1.2 Mbit/s.
#[test]
fn a_recorded_link_has_its_recorded_rate() {
    let folder = std::env::temp_dir().join(format!("seamline-advise-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("capacity");
    let chances: String = (1..=100).map(|n| format!("{}\n", 10 * n)).collect();
    std::fs::write(&path, chances).unwrap();
    let recorded = format!("rate=1.2 Mbit/s, round_trip=40 ms, recording={}", path.display());
    let asked = |from| QuestionInput { seeds: 1, file: Some("300 kB"), ..words(from, "wifi") };
    let (_, over_recording) = answer(&asked(&recorded));
    let (_, constant) = answer(&asked("rate=1.2 Mbit/s, round_trip=40 ms"));
    std::fs::remove_dir_all(&folder).unwrap();
    let ratio = over_recording.stays.mean / constant.stays.mean;
    assert!((0.95..1.05).contains(&ratio), "{ratio}");
    assert!(over_recording.question.from.scheduled && !constant.question.from.scheduled);
    assert_eq!([&over_recording.question.from.name, &constant.question.from.name], ["capacity", "old link"]);
}

/// A recorded path has handovers of its own and continues after the file is complete: later handovers are no cause of
/// anything.
#[test]
fn handovers_after_the_end_of_the_file_do_not_count() {
    let folder = std::env::temp_dir().join(format!("seamline-advise-path-{}", std::process::id()));
    let path = seamline_experiment::sample::write_sample("leoem", &folder.join("path.log")).unwrap();
    let recorded =
        format!("rate=10 Mbit/s, round_trip=60 ms, queue=20 packets, recording={}", path.display());
    let (_, advice) = answer(&QuestionInput { seeds: 1, file: Some("2 MB"), ..words(&recorded, "wifi") });
    // A horizon of 3 s fits wherever it starts in the first 117 s of the two minutes; a file may take longer.
    let horizon = QuestionInput { seeds: 1, file: None, horizon: Some("3 s"), ..words(&recorded, "wifi") };
    let within = answer(&horizon).1.recordings[0].begins_within_s;
    assert!((100.0..=117.0).contains(&within.unwrap()), "{within:?}");
    // 2 MB at the slower 9.65 Mbit/s of payload take 1.66 s: three times that, plus the handover.
    let within = advice.recordings[0].begins_within_s.expect("two minutes are enough");
    assert!((112.0..=117.0).contains(&within), "{within}");
    std::fs::remove_dir_all(&folder).unwrap();
    let found =
        advice.disagreements.iter().find(|found| found.stays).expect("short queues and losses at handovers");
    assert!(
        matches!(&found.causes[0], Cause::VaryingConditions { link, .. } if link == "path.log"),
        "{found:?}"
    );
    for cause in &found.causes {
        match cause {
            Cause::SlowRecovery { not_regained, .. } => assert!(*not_regained <= 1.0, "{cause:?}"),
            Cause::SlowStart { begun } => assert_eq!(begun.len(), 1, "it stays: {cause:?}"),
            _ => {}
        }
    }
}

/// Half a minute of 12 Mbit/s, then half a minute of 1.2 Mbit/s: a megabyte takes 0.7 s or 6.9 s, depending on the
/// start.
fn two_halves(path: &Path) {
    let fast = (1..=30_000).map(|millis| format!("{millis}\n"));
    let slow = (30_001..=60_000).filter(|millis| millis % 10 == 0).map(|millis| format!("{millis}\n"));
    std::fs::write(path, fast.chain(slow).collect::<String>()).unwrap();
}

#[test]
fn each_seed_starts_at_a_different_offset_unless_one_is_given() {
    let folder = std::env::temp_dir().join(format!("seamline-advise-halves-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("halves");
    two_halves(&path);
    let link = |recording: &str| format!("rate=6 Mbit/s, round_trip=40 ms, queue=100 packets, {recording}");
    let asked = |from: &str| answer(&QuestionInput { seeds: 8, ..words(from, "lte") }).1;
    let own = asked(&link(&format!("recording={}", path.display())));
    let table = format!("schedule={{ kind = \"mahimahi\", file = \"{}\", start = \"0 s\" }}", path.display());
    let given = asked(&link(&table));
    std::fs::remove_dir_all(&folder).unwrap();
    // Of eight offsets some are in either half; four in each give a mean of 3.8 s.
    assert!((1.5..6.5).contains(&own.stays.mean), "{:?}", own.stays);
    assert!(own.stays.half_width().unwrap() > 0.5, "{:?}", own.stays);
    assert!(
        format_advice(&own).contains(
            "each seed starts at a different offset in the first 60.0 s of the recording of halves"
        )
    );
    // From the fast start all seeds are equal, and faster than 6 Mbit/s; effects that only slow a flow down are no
    // cause of that.
    assert!((0.66..1.3).contains(&given.stays.mean), "{:?}", given.stays);
    assert!(given.stays.half_width().unwrap() < 0.1, "{:?}", given.stays);
    let text = format_advice(&given);
    assert!(text.contains("every seed starts at the same offset of the recording of old link"), "{text}");
    let stays = given.disagreements.iter().find(|found| found.stays).expect("it is faster");
    assert!(matches!(&stays.causes[..], [Cause::VaryingConditions { .. }]), "{stays:?}");
}
