//! The programs in the kernel: what becomes of a packet that comes in, before the agent sees it, if it does.

use super::PATIENCE;
use super::flows::{BITS, Secret};
use super::words::{BEATEN, FORWARDED, LEFT_ALONE, NOT_SHOWN, TARGET, offset};
use crate::checksums::{TCP, UDP};
use crate::frame::{IPV4, IPV6, Medium, TAGGED};
use seamline_agent::Side;
use seamline_host::bpf::Function::{LoadBytes, Redirect, Time};
use seamline_host::bpf::Operation::{Add, And, Multiply, Set, ShiftLeft, ShiftRight, Xor};
use seamline_host::bpf::Register::{R0, R1, R2, R3, R4, R6, R7, R8, R9, R10};
use seamline_host::bpf::Width::{Byte, Double, Half, Word};
use seamline_host::bpf::{Label, Program};
use seamline_wire::codec::recovery::RECOVERY_PORT;

/// The kernel goes on as if there were no such program (`TC_ACT_UNSPEC`).
const AS_EVER: i32 = -1;
/// Fields of `struct __sk_buff`.
const PROTOCOL: i16 = 16;
const VLAN: i16 = 24;
/// Headers of IPv6 behind which TCP may be: options of hops, routing, fragments, authentication, and options of the destination.
const EXTENSIONS: [i32; 5] = [0, 43, 44, 51, 60];
const SYN: i32 = 2;

/// What the programs share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Common<'a> {
    pub(super) map: i32,
    pub(super) medium: Medium,
    /// How flows are told apart that the agent leaves alone.
    pub(super) secret: &'a Secret,
}

/// The program for what comes in on a side.
pub(super) fn forwarding(common: Common<'_>, side: Side) -> Program {
    let mut it = Program::new();
    let [pass, show, leave] = [(); 3].map(|()| it.label());
    sort(&mut it, common, pass, show, leave);
    it.place(show);
    if_agent_works(&mut it, leave);
    forward(&mut it, FORWARDED, side);
    it.place(pass);
    forward(&mut it, NOT_SHOWN, side);
    it.place(leave);
    it.with(Set, R0, AS_EVER);
    it.exit();
    it
}

/// Whether the agent's thread has said so not too long ago.
fn if_agent_works(it: &mut Program, then: Label) {
    it.call(Time);
    it.load(Double, R1, (R7, offset(BEATEN)));
    it.with(Add, R1, PATIENCE.as_nanos() as i32);
    it.if_at_most(R0, R1, then);
}

/// Count a packet, and have it leave by the other interface.
fn forward(it: &mut Program, counter: usize, side: Side) {
    it.with(Set, R1, 1);
    it.add_to_memory((R7, offset(counter + side.index())), R1);
    it.load(Double, R1, (R7, offset(TARGET + side.index())));
    it.with(Set, R2, 0);
    it.call(Redirect);
    it.exit();
}

/// The program for what a port's socket receives: what the other one does not forward. The kernel runs one after the other for each packet, this
/// one first.
pub(super) fn receiving(common: Common<'_>) -> Program {
    let mut it = Program::new();
    let [pass, show, receive] = [(); 3].map(|()| it.label());
    sort(&mut it, common, pass, show, receive);
    it.place(show);
    if_agent_works(&mut it, receive);
    it.place(pass);
    it.with(Set, R0, 0);
    it.exit();
    it.place(receive);
    it.with(Set, R0, -1);
    it.exit();
    it
}

/// The number as it stands in a packet.
fn wire(value: u16) -> i32 {
    i32::from(value.to_be())
}

/// Of the stack: room for the longest header that is looked at, and for both addresses, folded.
const ROOM: i16 = -48;
const FOLDED: [i16; 2] = [-56, -64];

/// Copy so many bytes of the packet, from R8 on, to [`ROOM`].
fn look_at(it: &mut Program, count: i32, or_else: Label) {
    it.between(Set, R1, R6);
    it.between(Set, R2, R8);
    it.between(Set, R3, R10);
    it.with(Add, R3, ROOM.into());
    it.with(Set, R4, count);
    it.call(LoadBytes);
    it.if_is_not(R0, 0, or_else);
}

/// Sort packets into those that pass without the agent, and those that it is shown. R6 becomes the packet, R7 the shared numbers; without those,
/// `broken`. R8 is where the header is that is looked at.
fn sort(it: &mut Program, common: Common<'_>, pass: Label, show: Label, broken: Label) {
    let [v4, v6, tcp, udp] = [(); 4].map(|()| it.label());
    let link = if common.medium == Medium::Ethernet { 14 } else { 0 };
    it.between(Set, R6, R1);
    it.look_up(common.map, broken);
    it.between(Set, R7, R0);
    it.with(Set, R8, link);
    it.load(Word, R1, (R6, PROTOCOL));
    it.if_is(R1, wire(IPV4), v4);
    it.if_is(R1, wire(IPV6), v6);
    // Behind a tag that the kernel has taken off there may be another one.
    TAGGED.iter().for_each(|tag| it.if_is(R1, wire(*tag), show));
    it.go(pass);

    it.place(v4);
    look_at(it, 20, show);
    it.load(Byte, R1, (R10, ROOM));
    it.with(And, R1, 15);
    it.with(ShiftLeft, R1, 2);
    it.between(Add, R8, R1);
    it.load(Byte, R1, (R10, ROOM + 9));
    it.if_is(R1, UDP.into(), udp);
    it.if_is_not(R1, TCP.into(), pass);
    it.load(Half, R1, (R10, ROOM + 6));
    it.if_has(R1, wire(0x3fff), show);
    for (at, folded) in [12, 16].into_iter().zip(FOLDED) {
        it.load(Word, R1, (R10, ROOM + at));
        it.with(Set, R2, 0);
        fold(it, common.secret, folded);
    }
    it.go(tcp);

    it.place(v6);
    look_at(it, 40, show);
    it.with(Add, R8, 40);
    it.load(Byte, R1, (R10, ROOM + 6));
    it.if_is(R1, UDP.into(), udp);
    EXTENSIONS.iter().for_each(|next| it.if_is(R1, *next, show));
    it.if_is_not(R1, TCP.into(), pass);
    for (at, folded) in [8, 24].into_iter().zip(FOLDED) {
        it.load(Double, R1, (R10, ROOM + at));
        it.load(Double, R2, (R10, ROOM + at + 8));
        fold(it, common.secret, folded);
    }

    it.place(tcp);
    look_at(it, 14, show);
    it.load(Byte, R1, (R10, ROOM + 13));
    it.if_has(R1, SYN, show);
    name_flow(it, common.secret);
    it.if_is(R9, 0, show);
    it.between(Set, R1, R9);
    it.with(ShiftRight, R1, 64 - BITS as i32);
    it.with(ShiftLeft, R1, 3);
    it.between(Add, R1, R7);
    it.load(Double, R1, (R1, offset(LEFT_ALONE)));
    it.if_same(R1, R9, pass);
    it.go(show);

    it.place(udp);
    look_at(it, 4, show);
    for at in [0, 2] {
        it.load(Half, R1, (R10, ROOM + at));
        it.if_is_not(R1, wire(RECOVERY_PORT.0), pass);
    }
    it.go(show);
}

/// Fold an address, whose halves are in R1 and R2, into one number ([`Secret::folded`]).
fn fold(it: &mut Program, secret: &Secret, to: i16) {
    for (register, key) in [(R1, secret.halves[0]), (R2, secret.halves[1])] {
        it.set(R3, key);
        it.between(Multiply, register, R3);
    }
    it.between(Add, R1, R2);
    it.store(Double, (R10, to), R1);
}

/// R9 becomes the number of the flow whose addresses are [`FOLDED`], and whose ports are at [`ROOM`] ([`Secret::number`]).
fn name_flow(it: &mut Program, secret: &Secret) {
    it.load(Word, R9, (R6, VLAN));
    it.with(And, R9, 0xfff);
    it.set(R3, secret.vlan);
    it.between(Multiply, R9, R3);
    for (at, folded) in [0, 2].into_iter().zip(FOLDED) {
        it.load(Half, R1, (R10, ROOM + at));
        it.set(R3, secret.port);
        it.between(Multiply, R1, R3);
        it.load(Double, R2, (R10, folded));
        it.between(Add, R1, R2);
        it.between(Set, R2, R1);
        it.with(ShiftRight, R2, 32);
        it.between(Xor, R1, R2);
        it.set(R3, secret.end);
        it.between(Multiply, R1, R3);
        it.between(Add, R9, R1);
    }
}
