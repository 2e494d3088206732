//! `cargo xtask kills`: `kill -9` at random moments, again and again in the same namespaces, and what is left behind.

use super::daemon::{Daemon, Setup, can_use_ebpf, has_programs};
use super::flow::{Content, Flow};
use super::left::{self, fallbacks};
use super::network::{Network, now, pause};
use super::ready;
use super::subject::{Middle, Subject};
use nix::sys::signal::Signal;
use seamline_host::uninterrupted;
use seamline_wire::random::Stream;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How often, and with which dice.
#[derive(Debug, clap::Args)]
pub(crate) struct KillOptions {
    /// Random seed: the same seed gives the same moments
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How often each is killed
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: u64,
    /// Begin with this kill rather than with the first
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// Which agents or daemons; can be repeated
    #[arg(long, value_name = "NAME", default_values = ["snoop", "eln-ack", "obtcp-base-station", "obtcp-mobile-router", "split", "mobile", "sender"])]
    subject: Vec<Subject>,
    /// The command under test [default: seamline-host next to this program]
    #[arg(long, value_name = "PATH")]
    host: Option<PathBuf>,
}

/// How many seconds the monotonic clock of a process may be off the host's, as in a container with a time namespace.
const CLOCKS: [i64; 4] = [0, 0, -5, 1000];

/// When it is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// So long after its process began.
    Starting(u64),
    /// So long after it began to work.
    Working(u64),
    /// So long after SIGTERM.
    Ending(u64),
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Moment::Starting(millis) => write!(f, "{millis} ms after its process began"),
            Moment::Working(millis) => write!(f, "{millis} ms after it began to work"),
            Moment::Ending(millis) => write!(f, "{millis} ms after SIGTERM"),
        }
    }
}

/// Kill all of them; whether nothing was left behind.
pub(crate) fn kills(options: &KillOptions) -> Result<bool, String> {
    let program = ready(options.host.as_deref())?;
    for subject in &options.subject {
        if *subject == Subject::Sender && !has_programs(&program) {
            println!("sender: skipped, as {} cannot load its eBPF programs", program.display());
            continue;
        }
        let mut series = Series::new(*subject, options.seed, &program)?;
        for number in options.first..options.first + options.count {
            if let Err(why) = series.kill_once(options.seed, number) {
                println!("seed {}, kill {number} of {subject}: {why}", options.seed);
                println!(
                    "to repeat it: cargo xtask kills --subject {subject} --seed {} --first {number}",
                    options.seed
                );
                return Ok(false);
            }
        }
        match series.finish() {
            Ok(figures) => println!("{subject}: {figures}"),
            Err(why) => {
                println!("seed {}, {subject}, after the last kill: {why}", options.seed);
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// One after the other in the same namespaces, and connections meanwhile.
struct Series {
    setup: Setup,
    network: Network,
    /// What starting it takes, in milliseconds.
    start: u64,
    /// It may be asked to leave the kernel forwarding.
    keeps_forwarding: bool,
    /// A connection that goes on whatever is killed.
    flow: Option<Flow>,
    connections: u16,
    kills: [u64; 3],
    starts: Vec<u64>,
    bytes: u64,
    /// The kernel forwarded after so many kills.
    forwarded: u64,
    /// Congestion controls of senders that others have.
    controls: Vec<String>,
    _folder: tempfile::TempDir,
}

impl Series {
    fn new(subject: Subject, seed: u64, program: &Path) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let setup = Setup::new(subject, program, folder.path(), false)?;
        let network = Network::new(subject.middle(false), 0, true, seed)?;
        let mut series = Series {
            setup,
            network,
            start: 0,
            keeps_forwarding: subject.middle(false) == Middle::Agent && can_use_ebpf(),
            flow: None,
            connections: 0,
            kills: [0; 3],
            starts: Vec::new(),
            bytes: 0,
            forwarded: 0,
            controls: left::congestion_controls()?,
            _folder: folder,
        };
        for _ in 0..3 {
            series.start = series.begin_and_end(0)?.max(series.start);
        }
        Ok(series)
    }

    /// The next start takes over what was left, works, and leaves nothing. Its monotonic clock is so many seconds off.
    fn begin_and_end(&mut self, clock: i64) -> Result<u64, String> {
        let mut daemon = self.setup.begin(&self.network, clock)?;
        let millis = daemon.await_start()?;
        self.starts.push(millis);
        self.passes("with it", None)?;
        daemon.terminate()?;
        left::after_end(&self.network, &self.setup)?;
        Ok(millis)
    }

    fn kill_once(&mut self, seed: u64, number: u64) -> Result<(), String> {
        let mut dice = Stream::new(seed, &format!("kill/{}/{number}", self.setup.subject));
        self.setup.keeps_forwarding = self.keeps_forwarding && dice.chance(0.5);
        let moment = match dice.below(3) {
            0 => Moment::Starting(dice.below(2 * self.start + 2)),
            1 => Moment::Working(dice.below(250)),
            _ => Moment::Ending(dice.below(60)),
        };
        let clock = CLOCKS[dice.below(CLOCKS.len() as u64) as usize];
        let at = |why| format!("{moment}, its clock {clock} s off: {why}");
        let did_forward = self.is_forwarded().map_err(at)?;
        self.kill_at(moment, clock).map_err(at)?;
        left::after_kill(&self.network, &self.setup).map_err(at)?;
        let forwards = self.is_forwarded().map_err(at)?;
        if did_forward && !forwards && !matches!(moment, Moment::Ending(_)) {
            return Err(at("the kernel's forwarding is gone, which an earlier agent had left".to_owned()));
        }
        self.passes("after that", Some(forwards)).map_err(at)?;
        self.forwarded += u64::from(forwards);
        if dice.chance(0.3) {
            self.begin_and_end(clock)
                .map_err(|why| at(format!("the next one, its clock {clock} s off: {why}")))?;
        }
        // A sender helps only connections that begin while it works.
        let is_over = self.flow.as_ref().is_none_or(Flow::is_over);
        if self.setup.subject == Subject::Sender && is_over {
            return self.finish_flow().map_err(at);
        }
        self.continue_flow().map_err(at)
    }

    fn kill_at(&mut self, moment: Moment, clock: i64) -> Result<(), String> {
        let mut daemon = self.setup.begin(&self.network, clock)?;
        match moment {
            Moment::Starting(millis) => {
                self.kills[0] += 1;
                pause(millis);
                daemon.require_alive()?;
            }
            Moment::Working(millis) => {
                self.kills[1] += 1;
                self.starts.push(daemon.await_start()?);
                self.announce()?;
                self.begin_helped()?;
                pause(millis);
                daemon.require_alive()?;
            }
            Moment::Ending(millis) => {
                self.kills[2] += 1;
                self.starts.push(daemon.await_start()?);
                daemon.signal(Signal::SIGTERM);
                pause(millis);
            }
        }
        Daemon::kill(daemon);
        Ok(())
    }

    /// An outage that never comes: meanwhile the other ends' windows may be closed.
    fn announce(&self) -> Result<(), String> {
        let freezes = self.setup.freezes && self.setup.subject == Subject::Mobile;
        if freezes { self.setup.announce(200) } else { Ok(()) }
    }

    /// The next connection, so that a sender has one: it keeps its congestion control when the sender is gone.
    fn begin_helped(&mut self) -> Result<(), String> {
        if self.setup.subject == Subject::Sender { self.continue_flow() } else { Ok(()) }
    }

    /// Whether the kernel forwards for an agent that is gone.
    fn is_forwarded(&self) -> Result<bool, String> {
        match self.setup.subject.middle(false) {
            Middle::Agent => Ok(fallbacks(&self.network)? == [1, 1]),
            _ => Ok(true),
        }
    }

    /// Packets pass in both directions, each once; not asked where the kernel does not forward (`Some(false)`).
    fn passes(&mut self, when: &str, forwards: Option<bool>) -> Result<(), String> {
        if forwards == Some(false) {
            return Ok(());
        }
        if matches!(self.setup.subject, Subject::Split | Subject::Sender) {
            let content = self.next_content(3000, 0);
            let (bytes, broken) = Flow::begin(&self.network, content, &Arc::default())?.finish();
            self.bytes += bytes;
            return broken.map_or(Ok(()), |broken| Err(format!("{when}: {broken}")));
        }
        // Longer than the kernel waits for an agent.
        pause(60);
        let came = datagrams(&self.network).map_err(|error| format!("{when}: {error}"))?;
        match came {
            [DATAGRAMS, DATAGRAMS] => Ok(()),
            other => Err(format!("{when}: of {DATAGRAMS} datagrams in each direction, {other:?} came")),
        }
    }

    fn next_content(&mut self, bytes: u64, interval: u64) -> Content {
        self.connections = self.connections % 20_000 + 1;
        let version = if self.connections.is_multiple_of(2) { 6 } else { 4 };
        Content { number: self.connections, version, is_upload: false, bytes, interval }
    }

    /// One lasts for some kills, then the next one begins.
    fn continue_flow(&mut self) -> Result<(), String> {
        if self.setup.subject.holds_connections() {
            return Ok(());
        }
        match &self.flow {
            Some(flow) if !flow.is_over() => match flow.broken() {
                Some(broken) => Err(broken.to_string()),
                None => Ok(()),
            },
            _ => {
                self.finish_flow()?;
                let content = self.next_content(1_000_000, 10);
                self.flow = Some(Flow::begin(&self.network, content, &Arc::default())?);
                Ok(())
            }
        }
    }

    fn finish_flow(&mut self) -> Result<(), String> {
        let Some(flow) = self.flow.take() else { return Ok(()) };
        let (bytes, broken) = flow.finish();
        self.bytes += bytes;
        broken.map_or(Ok(()), |broken| Err(broken.to_string()))
    }

    /// Those of senders go with the last connection that has them.
    fn no_further_control(&self) -> Result<(), String> {
        if self.setup.subject != Subject::Sender {
            return Ok(());
        }
        let found = left::congestion_controls()?;
        match found.iter().find(|name| !self.controls.contains(name)) {
            Some(name) => Err(format!("the congestion control {name} is left")),
            None => Ok(()),
        }
    }

    fn finish(mut self) -> Result<String, String> {
        let begun = now();
        // What was killed last forwards nothing where it was killed while it ended.
        let mut daemon = self.setup.begin(&self.network, 0)?;
        daemon.await_start()?;
        self.finish_flow()?;
        daemon.terminate()?;
        self.setup.keeps_forwarding = false;
        self.begin_and_end(0)?;
        left::soon(|| self.no_further_control())?;
        self.starts.sort_unstable();
        let [starting, working, ending] = self.kills;
        Ok(format!(
            "{} kills ({starting} while it started, {working} while it worked, {ending} while it ended); {} further starts, each taking over \
             what was left: median {} ms, at most {} ms; {} connections, {:.1} MB over all kills, each byte as it was sent; \
             traffic passed after {} kills (the last connection ended after {} ms)",
            starting + working + ending,
            self.starts.len(),
            self.starts[self.starts.len() / 2],
            self.starts.last().unwrap_or(&0),
            self.connections,
            self.bytes as f64 / 1e6,
            self.forwarded,
            now() - begun
        ))
    }
}

const DATAGRAMS: usize = 5;

/// How many came downwards and upwards. One that comes twice counts twice.
fn datagrams(network: &Network) -> std::io::Result<[usize; 2]> {
    let fixed = network.fixed.within(|| UdpSocket::bind("10.77.0.1:7000"))?;
    let mobile = network.mobile.within(|| UdpSocket::bind("10.77.0.2:7000"))?;
    for socket in [&fixed, &mobile] {
        socket.set_read_timeout(Some(Duration::from_millis(100)))?;
    }
    // Both know the other's address by then, so that none of those that count waits for it.
    for _ in 0..20 {
        let _ = fixed.send_to(b"first", "10.77.0.2:7000");
        let _ = mobile.send_to(b"first", "10.77.0.1:7000");
        if mobile.recv(&mut [0; 8]).is_ok() && fixed.recv(&mut [0; 8]).is_ok() {
            break;
        }
    }
    let drain = |socket: &UdpSocket, wanted: &[u8]| {
        let (mut room, mut came) = ([0; 8], 0);
        while let Ok(length) = uninterrupted(|| socket.recv(&mut room)) {
            came += usize::from(&room[..length] == wanted);
        }
        came
    };
    for _ in 0..DATAGRAMS {
        fixed.send_to(b"down", "10.77.0.2:7000")?;
        mobile.send_to(b"up", "10.77.0.1:7000")?;
    }
    Ok([drain(&mobile, b"down"), drain(&fixed, b"up")])
}
