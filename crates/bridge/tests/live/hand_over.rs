//! A phone goes from one base station to another while it downloads, each with an agent in a process and a namespace of its own:
//!
//! ```text
//!                       s0 -- b0 old b1 -- c0
//! fixed a0 -- a1 middle                      middle e0 -- d0 mobile
//!                       s1 -- b0 new b1 -- c1
//! ```
//!
//! `middle` is the switch and the air: 20 ms, and 20 Mbit/s with 5 ms behind each base station.

use crate::hosts::{inside, ip, pause, skip, veth};
use crate::net::{Transfer, Turn, now};
use crate::sender::{segments_sent_again, timeouts};
use crate::settings;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use seamline_agent::Side;
use seamline_bridge::Outgoing;
use seamline_bridge::system::{Batch, FallbackBy, HandOver, Options, Port, ask, run};
use seamline_host::clock::monotonic;
use seamline_host::log::Format;
use seamline_lab::system::Namespace;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

const NAME: &str = "a_download_goes_on_at_the_next_base_station";
const BYTES: u64 = 4_000_000;
/// The base stations' own network.
const STATIONS: [&str; 2] = ["10.78.0.1", "10.78.0.2"];
const PHONE: &str = "10.77.0.2";
const PORT: u16 = 1022;

/// Milliseconds, one way.
const WIRED: u64 = 20;
const AIR: u64 = 5;
/// Bytes in a millisecond: 20 Mbit/s.
const RATE: u64 = 2500;
/// What waits for the air before more is lost, in milliseconds: twice what is under way.
const QUEUE: u64 = 100;

/// The mobile host hears nobody.
const NOBODY: usize = 2;

/// Who carries what.
#[derive(Debug)]
struct Cells {
    /// The base station that the mobile host hears.
    radio: AtomicUsize,
    /// The one to which the switch sends what is for the mobile host.
    path: AtomicUsize,
    stop: AtomicBool,
}

struct Net {
    _turn: Turn,
    fixed: Namespace,
    stations: [Namespace; 2],
    mobile: Namespace,
    cells: Arc<Cells>,
    middle: Option<JoinHandle<()>>,
}

impl Net {
    fn or_skip() -> Option<Self> {
        let turn = Turn::alone();
        let made = [(); 5].map(|()| Namespace::new().ok());
        let has_ip = Command::new("ip").arg("-V").output().is_ok();
        let [Some(fixed), Some(old), Some(new), Some(middle), Some(mobile)] = made else {
            skip(NAME, "it takes root");
            return None;
        };
        if !has_ip {
            skip(NAME, "it takes ip");
            return None;
        }
        veth(&fixed, "a0", &middle, "a1");
        veth(&middle, "e0", &mobile, "d0");
        veth(&old, "h0", &new, "h0");
        for (number, station) in [&old, &new].into_iter().enumerate() {
            veth(&middle, &format!("s{number}"), station, "b0");
            veth(station, "b1", &middle, &format!("c{number}"));
            ip(station, &format!("addr add {}/24 dev h0", STATIONS[number]));
        }
        ip(&fixed, "addr add 10.77.0.1/24 dev a0");
        ip(&mobile, &format!("addr add {PHONE}/24 dev d0"));
        let (radio, path) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let cells = Arc::new(Cells { radio, path, stop: AtomicBool::new(false) });
        let its = Arc::clone(&cells);
        let middle = Some(inside(&middle, move || Middle::open().forward(&its)));
        Some(Net { _turn: turn, fixed, stations: [old, new], mobile, cells, middle })
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        self.cells.stop.store(true, Ordering::Relaxed);
        let ended = self.middle.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || matches!(ended, Some(Ok(()))));
    }
}

/// The switch and the air.
struct Middle {
    /// Of the fixed host, the mobile host, and each base station: wired, and wireless.
    ports: [Port; 6],
    /// By time, in microseconds: where it came in, and what.
    waiting: BTreeMap<(u64, u64), (usize, Vec<u8>)>,
    count: u64,
    /// Until when the air of a base station is taken.
    busy_until: [u64; 2],
}

const FIXED: usize = 0;
const MOBILE: usize = 1;
const WIRED_OF: [usize; 2] = [2, 4];
const WIRELESS_OF: [usize; 2] = [3, 5];

impl Middle {
    fn open() -> Self {
        let ports = ["a1", "e0", "s0", "c0", "s1", "c1"].map(|name| Port::open(name).unwrap());
        Middle { ports, waiting: BTreeMap::new(), count: 0, busy_until: [0; 2] }
    }

    fn forward(mut self, cells: &Cells) {
        let mut batch = Batch::default();
        let mut outgoing: [Outgoing; 6] = Default::default();
        while !cells.stop.load(Ordering::Relaxed) {
            pause(1);
            for place in 0..6 {
                self.ports[place].receive(&mut batch).unwrap();
                let now = monotonic().as_nanos() / 1000;
                batch.iter().for_each(|(frame, _)| self.take_in(cells, now, place, frame));
            }
            let now = monotonic().as_nanos() / 1000;
            while let Some(first) = self.waiting.first_entry().filter(|first| first.key().0 <= now) {
                let (place, frame) = first.remove();
                if let Some(towards) = leads(cells, place) {
                    outgoing[towards].push(Side::Wired, &[&frame]);
                }
            }
            for (port, outgoing) in self.ports.iter_mut().zip(&mut outgoing) {
                port.send(Side::Wired, outgoing, &batch);
                outgoing.clear();
            }
        }
    }

    fn take_in(&mut self, cells: &Cells, now: u64, place: usize, frame: &[u8]) {
        let at = match WIRELESS_OF.iter().position(|wireless| *wireless == place) {
            Some(station) => {
                let begins = self.busy_until[station].max(now);
                if begins > now + 1000 * QUEUE {
                    return;
                }
                self.busy_until[station] = begins + 1000 * frame.len() as u64 / RATE;
                self.busy_until[station] + 1000 * AIR
            }
            None if place == MOBILE => {
                if cells.radio.load(Ordering::Relaxed) == NOBODY {
                    return;
                }
                now + 1000 * AIR
            }
            None => now + 1000 * WIRED,
        };
        self.count += 1;
        self.waiting.insert((at, self.count), (place, frame.to_vec()));
    }
}

/// Where what came in there goes now.
fn leads(cells: &Cells, from: usize) -> Option<usize> {
    let radio = cells.radio.load(Ordering::Relaxed);
    match from {
        FIXED => Some(WIRED_OF[cells.path.load(Ordering::Relaxed)]),
        MOBILE => WIRELESS_OF.get(radio).copied(),
        from if WIRED_OF.contains(&from) => Some(FIXED),
        // The air of a base station that the mobile host does not hear.
        from => (WIRELESS_OF.get(radio) == Some(&from)).then_some(MOBILE),
    }
}

/// Not a test, but what the children below run.
#[test]
fn the_base_station_itself() {
    let Ok(folder) = std::env::var("SEAMLINE_TEST_STATION") else { return };
    let hand_over = HandOver {
        control: Some(Path::new(&folder).join("control")),
        at: Some(format!("0.0.0.0:{PORT}").parse().unwrap()),
        from: STATIONS.map(|address| address.parse::<IpAddr>().unwrap()).to_vec(),
    };
    let interfaces = ["b0".to_owned(), "b1".to_owned()];
    let options = Options {
        interfaces,
        metrics: None,
        format: Format::default(),
        fallback: FallbackBy::Kernel,
        runs_first: true,
        confines: true,
        hand_over,
    };
    let log = std::fs::File::create(Path::new(&folder).join("log")).unwrap();
    let kind = std::env::var("SEAMLINE_TEST_BRIDGE").unwrap();
    run(settings(&kind), &options, std::io::stdin(), log).unwrap();
}

/// A process of its own.
struct Station {
    child: Child,
    folder: PathBuf,
}

impl Station {
    fn begin(namespace: &Namespace, kind: &str, folder: PathBuf) -> Self {
        std::fs::create_dir_all(&folder).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "hand_over::the_base_station_itself", "--nocapture"]);
        command.env("SEAMLINE_TEST_STATION", &folder).env("SEAMLINE_TEST_BRIDGE", kind);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = namespace.within(|| command.spawn()).unwrap();
        let station = Station { child, folder };
        let begun = now();
        while !station.control().exists() {
            assert!(now() - begun < 60_000, "it does not begin");
            pause(10);
        }
        station
    }
    fn control(&self) -> PathBuf {
        self.folder.join("control")
    }
    /// What it has counted, from the last line of its log.
    fn end(mut self) -> impl Fn(&str) -> u64 {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap();
        move |name: &str| {
            let words = log.lines().last().unwrap().split(' ');
            let found = words.filter_map(|word| word.split_once('=')).find(|(key, _)| *key == name);
            found.unwrap_or_else(|| panic!("no {name} in {log}")).1.parse().unwrap()
        }
    }
}

/// Also when a test fails, which may have stopped it.
impl Drop for Station {
    fn drop(&mut self) {
        let _ = (self.child.kill(), self.child.wait());
    }
}

/// What the driver of handovers tells the old base station's agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notice {
    Nothing,
    WhereTo,
    /// The new base station's agent has stopped (SIGSTOP): it takes connections of the kernel, and answers none.
    OfOneThatHangs,
}

/// Of one download.
struct Found {
    /// Packets that the new agent has sent again at once.
    packets: u64,
    by_sender: u64,
    timeouts: u64,
    /// From when the new base station carries to the next byte that the application reads, in milliseconds.
    first: u64,
    /// From then to the end of the file.
    rest: u64,
}

/// The phone hears nobody for `gap` milliseconds in the middle of a download.
fn download(kind: &str, congestion_control: &str, gap: u64, notice: Notice) -> Option<Found> {
    let net = Net::or_skip()?;
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = [0, 1]
        .map(|number| Station::begin(&net.stations[number], kind, folder.path().join(number.to_string())));
    pause(200);
    let mut transfer = Transfer::between([&net.fixed, &net.mobile], 4, BYTES, Some(congestion_control));
    transfer.wait_for(BYTES * 4 / 10);
    let before = [segments_sent_again(&net.fixed), timeouts(&net.fixed)];
    net.cells.radio.store(NOBODY, Ordering::Relaxed);
    pause(gap.max(2 * AIR));
    let (begun, received) = (now(), transfer.received());
    net.cells.path.store(1, Ordering::Relaxed);
    net.cells.radio.store(1, Ordering::Relaxed);
    let pid = Pid::from_raw(new.child.id() as i32);
    if notice == Notice::OfOneThatHangs {
        // After it has forwarded for a while: a bridge that hangs carries nothing.
        kill(pid, Signal::SIGSTOP).unwrap();
    }
    if notice != Notice::Nothing {
        let answer = ask(&old.control(), &format!("hand-over {}:{PORT} {PHONE}", STATIONS[1])).unwrap();
        let is_refused = answer.starts_with("error: ");
        assert_eq!(is_refused, notice == Notice::OfOneThatHangs, "{answer}");
    }
    kill(pid, Signal::SIGCONT).unwrap();
    transfer.wait_for(received + 1);
    let first = now() - begun;
    transfer.finish();
    let rest = now() - begun;
    let after = [segments_sent_again(&net.fixed), timeouts(&net.fixed)];
    let [old, new] = [old, new].map(Station::end);
    let packets = new("taken_in_packets");
    assert_eq!((old("taken_in_connections"), new("handed_out_connections")), (0, 0));
    // One that goes on may take in what has reached its kernel meanwhile, if it is still needed.
    if notice != Notice::OfOneThatHangs {
        assert_eq!(new("taken_in_connections"), u64::from(notice == Notice::WhereTo));
    }
    assert_eq!(old("handed_out_connections"), u64::from(notice != Notice::Nothing));
    assert_eq!(old("failures") + new("failures") + old("bypasses"), 0);
    Some(Found { packets, by_sender: after[0] - before[0], timeouts: after[1] - before[1], first, rest })
}

/// Downloads that differ in chance alone.
struct Runs(Vec<Found>);

impl Runs {
    fn of(kind: &str, congestion_control: &str, gap: u64, notice: Notice, runs: usize) -> Option<Self> {
        let found: Option<_> = (0..runs).map(|_| download(kind, congestion_control, gap, notice)).collect();
        let it = Runs(found?);
        println!(
            "{kind}, {congestion_control}, {gap} ms, {notice:?}: handed over {}; sent again by the sender {}, \
             timeouts {}; ms to the next byte {}, to the end {}",
            it.shown(|it| it.packets),
            it.shown(|it| it.by_sender),
            it.shown(|it| it.timeouts),
            it.shown(|it| it.first),
            it.shown(|it| it.rest)
        );
        Some(it)
    }
    fn sorted(&self, of: fn(&Found) -> u64) -> Vec<u64> {
        let mut values: Vec<u64> = self.0.iter().map(of).collect();
        values.sort_unstable();
        values
    }
    fn median(&self, of: fn(&Found) -> u64) -> u64 {
        self.sorted(of)[self.0.len() / 2]
    }
    /// Median, least and most.
    fn shown(&self, of: fn(&Found) -> u64) -> String {
        let values = self.sorted(of);
        format!("{} ({} to {})", self.median(of), values[0], values[values.len() - 1])
    }
}

#[test]
fn a_download_goes_on_at_the_next_base_station() {
    seamline_testing::punctual(30, || {
        for kind in ["snoop", "obtcp-bs"] {
            let Some(without) = Runs::of(kind, "cubic", 300, Notice::Nothing, 3) else { return };
            let with = Runs::of(kind, "cubic", 300, Notice::WhereTo, 3).expect("the same host");
            // A window of the path and its queue has 240 segments; the cache has room for 2000.
            assert!(with.0.iter().all(|it| (20..2000).contains(&it.packets)));
            // What is handed over takes a way of some milliseconds, the sender's timer at least 200.
            assert!(with.median(|it| it.first) < without.median(|it| it.first).min(200));
            assert!(with.median(|it| it.by_sender) < without.median(|it| it.by_sender));
        }
    });
}

/// The download goes on as if nothing had been handed over, and the caller that reports the handover hears that it failed.
#[test]
fn an_agent_that_hangs_stalls_nobody_who_hands_over_to_it() {
    seamline_testing::punctual(30, || {
        // That the agent of the old base station comes round meanwhile, and has no guard step in, is looked at in each download.
        drop(Runs::of("snoop", "cubic", 100, Notice::OfOneThatHangs, 1));
    });
}

/// For the table in `docs/how-to/agent-hand-over.md`, as often as `SEAMLINE_HAND_OVER_RUNS` says; else not at all.
#[test]
fn what_handing_over_brings() {
    let Ok(runs) = std::env::var("SEAMLINE_HAND_OVER_RUNS").map(|text| text.parse().unwrap()) else { return };
    for (kind, congestion_control) in [("snoop", "cubic"), ("snoop", "bbr"), ("obtcp-bs", "cubic")] {
        for gap in [100, 300, 1000] {
            for notice in [Notice::Nothing, Notice::WhereTo] {
                if Runs::of(kind, congestion_control, gap, notice, runs).is_none() {
                    return;
                }
            }
        }
    }
}
