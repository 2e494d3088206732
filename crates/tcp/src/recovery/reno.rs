//! Reno: fast retransmit and fast recovery, which ends at the first new acknowledgment (RFC 5681
//! section 3.2; Fall and Floyd 1996, section 3).

use super::{
    AckSeen, Algorithm, Duplicate, Order, Orders, Recovery, acknowledge, count_duplicate, go_back, resume,
    start_over,
};
use crate::cc::Loss;
use crate::offset::Offset;
use crate::parameters::Parameters;
use crate::view::View;
use std::sync::Arc;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "reno",
    summary: "fast retransmit and fast recovery, ended by the first new acknowledgment",
    cite: "RFC 5681 section 3.2",
    needs_sack: false,
    needs_send_log: false,
    build: |parameters, start| {
        let parameters = Arc::clone(parameters);
        Box::new(Reno { parameters, duplicates: 0, recover: start, recovering: false })
    },
};

#[derive(Debug)]
struct Reno {
    parameters: Arc<Parameters>,
    duplicates: u32,
    recover: Offset,
    recovering: bool,
}

impl Reno {
    fn forget(&mut self, view: &View) {
        self.duplicates = 0;
        self.recovering = false;
        self.recover = view.highest_sent;
    }
    fn on_duplicate(&mut self, view: &View, orders: &mut Orders) {
        match count_duplicate(&mut self.duplicates, &self.parameters.recovery, orders) {
            Duplicate::AtThreshold if view.unacknowledged > self.recover => self.enter(view, orders),
            Duplicate::Later if self.recovering => orders.push(Order::Inflate(view.inflation + 1)),
            _ => {}
        }
    }
    fn enter(&mut self, view: &View, orders: &mut Orders) {
        self.recover = view.highest_sent;
        self.recovering = true;
        orders.extend([
            Order::KeepWindow,
            Order::NoteRecovery,
            Order::Cut(Loss::Detected),
            Order::RestartTimer,
            Order::AbandonTiming,
            Order::Retransmit(view.unacknowledged),
            Order::Inflate(self.parameters.recovery.duplicate_threshold),
        ]);
    }
}

impl Recovery for Reno {
    fn on_ack(&mut self, ack: &AckSeen, view: &View, orders: &mut Orders) {
        if ack.advanced {
            self.recovering = false;
            self.duplicates = 0;
            if view.inflation > 0 {
                orders.push(Order::Inflate(0));
            }
            acknowledge(orders);
        } else if ack.duplicate {
            self.on_duplicate(view, orders);
        }
        if self.duplicates == 0
            || !(ack.advanced || ack.duplicate)
            || self.duplicates >= self.parameters.recovery.duplicate_threshold
        {
            orders.push(Order::SEND);
        }
    }
    fn on_timeout(&mut self, view: &View, orders: &mut Orders) {
        self.forget(view);
        orders.push(Order::KeepWindow);
        start_over(orders);
    }
    fn on_path_lost(&mut self, view: &View, orders: &mut Orders) {
        self.forget(view);
        go_back(orders);
    }
    /// What went back, if it did, still makes the peer repeat its acknowledgment (RFC 6582 section 3.2, step 1), so `recover` stays.
    fn on_spurious(&mut self, _view: &View, orders: &mut Orders) {
        self.duplicates = 0;
        self.recovering = false;
        resume(orders);
    }
    fn note_duplicate(&mut self) {
        self.duplicates += 1;
    }
    fn duplicate_acks(&self) -> u32 {
        self.duplicates
    }
    fn in_recovery(&self) -> bool {
        self.recovering
    }
}
