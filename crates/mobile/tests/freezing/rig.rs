//! A daemon that freezes, and the host that it runs on, made up.

use seamline_mobile::agent::{Agent, Host, Way};
use seamline_mobile::command::Command;
use seamline_mobile::connections::Key;
use seamline_mobile::kick::KernelView;
use seamline_mobile::links::Described;
use seamline_mobile::settings::Settings;
use seamline_wire::codec::{Headers, IpHeader, decode, encode_to_vec};
use seamline_wire::{Duration, Flags, Instant, Mark, Segment, SequenceNumber, TransportPort};
use std::io;
use std::net::Ipv4Addr;

pub(crate) const HOST: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
pub(crate) const SERVER: Ipv4Addr = Ipv4Addr::new(198, 51, 100, 7);
pub(crate) const WWAN: u32 = 3;
pub(crate) const WINDOW: u16 = 501;

/// Closes windows as the kernel would.
#[derive(Default)]
pub(crate) struct FakeHost {
    pub(crate) round_trip: Duration,
    /// Bytes that have arrived in order.
    pub(crate) received: u64,
    pub(crate) cannot_freeze: bool,
    /// Whether its queues are.
    pub(crate) is_full: bool,
    /// Until when the window is closed.
    pub(crate) closed: Option<Instant>,
    /// What the kernel wanted to say meanwhile.
    pub(crate) wanted: Option<u16>,
    /// The windows that were advertised to the server.
    pub(crate) advertised: Vec<u16>,
    /// The marks that came with them.
    pub(crate) marks: Vec<Option<Mark>>,
    /// The acknowledgments that carried them.
    pub(crate) acknowledged: Vec<u32>,
}

impl Host for FakeHost {
    fn view(&mut self, _: &Key, _: u32) -> io::Result<Option<KernelView>> {
        Ok(Some(KernelView {
            state: 1,
            has_timestamps: true,
            has_sack: true,
            received: self.received,
            round_trip: Some(Duration::from_millis(1)),
            receiver_round_trip: Some(self.round_trip),
            ..KernelView::default()
        }))
    }
    fn send(&mut self, packet: &[u8], _: Way) -> io::Result<()> {
        if self.is_full {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let segment = decode(packet).unwrap().headers.segment;
        let window = segment.window;
        self.marks.push(segment.mark);
        self.acknowledged.push(segment.acknowledgment.0);
        self.advertised.push(if self.closed.is_some() { 0 } else { window });
        Ok(())
    }
    fn prepare(&mut self, interface: u32) -> io::Result<()> {
        assert_eq!(interface, WWAN);
        Ok(())
    }
    fn close_window(&mut self, _: &Key, interface: u32, until: Instant) -> io::Result<()> {
        assert_eq!(interface, WWAN);
        self.closed = Some(until);
        if self.cannot_freeze { Err(io::Error::other("no program")) } else { Ok(()) }
    }
    fn open_window(&mut self, _: &Key) -> io::Result<Option<u16>> {
        self.closed = None;
        Ok(self.wanted.take())
    }
}

pub(crate) fn packet(acknowledgment: u32, window: u16) -> Vec<u8> {
    let headers = Headers {
        ip: IpHeader::v4(HOST, SERVER),
        source_port: TransportPort(40_001),
        destination_port: TransportPort(443),
        segment: Segment {
            flags: Flags::ACK,
            sequence: SequenceNumber(1000),
            acknowledgment: SequenceNumber(acknowledgment),
            window,
            ..Segment::default()
        },
    };
    encode_to_vec(&headers, &[]).unwrap()
}

/// A daemon that knows one connection, and the host it runs on.
pub(crate) struct Rig {
    pub(crate) agent: Agent,
    pub(crate) host: FakeHost,
}

impl Rig {
    pub(crate) fn new(settings: Settings, is_dry: bool) -> Self {
        let host = FakeHost { round_trip: Duration::from_millis(100), ..FakeHost::default() };
        let mut rig = Rig { agent: Agent::new(settings, is_dry), host };
        rig.described(0, link(WWAN, "wwan0", true));
        rig.agent.address(WWAN, HOST.into(), true);
        rig.sent(0, WWAN, &packet(7000, WINDOW));
        rig
    }

    pub(crate) fn freezing(text: &str) -> Self {
        Rig::new(freezing(text), false)
    }

    /// With its connection frozen before an outage at 1.4 s.
    pub(crate) fn frozen(text: &str) -> Self {
        let mut rig = Rig::freezing(text);
        rig.tell(1000, "going-down wwan0 in 400 ms");
        rig.at(1250);
        assert_eq!(rig.advertised(), [0]);
        rig
    }

    pub(crate) fn described(&mut self, millis: u64, described: Described) {
        self.agent.described(Instant::from_millis(millis), described);
    }

    pub(crate) fn sent(&mut self, millis: u64, interface: u32, packet: &[u8]) {
        self.agent.sent(Instant::from_millis(millis), interface, packet);
    }

    pub(crate) fn at(&mut self, millis: u64) {
        self.at_instant(Instant::from_millis(millis));
    }

    pub(crate) fn at_instant(&mut self, now: Instant) {
        while self.agent.freeze(now, &mut self.host) {}
        self.agent.help(now, &mut self.host);
    }

    /// Before anything is done about it.
    pub(crate) fn command(&mut self, millis: u64, words: &str) {
        let command: Command = words.parse().unwrap();
        let now = Instant::from_millis(millis);
        self.agent.command(now, &command, &mut self.host).unwrap();
    }

    pub(crate) fn tell(&mut self, millis: u64, words: &str) {
        self.command(millis, words);
        self.at(millis);
    }

    pub(crate) fn advertised(&mut self) -> Vec<u16> {
        std::mem::take(&mut self.host.advertised)
    }

    pub(crate) fn next(&self) -> Option<u64> {
        self.agent.freeze_at().map(|at| at.as_nanos() / 1_000_000)
    }

    pub(crate) fn has_logged(&self, part: &str) -> bool {
        self.agent.log.iter().any(|line| line.to_string().contains(part))
    }
}

pub(crate) fn link(index: u32, name: &str, is_running: bool) -> Described {
    Described { index, name: name.to_owned(), is_running, is_loopback: false, below: None, above: None }
}

/// Outages of 150 ms.
pub(crate) fn outages(every: &str, offset: &str) -> String {
    format!(
        "[[reconfiguration]]\nlink = \"wwan0\"\nevery = {every:?}\noffset = {offset:?}\noutage = \"150 ms\""
    )
}

/// Wake from the time `begin` on, as the daemon's loop does, `until` so much later, and note when which windows are advertised.
pub(crate) fn by_the_clock(text: &str, begin: Instant, until: Duration) -> (Rig, Vec<(u64, Vec<u16>)>) {
    let mut rig = Rig::freezing(text);
    let mut wall = begin;
    rig.agent.wake(Instant::ZERO, wall);
    let mut advertised = Vec::new();
    while wall < begin + until {
        let now = Instant::ZERO + wall.saturating_since(begin);
        let freeze = rig.agent.freeze_at().map(|at| at.saturating_since(now));
        wall += rig.agent.wake_in(wall).into_iter().chain(freeze).min().unwrap();
        let now = Instant::ZERO + wall.saturating_since(begin);
        rig.agent.wake(now, wall);
        rig.at_instant(now);
        advertised.push((now.as_nanos() / 1_000_000, rig.advertised()));
    }
    advertised.retain(|(_, windows)| !windows.is_empty());
    (rig, advertised)
}

/// Settings with `freeze = true` for every link, which can be read only where the program was built in.
pub(crate) fn freezing(text: &str) -> Settings {
    let mut settings = Settings::read("mobile.toml".as_ref(), text).unwrap();
    settings.default.freeze = true;
    settings
}
