//! Predictive fast handovers in scenarios: what they lose, how long they take, and what happens when the warning comes late.

use crate::protocols::{MOVES, bad_warnings_and_losses, handovers, ms, protocol, text};
use crate::support::plan;
use seamline_experiment::record::RunRecord;
use seamline_experiment::{RunOptions, run};

/// How long the link layer takes for a handover.
const LAYER_2_MS: f64 = 100.0;

/// The example without its grid, with handovers that take time below IP and are announced, and a window that fills no
/// queue: 40 packets in each round trip of 270 ms or more, so one in about 7 ms.
fn runs(kind: &str, lead: &str, buffer: u32, more: &[&str]) -> Vec<RunRecord> {
    let keeping: Vec<String> =
        (1..=2).map(|n| format!("cell.cell{n}.forward_departed={buffer} packets")).collect();
    let notice = format!("mobile.mobile.notice={{ lead = \"{lead}\" }}");
    let own = [
        &*protocol(kind),
        &*notice,
        &*keeping[0],
        &*keeping[1],
        MOVES,
        "flow.download.tcp.window_limit=40",
        "duration=40 s",
    ];
    crate::protocols::runs(&own, more)
}

fn lost(runs: &[RunRecord]) -> u64 {
    handovers(runs).iter().map(|handover| handover.lost_packets).sum()
}

fn timeouts(runs: &[RunRecord]) -> u64 {
    runs.iter().map(|run| run.flows[0].timeouts).sum()
}

/// The new router's buffer holds what comes from the update, some 30 ms before the node leaves, until it announces itself:
/// about twenty packets. With room for them nothing is lost, and TCP notices nothing but the delay; with room for five the
/// rest is lost, and without room all of it. Reactive handovers lose what is in the air, even with the same buffers.
#[test]
fn nothing_is_lost_that_the_buffer_holds() {
    let seeds = ["seeds=5"];
    let with = |buffer| runs("fmipv6-predictive", "60 ms", buffer, &seeds);
    let (all, five, none) = (with(50), with(5), with(0));
    let moves = handovers(&all).len() as u64;
    assert_eq!((moves, lost(&all), timeouts(&all)), (20, 0, 0));
    // TCP sends in bursts, and less after losses, so that the five packets do not simply subtract.
    assert!(lost(&five) > 5 * moves && lost(&five) + moves < lost(&none), "{} {}", lost(&five), lost(&none));
    assert!((10 * moves..40 * moves).contains(&lost(&none)), "{}", lost(&none));
    let reactive = runs("fmipv6", "60 ms", 50, &seeds);
    assert!((1..=2 * moves).contains(&lost(&reactive)), "{}", lost(&reactive));
}

/// The interruption is that of layer 2 and one announcement of 72 bytes over the air. A reactive one adds the time until
/// an advertisement, up to 100 ms, and an update to the previous router.
#[test]
fn the_interruption_is_that_of_layer_2() {
    let expected = LAYER_2_MS + ms(72.0, 5.0) + 5.0;
    let idle = ["seeds=5", "flow.download.start=39.9 s"];
    let predictive = runs("fmipv6-predictive", "60 ms", 50, &idle);
    for handover in handovers(&predictive) {
        let took = handover.interruption_ms.unwrap();
        assert!((took - expected).abs() < 0.001, "{took} {expected}");
        assert!((handover.movement_detected_ms.unwrap() - LAYER_2_MS).abs() < 0.001);
        // The home agent's answer is on its way meanwhile.
        assert!((326.0..328.0).contains(&handover.registered_ms.unwrap()), "{handover:?}");
    }
    let reactive = runs("fmipv6", "60 ms", 50, &idle);
    let took: Vec<f64> = handovers(&reactive).iter().map(|it| it.interruption_ms.unwrap()).collect();
    assert!(took.iter().all(|took| *took > expected + 6.0), "{took:?}");
    let mean = took.iter().sum::<f64>() / took.len() as f64;
    // Half of the interval of 100 ms on average, and 12 ms of messages.
    assert!((expected + 30.0..expected + 90.0).contains(&mean), "{mean}");
}

/// RtSolPr and PrRtAdv take 10.3 ms, the update another 5.2 ms, HI and HAck 12.3 ms, and the acknowledgment 5.1 ms. A warning
/// of 5 ms is too short for the first: all is reactive. One of 20 ms is too short for the last: the node asks again, but
/// the tunnel is there before it arrives.
#[test]
fn a_late_warning_leaves_the_rest_to_the_new_link() {
    let idle = ["seeds=5", "flow.download.start=39.9 s"];
    let update = ms(80.0, 5.0) + 5.0 + 2.0 * (ms(80.0, 10.0) + 3.0);
    for handover in handovers(&runs("fmipv6-predictive", "5 ms", 50, &idle)) {
        let detected = handover.movement_detected_ms.unwrap();
        assert!(detected > LAYER_2_MS + 0.1, "by an advertisement: {detected}");
        let took = handover.interruption_ms.unwrap() - detected;
        assert!((took - update).abs() < 0.15, "{took} {update}");
    }
    for handover in handovers(&runs("fmipv6-predictive", "20 ms", 50, &idle)) {
        let took = handover.interruption_ms.unwrap();
        let announced = LAYER_2_MS + ms(72.0, 5.0) + 5.0;
        assert!((took - announced).abs() < 0.001, "{took} {announced}");
    }
    // What is in the air when the node leaves is lost in either case, but no more.
    let late = runs("fmipv6-predictive", "20 ms", 50, &["seeds=5"]);
    assert!((1..=40).contains(&lost(&late)), "{}", lost(&late));
}

/// Messages that are lost are sent again, or the mode becomes reactive: every byte arrives, with a fifth of all packets
/// lost on the air, and with warnings that are false or never come.
#[test]
fn bad_warnings_and_losses_are_survived() {
    let more = bad_warnings_and_losses("60 ms");
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    for run in runs("fmipv6-predictive", "60 ms", 50, &more) {
        assert_eq!(run.flows[0].delivered_bytes, 30_000, "seed {}", run.seed);
    }
}

/// Wireshark reads the messages of both routers and the node.
#[test]
fn captures_show_the_announcement() {
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { pcapng: Some(folder.path().to_owned()), ..RunOptions::default() };
    let overrides = [
        "mobile.mobile.protocol={ kind = \"fmipv6-predictive\", home_agent = \"home\" }",
        "mobile.mobile.notice={ lead = \"60 ms\" }",
        "duration=12 s",
        "seeds=1",
        "flow.download.tcp.window_limit=8",
    ];
    let results = run(&plan(text(), &overrides), &options, &|| ()).unwrap();
    let show = |filter: &str, fields: &[&str]| {
        let fields = fields.iter().flat_map(|field| ["-e", field]);
        let arguments: Vec<&str> =
            ["-Y", filter, "-T", "fields", "-E", "separator=|"].into_iter().chain(fields).collect();
        seamline_testing::tshark(&results[0].files[0], &arguments)
    };
    let filter = "(icmpv6.type == 154 || icmpv6.type == 136 || mip6.mhtype == 8 || mip6.mhtype == 9)";
    let Some(seen) = show(filter, &["icmpv6.type", "mip6.mhtype"]) else { return };
    assert_eq!(&seen[..4], ["154|", "154|", "|8", "|9"], "{seen:?}");
    assert_eq!(seen.iter().filter(|it| *it == "136|").count(), 3, "{seen:?}");
    assert_eq!(show("_ws.malformed", &["frame.number"]).unwrap(), [""; 0]);
}
