//! The shared object without packetdrill: packets as bytes, calls as functions.

use crate::blocking::Shared;
use crate::errno::Errno;
use crate::options::Value;
use crate::settings::Subject;
use crate::world::{Sent, World};
use crate::writes::{Call, Progress};
use libc::c_int;
use seamline_wire::codec::{Headers, IpHeader, decode, encode_to_vec};
use seamline_wire::{Flags, Segment, SequenceNumber, TransportPort};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::mpsc;
use std::thread;

const OURS: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(192, 168, 0, 1), 8080);
const PEERS: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(192, 0, 2, 1), 5000);

fn packet(segment: Segment) -> Vec<u8> {
    let headers = Headers {
        ip: IpHeader::v4(*PEERS.ip(), *OURS.ip()),
        source_port: TransportPort(PEERS.port()),
        destination_port: TransportPort(OURS.port()),
        segment,
    };
    encode_to_vec(&headers, &vec![0; segment.length as usize]).expect("a packet")
}

fn segment(sent: &Sent) -> Segment {
    decode(&sent.bytes).expect("a TCP packet").headers.segment
}

fn listening() -> (World, c_int) {
    let mut world = World::new(Subject::read("profile=linux,variant=cubic"));
    let listener = world.make_socket(libc::AF_INET, libc::SOCK_STREAM).expect("a socket") as c_int;
    world.bind(listener, OURS).expect("a port");
    world.listen(listener).expect("a listener");
    (world, listener)
}

fn call(bytes: usize, flags: c_int) -> Call {
    Call { flags, parts: vec![bytes] }
}

fn syn() -> Segment {
    Segment { flags: Flags::SYN, window: 65_535, maximum_segment_size: Some(1000), ..Segment::default() }
}

/// The acknowledgment of our SYN, whose sequence number is `ours`.
fn answer(ours: SequenceNumber) -> Segment {
    Segment {
        sequence: SequenceNumber(1),
        acknowledgment: ours + 1,
        flags: Flags::ACK,
        window: 65_535,
        ..Segment::default()
    }
}

#[test]
fn a_listener_accepts_a_connection_that_sends_what_is_written() {
    let (mut world, listener) = listening();
    let mut peer = None;
    world.receive(&packet(syn())).expect("taken in");
    let syn_ack = segment(&world.sent.pop_front().expect("a SYN-ACK"));
    assert!(syn_ack.flags.contains(Flags::SYN | Flags::ACK));
    assert_eq!(world.accept(listener, &mut peer), Err(Errno::AGAIN), "the handshake is not over");

    world.receive(&packet(answer(syn_ack.sequence))).expect("taken in");
    let connection = world.accept(listener, &mut peer).expect("a connection") as c_int;
    assert_eq!(peer, Some(PEERS));
    assert_eq!(world.write(connection, &call(700, 0), &mut Progress::default()), Ok(700));
    let data = segment(&world.sent.pop_front().expect("data"));
    assert_eq!((data.length, data.sequence), (700, syn_ack.sequence + 1));
}

#[test]
fn what_the_endpoint_does_not_have_is_refused() {
    let (mut world, listener) = listening();
    let on = 1_i32.to_ne_bytes();
    let mark = world.set_option(listener, (libc::SOL_TCP, libc::TCP_MD5SIG), Value(&on));
    assert_eq!(mark, Err(Errno::NO_OPTION));
    let urgent = world.write(listener, &call(1, libc::MSG_OOB), &mut Progress::default());
    assert_eq!(urgent, Err(Errno::UNSUPPORTED));
}

#[test]
fn a_call_that_waits_in_the_second_thread_returns_when_a_packet_arrives() {
    let (mut world, listener) = listening();
    world.receive(&packet(syn())).expect("taken in");
    let ours = segment(&world.sent.pop_front().expect("a SYN-ACK")).sequence;
    let shared: &'static Shared = Box::leak(Box::new(Shared::new(world)));
    let (sender, receiver) = mpsc::channel();
    let second = thread::spawn(move || {
        let descriptor = shared.wait(false, |world| world.accept(listener, &mut None));
        sender.send((descriptor, shared.micros())).expect("the first thread listens");
    });
    while shared.waiting() == 0 {
        thread::yield_now();
    }
    shared.sleep(50_000);
    let before = shared.micros();
    shared.call(|world| world.receive(&packet(answer(ours)))).expect("taken in");
    // Not later: the first thread waits for it, and time stands still.
    let (descriptor, at) = receiver.recv().expect("an answer");
    assert!(descriptor.is_ok_and(|descriptor| descriptor > i64::from(listener)));
    assert_eq!(at, before);
    second.join().expect("the second thread ends");
}

#[test]
fn a_call_that_nothing_can_end_does_not_hang() {
    let (world, listener) = listening();
    let shared = Shared::new(world);
    let answer = shared.wait(false, |world| world.accept(listener, &mut None));
    assert_eq!(answer, Err(Errno::WAITS_FOR_EVER));
}
