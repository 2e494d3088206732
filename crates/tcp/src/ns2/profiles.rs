//! The profiles of ns-2.

use super::{Quirks, VegasQuirks};
use crate::parameters::*;
use crate::profile::Profile;
use crate::recovery::RecoveryParameters;
use crate::rtt::{Estimator, RoundTripParameters};
use seamline_wire::Duration;

const CITE: &str = "ns-2 2.35, CHANGES.html and the dates in tcl/lib/ns-default.tcl";

/// ns-2 2.1b7 and 2.1b7a.
pub static NS2_2_1B7: Profile = Profile {
    name: "ns2-2.1b7",
    summary: "ns-2 2.1b7 (October 2000): clock tick 100 ms, no minimum RTO, no limited transmit, initial window 1",
    cite: CITE,
    is_historical: true,
    parameters: ns2_2_1b7,
};

/// ns-2 2.1b8.
pub static NS2_2_1B8: Profile = Profile {
    name: "ns2-2.1b8",
    summary: "ns-2 2.1b8 (June 2001): clock tick 100 ms, minimum RTO 1 s, no limited transmit, initial window 2",
    cite: CITE,
    is_historical: true,
    parameters: ns2_2_1b8,
};

/// ns-2 2.1b9 (April 2002) to 2.26.
pub static NS2_2_26: Profile = Profile {
    name: "ns2-2.26",
    summary: "ns-2 2.26 (February 2003): clock tick 10 ms, minimum RTO 1 s, limited transmit, old NewReno",
    cite: CITE,
    is_historical: true,
    parameters: ns2_2_26,
};

/// ns-2 2.27.
pub static NS2_2_27: Profile = Profile {
    name: "ns2-2.27",
    summary: "ns-2 2.27 (January 2004): clock tick 10 ms, minimum RTO 1 s, limited transmit, NewReno of RFC 2582",
    cite: CITE,
    is_historical: true,
    parameters: ns2_2_27,
};

/// ns-2 from 2006 on.
pub static NS2_2010: Profile = Profile {
    name: "ns2-2010",
    summary: "ns-2 2.34-2.35: clock tick 10 ms, minimum RTO 0.2 s, limited transmit, initial window 2",
    cite: CITE,
    is_historical: true,
    parameters: ns2_2010,
};

/// What all versions of ns-2 share. `window_` is the window limit and the initial threshold.
fn ns2(window_limit: u32) -> Parameters {
    Parameters {
        round_trip: RoundTripParameters {
            estimator: Estimator::Ticks { tick: Duration::from_millis(10), phase: Duration::ZERO },
            minimum_timeout: Duration::from_millis(200),
            initial_timeout: Duration::from_secs(3),
            forget_after_backoffs: Some(3),
            ..Default::default()
        },
        window: WindowParameters {
            initial: 2.0,
            initial_bytes: f64::INFINITY,
            initial_threshold: f64::from(window_limit),
            limit: window_limit,
            growth: Growth::PerAck,
            grow_only_when_full: false,
            cut_base: CutBase::Window,
            whole_threshold: true,
            cut_to_threshold: false,
            idle_restart: IdleRestart::OneSegment,
            repeated_timeout_holds_threshold: false,
            lost_handshake_cuts_threshold: true,
            ..Default::default()
        },
        recovery: RecoveryParameters {
            fast_retransmit_of_first_segment: false,
            burst_in_recovery: 2,
            bound_window_on_exit: false,
            proportional_rate_reduction: false,
            sack_algorithm: "sack-pipe",
            ..Default::default()
        },
        segments: SegmentParameters {
            maximum_segment_size: 1000,
            timestamp_tick: None,
            nagle: false,
            ..Default::default()
        },
        receiver: ReceiverParameters {
            buffer: 64 << 20,
            delayed_acknowledgment: None,
            most_sack_blocks: 3,
            ..Default::default()
        },
        connection: ConnectionParameters {
            most_syn_retransmissions: u32::MAX,
            most_syn_ack_retransmissions: u32::MAX,
            user_timeout: None,
            time_wait: Duration::ZERO,
            ..Default::default()
        },
        ns2: Quirks {
            flat_headers: true,
            first_marked_duplicate_repairs: false,
            timer_before_sample: false,
            vegas: VegasQuirks {
                rounds_difference: true,
                log_segments: Some(window_limit),
                deflates_to_forgotten_window: true,
                spares_first_burst: true,
                samples_retransmitted_rounds: true,
                ..VegasQuirks::default()
            },
        },
        ..Default::default()
    }
}

const NS2_DEFAULT_WINDOW: u32 = 20;

fn ns2_2010() -> Parameters {
    ns2(NS2_DEFAULT_WINDOW)
}

/// What changed between this release and 2.34.
fn ns2_2_27() -> Parameters {
    let mut parameters = ns2_2010();
    // 14 October 2004, minrto_.
    parameters.round_trip.minimum_timeout = Duration::from_secs(1);
    // 21 January 2006, rtxcur_init_.
    parameters.round_trip.initial_timeout = Duration::from_secs(6);
    // 24 January 2006, precisionReduce_.
    parameters.window.whole_cut = true;
    parameters
}

/// What changed between this release and 2.27.
fn ns2_2_26() -> Parameters {
    let mut parameters = ns2_2_27();
    // 5 May 2003, newreno_changes1_ and partial_window_deflation_.
    parameters.recovery.impatient = false;
    parameters.recovery.partial_ack_deflates = false;
    // 28 July 2003, exitFastRetrans_.
    parameters.recovery.inflates_outside_recovery = true;
    parameters
}

/// What changed between this release and 2.1b9.
fn ns2_2_1b8() -> Parameters {
    let mut parameters = ns2_2_26();
    // 28 November 2001, useHeaders_: a packet has 1000 bytes with its headers.
    parameters.segments.maximum_segment_size = 960;
    // 28 November 2001, singledup_.
    parameters.recovery.limited_transmit = false;
    // 7 March 2002, rfc2988_.
    parameters.round_trip.minimum_bounds_backed_off = true;
    // 7 March 2002, tcpTick_.
    if let Estimator::Ticks { tick, .. } = &mut parameters.round_trip.estimator {
        *tick = Duration::from_millis(100);
    }
    parameters
}

/// What changed between this release and 2.1b8. That connections begin without a SYN (syn_, 17 May 2001) is up to who opens them.
fn ns2_2_1b7() -> Parameters {
    let mut parameters = ns2_2_1b8();
    // 11 May 2001, timerfix_.
    parameters.ns2.timer_before_sample = true;
    // 26 May 2001, windowInit_.
    parameters.window.initial = 1.0;
    // 27 May 2001, minrto_. Two ticks of the clock remain.
    parameters.round_trip.minimum_timeout = Duration::ZERO;
    parameters
}
