//! What is asked.

use crate::error::InputError;
use crate::limit;
use crate::link::{AccessLink, quantity, seconds};
use seamline_config::diagnostics::suggestion;
use seamline_config::units::{self, Amount};
use seamline_tcp::{profile, variant};
use seamline_wire::Duration;
use serde::Serialize;

/// The handover comes so many round trips of the old link after the start, unless its time is given: past slow start. Over the
/// satellite of paper cross-layer-handover these are its 5.5 s.
const ROUND_TRIPS_BEFORE: u32 = 10;

/// What the mobile host receives, or sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Traffic {
    /// A file of so many bytes; what counts is the time until it is there.
    #[serde(rename = "file_bytes")]
    File(u64),
    /// A flow without end; what counts is what has arrived after this time from its start.
    #[serde(rename = "horizon_s", serialize_with = "seconds")]
    Horizon(Duration),
}

/// A question, ready to be answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The link that the host is on.
    pub from: AccessLink,
    /// The link that it may go to.
    pub to: AccessLink,
    /// For how long nothing passes, at the handover and again at the return (t* of paper cross-layer-handover).
    pub interruption: Duration,
    /// From the handover until the host must leave the new link, the interruption included (T_WLAN of paper cross-layer-handover); `None`
    /// when it need not.
    pub stay: Option<Duration>,
    /// What is sent.
    pub traffic: Traffic,
    /// Whether the host sends it; otherwise it is sent to the host.
    pub upload: bool,
    /// From the start of the flow to the handover. Each seed adds a part of a round trip of the old link, drawn uniformly.
    pub at: Duration,
    /// How long beforehand schemes that need it hear of a handover.
    pub lead: Duration,
    /// How much base stations keep of what waits or comes for the host while it is away, and send on to where it is, in words;
    /// `None` when it is lost.
    pub forward: Option<String>,
    /// Number of seeds: 1, 2, ... n.
    pub seeds: u32,
    /// The variant of TCP, by name.
    pub variant: String,
    /// The profile of TCP, by name.
    pub profile: String,
}

/// A question as it is given on a command line; `None` is the default.
#[derive(Clone, Debug)]
pub struct QuestionWords<'a> {
    /// The link that the host is on.
    pub from: &'a str,
    /// The link that it may go to.
    pub to: &'a str,
    /// The interruption.
    pub interruption: &'a str,
    /// A time, or `forever`.
    pub stay: &'a str,
    /// The size of the file; one of this and `horizon` is needed.
    pub file: Option<&'a str>,
    /// How long a flow without end is looked at.
    pub horizon: Option<&'a str>,
    /// Whether the host sends; otherwise it receives.
    pub upload: bool,
    /// When the handover begins.
    pub at: Option<&'a str>,
    /// How long before a handover schemes hear of it that need to.
    pub lead: Option<&'a str>,
    /// How much base stations keep for the host while it is away; without it nothing.
    pub forward: Option<&'a str>,
    /// Number of seeds.
    pub seeds: u32,
    /// The variant of TCP.
    pub variant: &'a str,
    /// The profile of TCP.
    pub profile: &'a str,
}

impl Question {
    /// Read a question.
    ///
    /// # Errors
    /// Naming the option and the fix.
    pub fn read(words: &QuestionWords<'_>) -> Result<Self, InputError> {
        let from = AccessLink::read("--from", words.from)?;
        let to = AccessLink::read("--to", words.to)?;
        let time = |place: &str, words: &str| quantity(place, words, units::duration);
        let at = match words.at {
            Some(words) => quantity("--at", words, units::positive_duration)?,
            None => Duration::from_nanos(from.round_trip.as_nanos() * u64::from(ROUND_TRIPS_BEFORE)),
        };
        let lead = match words.lead {
            Some(words) => time("--lead", words)?,
            None => from.round_trip.max(to.round_trip),
        };
        let stay = match words.stay {
            "forever" => None,
            words => Some(
                quantity("--stay", words, units::positive_duration)
                    .map_err(|error| error.tip("--stay forever: the host need not come back"))?,
            ),
        };
        let question = Question {
            traffic: read_traffic(words, at)?,
            upload: words.upload,
            interruption: time("--interruption", words.interruption)?,
            from,
            to,
            stay,
            at,
            lead,
            forward: words.forward.map(read_forward).transpose()?,
            seeds: words.seeds,
            variant: known("--variant", words.variant, &variant_names())?,
            profile: known("--profile", words.profile, &profile_names())?,
        };
        limit::check(&question)?;
        Ok(question)
    }
}

fn read_traffic(words: &QuestionWords<'_>, at: Duration) -> Result<Traffic, InputError> {
    match (words.file, words.horizon) {
        (Some(size), None) => match quantity("--file", size, units::bytes)? {
            0 => Err(InputError::new("--file", "a transfer of nothing").tip("e.g. --file \"10 MB\"")),
            bytes => Ok(Traffic::File(bytes)),
        },
        (None, Some(span)) => {
            let horizon = quantity("--horizon", span, units::positive_duration)?;
            if horizon <= at {
                let message = format!("`{span}`: the handover comes later, {at} after the start");
                return Err(
                    InputError::new("--horizon", message).tip("choose a longer horizon, or an earlier --at")
                );
            }
            Ok(Traffic::Horizon(horizon))
        }
        (Some(_), Some(_)) => {
            Err(InputError::new("--horizon", "a file has an end of its own").tip("give --file or --horizon"))
        }
        (None, None) => Err(InputError::new("--file", "what is sent?")
            .tip("--file \"10 MB\", or --horizon \"60 s\" for a flow without end")),
    }
}

fn read_forward(words: &str) -> Result<String, InputError> {
    match quantity("--forward", words, units::amount)? {
        Amount::Bytes(0) | Amount::Packets(0) => {
            Err(InputError::new("--forward", "room for nothing").tip("leave it out, and what waits is lost"))
        }
        _ => Ok(words.to_owned()),
    }
}

fn variant_names() -> Vec<&'static str> {
    variant::ALL.iter().map(|variant| variant.name).collect()
}

fn profile_names() -> Vec<&'static str> {
    profile::ALL.iter().map(|profile| profile.name).collect()
}

fn known(place: &str, name: &str, names: &[&str]) -> Result<String, InputError> {
    if names.contains(&name) {
        return Ok(name.to_owned());
    }
    let error = InputError::new(place, format!("there is no `{name}`"));
    Err(suggestion(place.trim_start_matches('-'), name, names).into_iter().fold(error, InputError::tip))
}
