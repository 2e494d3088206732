//! Netlink messages and their attributes (netlink(7)), a socket for requests, and the [`interfaces`] of a namespace with their [`usage`].
//!
//! Unknown and malformed attributes are skipped, since newer kernels add attributes. A library that parses all of them fails a whole link at
//! the first bad one; this reads only those that are asked for.

pub mod classifiers;
pub mod interfaces;
mod requests;
pub mod usage;

use crate::uninterrupted;
use netlink_sys::{Socket, SocketAddr};
use nix::sys::socket::{setsockopt, sockopt};
use nix::sys::time::{TimeVal, TimeValLike};
use std::cell::Cell;
use std::io;

/// `NLMSG_ERROR`.
pub const ERROR: u16 = 2;
/// `NLMSG_DONE`.
pub const DONE: u16 = 3;
/// `NLM_F_DUMP`.
pub const DUMP: u16 = 0x300;
/// `NLM_F_ACK`, and `NLM_F_CREATE` with `NLM_F_REPLACE`.
const ACKNOWLEDGE: u16 = 0x4;
const CREATE_OR_REPLACE: u16 = 0x400 | 0x100;
/// `NLM_F_REQUEST`, which every request has.
const REQUEST: u16 = 0x1;
/// `NLM_F_DUMP_INTR`: something changed while it was dumped.
const INTERRUPTED: u16 = 0x10;
/// Bytes of a receive buffer; the parts of a dump are at most 32 KiB.
pub const ROOM: usize = 64 * 1024;
/// Bytes of `struct nlmsghdr`.
pub const HEADER: usize = 16;
/// Bytes of `struct rtattr` or `struct nlattr` before its body.
const ATTRIBUTE: usize = 4;
/// `NLA_TYPE_MASK`: the two highest bits are flags.
const KIND: u16 = 0x3fff;

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// Its type.
    pub kind: u16,
    flags: u16,
    /// The number of the request that it answers.
    pub sequence: u32,
    /// What follows its header.
    pub body: &'a [u8],
}

impl Message<'_> {
    /// The error number (`errno`) of an error message or of the end of a dump; `None` for success and for other messages.
    pub fn error(&self) -> Option<i32> {
        let code = i32::from_ne_bytes(number(self.body, 0)?);
        (matches!(self.kind, ERROR | DONE) && code < 0).then_some(code.saturating_neg())
    }

    /// Whether it belongs to a dump that is inconsistent because something changed meanwhile.
    pub fn is_interrupted(&self) -> bool {
        self.flags & INTERRUPTED != 0
    }
}

/// The messages of one datagram, up to the first impossible length.
pub fn messages(mut bytes: &[u8]) -> impl Iterator<Item = Message<'_>> {
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

/// The attributes in `bytes`, as kind and body, up to the first impossible length.
pub fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(number(bytes, 0)?));
        let kind = u16::from_ne_bytes(number(bytes, 2)?) & KIND;
        let body = bytes.get(ATTRIBUTE..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, body))
    })
}

/// The body of the first attribute of a kind.
pub fn attribute(bytes: &[u8], wanted: u16) -> Option<&[u8]> {
    attributes(bytes).find(|(kind, _)| *kind == wanted).map(|(_, body)| body)
}

/// The 32-bit number at an offset, in host byte order.
pub fn word(bytes: &[u8], at: usize) -> Option<u32> {
    number(bytes, at).map(u32::from_ne_bytes)
}

/// The bytes at an offset.
pub fn number<const LENGTH: usize>(bytes: &[u8], at: usize) -> Option<[u8; LENGTH]> {
    bytes.get(at..at + LENGTH)?.try_into().ok()
}

/// A message to the kernel, with its header.
pub fn request(kind: u16, flags: u16, sequence: u32, body: &[u8]) -> Vec<u8> {
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

/// A socket for requests to the kernel.
#[derive(Debug)]
pub struct Requests {
    socket: Socket,
    /// The number of the newest request.
    newest: Cell<u32>,
}

impl Requests {
    /// For a netlink protocol, in the network namespace of the calling thread.
    ///
    /// # Errors
    /// When the kernel lacks the protocol.
    pub fn open(protocol: isize) -> io::Result<Self> {
        let mut socket = Socket::new(protocol)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        // The kernel answers while it handles the request, so an answer that is not there soon never comes.
        setsockopt(&socket, sockopt::ReceiveTimeout, &TimeVal::seconds(2))?;
        Ok(Requests { socket, newest: Cell::new(0) })
    }

    /// Send a request, and `read` message after message of the answer until it returns something. Late answers to earlier requests are skipped.
    ///
    /// # Errors
    /// When the kernel cannot be asked, or as `read`.
    pub fn ask<T>(
        &self,
        kind: u16,
        flags: u16,
        body: &[u8],
        mut read: impl FnMut(&Message<'_>) -> io::Result<Option<T>>,
    ) -> io::Result<T> {
        let number = self.newest.get().wrapping_add(1);
        self.newest.set(number);
        self.socket.send(&request(kind, REQUEST | flags, number, body), 0)?;
        let mut room = Vec::with_capacity(ROOM);
        loop {
            room.clear();
            match uninterrupted(|| self.socket.recv(&mut room, 0)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "no answer from the kernel"));
                }
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

/// Append an attribute, padded to four bytes.
fn put_attribute(bytes: &mut Vec<u8>, kind: u16, body: &[u8]) {
    bytes.extend(((ATTRIBUTE + body.len()) as u16).to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(body);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_attributes_are_read_one_after_the_other() {
        let attribute = [&[6, 0, 0x10, 0x80][..], &[7, 8, 0, 0], &[4, 0, 3, 0]].concat();
        let bytes = [request(20, REQUEST, 5, &attribute), request(DONE, 0, 6, &[0; 4])].concat();
        let read: Vec<Message<'_>> = messages(&bytes).collect();
        assert_eq!(read.iter().map(|it| (it.kind, it.sequence)).collect::<Vec<_>>(), [(20, 5), (DONE, 6)]);
        let expected: [(u16, &[u8]); 2] =
            [(u16::from_ne_bytes([0x10, 0]), &[7, 8]), (u16::from_ne_bytes([3, 0]), &[])];
        assert_eq!(attributes(read[0].body).collect::<Vec<_>>(), expected);
        assert_eq!((read[0].error(), read[1].error()), (None, None));
    }

    #[test]
    fn errors_are_distinguished_from_acknowledgments() {
        let of = |kind, code: i32| {
            let bytes = request(kind, 0, 1, &code.to_ne_bytes());
            messages(&bytes).next().unwrap().error()
        };
        assert_eq!([of(ERROR, -2), of(ERROR, 0), of(DONE, -2), of(20, -2)], [Some(2), None, Some(2), None]);
        assert_eq!(of(ERROR, i32::MIN), Some(i32::MAX));
    }

    #[test]
    fn an_inconsistent_dump_is_recognised() {
        let of = |flags| {
            let bytes = request(20, flags, 1, &[]);
            messages(&bytes).next().unwrap().is_interrupted()
        };
        assert_eq!([of(INTERRUPTED | 2), of(2)], [true, false]);
    }

    #[test]
    fn impossible_lengths_end_the_iteration() {
        assert_eq!(messages(&[0; 64]).count(), 0);
        assert_eq!(attributes(&[0; 64]).count(), 0);
        for cut in 0..HEADER + 8 {
            let bytes = request(20, 0, 1, &[4, 0, 1, 0, 4, 0, 2, 0]);
            let read = messages(&bytes[..cut]).next();
            assert_eq!(read, None, "{cut}");
        }
    }
}
