//! What is run: a remedy over an outage, under conditions that differ in what real handovers differ in.

use crate::load::What;
use crate::remedy::{self, Notice, Remedy};
use seamline_wire::Duration;
use serde::{Deserialize, Serialize};

/// Where the outage begins, of the first run. Runs differ by [`STEP`], so that timers stand elsewhere when the link is back.
const OUTAGE_AT: Duration = Duration::from_millis(4500);
const STEP: Duration = Duration::from_millis(61);
/// Outages of one nominal length differ by up to so large a part of it from run to run: a retransmission timer doubles from the beginning
/// of an outage on, so that outages of exactly one length would all end in the same place between two of its expiries.
const SPREAD: f64 = 0.2;
/// The golden ratio's fraction: its multiples fill the spread evenly, however many runs there are.
const GOLDEN: f64 = 0.618_033_988_749_895;
/// How long after the link is back is looked at.
pub(crate) const LOOKED_AT: Duration = Duration::from_secs(5);
/// How long what is looked at may end before the traffic does.
const SLACK: Duration = Duration::from_millis(500);
/// So long before the outage nothing goes down any more where no acknowledgment is to be lost: time for a full queue and for a delayed
/// acknowledgment.
const QUIET: Duration = Duration::from_millis(150);
/// A share of the packets that come down, where they are lost at random.
pub(crate) const LOSS: f64 = 0.001;
/// The bytes of an answer.
pub(crate) const ANSWER: u64 = 100_000;

/// What the connection does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Traffic {
    /// A download without end.
    Bulk,
    /// One answer of 100 kB after the other, each asked for when the last one is there.
    Requests,
}

/// What is run, but for which of its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// What helps.
    #[serde(with = "by_name")]
    pub remedy: &'static Remedy,
    /// How long the link is gone, in milliseconds, nominally; see [`Job::outage`].
    pub outage_ms: u64,
    /// Whether an acknowledgment is lost in the outage, as is usual; otherwise all that the phone has sent before it arrives.
    pub loses_acknowledgment: bool,
    /// Whether packets that come down are lost at random (a packet in a thousand).
    pub has_loss: bool,
    /// What the connection does.
    pub traffic: Traffic,
}

/// One run of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The case.
    pub case: Case,
    /// Its number, from 1.
    pub run: u32,
}

mod by_name {
    use super::{Remedy, remedy};
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(remedy: &Remedy, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(remedy.name)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<&'static Remedy, D::Error> {
        let name = String::deserialize(deserializer)?;
        remedy::find(&name).ok_or_else(|| de::Error::custom(format_args!("no remedy is called {name:?}")))
    }
}

impl Job {
    /// When the link goes, since time zero of the lab.
    pub fn link_down(&self) -> Duration {
        // The error model that cuts it early does so once a period, and shall not a second time before the end.
        let once = if self.is_cut_early() { self.outage() + LOOKED_AT + SLACK } else { Duration::ZERO };
        let earliest = OUTAGE_AT.max(once);
        earliest + STEP * u64::from(self.run - 1)
    }

    /// How long it is gone: within a fifth of the nominal length.
    pub fn outage(&self) -> Duration {
        let place = libm::fmod(f64::from(self.run) * GOLDEN, 1.0) * 2.0 - 1.0;
        Duration::from_millis((self.case.outage_ms as f64 * (1.0 + SPREAD * place)).round() as u64)
    }

    /// Whether what comes down is cut off before the outage, so that no acknowledgment is lost. A connection that is frozen in time has
    /// nothing in flight then.
    fn is_cut_early(&self) -> bool {
        !self.case.loses_acknowledgment && !matches!(self.case.remedy.notice, Notice::Correct(_))
    }

    /// When it is back.
    pub fn link_up(&self) -> Duration {
        self.link_down() + self.outage()
    }

    /// For how long there is traffic.
    pub fn traffic_time(&self) -> Duration {
        self.link_up() + LOOKED_AT + SLACK
    }

    /// How long its scenario is.
    pub fn scenario_time(&self) -> Duration {
        self.traffic_time() + SLACK * 2
    }

    /// What its client asks for.
    pub fn what(&self) -> What {
        match self.case.traffic {
            Traffic::Bulk => What::Bulk,
            Traffic::Requests => What::Requests(ANSWER),
        }
    }

    /// The keys of the scenario that are other than in its file.
    pub fn settings(&self) -> Vec<String> {
        let mut settings = vec![
            format!("seeds=[{}]", self.run),
            format!("duration='{} ms'", self.scenario_time().as_millis()),
            format!("link.radio.handover.at=['{} ms']", self.link_down().as_millis()),
            format!("link.radio.handover.interruption='{} ms'", self.outage().as_millis()),
        ];
        if self.is_cut_early() {
            let [period, length] = [self.link_down() - QUIET, QUIET].map(|it| it.as_millis());
            settings.push(format!(
                "link.core.down.loss={{model='outage',period='{period} ms',length='{length} ms'}}"
            ));
        }
        if self.case.has_loss {
            let percent = LOSS * 100.0;
            settings.push(format!("link.radio.down.loss={{model='bernoulli',probability='{percent} %'}}"));
        }
        if let Notice::Correct(lead) = self.case.remedy.notice {
            settings.push(format!("link.radio.notice.lead='{} ms'", lead.as_millis()));
        }
        settings
    }
}

impl Case {
    /// A description of the conditions, without the remedy and the outage.
    pub fn conditions(&self) -> String {
        let traffic = match self.traffic {
            Traffic::Bulk => "bulk download",
            Traffic::Requests => "requests of 100 kB",
        };
        let acknowledgment =
            if self.loses_acknowledgment { "an acknowledgment lost" } else { "no acknowledgment lost" };
        let loss = if self.has_loss { format!(", {} % random loss", LOSS * 100.0) } else { String::new() };
        format!("{traffic}, {acknowledgment}{loss}")
    }
}
