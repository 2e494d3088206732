//! A window that grows with what a connection turns out to need, as Linux's does. The numbers are those of Linux 6.12.

use crate::script::*;
use seamline_tcp::parameters::Parameters;

/// Segments of 1448 bytes and a timestamp, as over Ethernet.
const SIZE: u32 = 1448;

fn linux(change: impl FnOnce(&mut Parameters)) -> Parameters {
    let mut parameters = (seamline_tcp::profile::LINUX.parameters)();
    change(&mut parameters);
    parameters
}
fn offer(segment: Seg) -> Seg {
    segment.mss(1460).scale(7).sack_permitted(true)
}
/// A receiver that reads at once, open at 100 ms.
fn receiving(change: impl FnOnce(&mut Parameters)) -> Script {
    let mut script = Script::new(linux(change), "cubic");
    script.listen().read_at_once().inject(offer(syn()).times(1000, 0));
    script.expect(syn_ack().window(65_160).scale(7)).at(100).inject(ack(1).times(1100, 1));
    script
}
fn segment(n: u32, echo: u32) -> Seg {
    data(n * SIZE + 1..(n + 1) * SIZE + 1).times(1100, echo)
}

/// tcp_select_initial_window, tcp_init_buffer_space: half of 128 KiB in whole segments; the SYN does not know yet that timestamps take a
/// part of them.
#[test]
fn the_first_window() {
    let mut script = Script::new(linux(|_| {}), "cubic");
    script.connect().expect(syn().window(64_240).scale(7)).at(100);
    script.inject(offer(syn_ack()).times(1000, 1)).expect(ack(1).window(502));
    receiving(|_| {});
}

/// tcp_grow_window: two segments for each, as far as the memory goes, of which a segment of 1448 bytes takes 2304.
#[test]
fn the_window_grows_with_full_segments() {
    let mut script = receiving(|_| {});
    for (n, window) in (0..).zip([524, 546, 569, 592, 614, 629, 629, 629]) {
        script.inject(segment(n, 1)).expect(ack((n + 1) * SIZE + 1).window(window));
    }
}

/// __tcp_grow_window: small segments waste memory, so the window hardly grows with them.
#[test]
fn the_window_does_not_grow_with_small_segments() {
    let mut script = receiving(|_| {});
    script.inject(segment(0, 1)).expect(ack(1449).window(524));
    for n in 0..8 {
        let end = 1549 + n * 100;
        script.inject(data(end - 100..end).times(1100, 1)).expect(ack(end));
    }
    let last = script.inject(segment(1, 1).seq(2249)).take().pop().expect("an acknowledgment");
    assert!((530..=546).contains(&last.window.expect("a window")), "{last}");
}

/// tcp_rcv_space_adjust: twice what was read in a round-trip time and sixteen segments, and more as that grew. Here 11, 20 and 40 segments are
/// read in 41 ms each: after the third there is memory for 417024 bytes, of which one segment's is in use.
#[test]
fn the_window_follows_what_is_read() {
    let mut script = receiving(|_| {});
    let mut n = 0;
    let mut last = None;
    for (at, segments) in [(101, 10), (143, 1), (150, 19), (185, 1), (190, 39), (227, 1), (230, 150)] {
        for _ in 0..segments {
            let echo = if at == 101 { 60 } else { at - 40 };
            script.at(u64::from(at)).inject(segment(n, echo));
            last = script.take().pop().or(last);
            n += 1;
        }
    }
    let window = last.and_then(|last| last.window).expect("a window");
    assert_eq!(window, 3247);
}

/// tcp_rcv_space_adjust: memory ends at tcp_rmem[2], so the window ends at what that holds.
#[test]
fn the_window_ends_with_memory() {
    let mut script = receiving(|_| {});
    let (mut n, mut widest) = (0, 0);
    for round in 0..12_u32 {
        let at = 110 + 50 * round;
        for _ in 0..(10 << round).min(8000) {
            script.skip_to(at.into()).inject(segment(n, at - 49));
            for sent in script.take() {
                widest = widest.max(sent.window.expect("a window"));
            }
            n += 1;
        }
    }
    // Of 6 MiB 160/256 is payload; one segment is in use when the window is chosen.
    assert_eq!(widest, ((((6 << 20) - 2304) * 160 / 256) as u32).div_ceil(128) as u16);
}

/// A listener whose peer gave up and comes again begins anew.
#[test]
fn the_window_is_tuned_after_a_reset_too() {
    let mut script = Script::new(linux(|_| {}), "cubic");
    for at in [10, 20] {
        script.at(at).listen().inject(offer(syn()).times(1000, 0));
        let answer = script.take().pop().expect("a SYN that answers");
        assert_eq!(answer.window, Some(65_160));
        script.inject(rst(1)).expect_nothing();
    }
}

/// SOCK_RCVBUF_LOCK: who asks for a buffer gets it, from the start, and no other.
#[test]
fn a_buffer_of_choice_is_not_tuned() {
    let mut script = Script::new(linux(|p| p.set_receive_buffer(1 << 20)), "cubic");
    script.listen().read_at_once().inject(offer(syn()).times(1000, 0)).expect(syn_ack().window(65_535));
    script.at(100).inject(ack(1).times(1100, 1)).inject(segment(0, 1)).expect(ack(1449).window(8192));
}

/// __tcp_select_window: what is not read takes memory; the right edge stays, and a window with little room closes. Reading opens it when it
/// is twice what it was (tcp_cleanup_rbuf).
#[test]
fn an_application_that_does_not_read_closes_the_window() {
    let mut script = Script::new(linux(|_| {}), "cubic");
    script.listen().inject(offer(syn()).times(1000, 0)).expect(syn_ack()).at(100);
    script.inject(ack(1).times(1100, 1));
    let (mut n, mut edge) = (0, 0);
    while script.inject(segment(n, 1)).delivered(u64::from(n + 1) * u64::from(SIZE)).millis() < 4000 {
        script.skip_to(100 + 50 * u64::from(n + 1));
        n += 1;
        let right = script.endpoint.committed();
        assert!(right >= edge, "the right edge moved from {edge} to {right}");
        edge = right;
        if right < u64::from((n + 1) * SIZE) {
            break;
        }
    }
    assert!((45..60).contains(&n), "{n} segments fit");
    let unread = script.endpoint.readable();
    script.read(unread);
    let update = script.take().pop().expect("a window update");
    assert!(u32::from(update.window.expect("a window")) * 128 > 64_000, "{update}");
}
