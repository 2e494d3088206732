//! A flow under one congestion control, without a network.

use seamline_tcp::cc::{self, Acked, CongestionControl, Loss};
use seamline_tcp::profile;
use seamline_tcp::rtt::RoundTrip;
use seamline_tcp::view::{View, Window};
use seamline_tcp::{Offset, Parameters};
use seamline_wire::{Duration, Instant};
use std::sync::Arc;

pub(crate) const SEGMENT: u32 = 1000;

/// A flow that always fills its window, acknowledged one segment at a time, evenly over each round.
pub(crate) struct Flow {
    pub(crate) control: Box<dyn CongestionControl>,
    pub(crate) view: View,
    pub(crate) round_trip: Duration,
    /// What acknowledgments measure.
    measured: Option<Duration>,
}

impl Flow {
    pub(crate) fn new(name: &str, round_trip: Duration, window: Window) -> Self {
        Flow::with_parameters(name, round_trip, window, &(profile::RFC.parameters)())
    }
    pub(crate) fn with_parameters(
        name: &str,
        round_trip: Duration,
        window: Window,
        parameters: &Parameters,
    ) -> Self {
        let algorithm = cc::find(name).expect("the algorithm is registered");
        let view = View {
            parameters: Arc::new(parameters.clone()),
            now: Instant::from_secs(1),
            segment_size: SEGMENT,
            unacknowledged: Offset::FIRST_BYTE,
            next: Offset::FIRST_BYTE,
            highest_sent: Offset::FIRST_BYTE,
            tracked: Default::default(),
            available: Offset(u64::MAX >> 2),
            window,
            inflation: 0,
            peer_window: 1 << 40,
            largest_peer_window: 1 << 40,
            window_limit: u32::MAX,
            congestion_limited: true,
            finishing: false,
            nagle: false,
            round_trip: RoundTrip {
                smoothed: round_trip,
                variation: Duration::ZERO,
                latest: round_trip,
                minimum: round_trip,
            },
            scoreboard: Default::default(),
            sent: None,
        };
        Flow { control: (algorithm.build)(parameters), view, round_trip, measured: None }
    }
    pub(crate) fn window(&self) -> f64 {
        self.view.window.congestion
    }
    pub(crate) fn acknowledge(&mut self, segments: u64, after: Duration) {
        self.view.now += after;
        let bytes = segments * u64::from(SEGMENT);
        self.view.unacknowledged += bytes;
        if let Some(sample) = self.measured {
            let smallest = self.view.tracked.minimum_round_trip.get_or_insert(sample);
            *smallest = sample.min(*smallest);
        }
        if let Some(sample) = self.measured
            && let Some(window) = self.control.on_round_trip(sample, &self.view)
        {
            self.view.window = window;
        }
        self.view.highest_sent = self.view.unacknowledged + (self.window() as u64) * u64::from(SEGMENT);
        self.view.next = self.view.highest_sent;
        let acked = Acked {
            bytes,
            delivered: bytes,
            duplicate: false,
            fine_round_trip: Some(self.round_trip.as_secs_f64()),
            in_recovery: false,
        };
        self.control.observe(&acked, &self.view);
        self.view.window = self.control.on_ack(&acked, &self.view);
    }
    /// Acknowledge what one round-trip time returns, each segment with this round-trip time.
    pub(crate) fn measured_round(&mut self, round_trip: Duration) {
        self.measured = Some(round_trip);
        self.round();
        self.measured = None;
    }
    pub(crate) fn measure(&mut self, round_trip: Duration) {
        self.measured = Some(round_trip);
        self.acknowledge(1, round_trip / self.window() as u64);
        self.measured = None;
    }
    /// Acknowledge what one round-trip time returns.
    pub(crate) fn round(&mut self) {
        let segments = self.window() as u64;
        (0..segments).for_each(|_| self.acknowledge(1, self.round_trip / segments));
    }
    pub(crate) fn run(&mut self, time: Duration) {
        let end = self.view.now + time;
        while self.view.now < end {
            self.round();
        }
    }
    pub(crate) fn lose(&mut self, loss: Loss) {
        self.view.window = self.control.on_loss(loss, &self.view);
    }
    pub(crate) fn restore(&mut self, before: Window) {
        self.view.window = self.control.restore(before, &self.view);
    }
}

pub(crate) fn window(congestion: f64, threshold: f64) -> Window {
    Window { congestion, threshold }
}

#[track_caller]
pub(crate) fn assert_near(measured: f64, expected: f64, relative: f64) {
    let error = (measured - expected).abs() / expected;
    assert!(error <= relative, "measured {measured}, expected {expected} within {relative}");
}
