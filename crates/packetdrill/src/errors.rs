//! The error queue of a socket (MSG_ERRQUEUE): completions of sends without copying, and times of sending.

use libc::c_int;
use seamline_wire::Instant;
use std::collections::VecDeque;

/// SO_EE_ORIGIN_ZEROCOPY.
const ORIGIN_ZERO_COPY: u8 = 5;
/// SO_EE_ORIGIN_TIMESTAMPING.
const ORIGIN_TIMESTAMPING: u8 = 4;
/// SO_EE_CODE_ZEROCOPY_COPIED: the data was copied after all.
const CODE_COPIED: u8 = 1;
/// SCM_TSTAMP_SND, SCM_TSTAMP_SCHED and SCM_TSTAMP_ACK.
const SENT: u32 = 0;
const SCHEDULED: u32 = 1;
const ACKNOWLEDGED: u32 = 2;
/// Flags of SO_TIMESTAMPING.
const TX_SOFTWARE: u32 = 1 << 1;
const TX_SCHEDULED: u32 = 1 << 8;
const TX_ACKNOWLEDGED: u32 = 1 << 9;

/// What waits to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// The sends of these numbers are complete.
    Completed { first: u32, last: u32 },
    /// Something happened to the byte of this number.
    Time { kind: u32, byte: u32, at: Instant },
}

/// A write that something is to be reported of.
#[derive(Clone, Copy, Debug)]
struct Watched {
    /// The end of its data in the stream.
    end: u64,
    /// The number of a send without copying.
    number: Option<u32>,
    /// Which times are wanted, and the number of the last byte.
    times: Option<(u32, u32)>,
    sent: bool,
}

/// The error queue of a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct ErrorQueue {
    entries: VecDeque<Entry>,
    watched: VecDeque<Watched>,
    sends: u32,
    /// How often anything was added.
    pub(crate) added: u64,
}

impl ErrorQueue {
    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
    /// A write ends at `end` of the stream. `times` are flags of SO_TIMESTAMPING with the byte that numbers begin at.
    pub(crate) fn watch(&mut self, end: u64, without_copying: bool, times: Option<(u32, u64)>) {
        let number = without_copying.then_some(self.sends);
        self.sends += u32::from(without_copying);
        let times = times.map(|(flags, base)| (flags, (end - 1 - base) as u32));
        if number.is_some() || times.is_some() {
            self.watched.push_back(Watched { end, number, times, sent: false });
        }
    }
    /// So much of the stream is sent and acknowledged at `now`.
    pub(crate) fn follow(&mut self, sent: u64, acknowledged: u64, now: Instant) {
        for place in 0..self.watched.len() {
            let watched = self.watched[place];
            if watched.end <= sent && !watched.sent {
                self.watched[place].sent = true;
                self.note_time(watched.times, TX_SCHEDULED, SCHEDULED, now);
                self.note_time(watched.times, TX_SOFTWARE, SENT, now);
            }
        }
        while let Some(watched) = self.watched.front().copied().filter(|first| first.end <= acknowledged) {
            self.watched.pop_front();
            self.note_time(watched.times, TX_ACKNOWLEDGED, ACKNOWLEDGED, now);
            if let Some(number) = watched.number {
                self.complete(number);
            }
        }
    }
    fn note_time(&mut self, times: Option<(u32, u32)>, flag: u32, kind: u32, at: Instant) {
        if let Some((_, byte)) = times.filter(|(flags, _)| flags & flag != 0) {
            self.entries.push_back(Entry::Time { kind, byte, at });
            self.added += 1;
        }
    }
    /// Completions in a row are reported together.
    fn complete(&mut self, number: u32) {
        self.added += 1;
        if let Some(Entry::Completed { last, .. }) = self.entries.back_mut()
            && *last + 1 == number
        {
            *last = number;
        } else {
            self.entries.push_back(Entry::Completed { first: number, last: number });
        }
    }
    /// The next one as flags and control messages.
    pub(crate) fn read(&mut self) -> Option<(c_int, Vec<u8>)> {
        let entry = self.entries.pop_front()?;
        let mut control = Vec::new();
        let mut flags = libc::MSG_ERRQUEUE;
        match entry {
            Entry::Completed { first, last } => {
                put_error(&mut control, 0, [ORIGIN_ZERO_COPY, 0, CODE_COPIED], [first, last]);
            }
            Entry::Time { kind, byte, at } => {
                flags |= libc::MSG_TRUNC;
                let nanos = at.as_nanos();
                let mut stamps = [0_u8; 48];
                stamps[..8].copy_from_slice(&(nanos / 1_000_000_000).to_ne_bytes());
                stamps[8..16].copy_from_slice(&(nanos % 1_000_000_000).to_ne_bytes());
                put(&mut control, libc::SOL_SOCKET, libc::SCM_TIMESTAMPING, &stamps);
                put_error(&mut control, libc::ENOMSG as u32, [ORIGIN_TIMESTAMPING, 0, 0], [kind, byte]);
            }
        }
        Some((flags, control))
    }
}

/// `struct sock_extended_err` and the address of the host that is to blame, which is none.
fn put_error(control: &mut Vec<u8>, number: u32, [origin, kind, code]: [u8; 3], [info, data]: [u32; 2]) {
    let mut body = [0_u8; 32];
    body[..4].copy_from_slice(&number.to_ne_bytes());
    body[4..7].copy_from_slice(&[origin, kind, code]);
    body[8..12].copy_from_slice(&info.to_ne_bytes());
    body[12..16].copy_from_slice(&data.to_ne_bytes());
    put(control, libc::SOL_IP, libc::IP_RECVERR, &body);
}

/// A control message (`struct cmsghdr`), aligned for the next one.
pub(crate) fn put(control: &mut Vec<u8>, level: c_int, kind: c_int, body: &[u8]) {
    const HEADER: usize = 16;
    control.extend((HEADER + body.len()).to_ne_bytes());
    control.extend(level.to_ne_bytes());
    control.extend(kind.to_ne_bytes());
    control.extend(body);
    control.resize(control.len().next_multiple_of(8), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_in_a_row_are_one_report() {
        let mut queue = ErrorQueue::default();
        queue.watch(100, true, None);
        queue.watch(200, true, None);
        queue.follow(200, 150, Instant::ZERO);
        queue.follow(200, 200, Instant::ZERO);
        assert_eq!(queue.added, 2);
        let (flags, control) = queue.read().expect("a report");
        assert_eq!((flags, control.len()), (libc::MSG_ERRQUEUE, 48));
        assert_eq!(control[16 + 8..16 + 16], [0, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(queue.read(), None);
    }

    #[test]
    fn times_come_when_the_last_byte_is_sent_and_acknowledged() {
        let mut queue = ErrorQueue::default();
        queue.watch(100, false, Some((TX_SCHEDULED | TX_SOFTWARE | TX_ACKNOWLEDGED, 0)));
        queue.follow(99, 0, Instant::from_millis(1));
        assert!(queue.is_empty());
        queue.follow(100, 0, Instant::from_millis(2));
        assert_eq!(queue.added, 2);
        queue.follow(100, 100, Instant::from_millis(3));
        assert_eq!(queue.added, 3);
    }
}
