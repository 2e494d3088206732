//! Where in a recording the runs of each seed begin.

use crate::link::AccessLink;
use crate::scenario::RECORDED_LINKS;
use seamline_scenario::schema::Scenario;
use seamline_scenario::schema::extent::Extent;
use seamline_wire::Duration;
use seamline_wire::random::Stream;
use serde::Serialize;

/// A recorded link, and which part of it the runs cover.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recording {
    /// The name of the link.
    pub link: String,
    /// The length of the recording in seconds.
    pub length_s: f64,
    /// Whether it repeats after its end.
    pub repeats: bool,
    /// Each seed starts at a different offset, drawn uniformly from the first so many seconds. `None` when all start
    /// at the same place: one was given, or the recording is too short for any other.
    pub begins_within_s: Option<f64>,
    #[serde(skip)]
    index: usize,
}

impl Recording {
    /// The recording of the old (0) or the new (1) link, for runs of at most `longest`; `None` when the link is not
    /// recorded.
    fn of(scenario: &Scenario, index: usize, link: &AccessLink, longest: Duration) -> Option<Self> {
        let spec = scenario.links.iter().find(|spec| spec.name == RECORDED_LINKS[index])?;
        let schedule = spec.down.schedule.as_ref()?;
        let (length, repeats) = match schedule.extent()? {
            Extent::Repeats(period) => (period, true),
            Extent::Ends(end) => (end, false),
        };
        let within = if repeats { length } else { length.max(longest) - longest };
        let begins_within_s =
            (within > Duration::ZERO && !schedule.has_start()).then_some(within.as_secs_f64());
        Some(Recording {
            link: link.name.clone(),
            length_s: length.as_secs_f64(),
            repeats,
            begins_within_s,
            index,
        })
    }

    /// The recordings of both links.
    pub(crate) fn of_both(scenario: &Scenario, links: [&AccessLink; 2], longest: Duration) -> Vec<Self> {
        let indexed = links.into_iter().enumerate();
        indexed.filter_map(|(index, link)| Recording::of(scenario, index, link, longest)).collect()
    }

    /// Start a run at this seed's offset, which is the same under all schemes.
    pub(crate) fn begin(&self, scenario: &mut Scenario, seed: u64) {
        let Some(within) = self.begins_within_s else { return };
        let name = RECORDED_LINKS[self.index];
        let part = Stream::new(seed, &format!("advise/begin/{name}")).uniform();
        let by = Duration::from_secs_f64(part * within);
        for link in scenario.links.iter_mut().filter(|link| link.name == name) {
            for direction in [&mut link.down, &mut link.up] {
                direction.schedule = direction.schedule.take().map(|schedule| schedule.skip(by));
            }
        }
    }
}
