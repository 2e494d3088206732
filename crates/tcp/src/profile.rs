//! Profiles: named sets of parameters, each what a body of work assumed.

use crate::handover::CrossLayerParameters;
use crate::parameters::*;
use crate::recovery::{RecoveryParameters, SpuriousDetection};
use crate::rtt::{Estimator, RoundTripParameters};
use seamline_wire::Duration;

/// A named set of parameters.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Its name in scenarios.
    pub name: &'static str,
    /// What it stands for, in one line.
    pub summary: &'static str,
    /// Where its values come from.
    pub cite: &'static str,
    /// Its values.
    pub parameters: fn() -> Parameters,
}

/// Every profile.
pub static ALL: &[&Profile] = &[
    &LINUX,
    #[cfg(feature = "ns2")]
    &crate::ns2::NS2_2001,
    #[cfg(feature = "ns2")]
    &crate::ns2::NS2_2003,
    #[cfg(feature = "ns2")]
    &crate::ns2::NS2_2010,
    &RFC,
];

/// The profile of this name.
pub fn find(name: &str) -> Option<&'static Profile> {
    ALL.iter().copied().find(|profile| profile.name == name)
}

/// Today's RFCs; the default.
pub static RFC: Profile = Profile {
    name: "rfc",
    summary: "today's standards: initial window 10, timestamps, SACK, minimum RTO 1 s",
    cite: "RFC 9293, 5681, 6298, 6675, 6928, 7323, 9438, 9937",
    parameters: rfc,
};

/// Linux's defaults, as far as they are parameters of this endpoint.
pub static LINUX: Profile = Profile {
    name: "linux",
    summary: "Linux's defaults: minimum RTO 200 ms, delayed ACK 40 ms (without RACK, TLP, F-RTO and HyStart)",
    cite: "Linux 6.x, Documentation/networking/ip-sysctl.rst",
    parameters: linux,
};

/// RFC 5961 section 7: no more than ten challenge ACKs in five seconds, by its example; Linux: `tcp_invalid_ratelimit`, 500 ms.
const CHALLENGE_ACK_INTERVAL: Duration = Duration::from_millis(500);

pub(crate) fn rfc() -> Parameters {
    Parameters {
        round_trip: RoundTripParameters {
            estimator: Estimator::Rfc6298 { granularity: Duration::from_millis(1) },
            minimum_timeout: Duration::from_secs(1),
            minimum_bounds_variation: false,
            samples_every_acknowledgment: false,
            maximum_timeout: Duration::from_secs(60),
            initial_timeout: Duration::from_secs(1),
            forget_after_backoffs: None,
        },
        window: WindowParameters {
            initial: 10.0,
            initial_bytes: 14_600.0,
            initial_threshold: f64::INFINITY,
            limit: u32::MAX,
            growth: Growth::PerByte { most_per_ack: 1.0 },
            grow_only_when_full: true,
            cut_base: CutBase::FlightSize,
            whole_threshold: false,
            cut_to_threshold: true,
            idle_restart: IdleRestart::RestartWindow,
            application_limited_decay: false,
            repeated_timeout_holds_threshold: true,
            lost_handshake_cuts_threshold: false,
        },
        recovery: RecoveryParameters {
            duplicate_threshold: 3,
            limited_transmit: true,
            fast_retransmit_of_first_segment: true,
            burst_in_recovery: u32::MAX,
            partial_ack_deflates: true,
            impatient: true,
            bound_window_on_exit: true,
            proportional_rate_reduction: true,
            spurious_detection: SpuriousDetection::None,
            sack_algorithm: "sack",
        },
        segments: SegmentParameters {
            maximum_segment_size: 1460,
            window_scale: Some(7),
            timestamp_tick: Some(Duration::from_millis(1)),
            selective_acknowledgments: true,
            nagle: true,
        },
        receiver: ReceiverParameters {
            buffer: 8 << 20,
            delayed_acknowledgment: Some(DelayedAcknowledgment {
                timeout: Duration::from_millis(200),
                segments: 2,
            }),
            most_sack_blocks: 4,
            reports_duplicates: false,
        },
        connection: ConnectionParameters {
            most_syn_retransmissions: 7,
            user_timeout: Some(Duration::from_secs(300)),
            keepalive: None,
            time_wait: Duration::from_secs(240),
            challenge_ack_interval: CHALLENGE_ACK_INTERVAL,
        },
        vegas: Default::default(),
        loss_notification: Default::default(),
        westwood: Default::default(),
        westwood_plus: Default::default(),
        cubic: Default::default(),
        cross_layer: Default::default(),
        eclair_restore: CrossLayerParameters::restoring(),
        demo_vegas: Default::default(),
        ehn: Default::default(),
        mobility_vegas: Default::default(),
        tr_acks: Default::default(),
        freeze: Default::default(),
        ns2: Default::default(),
    }
}

fn linux() -> Parameters {
    let mut parameters = rfc();
    parameters.round_trip.minimum_timeout = Duration::from_millis(200);
    parameters.round_trip.minimum_bounds_variation = true;
    parameters.round_trip.samples_every_acknowledgment = true;
    parameters.round_trip.maximum_timeout = Duration::from_secs(120);
    parameters.window.initial_bytes = f64::INFINITY;
    parameters.window.growth = Growth::PerByte { most_per_ack: f64::INFINITY };
    parameters.window.cut_base = CutBase::Window;
    parameters.window.idle_restart = IdleRestart::Decay;
    parameters.window.application_limited_decay = true;
    parameters.recovery.spurious_detection = SpuriousDetection::TimestampsAndDuplicates;
    parameters.receiver.reports_duplicates = true;
    parameters.receiver.delayed_acknowledgment =
        Some(DelayedAcknowledgment { timeout: Duration::from_millis(40), segments: 2 });
    parameters.connection.most_syn_retransmissions = 6;
    parameters.connection.user_timeout = Some(Duration::from_secs(924));
    parameters.connection.time_wait = Duration::from_secs(60);
    parameters
}
