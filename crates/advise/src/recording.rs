//! Where in a recording the runs of each seed begin.

use crate::link::AccessLink;
use crate::scenario::RECORDED_LINKS;
use seamline_scenario::schema::Scenario;
use seamline_scenario::schema::extent::Extent;
use seamline_wire::Duration;
use seamline_wire::random::Stream;
use serde::Serialize;

/// A recorded link, and what of it the runs see.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recording {
    /// What the link is called.
    pub link: String,
    /// How long the recording is, in seconds.
    pub length_s: f64,
    /// Whether it begins again at its end.
    pub repeats: bool,
    /// Each seed begins at a place of its own, drawn uniformly from the first so many seconds; `None` when all begin at the same place:
    /// one was given, or a run is expected to outlast the recording from any other.
    pub begins_within_s: Option<f64>,
    #[serde(skip)]
    place: usize,
}

impl Recording {
    /// Of the old (0) or the new (1) link, in runs that are expected to take so long at most; `None` when it is not recorded.
    fn of(scenario: &Scenario, place: usize, link: &AccessLink, longest: Duration) -> Option<Self> {
        let spec = scenario.links.iter().find(|spec| spec.name == RECORDED_LINKS[place])?;
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
            place,
        })
    }

    /// Of both links.
    pub(crate) fn of_both(scenario: &Scenario, links: [&AccessLink; 2], longest: Duration) -> Vec<Self> {
        let places = links.into_iter().enumerate();
        places.filter_map(|(place, link)| Recording::of(scenario, place, link, longest)).collect()
    }

    /// Let a run begin where that of this seed does, the same under all schemes.
    pub(crate) fn begin(&self, scenario: &mut Scenario, seed: u64) {
        let Some(within) = self.begins_within_s else { return };
        let name = RECORDED_LINKS[self.place];
        let part = Stream::new(seed, &format!("advise/begin/{name}")).uniform();
        let by = Duration::from_secs_f64(part * within);
        for link in scenario.links.iter_mut().filter(|link| link.name == name) {
            for direction in [&mut link.down, &mut link.up] {
                direction.schedule = direction.schedule.take().map(|schedule| schedule.skip(by));
            }
        }
    }
}
