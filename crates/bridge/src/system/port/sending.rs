//! Frames leave by an interface.

use super::{BATCH, Batch, Port};
use crate::frame::Medium;
use crate::joined::Offloads;
use crate::joining::{Head, Run};
use crate::outgoing::{Leaving, Outgoing};
use nix::errno::Errno;
use seamline_agent::Side;
use std::mem::{MaybeUninit, zeroed};
use std::os::fd::AsRawFd;

/// Of a packet that leaves alone.
const NONE: Offloads = Offloads::NONE;
/// Parts of frames for one call of sendmmsg(2): some for each, or many for some.
const PARTS: usize = 512;

/// Frames for one call of sendmmsg(2).
struct Messages {
    /// Those that are used.
    parts: [MaybeUninit<libc::iovec>; PARTS],
    headers: [libc::mmsghdr; BATCH],
    /// Of those that are joined here: never more than there is room for from the beginning, because parts point to them.
    heads: Vec<Head>,
    /// Of each message, where its parts begin, and how many packets it holds.
    begins: [usize; BATCH],
    packets: [usize; BATCH],
    used: usize,
    count: usize,
}

fn part(bytes: &[u8]) -> libc::iovec {
    libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() }
}

fn part_of(offloads: &Offloads) -> libc::iovec {
    libc::iovec { iov_base: std::ptr::from_ref(offloads).cast_mut().cast(), iov_len: size_of::<Offloads>() }
}

impl Messages {
    fn new() -> Self {
        let parts = [const { MaybeUninit::uninit() }; PARTS];
        // SAFETY: all zeros is a value of these plain structures.
        let headers = unsafe { zeroed() };
        Messages {
            parts,
            headers,
            heads: Vec::new(),
            begins: [0; BATCH],
            packets: [0; BATCH],
            used: 0,
            count: 0,
        }
    }
    fn has_room_for(&self, parts: usize) -> bool {
        self.count < BATCH && self.used + parts <= PARTS
    }
    fn push(&mut self, offloads: &Offloads, parts: [&[u8]; 2], packets: usize) {
        self.push_parts([part_of(offloads), part(parts[0]), part(parts[1])].into_iter(), packets);
    }
    /// `frames` are those of the run.
    fn push_run<'f>(&mut self, run: &Run<'_>, frames: impl Iterator<Item = &'f [u8]>) {
        if self.heads.capacity() == 0 {
            self.heads.reserve_exact(BATCH);
        }
        let place = self.heads.len();
        self.heads.push(run.head());
        let head = &self.heads[place];
        let parts = [part_of(&head.offloads), part(head.as_slice())].into_iter();
        self.push_parts(parts.chain(frames.map(|frame| part(run.payload_of(frame)))), run.count);
    }
    fn push_parts(&mut self, parts: impl Iterator<Item = libc::iovec>, packets: usize) {
        let first = self.used;
        for (place, part) in self.parts[first..].iter_mut().zip(parts) {
            place.write(part);
            self.used += 1;
        }
        (self.begins[self.count], self.packets[self.count]) = (first, packets);
        self.headers[self.count].msg_hdr.msg_iovlen = (self.used - first) as _;
        self.count += 1;
    }
}

impl Port {
    /// Send all frames that leave by this side. What came joined in `batch`, and leaves as it came, leaves joined, and so do segments that
    /// follow each other: the kernel cuts them again. Frames that cannot leave are counted and lost, as at any interface.
    pub fn send(&mut self, side: Side, frames: &Outgoing<'_>, batch: &Batch) {
        let mut leaving = frames.leaving(side);
        while leaving.clone().next().is_some() {
            let mut messages = Messages::new();
            while self.push_next(&mut leaving, batch, &mut messages) {}
            self.send_messages(&mut messages);
        }
    }

    /// The next message. Whether there was one, and room for it.
    fn push_next<'f>(
        &self,
        leaving: &mut (impl Iterator<Item = Leaving<'f>> + Clone),
        batch: &Batch,
        messages: &mut Messages,
    ) -> bool {
        if !messages.has_room_for(3) {
            return false;
        }
        // An interface without link headers does not say of which version of IP a joined packet is.
        let may_join = self.medium == Medium::Ethernet;
        let whole = if may_join { batch.whole(leaving.clone().map(|it| it.bytes)) } else { None };
        if let Some((offloads, parts, packets)) = whole {
            messages.push(offloads, parts, packets);
            leaving.nth(packets - 1);
            return true;
        }
        let run = if may_join { run(self.medium, leaving.clone()) } else { None };
        if let Some(run) = run {
            let has_room = messages.has_room_for(2 + run.count);
            if has_room {
                messages.push_run(&run, leaving.by_ref().take(run.count).map(|it| it.bytes));
            }
            return has_room;
        }
        let next = leaving.next();
        next.iter().for_each(|it| messages.push(&NONE, [it.bytes, &[]], 1));
        next.is_some()
    }

    fn send_messages(&mut self, messages: &mut Messages) {
        let parts = messages.parts.as_mut_ptr();
        for (header, begin) in messages.headers.iter_mut().zip(messages.begins) {
            header.msg_hdr.msg_iov = parts.wrapping_add(begin).cast();
        }
        let mut rest = 0..messages.count;
        while !rest.is_empty() {
            let (first, count) = (&raw mut messages.headers[rest.start], rest.len() as _);
            // SAFETY: each of the headers points to its parts, which point to bytes of frames, to heads and to offloads; all live during the
            // call, and are only read.
            let sent =
                unsafe { libc::sendmmsg(self.socket.as_raw_fd(), first, count, libc::MSG_DONTWAIT as _) };
            let (done, counter) = match (usize::try_from(sent), Errno::last()) {
                (Ok(sent), _) => (sent, &mut self.counters.sent),
                (Err(_), Errno::EINTR) => (0, &mut self.counters.unsent),
                (Err(_), Errno::EMSGSIZE) => (1, &mut self.counters.too_long),
                (Err(_), _) => (1, &mut self.counters.unsent),
            };
            let done = rest.start..rest.start + done;
            *counter += messages.packets[done.clone()].iter().sum::<usize>() as u64;
            rest.start = done.end;
        }
    }
}

/// More than one segment at the beginning of these frames, if they can leave as one.
fn run<'f>(medium: Medium, mut frames: impl Iterator<Item = Leaving<'f>>) -> Option<Run<'f>> {
    let first = frames.next().filter(|it| it.is_segment)?;
    let mut run = Run::begun(medium, first.bytes)?;
    while frames.next().is_some_and(|it| it.is_segment && run.take(it.bytes)) {}
    (run.count > 1).then_some(run)
}
