//! The path between: 20 Mbit/s with a queue of one bandwidth-delay product, and a round trip of 40 ms. The attackers are here.

use crate::attackers::{Arrival, Attack};
use crate::downloads::CLIENTS;
use crate::wire::Wire;
use seamline_lab::clock;
use seamline_wire::codec::{Headers, decode, encode_to_vec};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant, Mark, SequenceNumber};
use std::collections::VecDeque;
use std::net::IpAddr;

const NS_PER_BYTE: u64 = 400;
const ONE_WAY: Duration = Duration::from_millis(20);
/// Packets.
const QUEUE: usize = 66;
/// What a flood consists of.
const FLOOD: u64 = 20_000;
/// A replayed mark is at least so old.
const OLD: Duration = Duration::from_secs(1);

/// In order of time.
type Waiting = VecDeque<(Instant, Vec<u8>)>;

pub(crate) struct Bottleneck {
    attack: Attack,
    down: Waiting,
    free_at: Instant,
    up: Waiting,
    /// The newest acknowledgment of the attacked client, and the newest that has passed the attacker.
    said: Option<Headers>,
    newest: Option<Headers>,
    /// Acknowledgments that have passed the attacker.
    recorded: VecDeque<(Instant, Headers)>,
    was_out: bool,
    /// Genuine marks: the first one, the one of the last handover, and those on their way.
    first: Option<(Instant, Headers)>,
    last: Option<Headers>,
    genuine: VecDeque<(Instant, Headers)>,
    next_forged: Instant,
    random: Stream,
    /// Marks that have gone to the server.
    pub(crate) marks: u64,
    /// Packets for which the queue had no room.
    pub(crate) dropped: u64,
    buffer: Vec<u8>,
}

impl Bottleneck {
    pub(crate) fn new(attack: Attack) -> Self {
        Bottleneck {
            attack,
            down: VecDeque::new(),
            free_at: Instant::ZERO,
            up: VecDeque::new(),
            said: None,
            newest: None,
            recorded: VecDeque::new(),
            was_out: false,
            first: None,
            last: None,
            genuine: VecDeque::new(),
            next_forged: Instant::ZERO,
            random: Stream::new(1, "forged"),
            marks: 0,
            dropped: 0,
            buffer: vec![0; 65_536],
        }
    }

    /// From now on, for so long.
    pub(crate) fn pass_for(&mut self, time: Duration, wires: &mut [Wire; 2]) {
        let begun = clock::monotonic();
        loop {
            let now = clock::monotonic();
            let since = now.saturating_since(begun);
            if since >= time {
                return;
            }
            self.pass(now, since, wires);
        }
    }

    /// Everything that is due, so long after the beginning.
    fn pass(&mut self, now: Instant, since: Duration, [server, clients]: &mut [Wire; 2]) {
        let is_out = self.attack.is_out(since);
        let mut is_idle = true;
        while let Some(length) = server.read(&mut self.buffer) {
            is_idle = false;
            let packet = self.buffer[..length].to_vec();
            self.queue(now, is_out, packet);
        }
        while let Some(length) = clients.read(&mut self.buffer) {
            is_idle = false;
            let mut packet = self.buffer[..length].to_vec();
            if is_of_attacked(&packet) {
                self.said = acknowledgment(&packet).or(self.said);
                if is_out || self.attack.is_silent(since) {
                    continue;
                }
                packet = self.look_at(now, packet);
            }
            self.up.push_back((now + ONE_WAY, packet));
        }
        for (waiting, wire) in [(&mut self.down, clients), (&mut self.up, &mut *server)] {
            while let Some((_, packet)) = waiting.pop_front_if(|(at, _)| *at <= now) {
                is_idle = false;
                wire.write(&packet);
            }
        }
        self.mark(now, is_out, server);
        self.forge(now, server);
        if is_idle {
            #[expect(clippy::disallowed_methods, reason = "waits for the kernel")]
            std::thread::sleep(std::time::Duration::from_micros(100));
        }
    }

    fn queue(&mut self, now: Instant, is_out: bool, packet: Vec<u8>) {
        if is_out && is_of_attacked(&packet) {
            return;
        }
        if self.down.iter().filter(|(at, _)| *at > now + ONE_WAY).count() >= QUEUE {
            self.dropped += 1;
            return;
        }
        self.free_at = self.free_at.max(now) + Duration::from_nanos(NS_PER_BYTE * packet.len() as u64);
        self.down.push_back((self.free_at + ONE_WAY, packet));
    }

    /// What the attacked client sends: an attacker on the path sees it, and a client that lies marks it.
    fn look_at(&mut self, now: Instant, packet: Vec<u8>) -> Vec<u8> {
        let Some(headers) = acknowledgment(&packet) else { return packet };
        self.newest = Some(headers);
        if self.recorded.back().is_none_or(|(at, _)| now >= *at + Duration::from_millis(10)) {
            self.recorded.push_back((now, headers));
        }
        if !self.attack.marks_all() {
            return packet;
        }
        let Some(marked) = encoded(headers, true) else { return packet };
        self.marks += 1;
        marked
    }

    /// The client's host marks its last acknowledgment when a handover has ended; it arrives sooner or later.
    fn mark(&mut self, now: Instant, is_out: bool, server: &Wire) {
        let has_ended = self.was_out && !is_out;
        self.was_out = is_out;
        if has_ended && let Some(said) = self.said {
            let arriving = match self.attack.genuine() {
                Arrival::Never => None,
                Arrival::After(delay) => Some((now + ONE_WAY + delay, said)),
                Arrival::AfterNext => self.last.replace(said).map(|last| (now + ONE_WAY, last)),
            };
            self.genuine.extend(arriving);
        }
        while let Some((at, headers)) = self.genuine.pop_front_if(|(at, _)| *at <= now) {
            self.first.get_or_insert((at, headers));
            self.send(headers, true, server);
        }
    }

    /// Whatever is due goes to the server.
    fn forge(&mut self, now: Instant, server: &Wire) {
        let Some(interval) = self.attack.interval() else { return };
        while self.next_forged <= now {
            self.next_forged = self.next_forged.max(now) + interval;
            let Some(headers) = self.forged(now) else { return };
            self.send(headers, self.attack != Attack::DuplicatesOnPath, server);
        }
    }

    fn forged(&mut self, now: Instant) -> Option<Headers> {
        let old = |(at, _): &&(Instant, Headers)| *at + OLD <= now;
        match self.attack {
            Attack::ForgedOffPath => {
                let mut headers = self.newest?;
                let numbers = [(); 2].map(|()| SequenceNumber(self.random.below(1 << 32) as u32));
                [headers.segment.sequence, headers.segment.acknowledgment] = numbers;
                Some(headers)
            }
            Attack::ReplayedOffPath => self.first.as_ref().filter(old).map(|(_, headers)| *headers),
            Attack::RecordedOnPath => self.recorded.iter().rev().find(old).map(|(_, headers)| *headers),
            _ => self.newest,
        }
    }

    fn send(&mut self, headers: Headers, is_marked: bool, server: &Wire) {
        if let Some(packet) = encoded(headers, is_marked) {
            self.marks += u64::from(is_marked);
            server.write(&packet);
        }
    }

    /// Nanoseconds of processor time that the server takes for one of a flood of duplicates.
    pub(crate) fn flood(&self, is_marked: bool, [server, _]: &[Wire; 2]) -> u64 {
        let packet = self.newest.and_then(|headers| encoded(headers, is_marked)).expect("one has come");
        let before = thread_nanoseconds();
        (0..FLOOD).for_each(|_| server.write(&packet));
        (thread_nanoseconds() - before) / FLOOD
    }
}

fn is_of_attacked(packet: &[u8]) -> bool {
    let Ok(decoded) = decode(packet) else { return false };
    let ip = decoded.headers.ip;
    [ip.source(), ip.destination()].contains(&IpAddr::V4(CLIENTS[0]))
}

/// The headers of a segment without data.
fn acknowledgment(packet: &[u8]) -> Option<Headers> {
    decode(packet).ok().filter(|decoded| decoded.payload.is_empty()).map(|decoded| decoded.headers)
}

/// With the SACK blocks for which there is room next to a mark.
fn encoded(mut headers: Headers, is_marked: bool) -> Option<Vec<u8>> {
    headers.segment.mark = is_marked.then_some(Mark::Handover);
    encode_to_vec(&headers, &[]).ok()
}

/// That this thread has run. The kernel takes in a packet of a TUN device on behalf of who writes it.
fn thread_nanoseconds() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}
