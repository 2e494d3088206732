//! The closed form against the simulation: the effect of losses and of a limited window.

use crate::common::{answer, words};
use seamline_advise::advice::ClosedForm;
use seamline_advise::causes::Cause;
use seamline_advise::{QuestionInput, format_advice};

fn form(variant: &'static str, profile: &'static str) -> ClosedForm {
    let from = "rate=100 Mbit/s, round_trip=100 ms, loss=1 %";
    let asked = QuestionInput {
        variant,
        profile,
        file: Some("50 kB"),
        seeds: 1,
        at: Some("100 ms"),
        ..words(from, "wifi")
    };
    answer(&asked).1.closed_form
}

#[track_caller]
fn close(found: Option<f64>, expected: f64) {
    assert!((found.unwrap() / expected - 1.0).abs() < 1e-3, "{found:?} is not {expected}");
}

/// Of Padhye et al. with p = 1 %, RTT 0.1 s, T0 0.4 s: with b = 2 it is 0.0125896 s a segment; with b = 1, 0.1 sqrt(0.02/3) = 0.0081650 and
/// 0.4 * 3 sqrt(0.00375) * 0.01 * 1.0032 = 0.00073719, together 0.0089022. Payload is 1448 bytes under `rfc` and `linux`, which count an
/// acknowledgment of two segments as one increment and as two; ns-2 acknowledges each segment of 1000 bytes.
#[test]
fn an_increment_takes_as_many_segments_as_the_profile_says() {
    close(form("reno", "rfc").loss_limited_bits_per_second[0], 1448.0 * 8.0 / 0.012_589_6);
    close(form("reno", "linux").loss_limited_bits_per_second[0], 1448.0 * 8.0 / 0.008_902_2);
    close(form("sack", "ns2-2010").loss_limited_bits_per_second[0], 1000.0 * 8.0 / 0.008_902_2);
}

/// Reno's formula does not apply to the other variants.
#[test]
fn only_reno_and_cubic_have_a_closed_form_for_losses() {
    for variant in ["tahoe", "westwood", "westwood+", "vegas"] {
        assert_eq!(form(variant, "rfc").loss_limited_bits_per_second, [None, None], "{variant}");
    }
    assert!(form("cubic", "linux").loss_limited_bits_per_second[0].is_some());
}

/// ns-2's window of 20 segments of 1000 bytes in 50 ms gives 3.2 Mbit/s, a quarter of the link's 12.5 Mbit/s of
/// payload (1000 of 1040 bytes).
#[test]
fn a_limited_window_is_found() {
    let asked = QuestionInput {
        interruption: "1 s",
        file: Some("5 MB"),
        seeds: 2,
        variant: "reno",
        profile: "ns2-2010",
        ..words("lte", "wifi")
    };
    let (_, advice) = answer(&asked);
    close(advice.closed_form.window_limited_bits_per_second[0], 3.2e6);
    close(advice.closed_form.window_limited_bits_per_second[1], 6.4e6);
    let stays = advice.disagreements.iter().find(|found| found.stays).expect("four times as long");
    let share = stays.causes.iter().find_map(|cause| match cause {
        Cause::WindowLimited { link, share, window_bytes } if link == "lte" => Some((*share, *window_bytes)),
        _ => None,
    });
    let (share, window_bytes) = share.expect("the cause");
    assert!(
        (share - 3.2 / 12.5).abs() < 1e-9 && (window_bytes - 20e3).abs() < 1e-9,
        "{share} {window_bytes}"
    );
    // 12.5 s less 3.2 s, plus the cost of slow start.
    let difference = stays.simulated.mean - stays.closed_form;
    assert!((0.97..1.03).contains(&(stays.accounted / difference)), "{stays:?}");
    let moves = advice.disagreements.iter().find(|found| !found.stays).unwrap();
    let difference = moves.simulated.mean - moves.closed_form;
    assert!((0.9..1.1).contains(&(moves.accounted / difference)), "{moves:?}");
    // The simulation fills exactly that, and slow start ends there.
    let ratio = advice.stays.mean / (5e6 * 8.0 / 3.2e6);
    assert!((0.99..1.05).contains(&ratio), "{ratio}");
    for cause in &stays.causes {
        if let Cause::SlowStart { begun } = cause {
            assert!(begun[0].round_trips <= 4, "20 segments from 2: {begun:?}");
        }
    }
    assert!(
        format_advice(&advice).contains("window-limited: a window of at most 20.0 kB fills 25.6 % of lte")
    );
}
