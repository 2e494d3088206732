//! What is made tenfold, and the commands that are measured.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Something whose size can grow.
pub(crate) struct Case {
    /// What grows, and in what.
    pub(crate) name: &'static str,
    /// What it is counted in.
    pub(crate) unit: &'static str,
    /// The sizes of a long measurement, each ten times the one before.
    pub(crate) sizes: &'static [u64],
    /// Writes what the command needs into a folder that is empty, and returns its arguments.
    pub(crate) prepare: fn(u64, &Path) -> Vec<String>,
    /// How many times the work of this size one run of the command does: time is given for one.
    pub(crate) times: fn(u64) -> f64,
}

/// Packets that a run with windows sends, and windows that it sends at least.
const PACKETS: u64 = 400_000;
const LEAST_WINDOWS: u64 = 20;

fn windows(n: u64) -> u64 {
    (PACKETS / n).max(LEAST_WINDOWS)
}

const SMALL: &[u64] = &[10, 100, 1000, 10_000];
const LARGE: &[u64] = &[10, 100, 1000, 10_000, 100_000];

pub(crate) const CASES: &[Case] = &[
    window("sack, rfc: 1 % lost", LARGE, |n, at| sender(at, n, SACK, ONE_PERCENT)),
    window("sack, rfc: bursts of 10", LARGE, |n, at| sender(at, n, SACK, BURSTS)),
    Case {
        name: "sack, rfc: slow start into a deep queue",
        unit: "packets in the queue",
        sizes: &[1000, 10_000, 100_000],
        prepare: deep_queue,
        times: |n| DEEP_QUEUE_PACKETS / n as f64,
    },
    window("sack, rfc: 20 % lost", SMALL, |n, at| sender(at, n, SACK, MUCH)),
    window("rack, linux-6.12: 1 % lost", SMALL, |n, at| sender(at, n, RACK, ONE_PERCENT)),
    window("rack, linux-6.12: bursts of 10", SMALL, |n, at| sender(at, n, RACK, BURSTS)),
    window("rack, linux-6.12: 20 % lost", SMALL, |n, at| sender(at, n, RACK, MUCH)),
    window("rack, linux-6.12: 1 % lost, reordered", SMALL, |n, at| sender(at, n, RACK, REORDERED)),
    window("rack, linux-6.12: an outage each second", SMALL, |n, at| sender(at, n, RACK, OUTAGES)),
    window("cubic, linux-6.12: bursts of 10", SMALL, |n, at| sender(at, n, CUBIC, BURSTS)),
    window("bbr, linux-6.12: 1 % lost", SMALL, |n, at| sender(at, n, BBR, ONE_PERCENT)),
    window("send log (recovery of vegas): 1 % lost", SMALL, |n, at| sender(at, n, VEGAS, ONE_PERCENT)),
    window("snoop: 1 % lost", SMALL, |n, at| agent(at, n, "snoop", "", ONE_PERCENT)),
    window("snoop: 20 % lost", SMALL, |n, at| agent(at, n, "snoop", "", MUCH)),
    window("snoop: an outage each second", SMALL, |n, at| agent(at, n, "snoop", "", OUTAGES)),
    window("eln-ack: 1 % lost", LARGE, |n, at| agent(at, n, "eln-ack", LISTS, ONE_PERCENT)),
    window("split: 1 % lost", SMALL, |n, at| agent(at, n, "split", "", ONE_PERCENT)),
    window("wtcp: an outage each second", SMALL, |n, at| agent(at, n, "wtcp", "", OUTAGES)),
    whole("report, grid cells", "grid cells", &[1, 10, 100, 1000], report_of_cells),
    whole("report, parallel flows", "flows", SMALL, report_of_copies),
    whole("report, separate flows", "flows", &[1, 10, 100, 1000], report_of_flows),
    whole("flows in radio cells", "flows", SMALL, flows_in_cells),
    whole("steps of delay, loss and capacity", "steps", &[1000, 10_000, 100_000, 1_000_000], steps),
    whole("handovers", "handovers", &[100, 1000, 10_000, 100_000], handovers),
    whole("opportunities to send", "opportunities", &[1000, 10_000, 100_000, 1_000_000], opportunities),
    whole("check of a valid grid", "grid cells", &[100, 1000, 10_000, 100_000], valid_grid),
    whole("check of a grid with one mistake", "grid cells", &[100, 1000, 10_000, 100_000], one_mistake),
    whole("check of a grid with a mistake per value", "grid cells", SMALL, mistake_per_value),
    whole("sweep", "grid cells", &[100, 1000, 10_000, 100_000], sweep),
    whole("sweep that compares schemes", "grid cells", &[100, 1000, 10_000], sweep_of_schemes),
];

const fn window(name: &'static str, sizes: &'static [u64], prepare: fn(u64, &Path) -> Vec<String>) -> Case {
    Case { name, unit: "packets per window", sizes, prepare, times: |n| windows(n) as f64 }
}

const fn whole(
    name: &'static str,
    unit: &'static str,
    sizes: &'static [u64],
    prepare: fn(u64, &Path) -> Vec<String>,
) -> Case {
    Case { name, unit, sizes, prepare, times: |_| 1.0 }
}

const ONE_PERCENT: &str =
    "loss = { model = \"bernoulli\", probability = \"1 %\", applies_to = \"payload\" }\n";
const MUCH: &str = "loss = { model = \"bernoulli\", probability = \"20 %\", applies_to = \"payload\" }\n";
const BURSTS: &str =
    "loss = { model = \"burst\", start_probability = \"0.1 %\", length = 10, applies_to = \"payload\" }\n";
/// Also a delay that jumps, so that packets overtake others and the sender learns that this path reorders.
const REORDERED: &str = "loss = { model = \"bernoulli\", probability = \"1 %\", applies_to = \"payload\" }\n\
    schedule = { kind = \"delay-series\", file = \"delays.txt\", interval = \"10 ms\", reordering = \"allowed\" }\n";

/// Everything in flight is lost, and a timeout follows.
const OUTAGES: &str =
    "loss = { model = \"outage\", period = \"1 s\", length = \"150 ms\", applies_to = \"payload\" }\n";

/// The congestion control [`crate::fixed`] keeps its window whatever is lost.
const SACK: &str = "profile = \"rfc\"\ncongestion_control = \"fixed\"\nrecovery = \"sack\"\n";
const RACK: &str = "profile = \"linux-6.12\"\ncongestion_control = \"fixed\"\nrecovery = \"rack\"\n";
const VEGAS: &str = "profile = \"rfc\"\ncongestion_control = \"fixed\"\nrecovery = \"vegas-fine\"\n";
const CUBIC: &str = "profile = \"linux-6.12\"\nvariant = \"cubic\"\n";
const BBR: &str = "profile = \"linux-6.12\"\nvariant = \"bbr\"\n";
/// The receiver lists losses.
const LISTS: &str = "loss_notification = { scheme = \"eln-ack\" }\n";

/// Payload of a segment: small, so that the send buffer of Linux holds large windows.
const SEGMENT: u64 = 200;
/// With headers and options.
const PACKET: u64 = SEGMENT + 52;

/// A flow whose window is `n` packets in a round trip of 100 ms; the run takes [`windows`] of them.
fn sender(at: &Path, n: u64, variant: &str, loss: &str) -> Vec<String> {
    fs::write(at.join("delays.txt"), "50\n47\n50\n49\n".repeat(25)).unwrap();
    let text = heading(&["a", "b"], windows(n) * 100)
        + &link("air", "a", "b", n, 50, loss)
        + &flow("a", "b", n, variant);
    run(at, &text)
}

/// The same over a wired link and, behind an agent, a lossy one.
fn agent(at: &Path, n: u64, kind: &str, flow_keys: &str, loss: &str) -> Vec<String> {
    let cache = match kind {
        "snoop" | "wtcp" => format!("{kind} = {{ cache = {} }}\n", n.max(10)),
        _ => String::new(),
    };
    let agent = format!(
        "[[agent]]\nname = \"station\"\nkind = \"{kind}\"\nlink = \"air\"\nmemory = \"1 GB\"\n{cache}\n"
    );
    let text = heading(&["a", "m", "b"], windows(n) * 100)
        + &link("wire", "a", "m", n, 5, "")
        + &link("air", "m", "b", n, 45, loss)
        + &agent
        + &flow("a", "b", n, &format!("{SACK}{flow_keys}"));
    run(at, &text)
}

/// What 1 Gbit/s carries in ten seconds.
const DEEP_QUEUE_PACKETS: f64 = 830_000.0;

/// The window doubles until half of it is lost: every other packet.
fn deep_queue(n: u64, at: &Path) -> Vec<String> {
    let text = format!(
        "duration = \"10 s\"\nseeds = 1\nnodes = [\"a\", \"b\"]\n\n[[link]]\nname = \"air\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Gbit/s\"\n\
         one_way_delay = \"1 ms\"\nqueue = {{ discipline = \"drop-tail\", limit = \"{n} packets\" }}\n\n[[flow]]\nname = \"main\"\n\
         from = \"a\"\nto = \"b\"\nprofile = \"rfc\"\nvariant = \"sack\"\ntcp = {{ receive_buffer = \"500 MB\" }}\n"
    );
    run(at, &text)
}

fn heading(nodes: &[&str], milliseconds: u64) -> String {
    format!(
        "duration = \"{milliseconds} ms\"\nseeds = 1\nnodes = {nodes:?}\n\n[output]\ninterval = \"{milliseconds} ms\"\n\n"
    )
}

fn link(name: &str, from: &str, to: &str, n: u64, delay_ms: u64, more: &str) -> String {
    let bits_per_second = n * PACKET * 8 * 10;
    format!(
        "[[link]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"{bits_per_second} bit/s\"\n\
         one_way_delay = \"{delay_ms} ms\"\nqueue = {{ discipline = \"drop-tail\", limit = \"{} packets\" }}\n{more}\n",
        n + 2
    )
}

fn flow(from: &str, to: &str, n: u64, keys: &str) -> String {
    let buffer = 3 * n * SEGMENT + 10_000;
    format!(
        "[[flow]]\nname = \"main\"\nfrom = \"{from}\"\nto = \"{to}\"\n{keys}\
         tcp = {{ window_limit = {n}, initial_window = {n}, segment_size = \"{SEGMENT} B\", receive_buffer = \"{buffer} B\" }}\n\n"
    )
}

fn run(at: &Path, text: &str) -> Vec<String> {
    fs::write(at.join("it.toml"), text).unwrap();
    words("run it.toml --quiet --table none")
}

fn words(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_owned).collect()
}

/// A run that is over at once.
const TINY: &str = "duration = \"20 ms\"\nwarm_up = \"0 s\"\nseeds = 1\nnodes = [\"a\", \"b\"]\n\n[[link]]\nname = \"air\"\nfrom = \"a\"\nto = \"b\"\n\
    rate = \"10 Mbit/s\"\none_way_delay = \"2 ms\"\nqueue = { discipline = \"drop-tail\", limit = \"10 packets\" }\n\n\
    [[flow]]\nname = \"main\"\nfrom = \"a\"\nto = \"b\"\nvariant = \"cubic\"\n\n";

/// `n` values as a list.
fn list(n: u64, value: impl Fn(u64) -> String) -> String {
    (0..n).map(value).collect::<Vec<_>>().join(", ")
}

/// Sizes of the queue, from 10 packets on.
fn limits(n: u64) -> String {
    format!("link.air.queue.limit = [{}]\n", list(n, |k| format!("\"{} packets\"", k + 10)))
}

fn report_of_cells(n: u64, at: &Path) -> Vec<String> {
    fs::write(at.join("it.toml"), format!("{TINY}[grid]\n{}", limits(n))).unwrap();
    words("run it.toml --quiet --table none --report out")
}

fn report_of_flows(n: u64, at: &Path) -> Vec<String> {
    let (network, flow) = TINY.split_at(TINY.find("[[flow]]").unwrap());
    let flows: String = (0..n).map(|k| flow.replace("\"main\"", &format!("\"flow-{k}\""))).collect();
    fs::write(at.join("it.toml"), format!("{network}{flows}")).unwrap();
    words("run it.toml --quiet --table none --report out")
}

/// Ten in each cell, two seconds.
fn flows_in_cells(n: u64, at: &Path) -> Vec<String> {
    fs::write(at.join("scale.toml"), include_str!("../peers/scale/scale.toml")).unwrap();
    let set =
        [format!("group.bs.count={}", n / 10), format!("group.user.count={n}"), "duration=2 s".to_owned()];
    let run = ["run", "scale.toml", "--jobs", "1", "--quiet", "--table", "none"].map(str::to_owned);
    run.into_iter().chain(set.into_iter().flat_map(|set| ["--set".to_owned(), set])).collect()
}

fn report_of_copies(n: u64, at: &Path) -> Vec<String> {
    let text = TINY.replace("variant = \"cubic\"\n", &format!("variant = \"cubic\"\ncount = {n}\n"));
    fs::write(at.join("it.toml"), text).unwrap();
    words("run it.toml --quiet --table none --report out")
}

/// A step each millisecond.
fn steps(n: u64, at: &Path) -> Vec<String> {
    let mut csv = "t,r,d,l\n".to_owned();
    for k in 0..n {
        let _ = writeln!(csv, "{k},{},{},{}", 10 + k % 7, 20 + k % 5, k % 2);
    }
    fs::write(at.join("it.csv"), csv).unwrap();
    let schedule = "schedule = { kind = \"csv\", file = \"it.csv\", time = { column = \"t\", unit = \"ms\" }, rate = { column = \"r\", \
        unit = \"kbit/s\" }, one_way_delay = { column = \"d\", unit = \"ms\" }, loss = { column = \"l\", unit = \"%\" } }\n";
    let text = TINY.replace("rate = \"10 Mbit/s\"\none_way_delay = \"2 ms\"\n", schedule);
    run(at, &text.replace("\"20 ms\"", &format!("\"{n} ms\"")))
}

/// A handover each second.
fn handovers(n: u64, at: &Path) -> Vec<String> {
    let times = list(n, |k| format!("\"{} ms\"", k * 1000 + 500));
    let handover =
        format!("rate = \"20 kbit/s\"\nhandover = {{ at = [{times}], interruption = \"10 ms\" }}\n");
    let text = TINY.replace("rate = \"10 Mbit/s\"\n", &handover);
    run(at, &text.replace("\"20 ms\"", &format!("\"{n} s\"")))
}

/// An opportunity each 10 ms.
fn opportunities(n: u64, at: &Path) -> Vec<String> {
    let times: String = (1..=n).map(|k| format!("{}\n", k * 10)).collect();
    fs::write(at.join("it.trace"), times).unwrap();
    let schedule = "schedule = { kind = \"mahimahi\", file = \"it.trace\" }\n";
    let text = TINY.replace("rate = \"10 Mbit/s\"\n", schedule);
    run(at, &text.replace("\"20 ms\"", &format!("\"{} ms\"", n * 10)))
}

fn valid_grid(n: u64, at: &Path) -> Vec<String> {
    fs::write(at.join("it.toml"), format!("{TINY}[grid]\n{}", limits(n))).unwrap();
    words("check it.toml")
}

fn one_mistake(n: u64, at: &Path) -> Vec<String> {
    let text = TINY.replace("\"cubic\"", "\"cubik\"");
    fs::write(at.join("it.toml"), format!("{text}[grid]\n{}", limits(n))).unwrap();
    words("check it.toml")
}

fn mistake_per_value(n: u64, at: &Path) -> Vec<String> {
    let values = list(n, |k| format!("\"{} parsecs\"", k + 10));
    fs::write(at.join("it.toml"), format!("{TINY}[grid]\nlink.air.queue.limit = [{values}]\n")).unwrap();
    words("check it.toml")
}

fn sweep(n: u64, at: &Path) -> Vec<String> {
    fs::write(at.join("it.toml"), format!("{TINY}[grid]\n{}", limits(n))).unwrap();
    words("sweep it.toml --quiet --out out")
}

fn sweep_of_schemes(n: u64, at: &Path) -> Vec<String> {
    let grid = format!("{}flow.main.variant = [\"cubic\", \"newreno\"]\n", limits(n / 2));
    fs::write(at.join("it.toml"), format!("{TINY}[grid]\n{grid}")).unwrap();
    words("sweep it.toml --quiet --out out")
}
