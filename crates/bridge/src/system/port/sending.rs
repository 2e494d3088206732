//! Frames leave by an interface.

use super::{BATCH, Batch, Port};
use crate::frame::Medium;
use crate::joined::Offloads;
use crate::outgoing::Outgoing;
use nix::errno::Errno;
use seamline_agent::Side;
use std::mem::zeroed;
use std::os::fd::AsRawFd;

/// Of a packet that leaves alone.
const NONE: Offloads = Offloads::NONE;

/// Frames for one call of sendmmsg(2).
struct Messages {
    vectors: [[libc::iovec; 3]; BATCH],
    headers: [libc::mmsghdr; BATCH],
    /// How many packets each holds.
    packets: [usize; BATCH],
    count: usize,
}

impl Messages {
    fn new() -> Self {
        // SAFETY: all zeros is a value of these plain structures.
        let (vectors, headers) = unsafe { (zeroed(), zeroed()) };
        Messages { vectors, headers, packets: [0; BATCH], count: 0 }
    }
    fn push(&mut self, offloads: &Offloads, parts: [&[u8]; 2], packets: usize) {
        let place = self.count;
        let offloads = (std::ptr::from_ref(offloads).cast_mut().cast(), size_of::<Offloads>());
        let parts = parts.map(|part| (part.as_ptr().cast_mut().cast(), part.len()));
        self.vectors[place] =
            [offloads, parts[0], parts[1]].map(|(iov_base, iov_len)| libc::iovec { iov_base, iov_len });
        self.packets[place] = packets;
        self.count += 1;
    }
}

impl Port {
    /// Send all frames that leave by this side. What came joined in `batch`, and leaves as it came, leaves joined: the kernel cuts it again.
    /// Frames that cannot leave are counted and lost, as at any interface.
    pub fn send(&mut self, side: Side, frames: &Outgoing<'_>, batch: &Batch) {
        let mut leaving = frames.iter().filter(|(towards, _)| *towards == side).map(|(_, frame)| frame);
        loop {
            let mut messages = Messages::new();
            while messages.count < BATCH {
                // An interface without link headers does not say of which version of IP a joined packet is.
                let whole = if self.medium == Medium::Ethernet { batch.whole(leaving.clone()) } else { None };
                if let Some((offloads, parts, packets)) = whole {
                    messages.push(offloads, parts, packets);
                    leaving.nth(packets - 1);
                } else if let Some(frame) = leaving.next() {
                    messages.push(&NONE, [frame, &[]], 1);
                } else {
                    break;
                }
            }
            if messages.count == 0 {
                return;
            }
            self.send_messages(&mut messages);
        }
    }

    fn send_messages(&mut self, messages: &mut Messages) {
        for (header, vectors) in messages.headers.iter_mut().zip(&mut messages.vectors) {
            header.msg_hdr.msg_iov = vectors.as_mut_ptr();
            header.msg_hdr.msg_iovlen = vectors.len() as _;
        }
        let mut rest = 0..messages.count;
        while !rest.is_empty() {
            let (first, count) = (&raw mut messages.headers[rest.start], rest.len() as _);
            // SAFETY: each of the headers points to three parts, which point to bytes of a frame and to its offloads; all live during the call,
            // and are only read.
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
