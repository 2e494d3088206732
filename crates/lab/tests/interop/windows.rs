//! Windows that close because an application does not read, and open again.

use crate::host::{FROM_OURS, Setup, Way};
use crate::ours::OurEnd;
use crate::pair::{Opener, Pair, kernel_reads, kernel_sends, prepared};
use crate::{pause, until};
use seamline_tcp::Endpoint;
use seamline_wire::{Flags, Segment};
use std::thread;
use std::time::Duration;

const BYTES: u64 = 1_000_000;

fn slow_reader() -> Setup {
    with_small_buffer(Setup { reads_at_once: false, ..Setup::default() })
}

fn with_small_buffer(mut setup: Setup) -> Setup {
    setup.parameters.set_receive_buffer(64 << 10);
    setup
}

#[test]
fn we_probe_the_kernels_closed_window() {
    let Some(pair) = Pair::or_skip("we_probe_the_kernels_closed_window") else { return };
    let listener = pair.kernel_listens_with_buffer(32 << 10);
    let ours = pair.ours.connect((crate::pair::OUR_CLIENT_PORT, crate::pair::KERNEL_PORT), &Setup::default());
    let mut stream = prepared(listener.accept().unwrap().0);
    ours.supply(BYTES);
    ours.wait("three window probes", |endpoint| endpoint.statistics().sender.window_probes >= 3);
    let closed = pair.ours.seen(Way::ToOurs, |segment| segment.window == 0);
    assert!(!closed.is_empty(), "the kernel closed its window");
    assert!(ours.look(|endpoint| endpoint.buffered()) > BYTES / 2);
    kernel_reads(&mut stream, 0, BYTES);
    ours.wait("all is acknowledged", |endpoint| endpoint.statistics().bytes_acknowledged == BYTES);
}

/// Read everything, bit by bit.
fn read_all(ours: &OurEnd) {
    let mut read = 0;
    while read < BYTES {
        let readable = ours.look(|endpoint| endpoint.readable());
        ours.consume(readable);
        read += readable;
        pause(Duration::from_millis(1));
    }
    ours.wait_delivered(BYTES);
}

/// Whether less is free than a window field of the agreed scale can say.
fn is_full(endpoint: &Endpoint) -> bool {
    endpoint.readable() > (64 << 10) - 128
}

/// A segment of the kernel that asks how far we are: before what it has sent, and empty.
fn is_probe(segment: &Segment, acknowledged: u32) -> bool {
    segment.length == 0 && segment.sequence.0.wrapping_add(1) == acknowledged
}

#[test]
fn the_kernel_probes_our_closed_window() {
    let Some(pair) = Pair::or_skip("the_kernel_probes_our_closed_window") else { return };
    let (ours, mut stream) = pair.connected(Opener::Kernel, slow_reader());
    let sending = thread::spawn(move || {
        kernel_sends(&mut stream, 0, BYTES);
        stream
    });
    ours.wait("our buffer is full", is_full);
    let next = ours.look(|endpoint| endpoint.next_expected()).0;
    until("three probes of the kernel", || {
        (pair.ours.seen(Way::ToOurs, |segment| is_probe(segment, next)).len() >= 3).then_some(())
    });
    read_all(&ours);
    drop(sending.join().unwrap());
}

/// However little the application reads at a time, the window opens by a segment at least (RFC 9293 section 3.8.6.2.2).
#[test]
fn an_application_that_reads_little_by_little_sets_the_pace() {
    let Some(pair) = Pair::or_skip("an_application_that_reads_little_by_little_sets_the_pace") else {
        return;
    };
    const BYTES: u64 = 300_000;
    let (ours, mut stream) = pair.connected(Opener::We, slow_reader());
    let sending = thread::spawn(move || {
        kernel_sends(&mut stream, 0, BYTES);
        stream
    });
    let mut read = 0;
    while read < BYTES {
        let readable = ours.look(|endpoint| endpoint.readable());
        assert!(readable <= 64 << 10, "the kernel kept to our window: {readable}");
        let some = readable.min(700);
        ours.consume(some);
        read += some;
        pause(Duration::from_micros(200));
    }
    ours.wait_delivered(BYTES);
    let edges: Vec<u32> = pair
        .ours
        .seen(Way::ToKernel, |segment| !segment.flags.intersects(Flags::SYN))
        .iter()
        .map(|seen| seen.segment.acknowledgment.0.wrapping_add(u32::from(seen.segment.window) << 7))
        .collect();
    let openings: Vec<i32> = edges
        .windows(2)
        .map(|pair| pair[1].wrapping_sub(pair[0]).cast_signed())
        .filter(|opening| *opening != 0)
        .collect();
    // What a field of scale 7 cannot say is cut off; section 2.4 of RFC 7323 lets the edge move by as much.
    let real: Vec<i32> = openings.into_iter().filter(|opening| opening.abs() > 127).collect();
    assert!(real.len() > 50, "{real:?}");
    assert!(real.iter().all(|opening| *opening > 1460 - 128), "{real:?}");
    drop(sending.join().unwrap());
}

#[test]
fn both_windows_close_at_once() {
    let Some(pair) = Pair::or_skip("both_windows_close_at_once") else { return };
    let setup = Setup { reads_at_once: false, ..Setup::under("rfc") };
    let (ours, stream) = pair.connected(Opener::Kernel, with_small_buffer(setup));
    let (mut writing, mut reading) = (stream.try_clone().unwrap(), stream);
    // More than the kernel's buffers hold.
    const MUCH: u64 = 16 << 20;
    ours.supply(MUCH);
    let sending = thread::spawn(move || kernel_sends(&mut writing, 0, BYTES));
    ours.wait("both are stuck", |endpoint| {
        is_full(endpoint) && endpoint.statistics().sender.window_probes >= 2
    });
    let reader = thread::spawn(move || {
        let mut first = [0; 1];
        std::io::Read::read_exact(&mut reading, &mut first).unwrap();
        FROM_OURS.check(0, &first).unwrap();
        kernel_reads(&mut reading, 1, MUCH - 1);
        reading
    });
    read_all(&ours);
    sending.join().unwrap();
    drop(reader.join().unwrap());
}
