//! What an agent takes off the kernel's sender behind it: the same losses with its help, and with an agent that only looks on.

use crate::hop::Hop;
use crate::net::{Net, Transfer, now};
use crate::{Bridge, options, settings};
use seamline_bridge::Settings;
use seamline_lab::system::Namespace;

const BYTES: u64 = 1_500_000;
/// Bytes of a segment over Ethernet, with timestamps.
const SEGMENT: u64 = 1448;

/// Of one download.
struct Found {
    /// Segments that the agent has sent again, or would have.
    by_agent: u64,
    suppressed_acknowledgments: u64,
    by_sender: u64,
    millis: u64,
}

/// As `nstat` shows it.
pub(crate) fn segments_sent_again(namespace: &Namespace) -> u64 {
    counted(namespace, "snmp", "Tcp: ", "RetransSegs")
}

/// How often the retransmission timer has expired.
pub(crate) fn timeouts(namespace: &Namespace) -> u64 {
    counted(namespace, "netstat", "TcpExt: ", "TCPTimeouts")
}

fn counted(namespace: &Namespace, file: &str, group: &str, name: &str) -> u64 {
    // That of the process would be of the namespace that it began in.
    let path = format!("/proc/thread-self/net/{file}");
    let text = namespace.within(|| std::fs::read_to_string(path)).unwrap();
    let mut rows = text.lines().filter_map(|line| line.strip_prefix(group)).map(str::split_whitespace);
    let place = rows.next().unwrap().position(|it| it == name).unwrap();
    rows.next().unwrap().nth(place).unwrap().parse().unwrap()
}

fn download(test: &str, settings: Settings, congestion_control: &str, seed: u64) -> Option<Found> {
    let net = Net::alone_or_skip(test)?;
    let hop = Hop::seeded(&net, 20, seed);
    let mut bridge = Bridge::begin(&net, settings, options());
    let begun = now();
    Transfer::begin_by(&net, 4, BYTES, Some(congestion_control)).finish();
    let millis = now() - begun;
    let agent = bridge.end().unwrap().agent;
    hop.end();
    Some(Found {
        by_agent: agent.local_retransmissions,
        suppressed_acknowledgments: agent.suppressed_acknowledgments,
        by_sender: segments_sent_again(&net.fixed),
        millis,
    })
}

/// Downloads, one for each of the hop's seeds.
struct Runs(Vec<Found>);

impl Runs {
    /// Three, or as many as `SEAMLINE_SENDER_RUNS` says.
    fn of(kind: &str, congestion_control: &str, is_dry: bool) -> Option<Self> {
        let runs = std::env::var("SEAMLINE_SENDER_RUNS").map_or(3, |text| text.parse().unwrap());
        let one = |seed| {
            let settings = Settings { is_dry, ..settings(kind) };
            download("what_an_agent_takes_off_the_sender", settings, congestion_control, seed)
        };
        let found = Runs((0..runs).map(one).collect::<Option<_>>()?);
        println!(
            "{kind}, {congestion_control}, dry: {is_dry}, median: sent again by the agent {}, by the sender {}; \
             {} acknowledgments hidden, {} ms",
            found.median(|it| it.by_agent),
            found.median(|it| it.by_sender),
            found.median(|it| it.suppressed_acknowledgments),
            found.median(|it| it.millis)
        );
        Some(found)
    }
    fn sum(&self, of: fn(&Found) -> u64) -> u64 {
        self.0.iter().map(of).sum()
    }
    fn median(&self, of: fn(&Found) -> u64) -> u64 {
        let mut values: Vec<u64> = self.0.iter().map(of).collect();
        values.sort_unstable();
        values[values.len() / 2]
    }
    fn segments(&self) -> u64 {
        self.0.len() as u64 * BYTES / SEGMENT
    }
}

/// The bounds are about twice what fifteen runs have shown. What `obtcp-mr` leaves to the sender has none: in a fifth of them it was ten times the median.
#[test]
fn what_an_agent_takes_off_the_sender() {
    seamline_testing::punctual(30, || {
        for congestion_control in ["cubic", "bbr"] {
            let Some(dry) = Runs::of("snoop", congestion_control, true) else { return };
            let helped = Runs::of("snoop", congestion_control, false).expect("the same host");
            let (by_agent, by_sender) = (helped.sum(|it| it.by_agent), helped.sum(|it| it.by_sender));
            // Of all segments 2 % are lost, and 2 % overtaken. The first of each window is repaired.
            assert!((1..=helped.segments() * 4 / 100).contains(&by_agent), "{by_agent}");
            // The others are the sender's, and it is notified of all that has come.
            assert!((1..=2 * dry.sum(|it| it.by_sender)).contains(&by_sender), "{by_sender}");
            assert!(congestion_control == "bbr" || is_sooner(&helped, &dry));
        }
        let Some(dry) = Runs::of("obtcp-mr", "cubic", true) else { return };
        let helped = Runs::of("obtcp-mr", "cubic", false).expect("the same host");
        let by_agent = helped.sum(|it| it.by_agent);
        // More than what was lost, for it goes back; less than everything twice.
        assert!((helped.segments() / 50..2 * helped.segments()).contains(&by_agent), "{by_agent}");
        assert!(is_sooner(&helped, &dry));
    });
}

/// Cubic takes each loss for congestion. (BBR does not, and gains nothing.)
fn is_sooner(helped: &Runs, dry: &Runs) -> bool {
    let [helped, dry] = [helped, dry].map(|it| it.sum(|it| it.millis));
    println!("{helped} ms, dry {dry} ms");
    helped < dry
}
