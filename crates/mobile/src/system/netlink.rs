//! Messages of the kernel and their attributes (netlink(7)). What is not known, or is damaged, is gone by: newer kernels say more than
//! anybody here has heard of. Not by netlink-packet-route: that parses every attribute and fails a whole link at the first bad one (a strange
//! `IFLA_LINKINFO`), where this reads six and cannot fail so.

use netlink_sys::{Socket, SocketAddr};
use nix::sys::socket::{setsockopt, sockopt};
use nix::sys::time::{TimeVal, TimeValLike};
use std::cell::Cell;
use std::io;

/// `NLMSG_ERROR` and `NLMSG_DONE`.
pub(super) const ERROR: u16 = 2;
pub(super) const DONE: u16 = 3;
/// `NLM_F_DUMP`, and `NLM_F_REQUEST`, which every question has.
pub(super) const DUMP: u16 = 0x300;
const REQUEST: u16 = 0x1;
/// `NLM_F_DUMP_INTR`: what is dumped has changed meanwhile.
const INTERRUPTED: u16 = 0x10;
/// Room for what the kernel says at once; a dump's parts are at most 32 KiB.
pub(super) const ROOM: usize = 64 * 1024;
/// Bytes of `struct nlmsghdr`.
pub(super) const HEADER: usize = 16;
/// Bytes of `struct rtattr` or `struct nlattr` before its body.
const ATTRIBUTE: usize = 4;
/// `NLA_TYPE_MASK`: the two highest bits are flags.
const KIND: u16 = 0x3fff;

/// One message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message<'a> {
    /// Its type.
    pub(super) kind: u16,
    flags: u16,
    /// The number of the question that it answers.
    pub(super) sequence: u32,
    /// What is behind its header.
    pub(super) body: &'a [u8],
}

impl Message<'_> {
    /// What an answer, or the end of one, says of failure: the number of the error, if it is any.
    pub(super) fn error(&self) -> Option<i32> {
        let code = i32::from_ne_bytes(number(self.body, 0)?);
        (matches!(self.kind, ERROR | DONE) && code < 0).then_some(-code)
    }

    /// Whether it belongs to a dump in which something may be missing or there twice, because it has changed meanwhile.
    pub(super) fn is_interrupted(&self) -> bool {
        self.flags & INTERRUPTED != 0
    }
}

/// The messages that came in one piece. A length that cannot be ends them.
pub(super) fn messages(mut bytes: &[u8]) -> impl Iterator<Item = Message<'_>> {
    std::iter::from_fn(move || {
        let length = u32::from_ne_bytes(number(bytes, 0)?) as usize;
        let message = Message {
            kind: u16::from_ne_bytes(number(bytes, 4)?),
            flags: u16::from_ne_bytes(number(bytes, 6)?),
            sequence: u32::from_ne_bytes(number(bytes, 8)?),
            body: bytes.get(HEADER..length)?,
        };
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some(message)
    })
}

/// The attributes in `bytes`: kind and body. A length that cannot be ends them.
pub(super) fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(number(bytes, 0)?));
        let kind = u16::from_ne_bytes(number(bytes, 2)?) & KIND;
        let body = bytes.get(ATTRIBUTE..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, body))
    })
}

/// The body of the first attribute of a kind.
pub(super) fn attribute(bytes: &[u8], wanted: u16) -> Option<&[u8]> {
    attributes(bytes).find(|(kind, _)| *kind == wanted).map(|(_, body)| body)
}

/// The number of four bytes at a place.
pub(super) fn word(bytes: &[u8], at: usize) -> Option<u32> {
    number(bytes, at).map(u32::from_ne_bytes)
}

/// The bytes at a place.
pub(super) fn number<const LENGTH: usize>(bytes: &[u8], at: usize) -> Option<[u8; LENGTH]> {
    bytes.get(at..at + LENGTH)?.try_into().ok()
}

/// A message to the kernel.
pub(super) fn question(kind: u16, flags: u16, sequence: u32, body: &[u8]) -> Vec<u8> {
    let length = (HEADER + body.len()) as u32;
    let mut bytes = Vec::with_capacity(HEADER + body.len());
    bytes.extend(length.to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(flags.to_ne_bytes());
    bytes.extend(sequence.to_ne_bytes());
    bytes.extend(0_u32.to_ne_bytes());
    bytes.extend(body);
    bytes
}

/// A socket to ask the kernel by.
#[derive(Debug)]
pub(super) struct Questions {
    socket: Socket,
    /// The number of the newest question.
    asked: Cell<u32>,
}

impl Questions {
    /// In the network namespace of the calling thread, to a protocol of netlink.
    pub(super) fn open(protocol: isize) -> io::Result<Self> {
        let mut socket = Socket::new(protocol)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        // The kernel answers while it is asked, so what is not there by then does not come.
        setsockopt(&socket, sockopt::ReceiveTimeout, &TimeVal::seconds(2))?;
        Ok(Questions { socket, asked: Cell::new(0) })
    }

    /// Ask, and `read` message after message of the answer until it returns something. One to a question of before may still be waiting.
    pub(super) fn ask<T>(
        &self,
        kind: u16,
        flags: u16,
        body: &[u8],
        mut read: impl FnMut(&Message<'_>) -> io::Result<Option<T>>,
    ) -> io::Result<T> {
        let number = self.asked.get().wrapping_add(1);
        self.asked.set(number);
        self.socket.send(&question(kind, REQUEST | flags, number, body), 0)?;
        let mut room = Vec::with_capacity(ROOM);
        loop {
            room.clear();
            match self.socket.recv(&mut room, 0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "no answer from the kernel"));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                received => received?,
            };
            for message in messages(&room).filter(|message| message.sequence == number) {
                if let Some(read) = read(&message)? {
                    return Ok(read);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_attributes_are_read_one_after_the_other() {
        let attribute = [&[6, 0, 0x10, 0x80][..], &[7, 8, 0, 0], &[4, 0, 3, 0]].concat();
        let bytes = [question(20, REQUEST, 5, &attribute), question(DONE, 0, 6, &[0; 4])].concat();
        let read: Vec<Message<'_>> = messages(&bytes).collect();
        assert_eq!(read.iter().map(|it| (it.kind, it.sequence)).collect::<Vec<_>>(), [(20, 5), (DONE, 6)]);
        let expected: [(u16, &[u8]); 2] =
            [(u16::from_ne_bytes([0x10, 0]), &[7, 8]), (u16::from_ne_bytes([3, 0]), &[])];
        assert_eq!(attributes(read[0].body).collect::<Vec<_>>(), expected);
        assert_eq!((read[0].error(), read[1].error()), (None, None));
    }

    #[test]
    fn an_error_is_told_from_an_acknowledgment_of_the_kernel() {
        let of = |kind, code: i32| {
            let bytes = question(kind, 0, 1, &code.to_ne_bytes());
            messages(&bytes).next().unwrap().error()
        };
        assert_eq!([of(ERROR, -2), of(ERROR, 0), of(DONE, -2), of(20, -2)], [Some(2), None, Some(2), None]);
    }

    #[test]
    fn a_part_of_a_dump_says_when_something_has_changed_meanwhile() {
        let of = |flags| {
            let bytes = question(20, flags, 1, &[]);
            messages(&bytes).next().unwrap().is_interrupted()
        };
        assert_eq!([of(INTERRUPTED | 2), of(2)], [true, false]);
    }

    #[test]
    fn damaged_lengths_end_it_and_are_not_gone_by_for_ever() {
        assert_eq!(messages(&[0; 64]).count(), 0);
        assert_eq!(attributes(&[0; 64]).count(), 0);
        for cut in 0..HEADER + 8 {
            let bytes = question(20, 0, 1, &[4, 0, 1, 0, 4, 0, 2, 0]);
            let read = messages(&bytes[..cut]).next();
            assert_eq!(read, None, "{cut}");
        }
    }
}
