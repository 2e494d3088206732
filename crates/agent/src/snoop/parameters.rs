//! What of Snoop can be set.

use seamline_wire::Duration;

/// What of Snoop can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct SnoopParameters {
    /// Packets kept of each connection.
    pub cache: u32,
    /// Duplicates that pass before one makes the agent send again. The paper's agent acts at once; ns-2's lets one pass.
    pub passed_duplicates: u32,
    /// How often at most a packet is sent again, unless its sender sends it again.
    pub local_retransmissions: u32,
    /// The shortest local retransmission timeout.
    pub minimum_timeout: Duration,
    /// Smoothed round-trip time over the air before the first sample.
    pub initial_round_trip_time: Duration,
    /// Its variation before the first sample.
    pub initial_variation: Duration,
    /// The share of a new sample in the smoothed round-trip time, 0 to 1.
    pub sample_weight: f64,
    /// Every acknowledgment gives a sample, from when the last packet was sent that it acknowledges; otherwise it is a sample for the packet
    /// that was sent last, if that was sent once.
    pub samples_retransmissions: bool,
    /// Duplicates are counted on across new acknowledgments, as by the one counter that all of ns-2's agents share.
    pub counts_duplicates_on: bool,
    /// Duplicates that show another gap are hidden like others, as in ns-2. Otherwise they pass: a sender with SACK that does not hear of them may never
    /// hear of what they list, and sends it again.
    pub hides_new_gaps: bool,
    /// After a timeout everything that was under way goes out again as acknowledgments come. In ns-2 one packet does at each timeout, however many are lost.
    pub goes_on_after_timeouts: bool,
    /// Acknowledgments for the mobile node that ask for what the air has lost are marked.
    pub explicit_loss_notification: bool,
    /// A marked acknowledgment also lists the losses behind the one that it asks for. In ns-2 it does not, and a sender with SACK, which hears of
    /// them by itself, takes them for congestion.
    pub lists_further_losses: bool,
    /// What came over the air is remembered as by ns-2. What the mobile node sends again fills its gap at once where it lies right before later
    /// data, and duplicates for it that are still to come are not marked; otherwise they are, until the far end has it. And a duplicate is marked
    /// where nothing has come behind what it asks for, as by those that the mobile node causes when it goes back too far.
    pub remembers_uplink_as_ns2: bool,
}

impl Default for SnoopParameters {
    /// As in ns-2, but for its mistakes: the new sample has an eighth, each loss its own count, and after a timeout all that was under way goes out again.
    fn default() -> Self {
        SnoopParameters {
            cache: 100,
            passed_duplicates: 1,
            local_retransmissions: 10,
            minimum_timeout: Duration::from_millis(100),
            initial_round_trip_time: Duration::from_millis(100),
            initial_variation: Duration::from_millis(250),
            sample_weight: 0.125,
            samples_retransmissions: false,
            counts_duplicates_on: false,
            hides_new_gaps: false,
            goes_on_after_timeouts: true,
            explicit_loss_notification: true,
            lists_further_losses: true,
            remembers_uplink_as_ns2: false,
        }
    }
}

impl SnoopParameters {
    /// Those of ns-2.
    pub fn ns2() -> Self {
        SnoopParameters {
            sample_weight: 0.875,
            samples_retransmissions: true,
            counts_duplicates_on: true,
            hides_new_gaps: true,
            goes_on_after_timeouts: false,
            lists_further_losses: false,
            remembers_uplink_as_ns2: true,
            ..Self::default()
        }
    }
}
