//! `seamline-host mobile` with `freeze = true`: over the lab's links, with the kernel's TCP at both ends.
#![cfg(all(target_os = "linux", feature = "ebpf"))]

mod support;

use serde_json::Value;
use std::fs;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::RwLockReadGuard;
use std::thread::JoinHandle;
use support::on_time::{OF_VISIT, on_time};
use support::outage::daemon_script;
use support::{assert_contains, folder, scenario, seamline, shared_lab_or_skip, skip, stdout};

/// A download over a link that is gone for 2.5 s, well before CUBIC fills the queue again: what is dropped there while windows close can only be sent
/// again after a timeout, which is another matter.
const SHORTER: [&str; 8] = [
    "--set",
    "duration='13 s'",
    "--set",
    "link.radio.handover.at=['2500 ms']",
    "--set",
    "link.radio.handover.interruption='2500 ms'",
    "--set",
    "link.radio.notice.lead='400 ms'",
];
const LINK_UP_S: f64 = 5.0;
/// Of the link without any queue.
const ROUND_TRIP_MS: f64 = 50.0;
const RATE_MBIT_S: f64 = 20.0;

/// What happened after the link was up again, and the daemon's log.
#[derive(Debug)]
struct After {
    /// When the first data arrived that got through, in ms.
    first_data_ms: f64,
    /// What the receiver had in order over the next 5 s.
    goodput_mbit_s: f64,
    /// Packets that the outage took.
    lost: f64,
    log: String,
}

/// Whether the lab runs here and the program can be loaded.
fn ready_or_skip(name: &str) -> Option<RwLockReadGuard<'static, ()>> {
    let lab = shared_lab_or_skip(name)?;
    let output = seamline(&["doctor", "--json"], folder().path());
    let document: Value = serde_json::from_str(stdout(&output)).unwrap();
    let is_needed = |feature: &&Value| {
        ["bpf system call", "eBPF at interfaces (TCX)", "kernel type data (BTF)"]
            .contains(&feature["name"].as_str().unwrap())
    };
    let features = document["features"].as_array().unwrap().iter().filter(is_needed);
    match features.clone().find(|feature| feature["available"] != true) {
        None => {
            assert_eq!(features.count(), 3);
            Some(lab)
        }
        Some(feature) => {
            skip(name, feature.to_string());
            None
        }
    }
}

/// Run the outage with these options and this policy, until the emulator was on time. Notices reach the daemon as `notice` has them.
fn outage(options: &[&str], policy: Option<&str>, notice: fn(&str) -> String) -> After {
    let script = match policy {
        Some(_) => daemon_script("--config mobile.toml", 12.8),
        None => "sleep 12.8".to_owned(),
    };
    let prepare = |folder: &Path| {
        fs::write(folder.join("mobile.toml"), policy.unwrap_or_default()).unwrap();
        Modem::new(folder, notice)
    };
    let file = scenario("outage.toml");
    let fixed = ["lab", &file, "--flows", "--at", "phone", "--notify", "phone=modem.sock"];
    let shown = ["--json", "--quiet", "--events", "events"];
    let command = ["--", "sh", "-c", &script];
    let (folder, document, _modem) =
        on_time(prepare, &[&fixed[..], &SHORTER, &shown, options, &command].concat(), OF_VISIT);
    let log = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
    let lost = document["flows"][0]["handovers"][0]["lost_packets"].as_f64().unwrap();
    let after = After { lost, log, ..seen(&folder.path().join("events/seed1.csv")) };
    println!("{options:?}, {policy:?}: {after:?}");
    after
}

/// Tells a daemon what the lab says, in other words.
struct Modem {
    hears_at: PathBuf,
    passes_on: Option<JoinHandle<()>>,
}

impl Modem {
    fn new(folder: &Path, notice: fn(&str) -> String) -> Self {
        let (hears_at, daemon) = (folder.join("modem.sock"), folder.join("mobile.sock"));
        let socket = UnixDatagram::bind(&hears_at).unwrap();
        let passes_on = std::thread::spawn(move || {
            let mut room = [0; 200];
            loop {
                let length = socket.recv(&mut room).unwrap();
                let text = std::str::from_utf8(&room[..length]).unwrap();
                if text == END {
                    return;
                }
                // Nobody has to listen. From a socket without an address, to which nobody answers.
                let _ = UnixDatagram::unbound().unwrap().send_to(notice(text).as_bytes(), &daemon);
            }
        });
        Modem { hears_at, passes_on: Some(passes_on) }
    }
}

impl Drop for Modem {
    fn drop(&mut self) {
        UnixDatagram::unbound().unwrap().send_to(END.as_bytes(), &self.hears_at).unwrap();
        self.passes_on.take().unwrap().join().unwrap();
    }
}

/// With which a modem ends.
const END: &str = "end";

fn seen(events: &Path) -> After {
    let mut after =
        After { first_data_ms: f64::INFINITY, goodput_mbit_s: 0.0, lost: 0.0, log: String::new() };
    for line in fs::read_to_string(events).unwrap().lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let since_s = fields[0].parse::<f64>().unwrap() - LINK_UP_S;
        if since_s < 0.0 {
            continue;
        }
        match fields[2] {
            "segment sent" | "segment sent again" if fields[1] == "server" => {
                let arrives_ms = since_s * 1e3 + ROUND_TRIP_MS / 2.0 + 1500.0 * 8.0 / 20_000.0;
                after.first_data_ms = after.first_data_ms.min(arrives_ms);
            }
            "delivered" if since_s < 5.0 => {
                after.goodput_mbit_s += fields[5].parse::<f64>().unwrap() * 8.0 / 5.0 / 1e6;
            }
            _ => {}
        }
    }
    after
}

const FREEZE: &str = "[default]\nfreeze = true\n";

fn as_is(text: &str) -> String {
    text.to_owned()
}

#[test]
fn a_frozen_download_loses_nothing_and_goes_on_a_round_trip_after_the_link_is_back() {
    let Some(_lab) = ready_or_skip("a_frozen_download_loses_nothing") else { return };
    let stock = outage(&[], None, as_is);
    // Where the doubled timer stands when the link is back hangs on milliseconds.
    assert!((3.0 * ROUND_TRIP_MS..6000.0).contains(&stock.first_data_ms), "the server's timer: {stock:?}");
    assert!(stock.lost > 0.0);
    for version in [&[][..], &["--ipv6"]] {
        let frozen = outage(version, Some(FREEZE), as_is);
        let round_trips = frozen.first_data_ms / ROUND_TRIP_MS;
        assert!((1.0..1.3).contains(&round_trips), "{version:?}: {round_trips} round trips");
        assert_eq!(frozen.lost, 0.0, "{version:?}");
        let most = RATE_MBIT_S * 1448.0 / 1500.0;
        let least = stock.goodput_mbit_s + 0.5 * (most - stock.goodput_mbit_s);
        assert!(
            (least..=most).contains(&frozen.goodput_mbit_s),
            "{version:?}: {frozen:?} compared with {stock:?}"
        );
        assert_contains(
            &frozen.log,
            &["event=freeze-planned", "event=freeze ", "reason=\"link up\"", "times=3", "frozen=1 thawed=1 "],
        );
    }
}

/// With nothing else that helps.
#[test]
fn with_a_lead_that_is_too_short_everything_is_as_without_it() {
    let Some(_lab) = ready_or_skip("with_a_lead_that_is_too_short") else { return };
    let alone = "[default]\nfreeze = true\nrepeat = \"none\"\nkick = false\n";
    let short = outage(&["--set", "link.radio.notice.lead='30 ms'"], Some(alone), as_is);
    assert_contains(
        &short.log,
        &["event=freeze-refused", "reason=\"too late\"", "frozen=0 thawed=0 freezes_refused=1 "],
    );
    assert!((1000.0..6000.0).contains(&short.first_data_ms), "the server's timer: {short:?}");
    assert!(short.lost > 0.0, "{short:?}");
}

/// It is not frozen any more when the announced time comes, and is helped as without a freeze.
#[test]
fn a_link_that_goes_earlier_than_announced_costs_no_more_than_without_a_freeze() {
    let Some(_lab) = ready_or_skip("a_link_that_goes_earlier_than_announced") else { return };
    let early = ["--set", "link.radio.notice.lead='50 ms'"];
    let later = |text: &str| text.replace("50 ms", "400 ms");
    let wrong = outage(&early, Some(FREEZE), later);
    assert_contains(&wrong.log, &["lead_ms=400", "reason=\"lost earlier than announced\"", "frozen=0 "]);
    let helped = outage(&early, Some(""), as_is);
    let ratio = wrong.goodput_mbit_s / helped.goodput_mbit_s;
    assert!((0.7..1.4).contains(&ratio), "{wrong:?} compared with {helped:?}");
}
