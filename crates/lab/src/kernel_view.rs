//! The kernel's state of a sender as events, the same as those of our endpoints.

use crate::system::TcpInfo;
use seamline_wire::{Duration, Event, SenderSample, TransportPort};

/// The kernel's own number of the state of recovery without a timeout (`enum tcp_ca_state`).
const RECOVERY: u8 = 3;
/// Likewise after a timeout.
const LOSS: u8 = 4;
/// Linux counts windows beyond this as no limit at all.
const NO_THRESHOLD: f64 = 2_147_483_647.0;

/// One sender, from sample to sample.
#[derive(Debug)]
pub(crate) struct KernelView {
    port: TransportPort,
    state: u8,
    timeouts: u32,
    backoff: u8,
}

impl KernelView {
    /// The sender of the connection with this local port.
    pub(crate) fn new(port: TransportPort) -> Self {
        KernelView { port, state: 0, timeouts: 0, backoff: 0 }
    }

    /// What has happened up to a sample: timeouts and recoveries since the one before, then the state itself. Timeouts are counted by the
    /// kernel itself since Linux 6.7; before, one is seen when the timer is found backed off further.
    pub(crate) fn note(&mut self, info: &TcpInfo, listener: &mut dyn FnMut(&Event)) {
        let port = self.port;
        for _ in 0..self.new_timeouts(info) {
            listener(&Event::RetransmissionTimeout { port });
        }
        let state = info.congestion_avoidance_state;
        if state == RECOVERY && self.state != RECOVERY {
            listener(&Event::RecoveryStarted { port });
        }
        (self.state, self.backoff) = (state, info.backoff);
        listener(&Event::Sender { port, sample: sample(info) });
    }

    fn new_timeouts(&mut self, info: &TcpInfo) -> u32 {
        let Some(total) = info.total_timeouts else {
            let entered = info.congestion_avoidance_state == LOSS && self.state != LOSS;
            return u32::from(info.backoff.saturating_sub(self.backoff)).max(entered.into());
        };
        let before = std::mem::replace(&mut self.timeouts, total.into());
        self.timeouts.saturating_sub(before)
    }
}

fn sample(info: &TcpInfo) -> SenderSample {
    let segment = info.send_maximum_segment_bytes;
    SenderSample {
        congestion_window: info.congestion_window.into(),
        slow_start_threshold: info.slow_start_threshold.map_or(NO_THRESHOLD, f64::from),
        bytes_in_flight: info.unacknowledged.saturating_mul(segment),
        duplicate_acks: 0,
        smoothed_round_trip_time: info.smoothed_round_trip_time,
        round_trip_time_variation: info.round_trip_time_variation,
        retransmission_timeout: info.retransmission_timeout.max(Duration::ZERO),
        backoff: 1 << info.backoff.min(31),
    }
}
