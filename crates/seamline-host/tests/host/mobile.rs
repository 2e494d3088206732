//! `seamline-host mobile`: over the lab's links, with the kernel's TCP at both ends.

use crate::support::on_time::{OF_VISIT, on_time};
use crate::support::outage::daemon_script;
use crate::support::{
    HOST, assert_contains, folder, host_refuses, lab_or_skip, program, scenario, seamline,
    shared_lab_or_skip, stderr, succeeds,
};
use serde_json::Value;
use std::path::Path;

/// Of the link without any queue.
const ROUND_TRIP_MS: f64 = 50.0;

/// A shell script in which `$S` is the command, and its daemon's socket is `mobile.sock`.
fn script(text: &str) -> String {
    format!("S='{}'\n{text}", program(HOST).display())
}

/// What became of the flow over an outage of 5 s, while a script ran at the phone. Times count from the end of the outage.
struct Run {
    /// When the first data was sent that can get through.
    sent_ms: f64,
    /// When data was sent again, from the beginning on: in the outage before 0.
    again_ms: Vec<f64>,
    /// When the receiver had more of the stream than before.
    progress_ms: f64,
    log: String,
}

impl Run {
    /// When the first data arrived: over a link without a queue, whose one-way delay and rate are known.
    fn arrived_ms(&self) -> f64 {
        self.sent_ms + ROUND_TRIP_MS / 2.0 + 1500.0 * 8.0 / 20_000.0
    }
}

/// Run the outage with these options, until the emulator was on time.
fn outage(options: &[&str], script: &str) -> Run {
    let file = scenario("outage.toml");
    let fixed = ["lab", &file, "--flows", "--at", "phone", "--notify", "phone=mobile.sock"];
    let shown = ["--json", "--quiet", "--events", "events"];
    let command = ["--", "sh", "-c", script];
    let (folder, document, ()) = on_time(|_| (), &[&fixed[..], &shown, options, &command].concat(), OF_VISIT);
    let handover = &document["flows"][0]["handovers"][0];
    let number = |name: &str| handover[name].as_f64().unwrap_or_else(|| panic!("{name} of {handover}"));
    let end_ms = number("start_s") * 1000.0 + number("interruption_ms");
    let events = std::fs::read_to_string(folder.path().join("events/seed1.csv")).unwrap();
    let rows = || {
        events.lines().filter_map(|line| {
            let columns: Vec<&str> = line.split(',').collect();
            Some((columns[0].parse::<f64>().ok()? * 1000.0 - end_ms, columns[2].to_owned()))
        })
    };
    let sent = |(time, event): &(f64, String)| *time > 0.0 && event.starts_with("segment sent");
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap_or_default();
    let run = Run {
        sent_ms: rows().find(sent).expect("a segment after the outage").0,
        again_ms: rows().filter(|(_, event)| event == "segment sent again").map(|(time, _)| time).collect(),
        progress_ms: number("first_data_ms") - number("interruption_ms"),
        log,
    };
    println!("{options:?}: sent {:.1} ms, progress {:.1} ms after the outage", run.sent_ms, run.progress_ms);
    println!("{}", run.log);
    run
}

/// As a receiver that lost its link while acknowledgments were under way, against an unmodified server.
#[test]
fn a_download_goes_on_a_round_trip_after_an_outage_of_seconds() {
    seamline_testing::punctual(10, || {
        let Some(_lab) = shared_lab_or_skip("a_download_goes_on_a_round_trip_after") else { return };
        let early = ["--set", "link.radio.handover.at=['2 s']"];
        let stock = outage(&early, "sleep 12");
        assert!((1000.0..6000.0).contains(&stock.arrived_ms()), "the server's timer: {}", stock.sent_ms);
        for version in [&[][..], &["--ipv6"]] {
            let helped = outage(&[&early, version].concat(), &daemon_script("", 8.0));
            let round_trips = helped.arrived_ms() / ROUND_TRIP_MS;
            assert!((1.0..1.3).contains(&round_trips), "{version:?}: {round_trips} round trips");
            // What was lost comes when that is acknowledged.
            assert!(helped.progress_ms < 2.6 * ROUND_TRIP_MS, "{version:?}: {}", helped.progress_ms);
            assert_contains(&helped.log, &["event=link-down", "event=link-up", "event=repeat", "times=3"]);
        }
    });
}

/// Where no acknowledgment was lost, the repeated ones say nothing new: they neither hasten nor delay the server's timer, which has doubled
/// once more.
#[test]
fn a_download_that_lost_no_acknowledgment_is_no_worse_off() {
    seamline_testing::punctual(10, || {
        let Some(_lab) = shared_lab_or_skip("a_download_that_lost_no_acknowledgment") else { return };
        // What comes down is lost from 150 ms before the outage on.
        let earlier = ["--set", "link.radio.down.loss={model='outage',period='3.85 s',length='150 ms'}"];
        let helped = outage(&earlier, &daemon_script("", 15.0));
        assert!(helped.log.contains("event=repeat"), "{}", helped.log);
        let first =
            helped.again_ms.iter().position(|time| *time > 0.0).expect("a retransmission after the outage");
        let [before, last, after] = [2, 1, 0].map(|back| helped.again_ms[first - back]);
        let grown = (after - last) / (last - before);
        // Linux's timers of seconds are exact to an eighth.
        assert!((1.6..2.4).contains(&grown), "{grown}: {:?}", &helped.again_ms[..=first]);
        assert!(helped.progress_ms < after + ROUND_TRIP_MS, "{}", helped.progress_ms);
    });
}

/// What stands in `disruption.toml` lets the server know that there is something to be sent again.
#[test]
fn notified_of_the_disruption_a_server_sends_again_though_no_acknowledgment_was_lost() {
    seamline_testing::punctual(10, || {
        let Some(_lab) = shared_lab_or_skip("notified_of_the_disruption_a_server_sends_again") else {
            return;
        };
        let earlier = ["--set", "link.radio.down.loss={model='outage',period='3.85 s',length='150 ms'}"];
        let policy = "printf '[default]\\ndisruption = true\\n' > disruption.toml\n";
        for version in [&[][..], &["--ipv6"]] {
            let script = policy.to_owned() + &daemon_script("--config disruption.toml", 11.0);
            let helped = outage(&[&earlier, version].concat(), &script);
            let last =
                helped.again_ms.iter().rfind(|time| **time < 0.0).expect("a retransmission in the outage");
            // At once, or when the timer without its doublings ends, where it had gone off just before.
            let most_ms = if *last < -400.0 { 1.3 * ROUND_TRIP_MS } else { 450.0 };
            assert!(helped.arrived_ms() < most_ms, "{version:?}: {} after {last}", helped.sent_ms);
            assert!(helped.arrived_ms() > ROUND_TRIP_MS, "{version:?}: {}", helped.sent_ms);
        }
    });
}

#[test]
fn an_upload_goes_on_within_its_timer_without_doublings() {
    seamline_testing::punctual(10, || {
        let Some(_lab) = shared_lab_or_skip("an_upload_goes_on_within_its_timer") else { return };
        let up = ["flow.download.from=phone", "flow.download.to=server", "link.radio.handover.at=['2 s']"];
        let up: Vec<&str> = up.into_iter().flat_map(|set| ["--set", set]).collect();
        let stock = outage(&up, "sleep 12");
        assert!(stock.sent_ms > 1000.0, "{}", stock.sent_ms);
        for version in [&[][..], &["--ipv6"]] {
            let helped = outage(&[&up, version].concat(), &daemon_script("", 8.0));
            // At once, or when the timer without its doublings ends, where it had gone off just before.
            let most_ms = if helped.log.contains("outcome=retransmitted") { 5.0 } else { 350.0 };
            assert!(helped.sent_ms < most_ms, "{version:?}: {}", helped.sent_ms);
            // Where its acknowledgment was lost, the segment had come before; its repetition brings that back, and F-RTO asks once more.
            let progress_ms = helped.progress_ms - helped.sent_ms;
            assert!(progress_ms < 3.0 * ROUND_TRIP_MS, "{version:?}: {progress_ms}");
            assert_contains(&helped.log, &["event=kick", "messages="]);
        }
    });
}

#[test]
fn a_dry_run_says_what_it_would_send_and_changes_nothing() {
    let Some(_lab) = shared_lab_or_skip("a_dry_run_says_what_it_would_send") else { return };
    let early = ["--set", "link.radio.handover.at=['2 s']"];
    let dry = outage(&early, &daemon_script("--dry-run --json", 12.0));
    assert!(dry.sent_ms > 1000.0, "{}", dry.sent_ms);
    let lines: Vec<Value> = dry.log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |event: &str| lines.iter().filter(|line| line["event"] == event).count();
    assert_eq!((count("would-repeat"), count("repeat")), (1, 0), "{}", dry.log);
    let stop = lines.last().unwrap();
    assert_eq!((&stop["event"], &stop["acknowledgments"]), (&Value::from("stop"), &Value::from(0)));
}

/// Run a script in a namespace of the lab where nothing else happens.
fn inside(text: &str, folder: &Path) -> String {
    let file = scenario("outage.toml");
    succeeds(&["lab", &file, "--at", "phone", "--quiet", "--", "sh", "-ec", &script(text)], folder)
}

#[test]
fn it_is_notified_and_asked_and_leaves_nothing_behind() {
    let Some(_alone) = lab_or_skip("it_is_notified_and_asked_and_leaves_nothing_behind") else { return };
    let folder = folder();
    let text = inside(
        r#"
        begin() { "$S" mobile --socket s > "$1" 2>&1 & d=$!; until grep -q event=start "$1"; do sleep 0.02; done; }
        begin one
        "$S" mobile --socket s --tell 'up seam0'
        "$S" mobile --socket s --tell 'up wwan7' 2>&1 || echo "code $?"
        "$S" mobile --socket s --status
        "$S" mobile --socket s --status --watch 5
        "$S" mobile --socket s --status --json
        "$S" mobile --socket s 2>&1 || echo "second $?"
        kill -9 $d; wait $d || true
        test -S s && echo left
        begin two
        kill -TERM $d; wait $d && echo ended
        test -e s || echo gone
        begin three
        kill -INT $d; wait $d && echo interrupted
        test -e s || echo gone
        "$S" mobile --socket s --tell up 2>&1 || echo "nobody $?"
        echo text > s; "$S" mobile --socket s 2>&1 || echo "file $?"; cat s
        "#,
        folder.path(),
    );
    let parts = [
        "there is no interface wwan7; there are: seam0\ncode 1\n",
        "state: helping\n",
        "interface seam0: up\n",
        "another daemon listens there\ntip: `seamline-host mobile --status` shows the one that listens there\nsecond 1\n",
        "left\nended\ngone\ninterrupted\ngone\n",
        "no daemon can be reached at s",
        "nobody 1\n",
        "there is a file that is no socket; choose another path\nfile 1\ntext\n",
    ];
    assert_contains(&text, &parts);
    let status = text.lines().find(|line| line.starts_with('{')).unwrap();
    let status: Value = serde_json::from_str(status).unwrap();
    assert_eq!((&status["links"], &status["commands"]), (&"seam0:up".into(), &1.into()), "{text}");
}

#[test]
fn bad_input_ends_with_code_2_and_says_where() {
    let folder = folder();
    let file = folder.path().join("mobile.toml");
    std::fs::write(&file, "[default]\nkick = true\nrepaet = \"once\"\n").unwrap();
    let text = host_refuses(&["mobile", "--config", file.to_str().unwrap(), "--socket", "s"], folder.path());
    assert_contains(&text, &["mobile.toml:3:", "unknown key `repaet`", "a similar key exists: `repeat`"]);
    let text = host_refuses(&["mobile", "--config", "nothing.toml"], folder.path());
    assert_contains(&text, &["cannot read nothing.toml"]);
    let text = host_refuses(&["mobile", "--tell", "upp wwan0"], folder.path());
    assert_contains(&text, &["upp wwan0", "up [INTERFACE]"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_lab_refuses_to_tell_of_links_that_say_nothing() {
    let Some(_alone) = lab_or_skip("the_lab_refuses_to_tell_of_links") else { return };
    let (folder, file) = (folder(), scenario("outage.toml"));
    let ask = |notify: &str| seamline(&["lab", &file, "--notify", notify, "--", "true"], folder.path());
    for (notify, part) in [
        ("server=s", "notice = { to = \"server\" }"),
        ("nobody=s", "hosts are the nodes"),
        ("phone", "should be NODE=PATH"),
    ] {
        let output = ask(notify);
        assert_eq!(output.status.code(), Some(2), "{notify}: {}", stderr(&output));
        assert_contains(stderr(&output), &[part]);
    }
}
