//! Careful Resume after a handover (RFC 9959): a sender observes how much the path delivers in a round trip. When the mobile host is
//! back at the network after a disconnection, the sender begins again with the initial window, and the congestion control jumps to
//! half of what was observed ([`crate::cc::CarefulResumeParameters`]). The remote endpoint of the RFC is the peer of the connection.

use super::*;

pub(super) static SCHEME: Scheme = Scheme {
    name: "careful-resume",
    summary: "after the handover the sender starts over, and jumps to half of the capacity it had observed",
    cite: "RFC 9959",
    traits: END_TO_END,
    installed: Installed::BothEnds,
    refuses: NEEDS_PACING,
    build: &|parameters| {
        let lifetime = parameters.careful_resume.lifetime;
        Box::new(CarefulResume { lifetime, round: None, observed: None })
    },
};

#[derive(Clone, Copy, Debug)]
struct Round {
    began: Instant,
    delivered: u64,
}

#[derive(Debug)]
struct CarefulResume {
    lifetime: Duration,
    round: Option<Round>,
    /// What the last full round trip has delivered, and when it ended.
    observed: Option<(SavedPath, Instant)>,
}

impl CarefulResume {
    /// Observing (section 3.1): segments delivered in a round-trip time. One that stops in between says nothing.
    fn observe(&mut self, view: &View) {
        let delivered = view.unacknowledged.0 / u64::from(view.segment_size);
        let known = view.round_trip;
        let Some(round) = self.round.filter(|_| !known.latest.is_zero()) else {
            self.round = Some(Round { began: view.now, delivered });
            return;
        };
        let lasted = view.now.saturating_since(round.began);
        if lasted < known.smoothed {
            return;
        }
        if lasted < known.smoothed * 2 {
            let window = (delivered - round.delivered) as f64;
            self.observed = Some((SavedPath { window, round_trip: known.minimum }, view.now));
        }
        self.round = Some(Round { began: view.now, delivered });
    }
    fn resume(&mut self, view: &View, actions: &mut Actions) {
        self.round = None;
        let fresh = self.observed.take().filter(|(_, at)| view.now.saturating_since(*at) <= self.lifetime);
        match fresh {
            // Less than four initial windows are not worth it (section 3.1).
            Some((saved, _)) if saved.window >= 4.0 * view.parameters.window.initial => {
                actions.push(Action::Resume(saved));
            }
            _ => actions.push(Action::SlowStart),
        }
        actions.push(Action::GoBack);
    }
}

impl Handover for CarefulResume {
    fn on(&mut self, happened: HandoverEvent, view: &View, actions: &mut Actions) {
        match happened {
            moved if moved.is_move() => {
                actions.push(Action::Acknowledge { times: 1, mark: Some(Mark::Handover) });
                if view.outstanding() > 0 {
                    self.resume(view, actions);
                }
            }
            HandoverEvent::Marked { mark: Mark::Handover, .. } => self.resume(view, actions),
            HandoverEvent::Progress { .. } => self.observe(view),
            _ => {}
        }
    }
    fn acts_on(&self, mark: Mark) -> bool {
        mark == Mark::Handover
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND_TRIP: Duration = Duration::from_millis(100);

    struct Sender {
        scheme: Box<dyn Handover>,
        view: View,
    }

    impl Sender {
        fn new() -> Self {
            let parameters = Parameters::default();
            let scheme = (SCHEME.build)(&parameters);
            Sender { scheme, view: crate::view::sample(parameters, ROUND_TRIP) }
        }
        fn on(&mut self, happened: HandoverEvent) -> Actions {
            let mut actions = Actions::new();
            self.scheme.on(happened, &self.view, &mut actions);
            actions
        }
        /// So many segments arrive in a round-trip time, one after the other.
        fn deliver(&mut self, segments: u64) {
            for _ in 0..segments {
                self.view.now += ROUND_TRIP / segments;
                self.view.unacknowledged += u64::from(self.view.segment_size);
                self.on(HandoverEvent::Progress { mark: None });
            }
        }
        fn moved(&mut self) -> Actions {
            let mark = Mark::Handover;
            self.on(HandoverEvent::Marked { mark, payload: false, one_way_delay: None })
        }
    }

    /// Section 3.1: what was acknowledged in a round trip, with the smallest round-trip time.
    #[test]
    fn what_a_round_trip_delivers_is_remembered() {
        let mut sender = Sender::new();
        sender.deliver(200);
        sender.deliver(200);
        let [Action::Resume(saved), Action::GoBack] = sender.moved()[..] else { panic!("it resumes") };
        assert!((198.0..=202.0).contains(&saved.window), "{saved:?}");
        assert_eq!(saved.round_trip, ROUND_TRIP);
        assert_eq!(sender.moved(), [Action::SlowStart, Action::GoBack], "it is used once");
    }

    /// A stop in the middle of a round trip, as before a handover, says nothing about the capacity.
    #[test]
    fn a_round_trip_with_a_stop_does_not_count() {
        let mut sender = Sender::new();
        sender.deliver(200);
        sender.deliver(200);
        sender.view.now += Duration::from_secs(1);
        sender.deliver(1);
        let Some(Action::Resume(saved)) = sender.moved().first().copied() else { panic!("it resumes") };
        assert!(saved.window > 190.0, "{saved:?}");
    }

    /// Section 3.1: less than four initial windows are not worth it.
    #[test]
    fn little_is_not_worth_it() {
        let mut sender = Sender::new();
        sender.deliver(30);
        sender.deliver(30);
        assert_eq!(sender.moved(), [Action::SlowStart, Action::GoBack]);
    }

    /// Section 3.2, "Lifetime of saved CC parameters".
    #[test]
    fn it_expires() {
        let mut sender = Sender::new();
        sender.deliver(200);
        sender.deliver(200);
        sender.view.now += Duration::from_secs(301);
        assert_eq!(sender.moved(), [Action::SlowStart, Action::GoBack]);
    }
}
