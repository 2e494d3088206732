//! The question: two links, a handover and the traffic.

use crate::error::InputError;
use crate::limit;
use crate::link::{AccessLink, quantity, seconds};
use seamline_config::diagnostics::suggestion;
use seamline_config::units::{self, Amount};
use seamline_tcp::{profile, variant};
use seamline_wire::Duration;
use serde::Serialize;

/// By default the handover happens this many round trips of the old link after the start, when slow start is over.
/// Over the satellite link of paper cross-layer-handover this is the paper's 5.5 s.
const ROUND_TRIPS_BEFORE: u32 = 10;

/// What the mobile host receives, or sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Traffic {
    /// A file of this many bytes; the outcome is its completion time.
    #[serde(rename = "file_bytes")]
    File(u64),
    /// A flow without end; the outcome is the data delivered within this time from its start.
    #[serde(rename = "horizon_s", serialize_with = "seconds")]
    Horizon(Duration),
}

impl Traffic {
    /// What belongs to a file, or to a flow without end.
    pub(crate) fn pick<T>(self, file: T, horizon: T) -> T {
        match self {
            Traffic::File(_) => file,
            Traffic::Horizon(_) => horizon,
        }
    }

    /// The traffic of the options `--file` and `--horizon`; `None` when both are absent.
    pub(crate) fn read(file: Option<&str>, horizon: Option<&str>) -> Result<Option<Self>, InputError> {
        match (file, horizon) {
            (Some(_), Some(_)) => {
                Err(InputError::new("--horizon", "a file and a horizon exclude each other")
                    .tip("give --file or --horizon"))
            }
            (Some(size), None) => match quantity("--file", size, units::bytes)? {
                0 => {
                    Err(InputError::new("--file", "the file must not be empty").tip("e.g. --file \"10 MB\""))
                }
                bytes => Ok(Some(Traffic::File(bytes))),
            },
            (None, Some(span)) => {
                Ok(Some(Traffic::Horizon(quantity("--horizon", span, units::positive_duration)?)))
            }
            (None, None) => Ok(None),
        }
    }
}

/// A validated question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question {
    /// The link that the host is on.
    pub from: AccessLink,
    /// The link that it may hand over to.
    pub to: AccessLink,
    /// The length of the interruption, at the handover and again at the return (t* of paper cross-layer-handover).
    #[serde(rename = "interruption_s", serialize_with = "seconds")]
    pub interruption: Duration,
    /// The time from the handover until the host must leave the new link, the interruption included (T_WLAN of paper
    /// cross-layer-handover); `None` without a return.
    #[serde(rename = "stay_s", serialize_with = "optional_seconds")]
    pub stay: Option<Duration>,
    /// What is sent.
    pub traffic: Traffic,
    /// Whether the host sends; otherwise it receives.
    pub upload: bool,
    /// The time from the start of the flow to the handover. Each seed adds a part of a round trip of the old link,
    /// drawn uniformly.
    #[serde(rename = "at_s", serialize_with = "seconds")]
    pub at: Duration,
    /// How long in advance schemes that need it are notified of a handover.
    #[serde(rename = "lead_s", serialize_with = "seconds")]
    pub lead: Duration,
    /// How much data base stations buffer for the host while it is away and then forward, with its unit; `None` when
    /// it is lost.
    pub forward: Option<String>,
    /// Number of seeds: 1, 2, ... n.
    pub seeds: u32,
    /// The variant of TCP, by name.
    pub variant: String,
    /// The profile of TCP, by name.
    pub profile: String,
    /// The kernel whose TCP all hosts have that need no scheme; `None` for our TCP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
}

fn optional_seconds<S: serde::Serializer>(span: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    span.map(Duration::as_secs_f64).serialize(serializer)
}

/// A question as given on the command line; `None` means the default.
#[derive(Clone, Debug)]
pub struct QuestionInput<'a> {
    /// The link that the host is on.
    pub from: &'a str,
    /// The link that it may hand over to.
    pub to: &'a str,
    /// The interruption.
    pub interruption: &'a str,
    /// A time, or `forever`.
    pub stay: &'a str,
    /// The size of the file; either this or `horizon` is required.
    pub file: Option<&'a str>,
    /// The time over which a flow without end is measured.
    pub horizon: Option<&'a str>,
    /// Whether the host sends; otherwise it receives.
    pub upload: bool,
    /// When the handover begins.
    pub at: Option<&'a str>,
    /// How long in advance schemes that need it are notified of a handover.
    pub lead: Option<&'a str>,
    /// How much data base stations buffer for the host while it is away; by default nothing.
    pub forward: Option<&'a str>,
    /// Number of seeds.
    pub seeds: u32,
    /// The variant of TCP.
    pub variant: &'a str,
    /// The profile of TCP.
    pub profile: &'a str,
    /// The kernel whose TCP hosts have.
    pub stack: Option<&'a str>,
}

impl Question {
    /// Parse a question.
    ///
    /// # Errors
    /// The error names the option and the fix.
    pub fn read(words: &QuestionInput<'_>) -> Result<Self, InputError> {
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
                    .map_err(|error| error.tip("use --stay forever if the host need not return"))?,
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
            variant: known(
                "--variant",
                words.variant,
                &variant::all().map(|variant| variant.name).collect::<Vec<_>>(),
            )?,
            profile: known(
                "--profile",
                words.profile,
                &profile::ALL.iter().map(|profile| profile.name).collect::<Vec<_>>(),
            )?,
            stack: words.stack.map(str::to_owned),
        };
        limit::check(&question)?;
        Ok(question)
    }
}

fn read_traffic(words: &QuestionInput<'_>, at: Duration) -> Result<Traffic, InputError> {
    let traffic = Traffic::read(words.file, words.horizon)?.ok_or_else(|| {
        InputError::new("--file", "missing: what does the flow send?")
            .tip("--file \"10 MB\", or --horizon \"60 s\" for a flow without end")
    })?;
    if let (Traffic::Horizon(horizon), Some(span)) = (traffic, words.horizon)
        && horizon <= at
    {
        let message = format!("`{span}`: the handover comes later, {at} after the start");
        let error = InputError::new("--horizon", message);
        return Err(error.tip("choose a longer horizon, or an earlier --at"));
    }
    Ok(traffic)
}

fn read_forward(words: &str) -> Result<String, InputError> {
    match quantity("--forward", words, units::amount)? {
        Amount::Bytes(0) | Amount::Packets(0) => {
            Err(InputError::new("--forward", "the buffer must not be empty")
                .tip("without --forward, waiting data is lost"))
        }
        _ => Ok(words.to_owned()),
    }
}

fn known(place: &str, name: &str, names: &[&str]) -> Result<String, InputError> {
    if names.contains(&name) {
        return Ok(name.to_owned());
    }
    let error = InputError::new(place, format!("there is no `{name}`"));
    Err(suggestion(place.trim_start_matches('-'), name, names).into_iter().fold(error, InputError::tip))
}
