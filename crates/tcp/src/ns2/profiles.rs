//! The profiles of ns-2.

use super::{Quirks, VegasQuirks};
use crate::parameters::*;
use crate::profile::Profile;
use crate::recovery::RecoveryParameters;
use crate::rtt::{Estimator, RoundTripParameters};
use seamline_wire::Duration;

/// ns-2 before 2002.
pub static NS2_2001: Profile = Profile {
    name: "ns2-2001",
    summary: "ns-2 of 2000-2001: clock tick 100 ms, minimum RTO 1 s, no limited transmit, initial window 1",
    cite: "ns-2 ChangeLog and tcl/lib/ns-default.tcl",
    is_historical: true,
    parameters: ns2_2001,
};

/// ns-2 of 2002 to 2004.
pub static NS2_2003: Profile = Profile {
    name: "ns2-2003",
    summary: "ns-2 of 2002-2004: clock tick 10 ms, minimum RTO 1 s, limited transmit, initial window 2",
    cite: "ns-2 ChangeLog and tcl/lib/ns-default.tcl",
    is_historical: true,
    parameters: ns2_2003,
};

/// ns-2 from 2006 on.
pub static NS2_2010: Profile = Profile {
    name: "ns2-2010",
    summary: "ns-2 2.34-2.35: clock tick 10 ms, minimum RTO 0.2 s, limited transmit, initial window 2",
    cite: "ns-2 2.35, tcl/lib/ns-default.tcl",
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
            user_timeout: None,
            time_wait: Duration::ZERO,
            ..Default::default()
        },
        ns2: Quirks {
            flat_headers: true,
            first_marked_duplicate_repairs: false,
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

fn ns2_2003() -> Parameters {
    let mut parameters = ns2(NS2_DEFAULT_WINDOW);
    parameters.round_trip.minimum_timeout = Duration::from_secs(1);
    parameters.round_trip.initial_timeout = Duration::from_secs(6);
    parameters
}

fn ns2_2001() -> Parameters {
    let mut parameters = ns2_2003();
    if let Estimator::Ticks { tick, .. } = &mut parameters.round_trip.estimator {
        *tick = Duration::from_millis(100);
    }
    parameters.window.initial = 1.0;
    parameters.recovery.limited_transmit = false;
    parameters.recovery.partial_ack_deflates = false;
    parameters.recovery.impatient = false;
    parameters
}
