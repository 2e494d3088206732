//! Expected values were worked out by hand.

use proptest::prelude::*;
use seamline_model::obtcp::*;

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} is not {expected}");
}

/// d0 is 0.5 ms; losses are ratios, delays are in milliseconds.
fn path(p1: f64, d1: f64, p2: f64, d2: f64) -> Path {
    let link = |loss, milliseconds: f64| WirelessLink { loss, one_way_seconds: milliseconds / 1000.0 };
    Path::new(0.0005, link(p1, d1), link(p2, d2)).unwrap()
}

/// p1 = 0.2, p2 = 0.5, d1 = 20 ms, d2 = 10 ms: 1 - p_s = 0.8 * 0.5 = 0.4, so p_s = 0.6 and N = 2.5; R_s = 2 * 30 * 2.5 = 150 ms;
/// R_o = 40/0.8 + 20/0.5 = 50 + 40 = 90 ms; R_gain = 60 ms; R_s/R_o = 5/3.
#[test]
fn losses_on_both_links() {
    let path = path(0.2, 20.0, 0.5, 10.0);
    close(path.loss_of_both_links(), 0.6);
    close(path.snoop_transmissions(), 2.5);
    close(path.snoop_recovery_seconds(), 0.150);
    close(path.obtcp_recovery_seconds(), 0.090);
    close(path.recovery_gain_seconds(), 0.060);
    close(path.recovery_ratio().unwrap(), 5.0 / 3.0);
}

/// Figures 7 and 8: p1 = 0.15, p2 = 0.05, d1 = d2 = 20 ms: 2 (20 * 0.15 + 20 * 0.05) / (0.85 * 0.95) = 8 / 0.8075 = 9.90712 ms.
#[test]
fn figure_7() {
    close(path(0.15, 20.0, 0.05, 20.0).recovery_gain_seconds(), 0.008 / 0.8075);
}

/// Losses on one link only, p = 0.2, and 20 ms on the other link: 2 * 20 * 0.2/0.8 = 10 ms, whatever the delay of the
/// lossy link.
#[test]
fn losses_on_one_link() {
    for bad in [1.0, 20.0, 500.0] {
        close(path(0.2, bad, 0.0, 20.0).recovery_gain_seconds(), 0.010);
        close(path(0.0, 20.0, 0.2, bad).recovery_gain_seconds(), 0.010);
    }
}

/// W' = 16, p1 = 0.1, p2 = 0, d1 = 20 ms, d2 = 20 ms, d0 = 0.5 ms: the round trip is 1 + 40 + 40 = 81 ms. Snoop: 1.6 losses, each
/// 80/0.9 = 88.889 ms, so 81 + 142.222 = 223.222 ms and 16/0.223222 = 71.677 packets/s. obTCP with n1 = 1: 1.6 * 40/0.9 = 71.111 ms, so
/// 152.111 ms and 105.186 packets/s; with n1 = 4: 17.778 ms, so 98.778 ms and 161.980 packets/s.
#[test]
fn throughput_with_losses_before_the_router() {
    let path = path(0.1, 20.0, 0.0, 20.0);
    let window = |n1| Window::new(16.0, [n1, 1.0]).unwrap();
    close(path.snoop_round_trip_seconds(window(1.0)), 0.081 + 0.128 / 0.9);
    close(path.snoop_packets_per_second(window(1.0)), 16.0 / (0.081 + 0.128 / 0.9));
    assert!((path.snoop_packets_per_second(window(1.0)) - 71.677).abs() < 1e-3);
    assert!((path.obtcp_packets_per_second(window(1.0)) - 105.186).abs() < 1e-3);
    close(path.obtcp_round_trip_seconds(window(4.0)), 0.081 + 0.016 / 0.9);
    assert!((path.obtcp_packets_per_second(window(4.0)) - 161.980).abs() < 1e-3);
}

/// W' = 10, p2 = 0.2, d2 = 10 ms, n2 = 2, p1 = 0.5, d1 = 20 ms, n1 = 5: 61 + 10 * 0.5/5 * 40/0.5 + 10 * 0.2/2 * 20/0.8 = 61 + 80 + 25 = 166
/// ms, so 10/0.166 packets/s. Snoop: p_s = 0.6, R_s = 60/0.4 = 150 ms: 61 + 10 * 0.6 * 150 = 961 ms.
#[test]
fn throughput_with_losses_on_both_links() {
    let path = path(0.5, 20.0, 0.2, 10.0);
    let window = Window::new(10.0, [5.0, 2.0]).unwrap();
    close(path.obtcp_round_trip_seconds(window), 0.166);
    close(path.obtcp_packets_per_second(window), 10.0 / 0.166);
    close(path.snoop_round_trip_seconds(window), 0.961);
}

/// Without losses both send one window each round trip: 16 packets in 81 ms.
#[test]
fn without_losses_snoop_and_obtcp_are_equal() {
    let path = path(0.0, 20.0, 0.0, 20.0);
    let window = Window::new(16.0, [1.0, 1.0]).unwrap();
    assert_eq!(path.recovery_gain_seconds(), 0.0);
    close(path.recovery_ratio().unwrap(), 1.0);
    close(path.snoop_packets_per_second(window), 16.0 / 0.081);
    close(path.obtcp_packets_per_second(window), 16.0 / 0.081);
}

/// (1 + 2 + 3)^2 / (3 * 14) = 36/42. All equal: 1. One flow alone: 1/n. Very large shares must not overflow.
#[test]
fn fairness() {
    close(jain_index(&[1.0, 2.0, 3.0]).unwrap(), 6.0 / 7.0);
    close(jain_index(&[7.0; 5]).unwrap(), 1.0);
    close(jain_index(&[0.0, 3.0, 0.0, 0.0]).unwrap(), 0.25);
    close(jain_index(&[1e300, 2e300, 3e300]).unwrap(), 6.0 / 7.0);
}

#[test]
fn values_outside_the_domain_are_rejected() {
    let good = WirelessLink { loss: 0.1, one_way_seconds: 0.02 };
    let lossy = |loss| Path::new(0.0, WirelessLink { loss, ..good }, good).unwrap_err();
    for loss in [1.0, -0.1, f64::NAN] {
        assert_eq!(lossy(loss).symbol, "p1");
    }
    let slow = |one_way_seconds| Path::new(0.0, good, WirelessLink { one_way_seconds, ..good }).unwrap_err();
    assert_eq!([slow(-1.0).symbol, slow(f64::INFINITY).symbol], ["d2", "d2"]);
    assert_eq!(Path::new(-1e-9, good, good).unwrap_err().symbol, "d0");
    let none = WirelessLink { one_way_seconds: 0.0, ..good };
    assert_eq!(Path::new(0.0, none, none).unwrap_err().symbol, "d0 + d1 + d2");
    assert_eq!(Path::new(0.1, none, none).unwrap().recovery_ratio(), None);
    let window = |packets, n1, n2| Window::new(packets, [n1, n2]).unwrap_err().symbol;
    assert_eq!(
        [window(0.9, 1.0, 1.0), window(1.0, 0.0, 1.0), window(1.0, 1.0, f64::NAN)],
        ["W'", "n1", "n2"]
    );
    assert!([&[][..], &[0.0, 0.0], &[1.0, -1.0], &[f64::INFINITY]].iter().all(|it| jain_index(it).is_err()));
}

proptest! {
    /// The reduced form of R_gain equals the difference and is never negative; Jain's index stays within its bounds.
    #[test]
    fn the_gain_is_the_difference(p1 in 0.0..0.9, d1 in 0.0..1e3f64, p2 in 0.0..0.9, d2 in 0.0..1e3f64, x in prop::collection::vec(0.0..1e9f64, 1..20)) {
        let path = path(p1, d1, p2, d2);
        let (snoop, gain) = (path.snoop_recovery_seconds(), path.recovery_gain_seconds());
        prop_assert!(gain >= 0.0);
        prop_assert!((snoop - path.obtcp_recovery_seconds() - gain).abs() <= 1e-12 * snoop.max(1e-300));
        prop_assume!(x.iter().any(|share| *share > 0.0));
        let index = jain_index(&x).unwrap();
        prop_assert!(index <= 1.0 + 1e-12 && index >= 1.0 / x.len() as f64 - 1e-12);
    }
}

/// Two packets, each lost with probability 0.5: three of four windows lose one or two, 1 / 0.75 = 4/3 on average. A
/// link without loss has nothing to repair. 2 * 0.5 / (4/3) * 40/0.5 = 60 ms on top of 61 ms.
#[test]
fn one_request_repairs_all_losses_of_a_window() {
    let path = path(0.5, 20.0, 0.0, 10.0);
    let window = Window::repaired_at_once(2.0, &path).unwrap();
    assert!((path.obtcp_round_trip_seconds(window) - 0.121).abs() < 1e-12);
    assert_eq!(Window::repaired_at_once(0.5, &path).unwrap_err().symbol, "W'");
}
