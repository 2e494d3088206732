//! The path between: 20 Mbit/s with a queue of one bandwidth-delay product, and a round trip of 40 ms. The attackers are here.

use crate::attackers::Attack;
use crate::downloads::CLIENTS;
use crate::support::wire::Wire;
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

/// In order of time.
type Waiting = VecDeque<(Instant, Vec<u8>)>;

pub(crate) struct Bottleneck {
    attack: Attack,
    down: Waiting,
    free_at: Instant,
    up: Waiting,
    /// The newest acknowledgment of the attacked client.
    newest: Option<Headers>,
    /// Marks for replay.
    recorded: VecDeque<(Instant, Headers)>,
    next_forged: Instant,
    random: Stream,
    /// Marks that have gone to the server.
    pub(crate) marks: u64,
    buffer: Vec<u8>,
}

impl Bottleneck {
    pub(crate) fn new(attack: Attack) -> Self {
        Bottleneck {
            attack,
            down: VecDeque::new(),
            free_at: Instant::ZERO,
            up: VecDeque::new(),
            newest: None,
            recorded: VecDeque::new(),
            next_forged: Instant::ZERO,
            random: Stream::new(1, "forged"),
            marks: 0,
            buffer: vec![0; 65_536],
        }
    }

    /// Everything that is due. `is_out`: the attacked client is cut off.
    pub(crate) fn pass(&mut self, now: Instant, is_out: bool, [server, clients]: &mut [Wire; 2]) {
        let mut is_idle = true;
        while let Some(length) = server.read(&mut self.buffer) {
            is_idle = false;
            let packet = self.buffer[..length].to_vec();
            let waiting = self.down.iter().filter(|(at, _)| *at > now + ONE_WAY).count();
            if waiting < QUEUE && !(is_out && self.is_of_attacked(&packet)) {
                self.free_at = self.free_at.max(now) + Duration::from_nanos(NS_PER_BYTE * length as u64);
                self.down.push_back((self.free_at + ONE_WAY, packet));
            }
        }
        while let Some(length) = clients.read(&mut self.buffer) {
            is_idle = false;
            let packet = self.buffer[..length].to_vec();
            let is_attacked = self.is_of_attacked(&packet);
            let is_silent = is_out || self.attack.is_silent(now);
            if !(is_attacked && is_silent) {
                let packet = if is_attacked { self.look_at(now, packet) } else { packet };
                self.up.push_back((now + ONE_WAY, packet));
            }
        }
        for (waiting, wire) in [(&mut self.down, clients), (&mut self.up, &mut *server)] {
            while let Some((_, packet)) = waiting.pop_front_if(|(at, _)| *at <= now) {
                is_idle = false;
                wire.write(&packet);
            }
        }
        self.forge(now, server);
        if is_idle {
            #[expect(clippy::disallowed_methods, reason = "waits for the kernel")]
            std::thread::sleep(std::time::Duration::from_micros(100));
        }
    }

    fn is_of_attacked(&self, packet: &[u8]) -> bool {
        let Ok(decoded) = decode(packet) else { return false };
        let ip = decoded.headers.ip;
        [ip.source(), ip.destination()].contains(&IpAddr::V4(CLIENTS[0]))
    }

    /// What the attacked client sends: an attacker on the path sees it, and a client that lies marks it.
    fn look_at(&mut self, now: Instant, packet: Vec<u8>) -> Vec<u8> {
        let Ok(decoded) = decode(&packet) else { return packet };
        if !decoded.payload.is_empty() {
            return packet;
        }
        let headers = decoded.headers;
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

    /// Whatever is due goes to the server.
    fn forge(&mut self, now: Instant, server: &Wire) {
        let Some(interval) = self.attack.interval() else { return };
        while self.next_forged <= now {
            self.next_forged = self.next_forged.max(now) + interval;
            let Some(mut headers) = self.newest else { return };
            match self.attack {
                Attack::ForgedOffPath => {
                    let numbers = [(); 2].map(|()| SequenceNumber(self.random.below(1 << 32) as u32));
                    [headers.segment.sequence, headers.segment.acknowledgment] = numbers;
                }
                Attack::ReplayedOnPath => {
                    let old = |(at, _): &(Instant, Headers)| *at + Duration::from_secs(1) <= now;
                    let Some((_, recorded)) = self.recorded.iter().rev().find(|it| old(it)) else { return };
                    headers = *recorded;
                }
                _ => {}
            }
            let is_marked = self.attack != Attack::DuplicatesOnPath;
            if let Some(packet) = encoded(headers, is_marked) {
                self.marks += u64::from(is_marked);
                server.write(&packet);
            }
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

/// Without SACK blocks, for which there may be no room next to a mark.
fn encoded(mut headers: Headers, is_marked: bool) -> Option<Vec<u8>> {
    headers.segment.sack = Default::default();
    headers.segment.mark = is_marked.then_some(Mark::Handover);
    encode_to_vec(&headers, &[]).ok()
}

/// That this thread has run. The kernel takes in a packet of a TUN device on behalf of who writes it.
fn thread_nanoseconds() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}
