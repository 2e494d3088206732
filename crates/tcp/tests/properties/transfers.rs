//! Two endpoints and a nasty network.

use crate::check;
use crate::plan::{
    Plan, plan, plan_with_abort, plan_with_handovers, plan_with_moves, plan_with_notified_losses,
};
use crate::run::Run;
use crate::sample::{profiles_and_pairs, schemes_profiles_and_pairs};
use seamline_tcp::parameters::Parameters;
use seamline_tcp::{CloseReason, State, Variant, profile};
use seamline_wire::Duration;

const CASES: u32 = 100;

/// Every byte arrives once and in order, whatever the network does; once it is good, something happens
/// within the largest timeout; both ends finish, without an error, and wait for nothing any more.
#[test]
fn every_byte_once_and_in_order() {
    for (profile, name, pair) in profiles_and_pairs() {
        check(CASES, &format!("{} {name}", profile.name), &plan(), |plan| {
            transfer(&plan, profile.parameters, pair);
        });
    }
}

/// The same whatever the layers below tell: no handover scheme loses a byte, and none waits for ever when its
/// notice is lost, late, repeated or false.
#[test]
fn moves_lose_nothing() {
    for (scheme, profile, name, pair) in schemes_profiles_and_pairs() {
        check(
            CASES / 5,
            &format!("{} {} {name}", scheme.name, profile.name),
            &plan_with_moves(scheme),
            |plan| {
                transfer(&without_storms(plan, profile.parameters, pair), profile.parameters, pair);
            },
        );
    }
}

/// The same when ends move and are notified of it.
#[test]
fn handovers_lose_nothing() {
    for (scheme, profile, name, pair) in schemes_profiles_and_pairs() {
        let name = format!("{} {} {name}, handovers", scheme.name, profile.name);
        check(CASES / 5, &name, &plan_with_handovers(scheme), |plan| {
            transfer(&without_storms(plan, profile.parameters, pair), profile.parameters, pair);
        });
    }
}

/// The same when the causes of losses are reported, whether that is true or not.
#[test]
fn notified_losses_lose_nothing() {
    for (profile, name, pair) in profiles_and_pairs() {
        let name = format!("{} {name}, notified losses", profile.name);
        check(CASES / 2, &name, &plan_with_notified_losses(), |plan| {
            transfer(&without_storms(plan, profile.parameters, pair), profile.parameters, pair);
        });
    }
}

/// Where ns-2's bookkeeping knows no time of sending, each duplicate acknowledgment makes Vegas retransmit, and what answers
/// is a duplicate acknowledgment. A network that doubles some of them makes a storm of that, with or without a scheme.
fn without_storms(mut plan: Plan, parameters: fn() -> Parameters, variant: Variant) -> Plan {
    if variant.recovery.name == "vegas-fine" && parameters().ns2().vegas.log_segments.is_some() {
        plan.pipes.iter_mut().for_each(|pipe| pipe.duplication = 0);
    }
    plan
}

fn transfer(plan: &Plan, parameters: fn() -> Parameters, variant: Variant) {
    let mut run = Run::new(plan, parameters, variant);
    run.until(run.good_from);
    live(&mut run, parameters().round_trip.maximum_timeout);
    let end = run.now + Duration::from_secs(3600);
    assert!(!run.until(end), "something is waited for although all is done");
    for side in [0, 1] {
        let endpoint = &run.ends[side].endpoint;
        assert_eq!(endpoint.statistics().bytes_delivered, plan.apps[1 - side].bytes, "end {side}");
        // Where the timer, backed off, outlasts TIME-WAIT, the last acknowledgment may be lost, and a reset ends what waits for it.
        let timeout = endpoint.sample().retransmission_timeout;
        if parameters().connection.time_wait > timeout {
            assert_eq!(endpoint.statistics().bytes_acknowledged, plan.apps[side].bytes, "end {side}");
        }
        assert_eq!((endpoint.state(), endpoint.close_reason()), (State::Closed, Some(CloseReason::Finished)));
    }
}

/// On a good network no pause is longer than a fully backed-off timer, what it takes to answer it, and
/// what an application makes of its time.
fn live(run: &mut Run, largest_timeout: Duration) {
    let timeout = largest_timeout + Duration::from_secs(5);
    let mut before = run.progress();
    for _ in 0..2000 {
        if run.is_done() {
            return;
        }
        run.until(run.now + timeout);
        let after = run.progress();
        assert!(after != before || run.is_done(), "nothing happened for {timeout}: {after:?}");
        before = after;
    }
    panic!("it does not end: {before:?}");
}

/// An abort ends both ends or leaves the peer with nothing to do; nothing is delivered that was not sent.
#[test]
fn aborts_leave_nothing_running() {
    for (profile, name, pair) in profiles_and_pairs() {
        check(CASES / 2, &format!("{} {name}", profile.name), &plan_with_abort(), |plan| {
            let mut run = Run::new(&plan, profile.parameters, pair);
            let end = run.good_from + Duration::from_secs(3600);
            assert!(!run.until(end), "something is waited for: {:?}", run.progress());
            let aborted = run.ends[1].endpoint.state();
            assert_eq!(aborted, State::Closed);
        });
    }
}

/// The same case gives the same run.
#[test]
fn runs_repeat() {
    let newreno = seamline_tcp::variant::find("newreno", &(profile::RFC.parameters)()).expect("registered");
    check(30, "runs repeat", &plan(), |plan| {
        let trace = || {
            let mut run = Run::new(&plan, profile::RFC.parameters, newreno);
            run.until(run.good_from + Duration::from_secs(600));
            format!("{run:?}")
        };
        assert_eq!(trace(), trace());
    });
}
