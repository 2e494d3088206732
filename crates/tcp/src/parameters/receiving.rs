//! Parameters of the receiving side.

use seamline_wire::Duration;

/// Delayed acknowledgments (RFC 1122 section 4.2.3.2, RFC 5681 section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAcknowledgment {
    /// The longest wait (at most 500 ms); where it adapts, the shortest and first one.
    pub timeout: Duration,
    /// An acknowledgment is sent at the latest for this many full segments (2). Where the wait adapts, it is sent for more than one
    /// full segment, however many those are.
    pub segments: u32,
    /// Adapt the wait to the arrival of segments, and leave it out where the peer may be waiting.
    pub adaptive: Option<AdaptiveAcknowledgment>,
}

/// How acknowledgments adapt to what arrives, as Linux has it (tcp_event_data_recv, __tcp_ack_snd_check, tcp_send_delayed_ack,
/// tcp_cleanup_rbuf): segments are acknowledged one by one at the start, after a pause and after duplicates; an application that reads
/// everything there is acknowledges the end of a write; and the wait follows the interval between segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdaptiveAcknowledgment {
    /// The longest wait (TCP_DELACK_MAX: 200 ms).
    pub longest: Duration,
    /// So many segments are acknowledged one by one, at most (TCP_MAX_QUICKACKS: 16).
    pub quick: u32,
    /// The clock of intervals and waits ticks so often (1 ms at 1000 Hz), and a wait ends with the tick after it; zero for a clock
    /// without ticks.
    pub tick: Duration,
    /// Hold acknowledgments of what arrives beyond a gap back, so that one stands for several.
    pub compression: Option<AcknowledgmentCompression>,
}

/// Fewer acknowledgments of what arrives beyond a gap, for a peer with SACK (Linux: __tcp_ack_snd_check, tcp_comp_sack_*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcknowledgmentCompression {
    /// After each advance so many are sent at once: the peer counts them (TCP_FASTRETRANS_THRESH: 3).
    pub spared: u32,
    /// The longest wait (tcp_comp_sack_delay_ns: 1 ms).
    pub delay: Duration,
    /// The wait is at most this part of the round-trip time (Linux before 7: 5; tcp_comp_sack_rtt_percent: 33).
    pub percent_of_round_trip: u64,
    /// How much later the timer expires (tcp_comp_sack_slack_ns: 100 us).
    pub slack: Duration,
    /// One acknowledgment stands for at most so many (tcp_comp_sack_nr: 44).
    pub most: u32,
    /// The end of the wait does not read the clock, so that the timestamp is that of the last arrival (Linux before 7).
    pub keeps_clock: bool,
}

/// How the window grows with what a connection turns out to need, as Linux has it (tcp_select_initial_window, tcp_grow_window,
/// tcp_rcv_space_adjust, __tcp_select_window). Memory is counted by buffers, not by payload (truesize): each segment takes
/// `bookkeeping` bytes and a buffer whose size is a power of two. So Linux accounts for packets that are received into buffers
/// of their own; with drivers that receive into pages the share of payload is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowTuning {
    /// Memory in bytes at the beginning (tcp_rmem\[1\]: 128 KiB), half of it for payload until segments show the share.
    pub first_memory: u32,
    /// Most memory in bytes (tcp_rmem\[2\]: 6 MiB).
    pub most_memory: u32,
    /// Memory in bytes that a segment takes besides the buffer that holds it (struct sk_buff: 256).
    pub bookkeeping: u32,
    /// Bytes of the buffer that hold no payload (headroom, headers, struct skb_shared_info: 450).
    pub around: u32,
    /// How the memory follows what is read.
    pub growth: MemoryGrowth,
}

/// How the memory for a window follows what the application reads in a round-trip time (tcp_rcv_space_adjust).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryGrowth {
    /// Twice that and 16 segments, and twice as fast as what is read grows (Linux 6.12).
    Cushioned,
    /// Twice that, what has arrived beyond a gap, and twice as fast as what is read grows; below `low_round_trip` more than that in
    /// proportion to the round-trip time, whether what is read grows or not. A round-trip time that is measured while something is unread does not raise the mean (Linux 7.3, tcp_rcvbuf_grow).
    Measured {
        /// A short round-trip time (tcp_rcvbuf_low_rtt: 1 ms).
        low_round_trip: Duration,
    },
}

impl WindowTuning {
    /// Memory that a segment with so much payload takes.
    pub(crate) fn memory_of(&self, payload: u32) -> u64 {
        u64::from(self.bookkeeping) + u64::from(payload + self.around).next_power_of_two()
    }
}

impl ReceiverParameters {
    /// The window in bytes before anything has arrived, in whole segments of `payload` bytes where it adapts (Linux:
    /// tcp_select_initial_window).
    pub(crate) fn first_window(&self, payload: u32) -> u32 {
        let Some(tuning) = self.tuning else { return self.buffer };
        let space = self.buffer.min(tuning.first_memory / 2);
        if space > payload { space - space % payload.max(1) } else { space }
    }
}

parameters! {
    /// The receiving side.
    pub struct ReceiverParameters {
        /// Receive buffer in bytes: the largest window offered.
        pub buffer: u32 = 8 << 20,
        /// Offer less than the buffer at first; `None` offers all of it from the start.
        pub tuning: Option<WindowTuning> = None,
        /// Delay acknowledgments, or acknowledge every segment.
        pub delayed_acknowledgment: Option<DelayedAcknowledgment> =
            Some(DelayedAcknowledgment { timeout: Duration::from_millis(200), segments: 2, adaptive: None }),
        /// How long the third and each further duplicate acknowledgment for a gap waits for its repair; `None` sends each at once.
        pub duplicate_delay: Option<Duration> = None,
        /// Most SACK blocks in one acknowledgment (RFC 2018: as many as fit, at most 4).
        pub most_sack_blocks: usize = 4,
        /// Report no blocks but the last four, as they were put together from segments (Linux: tcp_sack_new_ofo_skb), rather than
        /// older ones where there is room (RFC 2018 section 4), and no duplicate that other data has followed (tcp_data_queue).
        pub forgets_older_blocks: bool = false,
        /// A block that ends with the peer's FIN reports it too (Linux), or the data before it alone (FreeBSD: tcp_update_sack_list).
        pub reports_fin: bool = true,
        /// Report what has come twice in the first block (D-SACK, RFC 2883), where SACK is agreed on.
        pub reports_duplicates: bool = false,
        /// Accept what fits into the buffer although a window field of 16 bits could not offer so much (FreeBSD: tcp_do_segment).
        pub accepts_what_fits: bool = false,
    }
}
