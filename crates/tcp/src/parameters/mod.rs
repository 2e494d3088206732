//! Orthogonal, named parameters of an endpoint. A profile ([`crate::profile`]) is nothing but a set
//! of them; no code asks which profile it is.

mod receiving;

pub use receiving::{
    AcknowledgmentCompression, AdaptiveAcknowledgment, DelayedAcknowledgment, MemoryGrowth,
    ReceiverParameters, WindowTuning,
};

use crate::cc::{CarefulResumeParameters, CongestionControlParameters, SlowStart};
use crate::ecn::EcnUse;
use crate::handover::HandoverParameters;
use crate::loss_notification::LossNotificationParameters;
use crate::ns2::Quirks;
use crate::recovery::RecoveryParameters;
use crate::rtt::RoundTripParameters;
use seamline_wire::Duration;

/// All parameters of an endpoint; by default those of today's RFCs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Round-trip time and retransmission timeout.
    pub round_trip: RoundTripParameters,
    /// The congestion window's beginnings and arithmetic.
    pub window: WindowParameters,
    /// Loss recovery.
    pub recovery: RecoveryParameters,
    /// What the segments look like.
    pub segments: SegmentParameters,
    /// The receiving side.
    pub receiver: ReceiverParameters,
    /// Opening, closing and giving up.
    pub connection: ConnectionParameters,
    /// Distinguishing losses over the air from congestion.
    pub loss_notification: LossNotificationParameters,
    /// Those of each congestion control.
    pub congestion_control: CongestionControlParameters,
    /// What is remembered of the path.
    pub careful_resume: CarefulResumeParameters,
    /// Those of each handover scheme.
    pub handover: HandoverParameters,
    /// Only for comparisons with ns-2.
    pub(crate) ns2: Quirks,
}

/// By how much an acknowledgment lets the window grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// One segment for each acknowledgment, whatever it covers (Jacobson 1988; ns-2).
    PerAck,
    /// What it covers, up to so many segments (RFC 5681 equation 2 with 1; RFC 3465's L).
    PerByte {
        /// Most segments of growth for one acknowledgment.
        most_per_ack: f64,
    },
}

/// What a loss halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutBase {
    /// The window in use (Jacobson 1988; ns-2).
    Window,
    /// What is outstanding (RFC 5681 equation 4), but not more than the window: in a long recovery what
    /// is not acknowledged cumulatively can be several windows.
    FlightSize,
}

/// What becomes of the congestion window while nothing is outstanding; looked at when the application
/// supplies data again. Window probes carry data here, so a connection that probes is not idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleRestart {
    /// Nothing (Linux with tcp_slow_start_after_idle=0, ns-2 with slow_start_restart_ false).
    Keep,
    /// A retransmission timeout after the last segment sent, at most the initial window (RFC 5681
    /// section 4.1).
    RestartWindow,
    /// Half for each retransmission timeout since the last segment sent, but not below the initial window;
    /// the threshold remembers three quarters of what was (RFC 2861; Linux, tcp_cwnd_restart).
    Decay,
    /// A retransmission timeout after the last acknowledgment, one segment, and the threshold stays: ns-2's
    /// timer keeps running with nothing outstanding (slow_start_restart_ and restart_bugfix_, both on by default).
    /// What ns-2's Vegas also does, halving the threshold and backing off, is left out.
    OneSegment,
}

parameters! {
    /// The congestion window's beginnings and arithmetic.
    pub struct WindowParameters {
        /// Initial window in segments (RFC 6928: 10; RFC 5681: 2 to 4).
        pub initial: f64 = 10.0,
        /// The initial window holds at most so many bytes, unless two segments are more (RFC 6928 section 2:
        /// 14600); infinite for no such limit.
        pub initial_bytes: f64 = 14_600.0,
        /// Initial slow start threshold in segments; infinite is RFC 5681's "arbitrarily high".
        pub initial_threshold: f64 = f64::INFINITY,
        /// A local limit of the window in segments, `u32::MAX` for none (ns-2's window_).
        pub limit: u32 = u32::MAX,
        /// Growth for one acknowledgment.
        pub growth: Growth = Growth::PerByte { most_per_ack: 1.0 },
        /// Grow only when the window was full (RFC 9438 section 4.2 and Linux ask for it; ns-2 does not).
        pub grow_only_when_full: bool = true,
        /// What a loss halves.
        pub cut_base: CutBase = CutBase::FlightSize,
        /// Store the threshold in whole segments (ns-2).
        pub whole_threshold: bool = false,
        /// On a loss found from acknowledgments set the window to the threshold (RFC 5681), not to the
        /// unrounded half.
        pub cut_to_threshold: bool = true,
        /// That half, where the window falls to it, is rounded down to whole segments (ns-2 before January 2006, `precisionReduce_`).
        pub whole_cut: bool = false,
        /// What becomes of the window while nothing is outstanding.
        pub idle_restart: IdleRestart = IdleRestart::RestartWindow,
        /// A window that was neither full nor acknowledged into for a retransmission timeout, for want of data
        /// or for the peer's window, falls half way to what was used of it, or to the initial window if that is
        /// more; the threshold remembers three quarters of it (RFC 2861; Linux, tcp_cwnd_application_limited).
        pub application_limited_decay: bool = false,
        /// A timeout that repeats without progress leaves the threshold as it is (RFC 5681 section 3.1,
        /// below equation 4).
        pub repeated_timeout_holds_threshold: bool = true,
        /// Count the window in whole segments, with the integer arithmetic of Linux, where a congestion control has it.
        pub whole_segments: bool = false,
        /// What ends slow start before a loss does, `None` for what Linux has: HyStart with CUBIC, nothing with Reno. Read where the
        /// window is counted in whole segments, by the recovery `rack`.
        pub slow_start: Option<SlowStart> = None,
        /// The window begins with one segment if a SYN or its answer had to be sent again more often than this (RFC 5681 section 3.1: not
        /// even once; Linux, tcp_init_transfer: once).
        pub forgiven_syn_retransmissions: u32 = 0,
        /// A lost SYN or first segment also cuts the threshold (ns-2), besides setting the initial window
        /// to one segment (RFC 5681 section 3.1).
        pub lost_handshake_cuts_threshold: bool = false,
    }
}

/// A send buffer that grows with the congestion window (Linux: `tcp_wmem`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendBuffer {
    /// Bytes of memory at first.
    pub first: u32,
    /// The most bytes of memory.
    pub most: u32,
}

parameters! {
    /// What the segments look like.
    pub struct SegmentParameters {
        /// Largest segment this end accepts, and sends when the peer allows it: payload plus options, in bytes
        /// (RFC 9293 section 3.7.1; options are subtracted by RFC 6691).
        pub maximum_segment_size: u16 = 1460,
        /// Our SYN says how large that is; a peer takes it to be 536 bytes otherwise (RFC 9293 section 3.7.1).
        pub offers_segment_size: bool = true,
        /// Offer window scaling with this shift (RFC 7323 section 2), `None` not to offer it.
        pub window_scale: Option<u8> = Some(7),
        /// Offer timestamps, counted in this unit (RFC 7323 section 3), `None` not to offer them.
        pub timestamp_tick: Option<Duration> = Some(Duration::from_millis(1)),
        /// Offer SACK (RFC 2018) when the recovery can use it.
        pub selective_acknowledgments: bool = true,
        /// Use explicit congestion notification (RFC 3168).
        pub ecn: EcnUse = EcnUse::Off,
        /// So many retransmissions of our SYN ask for it too, where it does at first (RFC 3168 section 6.1.1.1: none; FreeBSD:
        /// `net.inet.tcp.ecn.maxretries`).
        pub ecn_syn_retransmissions: u32 = 0,
        /// Small segments wait for acknowledgments (Nagle).
        pub nagle: bool = true,
        /// Segments leave in bursts that grow with the rate, and hold at least so many (TCP segmentation offload; Linux,
        /// `tcp_min_tso_segs`: 2). `None`: each segment leaves by itself. Read by the recovery `rack`.
        pub least_burst: Option<u32> = None,
        /// Segments leave spread over the round-trip time, also where the congestion control has no rate of its own (Linux with the
        /// queue discipline `fq`, or with `SO_MAX_PACING_RATE`). Read by the recovery `rack`.
        pub paced: bool = false,
        /// The send buffer, `None` for one that takes everything. Read by the recovery `rack`.
        pub send_buffer: Option<SendBuffer> = None,
    }
}

impl Parameters {
    /// Limit the window to so many segments, and the initial threshold with it where it was equal to the limit.
    pub fn limit_window(&mut self, segments: u32) {
        let before = std::mem::replace(&mut self.window.limit, segments);
        if self.window.initial_threshold == f64::from(before) {
            self.window.initial_threshold = f64::from(segments);
        }
        self.ns2.vegas.log_segments = self.ns2.vegas.log_segments.map(|_| segments);
    }

    /// Receive into so many bytes from the start, rather than into as many as the connection turns out to need, and scale the window
    /// so that it can offer them, where it is scaled at all (RFC 7323 section 2.3: by 14 at most).
    pub fn set_receive_buffer(&mut self, bytes: u32) {
        self.receiver.buffer = bytes;
        self.receiver.tuning = None;
        if let Some(shift) = self.segments.window_scale.as_mut() {
            while u64::from(bytes) > u64::from(u16::MAX) << *shift && *shift < 14 {
                *shift += 1;
            }
        }
    }
}

parameters! {
    /// Opening, closing and giving up.
    pub struct ConnectionParameters {
        /// Retransmissions of a SYN before giving up.
        pub most_syn_retransmissions: u32 = 7,
        /// Retransmissions of the answer to a SYN before a listener gives up (Linux: tcp_synack_retries; FreeBSD:
        /// `net.inet.tcp.syncache.rexmtlimit`).
        pub most_syn_ack_retransmissions: u32 = 7,
        /// The side that opens waits as long for so many retransmissions as for the first one, before it doubles the timeout. They do
        /// not count as retransmissions before giving up (Linux: tcp_syn_linear_timeouts).
        pub linear_syn_timeouts: u32 = 0,
        /// The side that opens gives up after this long, however often it has sent its SYN by then (FreeBSD: `net.inet.tcp.keepinit`).
        pub handshake_timeout: Option<Duration> = None,
        /// TCP for Transactions (RFC 1644).
        pub transactions: bool = false,
        /// What becomes of data and FIN that come with a SYN.
        pub data_with_syn: DataWithSyn = DataWithSyn::Kept,
        /// An acknowledgment in CLOSING repeats our FIN (FreeBSD: tcp_output).
        pub repeats_fin_when_closing: bool = false,
        /// What becomes of a SYN that has a FIN.
        pub syn_with_fin: SynWithFin = SynWithFin::Taken,
        /// A listener drops a SYN that acknowledges something (FreeBSD: tcp_input), rather than answer it by a reset (RFC 9293 section
        /// 3.10.7.2).
        pub listener_ignores_answers: bool = false,
        /// Which errors that ICMP reports end a handshake.
        pub errors_ending_handshakes: ErrorsEndingHandshakes = ErrorsEndingHandshakes::Hard,
        /// The answer to a SYN that came again echoes the timestamp of the first one (Linux: tcp_check_req), rather than of the latest
        /// (RFC 7323 section 4.3).
        pub echoes_first_syn: bool = false,
        /// A SYN that comes again restarts the timer of its answer (Linux: tcp_check_req), rather than let it run (RFC 6298 section 5.1).
        pub repeated_syn_restarts_timer: bool = false,
        /// Answer by a reset when a SYN echoes a timestamp that ours did not have (Linux: tcp_rcv_synsent_state_process).
        pub rejects_false_echoes: bool = false,
        /// The side that opens acknowledges the peer's SYN in a segment of its own, before its application can supply data.
        pub acknowledges_before_data: bool = false,
        /// Take a duplicate acknowledgment in although its timestamp is old (Linux: tcp_disordered_ack), rather than answer it (RFC 7323
        /// section 5.3).
        pub tolerates_disordered_acknowledgments: bool = false,
        /// Take segments in that lack the timestamps that were agreed on (Linux: tcp_validate_incoming), rather than drop them (RFC 7323
        /// section 3.2).
        pub tolerates_missing_timestamps: bool = false,
        /// Drop a segment that acknowledges what was not sent (Linux: tcp_ack), rather than answer it (RFC 9293 section 3.10.7.4).
        pub ignores_acknowledgments_of_unsent: bool = false,
        /// Answer what has no payload and is not acceptable at the rate of challenge ACKs (Linux: tcp_oow_rate_limited), rather than
        /// each such segment (RFC 9293 section 3.10.7.4).
        pub limits_answers: bool = false,
        /// Drop what acknowledges nothing in TIME-WAIT (FreeBSD: tcp_twcheck), rather than answer what of it is not acceptable (RFC 9293
        /// section 3.10.7.4).
        pub time_wait_needs_acknowledgments: bool = false,
        /// Give up when data stays unacknowledged for this long (RFC 9293 section 3.8.3, RFC 5482).
        pub user_timeout: Option<Duration> = Some(Duration::from_secs(300)),
        /// Send a keep-alive after this much silence, at this interval, and give up after so many
        /// (RFC 9293 section 3.8.4).
        pub keepalive: Option<KeepAlive> = None,
        /// How long a connection whose application is gone waits in FIN-WAIT-2 for the peer to close; `None` for ever, as RFC 9293
        /// has it (Linux: tcp_fin_timeout).
        pub orphan_wait: Option<Duration> = Some(Duration::from_secs(60)),
        /// Twice the maximum segment lifetime, spent in TIME-WAIT (RFC 9293 section 3.4.2: 4 minutes).
        pub time_wait: Duration = Duration::from_secs(240),
    }
}

/// What becomes of data and FIN that come with a SYN (RFC 9293 section 3.10.7.2). What is not kept has to come again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataWithSyn {
    /// They are kept until the connection is open.
    Kept,
    /// The side that opens keeps them, but does not acknowledge data before the connection is open, and forgets a FIN that comes before;
    /// a listener keeps nothing (FreeBSD: its SYN cache has no room for it).
    KeptByOpener,
    /// Nothing is kept (Linux without TCP Fast Open).
    Dropped,
}

/// What becomes of a SYN that has a FIN, which no peer that wants to be answered sends. Each drops what those before it drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SynWithFin {
    /// It is taken like others.
    Taken,
    /// A listener drops it (Linux: tcp_rcv_state_process).
    DroppedByListener,
    /// It is dropped before the connection is open (FreeBSD: `net.inet.tcp.drop_synfin`).
    Dropped,
}

/// Which errors that ICMP reports about our SYN give the handshake up at once; the others are noted. Each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorsEndingHandshakes {
    /// None (FreeBSD with `net.inet.tcp.icmp_may_rst=0`).
    None,
    /// Hard errors: no such protocol or port (RFC 9293 section 3.9.2.2, SHLD-25).
    Hard,
    /// A filter forbids the way, or the packet lived too long (FreeBSD: `net.inet.tcp.icmp_may_rst=1`).
    Prohibitions,
    /// Also that the peer cannot be reached at the moment (Linux: tcp_v4_err).
    Soft,
}

/// Keep-alive probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepAlive {
    /// Silence before the first probe.
    pub idle: Duration,
    /// Time between probes.
    pub interval: Duration,
    /// Unanswered probes before giving up.
    pub probes: u32,
}
