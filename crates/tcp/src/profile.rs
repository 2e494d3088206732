//! Profiles: named sets of parameters, each what a body of work assumed.

use crate::ecn::EcnUse;
use crate::parameters::*;
use crate::recovery::SpuriousDetection;
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
    /// Whether only comparisons with older work need it.
    pub is_historical: bool,
    /// Its values.
    pub parameters: fn() -> Parameters,
}

/// Every profile.
pub static ALL: &[&Profile] = &[
    &LINUX,
    &LINUX_6_12,
    &LINUX_7_3,
    &FREEBSD,
    #[cfg(feature = "ns2")]
    &crate::ns2::NS2_2_1B7,
    #[cfg(feature = "ns2")]
    &crate::ns2::NS2_2_1B8,
    #[cfg(feature = "ns2")]
    &crate::ns2::NS2_2_26,
    #[cfg(feature = "ns2")]
    &crate::ns2::NS2_2_27,
    #[cfg(feature = "ns2")]
    &crate::ns2::NS2_2010,
    &RFC,
];

/// Names that profiles had, and those to be used for them.
pub static REPLACED: &[(&str, &str)] =
    &[("ns2-2001", "`ns2-2.1b7` or `ns2-2.1b8`"), ("ns2-2003", "`ns2-2.26` or `ns2-2.27`")];

/// The profile of this name.
pub fn find(name: &str) -> Option<&'static Profile> {
    ALL.iter().copied().find(|profile| profile.name == name)
}

/// What a flow has unless it names another.
pub static DEFAULT: &Profile = &LINUX_6_12;

/// Today's RFCs.
pub static RFC: Profile = Profile {
    name: "rfc",
    summary: "today's standards: initial window 10, timestamps, SACK, minimum RTO 1 s",
    cite: "RFC 9293, 5681, 6298, 6675, 6928, 7323, 9438, 9937",
    is_historical: false,
    parameters: Parameters::default,
};

/// Linux, where no release is named.
pub static LINUX: Profile = Profile {
    name: "linux",
    summary: "another name for linux-6.12, the default",
    cite: LINUX_6_12.cite,
    is_historical: false,
    parameters: linux_6_12,
};

/// The TCP of Linux 6.12, which the tests compare with that kernel segment by segment.
pub static LINUX_6_12: Profile = Profile {
    name: "linux-6.12",
    summary: "Linux 6.12: RACK-TLP, proportional rate reduction, F-RTO, HyStart, the kernel's timers and arithmetic",
    cite: "Linux 6.12, net/ipv4; RFC 8985, 9937, 5682, 9438",
    is_historical: false,
    parameters: linux_6_12,
};

/// The TCP of Linux 7.3, which the tests compare with that kernel, too.
pub static LINUX_7_3: Profile = Profile {
    name: "linux-7.3",
    summary: "Linux 7.3: as linux-6.12, with a receive window that follows what is read more closely, up to 32 MiB",
    cite: "Linux 7.3, net/ipv4; RFC 8985, 9937, 5682, 9438",
    is_historical: false,
    parameters: linux_7_3,
};

/// What FreeBSD's own tests expect of a TCP; its sender is that of the standards.
pub static FREEBSD: Profile = Profile {
    name: "freebsd",
    summary: "the standards with FreeBSD's receiver: acknowledgments delayed by 40 ms, D-SACK, no data with a SYN for a listener",
    cite: "FreeBSD, sys/netinet; https://github.com/freebsd-net/tcp-testsuite",
    is_historical: false,
    parameters: freebsd,
};

fn freebsd() -> Parameters {
    let mut parameters = Parameters::default();
    parameters.round_trip.minimum_timeout = Duration::from_millis(30);
    parameters.round_trip.timeout_margin = Duration::from_millis(200);
    parameters.round_trip.maximum_timeout = Duration::from_secs(64);
    parameters.receiver.delayed_acknowledgment =
        Some(DelayedAcknowledgment { timeout: Duration::from_millis(40), segments: 2, adaptive: None });
    parameters.receiver.reports_duplicates = true;
    parameters.receiver.accepts_what_fits = true;
    parameters.segments.ecn = EcnUse::OnRequest;
    parameters.segments.ecn_syn_retransmissions = 1;
    parameters.connection.most_syn_retransmissions = 12;
    parameters.connection.most_syn_ack_retransmissions = 3;
    parameters.connection.handshake_timeout = Some(Duration::from_secs(75));
    parameters.connection.data_with_syn = DataWithSyn::KeptByOpener;
    parameters.connection.repeats_fin_when_closing = true;
    parameters.connection.errors_ending_handshakes = ErrorsEndingHandshakes::Prohibitions;
    parameters.connection.listener_ignores_answers = true;
    parameters.connection.time_wait_needs_acknowledgments = true;
    parameters.receiver.reports_fin = false;
    parameters.connection.time_wait = Duration::from_secs(60);
    parameters
}

fn linux_6_12() -> Parameters {
    let mut parameters = Parameters::default();
    parameters.round_trip.minimum_timeout = Duration::from_millis(200);
    parameters.round_trip.minimum_bounds_variation = true;
    parameters.round_trip.samples_every_acknowledgment = true;
    parameters.round_trip.maximum_timeout = Duration::from_secs(120);
    parameters.window.initial_bytes = f64::INFINITY;
    parameters.window.growth = Growth::PerByte { most_per_ack: f64::INFINITY };
    parameters.window.cut_base = CutBase::Window;
    parameters.window.idle_restart = IdleRestart::Decay;
    parameters.window.application_limited_decay = true;
    parameters.window.whole_segments = true;
    parameters.window.forgiven_syn_retransmissions = 1;
    parameters.recovery.spurious_detection = SpuriousDetection::TimestampsAndDuplicates;
    parameters.recovery.sack_algorithm = "rack";
    parameters.recovery.shared_by_reno = true;
    parameters.recovery.timer_tick = Duration::from_millis(1);
    parameters.segments.ecn = EcnUse::OnRequest;
    parameters.segments.least_burst = Some(2);
    parameters.segments.send_buffer = Some(SendBuffer { first: 16 << 10, most: 4 << 20 });
    linux_receiver(&mut parameters.receiver);
    parameters.connection.acknowledges_before_data = true;
    parameters.connection.data_with_syn = DataWithSyn::Dropped;
    parameters.connection.syn_with_fin = SynWithFin::DroppedByListener;
    parameters.connection.errors_ending_handshakes = ErrorsEndingHandshakes::Soft;
    parameters.connection.tolerates_disordered_acknowledgments = true;
    parameters.connection.tolerates_missing_timestamps = true;
    parameters.connection.ignores_acknowledgments_of_unsent = true;
    parameters.connection.rejects_false_echoes = true;
    parameters.connection.echoes_first_syn = true;
    parameters.connection.repeated_syn_restarts_timer = true;
    parameters.connection.limits_answers = true;
    parameters.connection.most_syn_retransmissions = 6;
    parameters.connection.most_syn_ack_retransmissions = 5;
    parameters.connection.linear_syn_timeouts = 4;
    parameters.connection.user_timeout = Some(Duration::from_secs(924));
    parameters.connection.time_wait = Duration::from_secs(60);
    parameters
}

fn linux_7_3() -> Parameters {
    let mut parameters = linux_6_12();
    parameters.connection.ignores_acknowledgments_of_unsent = false;
    parameters.segments.window_scale = Some(10);
    let receiver = &mut parameters.receiver;
    if let Some(tuning) = &mut receiver.tuning {
        tuning.most_memory = 32 << 20;
        tuning.growth = MemoryGrowth::Measured { low_round_trip: Duration::from_millis(1) };
    }
    // What the most memory holds of full segments of Ethernet's size.
    receiver.buffer = 20_971_520;
    let adaptive = receiver.delayed_acknowledgment.as_mut().and_then(|delay| delay.adaptive.as_mut());
    if let Some(compression) = adaptive.and_then(|adaptive| adaptive.compression.as_mut()) {
        compression.percent_of_round_trip = 33;
        compression.keeps_clock = false;
    }
    parameters
}

fn linux_receiver(receiver: &mut ReceiverParameters) {
    let compression = AcknowledgmentCompression {
        spared: 3,
        delay: Duration::from_millis(1),
        percent_of_round_trip: 5,
        keeps_clock: true,
        slack: Duration::from_micros(100),
        most: 44,
    };
    let adaptive = AdaptiveAcknowledgment {
        longest: Duration::from_millis(200),
        quick: 16,
        tick: Duration::from_millis(1),
        compression: Some(compression),
    };
    receiver.delayed_acknowledgment = Some(DelayedAcknowledgment {
        timeout: Duration::from_millis(40),
        segments: 2,
        adaptive: Some(adaptive),
    });
    receiver.reports_duplicates = true;
    receiver.forgets_older_blocks = true;
    receiver.tuning = Some(WindowTuning {
        first_memory: 128 << 10,
        most_memory: 6 << 20,
        bookkeeping: 256,
        around: 450,
        growth: MemoryGrowth::Cushioned,
    });
    // What the most memory holds of full segments of Ethernet's size.
    receiver.buffer = 3_932_160;
}
