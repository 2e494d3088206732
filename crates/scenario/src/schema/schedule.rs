//! `schedule = { kind = "leoem", file = "path.log.gz" }`: conditions of a link over time, recorded or
//! generated. Tables in a list complete each other, for example capacity and delay.

use super::extent::Extent;
use super::generated::{self, Generator};
use super::recorded;
use crate::keys::{Kinds, Section};
use crate::reader::Reader;
use crate::units::Complaint;
use seamline_net::Schedule;
use seamline_recordings::measured::{Conditions, Direction};
use seamline_recordings::replay::together::complete;
use seamline_wire::Duration;
use seamline_wire::random::Stream;
use std::sync::Arc;

/// Conditions over time in one direction.
#[derive(Clone, Debug)]
pub struct ScheduleSpec {
    parts: Arc<[Part]>,
    direction: Direction,
    /// The table of its link and the index of the link there.
    member: Option<(Arc<str>, usize)>,
}

/// One schedule.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// The same in every run, from its start or the given offset.
    Recorded { conditions: Box<Conditions>, has_start: bool },
    /// A different one for every seed.
    Generated(Generator),
}

/// What a schedule can set.
const SUBJECTS: [&str; 4] = ["capacity", "one-way delay", "loss", "handovers"];
const CAPACITY: usize = 0;
const ONE_WAY_DELAY: usize = 1;
const HANDOVERS: usize = 3;

impl Part {
    /// Which of the [`SUBJECTS`] it sets in one direction.
    fn provides(&self, direction: Direction) -> [bool; 4] {
        match self {
            Part::Recorded { conditions, .. } => {
                let schedule = conditions.of(direction);
                [
                    schedule.capacity.is_some(),
                    schedule.one_way_delay.is_some(),
                    schedule.loss.is_some(),
                    !schedule.handovers.as_slice().is_empty(),
                ]
            }
            Part::Generated(generator) => [generator.has_capacity(), true, false, true],
        }
    }

    /// The first of the [`SUBJECTS`] that both set.
    fn overlap(&self, other: &Part) -> Option<&'static str> {
        let both = |subject: &usize| {
            let sets = |part: &Part, direction| part.provides(direction)[*subject];
            [Direction::Down, Direction::Up].iter().any(|way| sets(self, *way) && sets(other, *way))
        };
        (0..SUBJECTS.len()).find(both).map(|subject| SUBJECTS[subject])
    }
}

impl ScheduleSpec {
    pub(super) fn new(parts: Vec<Part>, direction: Direction) -> Self {
        ScheduleSpec { parts: parts.into(), direction, member: None }
    }
    /// That of one of the links that the table `name` stands for, by its index.
    pub(super) fn of_member(&self, name: &str, index: usize) -> Self {
        ScheduleSpec { member: Some((name.into(), index)), ..self.clone() }
    }
    /// Whether it sets the capacity.
    pub fn has_capacity(&self) -> bool {
        self.provides(CAPACITY)
    }
    /// Whether it sets the propagation delay.
    pub fn has_delay(&self) -> bool {
        self.provides(ONE_WAY_DELAY)
    }
    /// Whether it has handovers.
    pub fn has_handovers(&self) -> bool {
        self.provides(HANDOVERS)
    }
    /// Whether a part of it is made for each seed.
    pub fn is_generated(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Generated(_)))
    }
    fn provides(&self, subject: usize) -> bool {
        self.parts.iter().any(|part| part.provides(self.direction)[subject])
    }

    /// How far its recordings reach; `None` when there is none.
    pub fn extent(&self) -> Option<Extent> {
        let recordings = self.parts.iter().filter_map(|part| match part {
            Part::Recorded { conditions, .. } => Some(Extent::of(conditions.of(self.direction))),
            Part::Generated(_) => None,
        });
        recordings.reduce(Extent::of_both)
    }
    /// Whether a recording begins at a given offset.
    pub fn has_start(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Recorded { has_start: true, .. }))
    }
    /// The same, with recordings from a later offset; generated schedules stay.
    #[must_use]
    pub fn skip(self, by: Duration) -> Self {
        let skip = |part: &Part| match part {
            Part::Recorded { conditions, has_start } => {
                Part::Recorded { conditions: Box::new(conditions.clone().skip(by)), has_start: *has_start }
            }
            Part::Generated(_) => part.clone(),
        };
        ScheduleSpec { parts: self.parts.iter().map(skip).collect(), ..self }
    }

    /// The conditions of the link of this name in a run of this seed and length. Both directions draw from one stream, so that their
    /// handovers coincide. The links of a group have the same sky.
    pub fn build(&self, seed: u64, link: &str, duration: Duration) -> Schedule {
        let stream = |link: &str| Stream::new(seed, &format!("link/{link}/schedule"));
        let parts = self.parts.iter().map(|part| match part {
            Part::Recorded { conditions, .. } => conditions.of(self.direction).clone(),
            Part::Generated(Generator::Orbit(path)) => {
                let (link, place) =
                    self.member.as_ref().map_or((link, 0), |(table, place)| (&**table, *place));
                path.generate(stream(link), duration, place)
            }
            Part::Generated(generator) => generator.generate(stream(link), duration, self.direction),
        });
        parts.reduce(complete).unwrap_or_default()
    }
}

/// One schedule; several complete each other.
pub(super) fn section<'a>() -> Section<'a, Part> {
    let kinds = Kinds::new("kind", "A generator, or the format of a recording");
    recorded::kinds(generated::kinds(kinds)).alone("schedule")
}

/// Note that two schedules set the same thing.
pub(super) fn refuse_overlap(reader: &mut Reader<'_>, parts: &[Part]) {
    for (place, part) in parts.iter().enumerate() {
        let mut earlier = parts[..place].iter();
        if let Some(what) = earlier.find_map(|other| part.overlap(other)) {
            let complaint = Complaint::conflict(format!("two schedules set {what}"));
            reader.refuse_value("schedule", complaint);
            return;
        }
    }
}
