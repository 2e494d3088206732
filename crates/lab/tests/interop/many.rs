//! A thousand short connections, some at a time.

use crate::host::{Closes, Setup};
use crate::pair::{KERNEL_PORT, OUR_PORT, Pair, kernel_reads_to_end, kernel_sends, prepared};
use crate::until;
use seamline_tcp::CloseReason;
use std::net::Shutdown;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

const CONNECTIONS: u32 = 1000;
const AT_ONCE: usize = 8;
const TO_KERNEL: u64 = 20_000;
const TO_OURS: u64 = 15_000;

/// Both sides have let go of everything, in order.
fn check_ends(pair: &Pair, ends: &[crate::ours::OurEnd]) {
    until("all of our connections have ended", || (pair.ours.connections_left() == 0).then_some(()));
    for end in ends {
        let (reason, statistics) = end.look(|endpoint| (endpoint.close_reason(), endpoint.statistics()));
        assert_eq!(reason, Some(CloseReason::Finished));
        assert_eq!((statistics.bytes_acknowledged, statistics.bytes_delivered), (TO_KERNEL, TO_OURS));
    }
    pair.ours.check_content();
    until("the kernel has no socket", || pair.kernel_sockets().is_empty().then_some(()));
}

#[test]
fn a_thousand_that_we_open() {
    let Some(pair) = Pair::or_skip("a_thousand_that_we_open") else { return };
    let listener = pair.kernel_listens();
    let begun = AtomicU32::new(0);
    let ends = thread::scope(|scope| {
        let (listener, begun, ours) = (&listener, &begun, &pair.ours);
        let workers: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                scope.spawn(move || {
                    let mut ends = Vec::new();
                    loop {
                        let number = begun.fetch_add(1, Ordering::Relaxed);
                        if number >= CONNECTIONS {
                            return ends;
                        }
                        let setup = Setup {
                            initial_sequence: number.wrapping_mul(0x9e37_79b9),
                            supplies: TO_KERNEL,
                            closes: Closes::AfterData,
                            ..Setup::default()
                        };
                        ends.push(ours.connect((20_000 + number as u16, KERNEL_PORT), &setup));
                        let mut stream = prepared(listener.accept().unwrap().0);
                        kernel_sends(&mut stream, 0, TO_OURS);
                        assert_eq!(kernel_reads_to_end(&mut stream, 0), TO_KERNEL);
                    }
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(ends.len(), CONNECTIONS as usize);
    drop(listener);
    check_ends(&pair, &ends);
}

#[test]
fn a_thousand_that_the_kernel_opens() {
    let Some(pair) = Pair::or_skip("a_thousand_that_the_kernel_opens") else { return };
    pair.ours.listen(OUR_PORT, Setup { supplies: TO_KERNEL, ..Setup::default() });
    let begun = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while begun.fetch_add(1, Ordering::Relaxed) < CONNECTIONS {
                    let mut stream = pair.kernel_connects().unwrap();
                    kernel_sends(&mut stream, 0, TO_OURS);
                    stream.shutdown(Shutdown::Write).unwrap();
                    assert_eq!(kernel_reads_to_end(&mut stream, 0), TO_KERNEL);
                }
            });
        }
    });
    let ends = pair.ours.accepted();
    assert_eq!(ends.len(), CONNECTIONS as usize);
    check_ends(&pair, &ends);
}
