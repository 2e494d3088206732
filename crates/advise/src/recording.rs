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
    /// The name of the link in scenarios.
    #[serde(skip)]
    place: String,
}

impl Recording {
    /// The recording of the old (0) or the new (1) link, for runs of at most `longest`; `None` when the link is not
    /// recorded.
    fn of(scenario: &Scenario, index: usize, link: &AccessLink, longest: Duration) -> Option<Self> {
        let spec = scenario.links.iter().find(|spec| spec.name == RECORDED_LINKS[index])?;
        let schedule = spec.down.schedule.as_ref()?;
        Some(Recording::new(
            &link.name,
            RECORDED_LINKS[index],
            schedule.extent()?,
            schedule.has_start(),
            longest,
        ))
    }

    /// The recording of a link that people know as `link` and scenarios as `place`, for runs of at most `longest`.
    pub(crate) fn new(link: &str, place: &str, extent: Extent, has_start: bool, longest: Duration) -> Self {
        let (length, repeats) = match extent {
            Extent::Repeats(period) => (period, true),
            Extent::Ends(end) => (end, false),
        };
        let within = if repeats { length } else { length.max(longest) - longest };
        Recording {
            link: link.to_owned(),
            length_s: length.as_secs_f64(),
            repeats,
            begins_within_s: (within > Duration::ZERO && !has_start).then_some(within.as_secs_f64()),
            place: place.to_owned(),
        }
    }

    /// The recordings of both links.
    pub(crate) fn of_both(scenario: &Scenario, links: [&AccessLink; 2], longest: Duration) -> Vec<Self> {
        let indexed = links.into_iter().enumerate();
        indexed.filter_map(|(index, link)| Recording::of(scenario, index, link, longest)).collect()
    }

    /// Whether it is that of the link that the host is on; otherwise, that of the other one.
    pub(crate) fn is_old_link(&self) -> bool {
        self.place == RECORDED_LINKS[0]
    }

    /// Where in the recording the runs of this seed begin.
    pub(crate) fn offset(&self, seed: u64) -> Duration {
        let Some(within) = self.begins_within_s else { return Duration::ZERO };
        let part = Stream::new(seed, &format!("advise/begin/{}", self.place)).uniform();
        Duration::from_secs_f64(part * within)
    }

    /// Start a run at this seed's offset, which is the same under all schemes.
    pub(crate) fn begin(&self, scenario: &mut Scenario, seed: u64) {
        let by = self.offset(seed);
        if by.is_zero() {
            return;
        }
        let name = self.place.as_str();
        for link in scenario.links.iter_mut().filter(|link| link.name == name) {
            for direction in [&mut link.down, &mut link.up] {
                direction.schedule = direction.schedule.take().map(|schedule| schedule.skip(by));
            }
        }
    }
}
