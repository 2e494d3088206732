//! What happens in an episode: a function of the seed and the episode's number.

use super::flow::Content;
use super::subject::Subject;
use seamline_wire::random::Stream;

/// What is done to the network or the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nothing.
    Calm,
    /// An interface of a host in the middle, or of the hop, goes down for so long.
    Flap { interface: &'static str, millis: u64 },
    /// An interface carries only packets of this length for so long.
    Mtu { interface: &'static str, bytes: u64, millis: u64 },
    /// `kill -9`; the next one begins after so long.
    Kill { after: u64 },
    /// As [`Fault::Kill`], and the monotonic clock of the next one is so many seconds off.
    Clock { seconds: i64 },
    /// `SIGSTOP`, and `SIGCONT` after so long.
    Stop { millis: u64 },
    /// `SIGTERM`; the next one begins after so long.
    Restart { after: u64 },
    /// So many bytes more than the process has may it take for so long; if it ends by that, the next one begins.
    LittleMemory { bytes: u64, millis: u64 },
    /// The process may open no file for so long.
    FewFiles { millis: u64 },
    /// A notice of an outage, to a daemon; the outage comes in that time, or not.
    Notice { lead: u64, outage: u64 },
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Fault::Calm => write!(f, "nothing"),
            Fault::Flap { interface, millis } => write!(f, "{interface} is down for {millis} ms"),
            Fault::Mtu { interface, bytes, millis } => {
                write!(f, "{interface} has an MTU of {bytes} bytes for {millis} ms")
            }
            Fault::Kill { after } => write!(f, "kill -9, and the next one after {after} ms"),
            Fault::Clock { seconds } => write!(f, "kill -9, and the next one's clock is {seconds} s off"),
            Fault::Stop { millis } => write!(f, "SIGSTOP for {millis} ms"),
            Fault::Restart { after } => write!(f, "SIGTERM, and the next one after {after} ms"),
            Fault::LittleMemory { bytes, millis } => {
                write!(f, "{bytes} bytes of memory left for {millis} ms")
            }
            Fault::FewFiles { millis } => write!(f, "no free file descriptor for {millis} ms"),
            Fault::Notice { lead, outage } => {
                write!(f, "notice of an outage in {lead} ms that takes {outage} ms")
            }
        }
    }
}

/// A step: connections that begin with it, what is done, and a pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) begins: Vec<Content>,
    pub(super) fault: Fault,
    pub(super) pause: u64,
}

/// An episode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) number: u64,
    pub(super) subject: Subject,
    pub(super) keeps_forwarding: bool,
    /// Packets that the hop loses, in a thousand.
    pub(super) lost: u64,
    /// The kernel joins packets, as its offloads do.
    pub(super) joins: bool,
    pub(super) steps: Vec<Step>,
}

impl Plan {
    /// Subjects take turns.
    pub(super) fn new(seed: u64, number: u64, subject: Option<Subject>) -> Self {
        let turn = Subject::IN_TURN[(number % Subject::IN_TURN.len() as u64) as usize];
        let subject = subject.unwrap_or(turn);
        let mut dice = Dice(Stream::new(seed, &format!("episode/{number}/{subject}")));
        let (keeps_forwarding, lost, joins) = (dice.0.chance(0.5), dice.0.below(25), dice.0.chance(0.5));
        let count = dice.within(3, 8);
        let mut connections = 0;
        let steps = (0..count).map(|step| {
            let begins = if step == 0 { 3 } else { dice.0.below(2) };
            let begins = (0..begins).map(|_| dice.content(&mut connections)).collect();
            Step { begins, fault: dice.fault(subject), pause: dice.within(50, 300) }
        });
        Plan {
            number,
            subject,
            keeps_forwarding: keeps_forwarding && subject.can_keep_forwarding(),
            lost,
            joins,
            steps: steps.collect(),
        }
    }
}

struct Dice(Stream);

impl Dice {
    fn within(&mut self, least: u64, most: u64) -> u64 {
        least + self.0.below(most - least + 1)
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.0.below(all.len() as u64) as usize]
    }

    /// Some as fast as possible, some with a kilobyte now and then.
    fn content(&mut self, count: &mut u16) -> Content {
        *count += 1;
        let (version, is_upload) = (self.one_of(&[4, 6]), self.0.chance(0.3));
        let (bytes, interval) = match self.0.chance(0.6) {
            true => (self.within(20_000, 4_000_000), 0),
            false => (self.within(20_000, 150_000), self.within(2, 40)),
        };
        Content { number: *count, version, is_upload, bytes, interval }
    }

    fn fault(&mut self, subject: Subject) -> Fault {
        let (outage, narrow) = (self.within(20, 800), self.within(1280, 1490));
        let faults: &[fn(&mut Dice, u64, u64) -> Fault] = &[
            |_, _, _| Fault::Calm,
            |_, millis, _| Fault::Flap { interface: "c0", millis },
            |_, millis, _| Fault::Flap { interface: "c1", millis },
            |dice, millis, bytes| Fault::Mtu {
                interface: dice.one_of(&["a0", "b0", "b1"]),
                bytes,
                millis: millis / 2,
            },
            |dice, _, _| Fault::Kill { after: dice.within(0, 500) },
            |dice, _, _| Fault::Kill { after: dice.within(0, 20) },
            |dice, _, _| Fault::Clock { seconds: dice.one_of(&[-10, -1, 1, 1000]) },
            |_, millis, _| Fault::Stop { millis: 2 * millis },
            |dice, _, _| Fault::Restart { after: dice.within(0, 300) },
            |dice, millis, _| Fault::LittleMemory { bytes: dice.one_of(&[0, 1 << 16, 1 << 20]), millis },
            |_, millis, _| Fault::FewFiles { millis },
            // What only some subjects have.
            |dice, millis, _| Fault::Notice { lead: dice.within(20, 600), outage: dice.one_of(&[0, millis]) },
            |dice, millis, _| Fault::Flap { interface: dice.one_of(&["b0", "b1"]), millis },
        ];
        let last = match subject {
            Subject::Mobile | Subject::Sender => 12,
            // Routes over a router's own interface go when it is down, and do not come back by themselves.
            Subject::Split => 11,
            _ => 13,
        };
        let fault = self.one_of(&faults[..last])(self, outage, narrow);
        match fault {
            Fault::Notice { .. } if subject != Subject::Mobile => Fault::Calm,
            fault => fault,
        }
    }
}

impl Subject {
    fn can_keep_forwarding(self) -> bool {
        !matches!(self, Subject::Split | Subject::Mobile | Subject::Sender)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_same_seed_and_number_give_the_same_plan() {
        assert_eq!(Plan::new(7, 3, None), Plan::new(7, 3, None));
        assert!(Plan::new(7, 3, None).steps != Plan::new(8, 3, None).steps);
        assert!(Plan::new(7, 3, None).steps != Plan::new(7, 9, None).steps);
    }

    #[test]
    fn some_episodes_have_every_fault_for_every_subject() {
        for subject in Subject::IN_TURN {
            let plans = (0..200).map(|number| Plan::new(1, number, Some(subject)));
            let steps: Vec<Step> = plans.flat_map(|plan| plan.steps).collect();
            let kinds: BTreeSet<_> =
                steps.iter().map(|step| format!("{:?}", std::mem::discriminant(&step.fault))).collect();
            let expected = if subject == Subject::Mobile { 10 } else { 9 };
            assert_eq!(kinds.len(), expected, "{subject}");
            assert!(steps.iter().any(|step| !step.begins.is_empty()));
        }
    }
}
