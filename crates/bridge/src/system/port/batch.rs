//! Frames that came in together.

use crate::checksums;
use crate::frame::{self, Medium};
use crate::joined::Offloads;
use seamline_host::clock;
use seamline_wire::{Duration, Instant};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Frames taken at once.
pub(super) const BATCH: usize = 64;
/// Of a frame, what is received in one piece with the others; it holds a packet of 1,500 bytes, and all headers of any packet.
const NEAR: usize = 2048;
/// The longest packet of IP: what is left of any frame.
const FAR: usize = 65_536;
const CONTROL: usize = 256;

/// Of linux/if_packet.h.
pub(super) const AUXDATA: libc::c_int = 8;
const VLAN_VALID: u32 = 1 << 4;
const VLAN_TYPE_VALID: u32 = 1 << 6;
const TAG: usize = 4;
const ADDRESSES: usize = 12;

/// Frames that came in together. Reused.
pub struct Batch {
    /// Of each frame [`NEAR`] bytes, before which a tag has room.
    near: Box<[u8]>,
    far: Box<[u8]>,
    control: Box<[[u64; CONTROL / 8]]>,
    offloads: [Offloads; BATCH],
    /// Packets that were joined, and frames that do not lie in one piece.
    put_together: Vec<u8>,
    /// In the order in which they came.
    places: Vec<Place>,
    joined: Vec<Joined>,
    /// Of the last one, the packets. Reused.
    cut: Vec<Range<usize>>,
    /// There may be more.
    pub is_full: bool,
}

/// Where a frame is, and when it arrived (wall clock).
struct Place {
    is_near: bool,
    bytes: Range<usize>,
    at: Option<Instant>,
}

/// A frame that holds several packets, as it came. They lie one behind the other in what was put together.
struct Joined {
    offloads: Offloads,
    near: Range<usize>,
    far: Range<usize>,
    packets: Range<usize>,
}

/// The kernel's notes on a frame: `struct tpacket_auxdata`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Auxiliary {
    status: u32,
    length: u32,
    captured: u32,
    link: u16,
    network: u16,
    vlan: u16,
    vlan_type: u16,
}

/// What a batch has received, in numbers.
#[derive(Clone, Copy, Default)]
pub(super) struct Received {
    pub(super) frames: u64,
    /// Whose checksums were filled in here.
    pub(super) completed: u64,
    /// The bytes of the longest.
    pub(super) longest: usize,
}

impl std::fmt::Debug for Batch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Batch({})", self.places.len())
    }
}

impl Default for Batch {
    fn default() -> Self {
        Batch {
            near: vec![0; NEAR * BATCH].into_boxed_slice(),
            far: vec![0; FAR * BATCH].into_boxed_slice(),
            control: vec![[0; CONTROL / 8]; BATCH].into_boxed_slice(),
            offloads: [Offloads::default(); BATCH],
            put_together: Vec::new(),
            places: Vec::with_capacity(BATCH),
            joined: Vec::new(),
            cut: Vec::new(),
            is_full: false,
        }
    }
}

impl Batch {
    /// The frames, each with how long it has waited.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], Duration)> {
        let now = clock::wall();
        self.places.iter().map(move |place| {
            (self.frame(place), place.at.map_or(Duration::ZERO, |at| now.saturating_since(at)))
        })
    }

    fn frame(&self, place: &Place) -> &[u8] {
        &(if place.is_near { &*self.near } else { &self.put_together })[place.bytes.clone()]
    }

    /// What these frames begin with, if those are all the packets that came joined, unchanged and in order: the frame that holds them, its
    /// bytes in two parts, and how many they are.
    pub(super) fn whole<'f>(
        &self,
        mut frames: impl Iterator<Item = &'f [u8]>,
    ) -> Option<(&Offloads, [&[u8]; 2], usize)> {
        let first = frames.next()?;
        let begin = (first.as_ptr() as usize).checked_sub(self.put_together.as_ptr() as usize)?;
        let found = self.joined.binary_search_by_key(&begin, |it| self.places[it.packets.start].bytes.start);
        let joined = &self.joined[found.ok()?];
        let mut expected = self.places[joined.packets.clone()].iter().map(|place| self.frame(place));
        let is_first = expected.next().is_some_and(|it| std::ptr::eq(it, first));
        let are_next = expected.all(|it| frames.next().is_some_and(|frame| std::ptr::eq(it, frame)));
        let parts = [&self.near[joined.near.clone()], &self.far[joined.far.clone()]];
        (is_first && are_next).then_some((&joined.offloads, parts, joined.packets.len()))
    }

    /// Forget the frames.
    pub(super) fn clear(&mut self) {
        self.put_together.clear();
        self.places.clear();
        self.joined.clear();
        self.is_full = false;
    }

    /// Where the frames of a call of recvmmsg(2) go. `vectors` has to live as long as the headers are used.
    pub(super) fn prepare(
        &mut self,
        vectors: &mut [[MaybeUninit<libc::iovec>; 3]; BATCH],
        headers: &mut [libc::mmsghdr; BATCH],
    ) {
        let near = self.near.chunks_exact_mut(NEAR).map(|near| &mut near[TAG..]);
        let parts = near.zip(self.far.chunks_exact_mut(FAR)).zip(&mut self.control).zip(&mut self.offloads);
        for (((((near, far), control), offloads), vectors), header) in parts.zip(vectors).zip(headers) {
            let rooms = [
                (std::ptr::from_mut(offloads).cast(), size_of::<Offloads>()),
                (near.as_mut_ptr().cast(), near.len()),
                (far.as_mut_ptr().cast(), far.len()),
            ];
            for (vector, (iov_base, iov_len)) in vectors.iter_mut().zip(rooms) {
                vector.write(libc::iovec { iov_base, iov_len });
            }
            header.msg_hdr.msg_iov = vectors.as_mut_ptr().cast();
            header.msg_hdr.msg_iovlen = vectors.len() as _;
            header.msg_hdr.msg_control = control.as_mut_ptr().cast();
            header.msg_hdr.msg_controllen = CONTROL as _;
        }
    }

    /// What the kernel has put there.
    pub(super) fn take(&mut self, medium: Medium, headers: &[libc::mmsghdr]) -> Received {
        let mut received = Received::default();
        for (number, header) in headers.iter().enumerate() {
            let length = (header.msg_len as usize).saturating_sub(size_of::<Offloads>());
            let (auxiliary, at) = control_messages(&header.msg_hdr);
            self.take_one(medium, number, length, &auxiliary, at, &mut received);
        }
        received
    }

    fn take_one(
        &mut self,
        medium: Medium,
        number: usize,
        length: usize,
        auxiliary: &Auxiliary,
        at: Option<Instant>,
        received: &mut Received,
    ) {
        let far = length.saturating_sub(NEAR - TAG);
        let begin = number * NEAR;
        let end = begin + TAG + length - far;
        let tagged = put_tag_back(&mut self.near[begin..end], auxiliary, medium);
        let near = if tagged { begin..end } else { begin + TAG..end };
        let far = number * FAR..number * FAR + far;
        let mut offloads = self.offloads[number];
        if offloads.has_joined() {
            offloads = offloads.moved(if tagged { TAG } else { 0 });
            received.longest = received.longest.max(self.take_joined(medium, offloads, near, far, at));
            received.frames += self.joined.last().map_or(0, |it| it.packets.len() as u64);
            return;
        }
        let (is_near, bytes) =
            if far.is_empty() { (true, near) } else { (false, self.put_together(near, far)) };
        received.longest = received.longest.max(bytes.len());
        received.frames += 1;
        if offloads.lacks_checksum() {
            let frame = if is_near { &mut self.near[..] } else { &mut self.put_together[..] };
            received.completed += u64::from(complete(medium, &mut frame[bytes.clone()]));
        }
        self.places.push(Place { is_near, bytes, at });
    }

    fn put_together(&mut self, near: Range<usize>, far: Range<usize>) -> Range<usize> {
        let begin = self.put_together.len();
        self.put_together.extend_from_slice(&self.near[near]);
        self.put_together.extend_from_slice(&self.far[far]);
        begin..self.put_together.len()
    }

    /// Returns the length of the longest packet of which it is made. What cannot be cut is one packet.
    fn take_joined(
        &mut self,
        medium: Medium,
        offloads: Offloads,
        near: Range<usize>,
        far: Range<usize>,
        at: Option<Instant>,
    ) -> usize {
        let (begin, end) = (&self.near[near.clone()], &self.far[far.clone()]);
        if !offloads.cut(medium, begin, end, &mut self.put_together, &mut self.cut) {
            let whole = self.put_together(near.clone(), far.clone());
            self.cut.push(whole);
        }
        let (first, longest) = (self.places.len(), self.cut.first().map_or(0, Range::len));
        self.places.extend(self.cut.drain(..).map(|bytes| Place { is_near: false, bytes, at }));
        self.joined.push(Joined { offloads, near, far, packets: first..self.places.len() });
        longest
    }
}

fn complete(medium: Medium, frame: &mut [u8]) -> bool {
    let Some((header, _)) = frame::split(medium, frame) else { return false };
    let begin = header.as_slice().len();
    checksums::complete(&mut frame[begin..])
}

/// The kernel's notes on a frame, and when the frame arrived.
fn control_messages(header: &libc::msghdr) -> (Auxiliary, Option<Instant>) {
    let (mut auxiliary, mut at) = (Auxiliary::default(), None);
    // SAFETY: the header is one that the kernel has filled in, and its control messages still live. The bodies are read as the kernel wrote them.
    unsafe {
        let mut next = libc::CMSG_FIRSTHDR(header);
        while let Some(message) = next.as_ref() {
            let body = libc::CMSG_DATA(message);
            match (message.cmsg_level, message.cmsg_type) {
                (libc::SOL_PACKET, AUXDATA) => auxiliary = body.cast::<Auxiliary>().read_unaligned(),
                (libc::SOL_SOCKET, libc::SO_TIMESTAMPNS) => {
                    let time = body.cast::<libc::timespec>().read_unaligned();
                    let nanos = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
                    at = Some(Instant::from_nanos(nanos));
                }
                _ => {}
            }
            next = libc::CMSG_NXTHDR(header, message);
        }
    }
    (auxiliary, at)
}

/// Put a tag back that the kernel took off; `frame` has room for it in front.
fn put_tag_back(frame: &mut [u8], auxiliary: &Auxiliary, medium: Medium) -> bool {
    let has_tag = auxiliary.status & VLAN_VALID != 0 && medium == Medium::Ethernet;
    if !has_tag || frame.len() < TAG + ADDRESSES {
        return false;
    }
    let kind = if auxiliary.status & VLAN_TYPE_VALID != 0 { auxiliary.vlan_type } else { 0x8100 };
    frame.copy_within(TAG..TAG + ADDRESSES, 0);
    frame[ADDRESSES..ADDRESSES + 2].copy_from_slice(&kind.to_be_bytes());
    frame[ADDRESSES + 2..ADDRESSES + TAG].copy_from_slice(&auxiliary.vlan.to_be_bytes());
    true
}
