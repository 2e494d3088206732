//! `schedule = { kind = "leoem", file = "path.log.gz" }`: conditions of a link over time, recorded or
//! generated. Tables in a list complete each other, say capacity and delay.

use super::extent::Extent;
use super::generated::{self, Direction, GENERATORS, Generator};
use super::recorded::{self, FORMATS};
use crate::codes::Code;
use crate::document::{Node, Value};
use crate::reader::Reader;
use crate::units::Complaint;
use seamline_net::Schedule;
use seamline_net::schedule::Reordering;
use seamline_wire::Duration;

/// Conditions over time.
#[derive(Clone, Debug)]
pub struct ScheduleSpec {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    /// The same in every run, from its start or the place given.
    Recorded { schedule: Schedule, has_start: bool },
    /// Another one for every seed.
    Generated(Generator),
}

impl Part {
    fn provides(&self) -> Provides {
        match self {
            Part::Recorded { schedule, .. } => Provides {
                capacity: schedule.capacity.is_some(),
                delay: schedule.one_way_delay.is_some(),
                loss: schedule.loss.is_some(),
                handovers: !schedule.handovers.as_slice().is_empty(),
            },
            Part::Generated(_) => Provides { capacity: true, delay: true, loss: false, handovers: true },
        }
    }
}

/// What a schedule says something about.
#[derive(Clone, Copy, Debug, Default)]
struct Provides {
    capacity: bool,
    delay: bool,
    loss: bool,
    handovers: bool,
}

impl Provides {
    fn overlap(self, other: Provides) -> Option<&'static str> {
        let both = [
            (self.capacity && other.capacity, "capacity"),
            (self.delay && other.delay, "one-way delay"),
            (self.loss && other.loss, "loss"),
            (self.handovers && other.handovers, "handovers"),
        ];
        both.into_iter().find_map(|(both, what)| both.then_some(what))
    }
}

impl ScheduleSpec {
    /// Whether it says what the transmitter can send.
    pub fn has_capacity(&self) -> bool {
        self.parts.iter().any(|part| part.provides().capacity)
    }
    /// Whether it says how long propagation takes.
    pub fn has_delay(&self) -> bool {
        self.parts.iter().any(|part| part.provides().delay)
    }
    /// Whether it has handovers.
    pub fn has_handovers(&self) -> bool {
        self.parts.iter().any(|part| part.provides().handovers)
    }

    /// How far its recordings reach; `None` when there is none.
    pub fn extent(&self) -> Option<Extent> {
        let recordings = self.parts.iter().filter_map(|part| match part {
            Part::Recorded { schedule, .. } => Some(Extent::of(schedule)),
            Part::Generated(_) => None,
        });
        recordings.reduce(Extent::of_both)
    }
    /// Whether a recording begins at a place that was given.
    pub fn has_start(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Recorded { has_start: true, .. }))
    }
    /// The same, with recordings from a later place on; what is generated stays.
    #[must_use]
    pub fn skip(self, by: Duration) -> Self {
        let skip = |part| match part {
            Part::Recorded { schedule, has_start } => {
                Part::Recorded { schedule: schedule.skip(by), has_start }
            }
            generated @ Part::Generated(_) => generated,
        };
        ScheduleSpec { parts: self.parts.into_iter().map(skip).collect() }
    }

    /// The conditions of one direction in a run of this seed and length.
    pub fn build(&self, seed: u64, duration: Duration, direction: Direction) -> Schedule {
        let parts = self.parts.iter().map(|part| match part {
            Part::Recorded { schedule, .. } => schedule.clone(),
            Part::Generated(generator) => generator.generate(seed, duration, direction),
        });
        parts.reduce(complete).unwrap_or_default()
    }
}

/// Two schedules that say something about different things.
fn complete(one: Schedule, other: Schedule) -> Schedule {
    Schedule {
        capacity: one.capacity.or(other.capacity),
        one_way_delay: one.one_way_delay.or(other.one_way_delay),
        loss: one.loss.or(other.loss),
        handovers: if one.handovers.as_slice().is_empty() { other.handovers } else { one.handovers },
        reordering: match one.reordering {
            Reordering::Allowed => Reordering::Allowed,
            Reordering::Prevented => other.reordering,
        },
    }
}

/// Read what is under `schedule`; generators draw from the stream of `link`. `None` when there is nothing
/// or something is wrong, which has been noted.
pub(super) fn read_all(reader: &mut Reader<'_>, link: &str) -> Option<ScheduleSpec> {
    let Node { span, value } = reader.node("schedule")?;
    let named = if let Value::List(items) = value { items.len() } else { 1 };
    let tables = reader.tables("schedule");
    let parts: Vec<Part> = tables.into_iter().filter_map(|table| read(table, link)).collect();
    for (place, part) in parts.iter().enumerate() {
        let mut earlier = parts[..place].iter();
        if let Some(what) = earlier.find_map(|other| part.provides().overlap(other.provides())) {
            let complaint = Complaint::new(format!("two schedules bring {what}")).code(Code::Conflict);
            reader.refuse("schedule", *span, complaint);
            return None;
        }
    }
    (parts.len() == named && named > 0).then_some(ScheduleSpec { parts })
}

fn read(mut reader: Reader<'_>, link: &str) -> Option<Part> {
    let kinds: Vec<(&str, &str)> = GENERATORS.iter().chain(FORMATS).map(|(name, _)| (*name, *name)).collect();
    let kind = reader.required_choice("kind", &kinds)?;
    let part = if GENERATORS.iter().any(|(name, _)| *name == kind) {
        generated::read(&mut reader, kind, link).map(Part::Generated)
    } else {
        let has_start = reader.has("start");
        recorded::read(&mut reader, kind).map(|schedule| Part::Recorded { schedule, has_start })
    };
    reader.finish();
    part
}
