//! Notices of handovers: exact ones by hand, imperfect ones by their distributions.

use crate::support::{ms, run_until, span};
use seamline_net::notices::{HandoverNotices, LinkChange, NoticeConfig, PredictionError};
use seamline_net::schedule::{Fates, Handovers};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Event, HandoverPhase, Instant, Rate, Signal};

fn handovers(millis: &[f64], interruption: f64) -> Handovers {
    Handovers::at(millis.iter().map(|at| ms(*at)), span(interruption), Fates::SEAMLESS).unwrap()
}

fn signals(handovers: &Handovers, config: NoticeConfig) -> Vec<(Instant, Signal)> {
    given(handovers.as_slice().iter().map(LinkChange::from), config)
}

fn given(changes: impl IntoIterator<Item = LinkChange>, config: NoticeConfig) -> Vec<(Instant, Signal)> {
    let mut notices = HandoverNotices::new(changes, config, Stream::new(9, "mobile/notices"));
    let log = run_until(&mut notices, &[], Instant::from_secs(10_000));
    let predicted =
        log.signals.iter().filter(|(_, signal)| matches!(signal, Signal::LinkGoingDown { .. })).count();
    assert_eq!(log.events.len(), predicted);
    assert!(log.events.iter().all(|(_, event)| *event == Event::Handover(HandoverPhase::Predicted)));
    log.signals
}

fn going_down(within: f64) -> Signal {
    Signal::LinkGoingDown { within: span(within) }
}

#[test]
fn without_a_lead_the_node_learns_of_down_and_up() {
    let rate = Some(Rate::from_megabits_per_second(2));
    let round_trip_time = Some(span(80.0));
    let change = LinkChange { down: ms(100.0), up: ms(130.0), rate, round_trip_time };
    let expected = [(ms(100.0), Signal::LinkDown), (ms(130.0), Signal::LinkUp { rate, round_trip_time })];
    assert_eq!(given([change], NoticeConfig::default()), expected);
}

/// The old link is lost 20 ms after the new one is up; the last is lost for good.
#[test]
fn an_old_link_may_outlive_the_coming_up_of_the_new_one() {
    let config = NoticeConfig { lead: Some(span(15.0)), ..NoticeConfig::default() };
    let change = |down, up| LinkChange { down, up, rate: None, round_trip_time: None };
    let up = Signal::LinkUp { rate: None, round_trip_time: None };
    let expected = [
        (ms(130.0), up),
        (ms(135.0), going_down(15.0)),
        (ms(150.0), Signal::LinkDown),
        (ms(185.0), going_down(15.0)),
        (ms(200.0), Signal::LinkDown),
    ];
    let changes = [change(ms(150.0), ms(130.0)), change(ms(200.0), Instant::MAX)];
    assert_eq!(given(changes, config), expected);
}

#[test]
fn predictions_come_at_their_lead_but_not_into_the_handover_before() {
    let config = NoticeConfig { lead: Some(span(50.0)), ..NoticeConfig::default() };
    let up = Signal::LinkUp { rate: None, round_trip_time: None };
    let expected = [
        (ms(0.0), going_down(20.0)),
        (ms(20.0), Signal::LinkDown),
        (ms(30.0), up),
        (ms(150.0), going_down(50.0)),
        (ms(200.0), Signal::LinkDown),
        (ms(210.0), up),
        (ms(210.0), going_down(15.0)),
        (ms(225.0), Signal::LinkDown),
        (ms(235.0), up),
    ];
    assert_eq!(signals(&handovers(&[20.0, 200.0, 225.0], 10.0), config), expected);
}

/// All news comes later by the same; a prediction that the handover overtakes does not come at all, and the second
/// handover begins before the news of the end of the first.
#[test]
fn late_news_is_the_same_news_later() {
    let lead = Some(span(50.0));
    let config = NoticeConfig { lead, late: span(30.0), ..NoticeConfig::default() };
    let up = Signal::LinkUp { rate: None, round_trip_time: None };
    let expected = [
        (ms(80.0), going_down(20.0)),
        (ms(130.0), Signal::LinkDown),
        (ms(140.0), up),
        (ms(155.0), Signal::LinkDown),
        (ms(165.0), up),
    ];
    assert_eq!(signals(&handovers(&[100.0, 125.0], 10.0), config), expected);
    let false_alarms = NoticeConfig { false_predictions_per_second: 0.2, ..config };
    let given = predictions(&signals(&Handovers::default(), false_alarms));
    assert!(given.len() > 1000 && given.iter().all(|(_, within)| *within == span(20.0)));
}

/// 4,000 handovers, one every two seconds.
fn many() -> (Vec<f64>, Handovers) {
    let times: Vec<f64> = (1..=4000).map(|index| f64::from(index) * 2000.0).collect();
    let handovers = handovers(&times, 100.0);
    (times, handovers)
}

fn predictions(signals: &[(Instant, Signal)]) -> Vec<(Instant, Duration)> {
    let predictions = signals.iter().filter_map(|(at, signal)| match signal {
        Signal::LinkGoingDown { within } => Some((*at, *within)),
        _ => None,
    });
    predictions.collect()
}

#[test]
fn a_share_of_predictions_is_lost() {
    let (_, handovers) = many();
    let config = NoticeConfig { lead: Some(span(50.0)), lost_predictions: 0.3, ..NoticeConfig::default() };
    let signals = signals(&handovers, config);
    let given = predictions(&signals).len();
    assert!((2700..2900).contains(&given), "{given}");
    assert_eq!(signals.len(), 8000 + given, "down and up are never lost");
}

#[test]
fn predictions_err_as_configured() {
    let (times, handovers) = many();
    let errors = |prediction_error| -> Vec<f64> {
        let config = NoticeConfig { lead: Some(span(500.0)), prediction_error, ..NoticeConfig::default() };
        let given = predictions(&signals(&handovers, config));
        assert_eq!(given.len(), times.len());
        let predicted = given.iter().map(|(at, within)| (*at + *within).as_nanos() as f64 / 1e6);
        predicted.zip(&times).map(|(predicted, time)| predicted - time).collect()
    };
    let deviation = |errors: &[f64]| {
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        assert!(mean.abs() < 2.0, "{mean}");
        (errors.iter().map(|error| (error - mean) * (error - mean)).sum::<f64>() / errors.len() as f64).sqrt()
    };
    let normal = deviation(&errors(PredictionError::Normal(span(30.0))));
    assert!((28.5..31.5).contains(&normal), "{normal}");
    let uniform = errors(PredictionError::Uniform(span(30.0)));
    assert!(uniform.iter().all(|error| error.abs() <= 30.001));
    let uniform = deviation(&uniform);
    assert!((16.8..17.9).contains(&uniform), "30 / sqrt(3) = 17.3, not {uniform}");
    assert!(errors(PredictionError::None).iter().all(|error| error.abs() < 1e-6));
}

#[test]
fn a_prediction_that_is_too_late_is_not_given() {
    let (_, handovers) = many();
    let prediction_error = PredictionError::Uniform(span(100.0));
    let config = NoticeConfig { lead: Some(span(50.0)), prediction_error, ..NoticeConfig::default() };
    let given = predictions(&signals(&handovers, config)).len();
    // Late when the error exceeds the lead: a quarter of the time.
    assert!((2900..3100).contains(&given), "{given}");
}

#[test]
fn false_predictions_are_a_poisson_process() {
    let config =
        NoticeConfig { lead: Some(span(40.0)), false_predictions_per_second: 0.2, ..NoticeConfig::default() };
    let given = predictions(&signals(&Handovers::default(), config));
    // 2000 expected in 10,000 s; standard deviation 45.
    assert!((1820..2180).contains(&given.len()), "{}", given.len());
    assert!(given.iter().all(|(_, within)| *within == span(40.0)));
    // None while the link is down: half of the time.
    let half = Handovers::at((0..5000).map(|k| Instant::from_secs(2 * k + 1)), span(1000.0), Fates::SEAMLESS)
        .unwrap();
    let signals = signals(&half, NoticeConfig { lead: None, ..config });
    let given = predictions(&signals).len();
    assert!((870..1130).contains(&given), "{given}");
    let mut down = false;
    for (_, signal) in signals {
        match signal {
            Signal::LinkDown => down = true,
            Signal::LinkUp { .. } => down = false,
            _ => assert!(!down),
        }
    }
}
