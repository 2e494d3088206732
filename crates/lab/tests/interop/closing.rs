//! Ends of connections: by either side, half way, at once, by force, and after a long silence.

use crate::host::{Closes, Fate, Setup, Way};
use crate::pair::{
    BOTH, KERNEL_PORT, OUR_CLIENT_PORT, OUR_PORT, Opener, Pair, exchange, kernel_reads, kernel_reads_to_end,
    kernel_sends, prepared,
};
use crate::until;
use nix::sys::socket::{setsockopt, sockopt};
use seamline_host::uninterrupted;
use seamline_tcp::parameters::KeepAlive;
use seamline_tcp::{CloseReason, State};
use seamline_wire::codec::IpVersion;
use seamline_wire::{Duration, Flags};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};

const BYTES: u64 = 200_000;

fn by_hand() -> Setup {
    Setup { closes: Closes::ByHand, ..Setup::default() }
}

#[test]
fn we_send_on_after_the_kernel_has_closed() {
    let Some(_) = Pair::or_skip("we_send_on_after_the_kernel_has_closed") else { return };
    for opener in BOTH {
        let pair = Pair::new(IpVersion::V4);
        let (ours, mut stream) = pair.connected(opener, by_hand());
        kernel_sends(&mut stream, 0, BYTES);
        stream.shutdown(Shutdown::Write).unwrap();
        ours.wait_for(State::CloseWait);
        ours.wait_delivered(BYTES);
        ours.supply(BYTES);
        ours.close();
        assert_eq!(kernel_reads_to_end(&mut stream, 0), BYTES);
        ours.wait_for(State::Closed);
        assert_eq!(ours.look(|endpoint| endpoint.close_reason()), Some(CloseReason::Finished));
    }
}

#[test]
fn the_kernel_sends_on_after_we_have_closed() {
    let Some(_) = Pair::or_skip("the_kernel_sends_on_after_we_have_closed") else { return };
    for opener in BOTH {
        let pair = Pair::new(IpVersion::V4);
        let (ours, mut stream) = pair.connected(opener, by_hand());
        ours.supply(BYTES);
        ours.close();
        assert_eq!(kernel_reads_to_end(&mut stream, 0), BYTES);
        ours.wait_for(State::FinWait2);
        kernel_sends(&mut stream, 0, BYTES);
        drop(stream);
        ours.wait_delivered(BYTES);
        ours.wait_for(State::Closed);
        assert_eq!(ours.look(|endpoint| endpoint.close_reason()), Some(CloseReason::Finished));
    }
}

#[test]
fn both_close_at_once() {
    let Some(pair) = Pair::or_skip("both_close_at_once") else { return };
    pair.ours.network(Duration::from_millis(200), |_, _| Fate::Pass);
    let (ours, stream) = pair.connected(Opener::We, by_hand());
    ours.close();
    drop(stream);
    ours.wait_for(State::Closing);
    ours.wait_for(State::Closed);
    assert_eq!(ours.look(|endpoint| endpoint.close_reason()), Some(CloseReason::Finished));
    until("the kernel has no socket", || pair.kernel_sockets().is_empty().then_some(()));
}

#[test]
fn a_lost_fin_is_repeated() {
    let Some(_) = Pair::or_skip("a_lost_fin_is_repeated") else { return };
    for (way, we_close) in [(Way::ToKernel, true), (Way::ToOurs, false)] {
        let pair = Pair::new(IpVersion::V4);
        let mut fins = 0;
        pair.ours.network(Duration::ZERO, move |this_way, segment| {
            fins += usize::from(this_way == way && segment.flags.contains(Flags::FIN));
            let is_lost = this_way == way && segment.flags.contains(Flags::FIN) && fins <= 2;
            if is_lost { Fate::Lost } else { Fate::Pass }
        });
        let (ours, mut stream) = pair.connected(Opener::We, Setup::default());
        if we_close {
            ours.close();
            assert_eq!(kernel_reads_to_end(&mut stream, 0), 0);
        }
        drop(stream);
        ours.wait_for(State::Closed);
        assert_eq!(ours.look(|endpoint| endpoint.close_reason()), Some(CloseReason::Finished));
        until("the kernel has no socket", || pair.kernel_sockets().is_empty().then_some(()));
    }
}

#[test]
fn the_kernel_resets() {
    let Some(_) = Pair::or_skip("the_kernel_resets") else { return };
    for opener in BOTH {
        let pair = Pair::new(IpVersion::V4);
        let (ours, stream) = pair.connected(opener, by_hand());
        let at_once = libc::linger { l_onoff: 1, l_linger: 0 };
        setsockopt(&stream, sockopt::Linger, &at_once).unwrap();
        drop(stream);
        ours.wait_for(State::Closed);
        assert_eq!(ours.look(|endpoint| endpoint.close_reason()), Some(CloseReason::Reset));
    }
}

/// A socket that is closed with data unread is reset, while more of our data is under way.
#[test]
fn the_kernel_resets_data_that_will_not_be_read() {
    let Some(pair) = Pair::or_skip("the_kernel_resets_data_that_will_not_be_read") else { return };
    pair.ours.network(Duration::from_millis(5), |_, _| Fate::Pass);
    let (ours, mut stream) = pair.connected(Opener::We, by_hand());
    ours.supply(50_000_000);
    kernel_reads(&mut stream, 0, 100_000);
    drop(stream);
    ours.wait_for(State::Closed);
    assert_eq!(ours.look(|endpoint| endpoint.close_reason()), Some(CloseReason::Reset));
    until("the kernel has no socket", || pair.kernel_sockets().is_empty().then_some(()));
}

#[test]
fn we_reset() {
    let Some(_) = Pair::or_skip("we_reset") else { return };
    for opener in BOTH {
        let pair = Pair::new(IpVersion::V4);
        let (ours, mut stream) = pair.connected(opener, by_hand());
        ours.supply(BYTES);
        kernel_reads(&mut stream, 0, BYTES);
        ours.abort();
        let error = uninterrupted(|| stream.read(&mut [0])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
        assert_eq!(ours.look(|endpoint| endpoint.close_reason()), Some(CloseReason::Aborted));
    }
}

#[test]
fn the_kernels_keep_alives_are_answered_and_a_dead_path_is_found_out() {
    let Some(pair) = Pair::or_skip("the_kernels_keep_alives_are_answered_and_a_dead_path_is_found_out")
    else {
        return;
    };
    let (ours, mut stream) = pair.connected(Opener::Kernel, by_hand());
    keep_alive(&stream);
    stream.write_all(&[]).unwrap();
    let next = ours.look(|endpoint| endpoint.next_expected()).0;
    until("two keep-alives", || {
        let probes =
            pair.ours.seen(Way::ToOurs, |it| it.length == 0 && it.sequence.0.wrapping_add(1) == next);
        (probes.len() >= 2).then_some(())
    });
    ours.supply(BYTES);
    kernel_reads(&mut stream, 0, BYTES);
    pair.ours.network(Duration::ZERO, |_, _| Fate::Lost);
    let error = uninterrupted(|| stream.read(&mut [0])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
}

fn keep_alive(stream: &TcpStream) {
    setsockopt(stream, sockopt::KeepAlive, &true).unwrap();
    setsockopt(stream, sockopt::TcpKeepIdle, &1).unwrap();
    setsockopt(stream, sockopt::TcpKeepInterval, &1).unwrap();
    setsockopt(stream, sockopt::TcpKeepCount, &2).unwrap();
}

#[test]
fn our_keep_alives_are_answered_and_a_dead_path_is_found_out() {
    let Some(pair) = Pair::or_skip("our_keep_alives_are_answered_and_a_dead_path_is_found_out") else {
        return;
    };
    let mut setup = by_hand();
    let often = Duration::from_millis(400);
    setup.parameters.connection.keepalive = Some(KeepAlive { idle: often, interval: often, probes: 3 });
    let (ours, mut stream) = pair.connected(Opener::We, setup);
    let before = ours.look(|endpoint| endpoint.statistics().segments_received);
    ours.wait("six keep-alives are answered", |it| it.statistics().segments_received >= before + 6);
    kernel_sends(&mut stream, 0, BYTES);
    ours.wait_delivered(BYTES);
    pair.ours.network(Duration::ZERO, |_, _| Fate::Lost);
    ours.wait_for(State::Closed);
    assert_eq!(ours.look(|endpoint| endpoint.close_reason()), Some(CloseReason::TimedOut));
}

/// The kernel waits in TIME-WAIT, and we come again from the same port.
#[test]
fn we_come_again_while_the_kernel_waits() {
    let Some(pair) = Pair::or_skip("we_come_again_while_the_kernel_waits") else { return };
    let listener = pair.kernel_listens();
    for round in 0..3_u32 {
        let setup = Setup { initial_sequence: 1000 + round * 10_000_000, ..Setup::default() };
        let ours = pair.ours.connect((OUR_CLIENT_PORT, KERNEL_PORT), &setup);
        let mut stream = prepared(listener.accept().unwrap().0);
        ours.supply(BYTES);
        kernel_reads(&mut stream, 0, BYTES);
        stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(kernel_reads_to_end(&mut stream, BYTES), BYTES);
        ours.wait_for(State::Closed);
        drop(stream);
    }
    pair.ours.check_content();
}

/// We wait in TIME-WAIT, and the kernel comes again from the same port.
#[test]
fn the_kernel_comes_again_while_we_wait() {
    let Some(pair) = Pair::or_skip("the_kernel_comes_again_while_we_wait") else { return };
    let mut setup = Setup { supplies: BYTES, closes: Closes::AfterData, ..Setup::default() };
    setup.parameters.connection.time_wait = Duration::from_secs(60);
    pair.ours.listen(OUR_PORT, setup);
    for _ in 0..3 {
        let mut stream = pair.kernel_connects_from(33_000, |_| ()).unwrap();
        let ours = pair.ours.accept();
        assert_eq!(kernel_reads_to_end(&mut stream, 0), BYTES);
        drop(stream);
        ours.wait_for(State::TimeWait);
    }
    pair.ours.check_content();
}

/// An idle connection stays, and goes on.
#[test]
fn silence_ends_nothing() {
    let Some(pair) = Pair::or_skip("silence_ends_nothing") else { return };
    let (ours, stream) = pair.connected(Opener::We, Setup::default());
    let before = pair.ours.record().len();
    crate::pause(std::time::Duration::from_secs(3));
    assert!(pair.ours.record().len() <= before + 1, "neither end sends anything without need");
    exchange(&ours, stream, BYTES, BYTES);
}
