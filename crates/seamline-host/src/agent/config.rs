//! The files of `--config`: the keys that the agents of scenarios have, without their place.

use seamline_agent::{Bits, ElnAckParameters, Kind, ObtcpParameters, Parameters, SnoopParameters};
use seamline_host::settings::{Bytes, Count, PositiveTime, SettingsError, Spanned, Time, read};
use seamline_wire::Duration;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Settings of split connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SplitSettings {
    /// Connections that are split at a time; more pass unchanged.
    pub(super) connections: u32,
    /// Bytes that each of a connection's two sockets keeps unread, and as many unacknowledged.
    pub(super) buffer: u32,
    /// A connection that has carried nothing for this long is reset.
    pub(super) idle: Duration,
    /// How long connections may take to end after a signal.
    pub(super) drain: Duration,
    /// The kernel's congestion control on the wireless side; `None`: the host's default.
    pub(super) congestion_control: Option<String>,
}

impl Default for SplitSettings {
    /// The buffer holds what is in flight at 40 Mbit/s over a round trip of 100 ms. Idle time: RFC 5382, REQ-5.
    fn default() -> Self {
        SplitSettings {
            connections: 1024,
            buffer: 512_000,
            idle: Duration::from_secs(7440),
            drain: Duration::from_secs(10),
            congestion_control: None,
        }
    }
}

/// Read the file of an agent on a bridge, over the defaults in `parameters`.
///
/// # Errors
/// The first thing wrong with it.
pub(super) fn read_bridge(text: &str, kind: &Kind, parameters: &mut Parameters) -> Result<(), SettingsError> {
    let file = File::read(text, &["memory", &kind.name.replace('-', "_")])?;
    let limits = &mut parameters.limits;
    set(&mut limits.connections, file.connections.map(|it| it.into_inner().0));
    set(&mut limits.bytes, file.memory.map(|it| it.into_inner().0));
    set(&mut limits.idle, file.idle.map(|it| it.0));
    if let Some(keys) = file.snoop {
        keys.into_inner().apply(&mut parameters.snoop);
    }
    if let Some(keys) = file.eln_ack {
        keys.into_inner().apply(&mut parameters.eln_ack);
    }
    if let Some(keys) = file.obtcp {
        keys.into_inner().apply(&mut parameters.obtcp);
    }
    Ok(())
}

/// Read the file of split connections.
///
/// # Errors
/// The first thing wrong with it.
pub(super) fn read_split(text: &str) -> Result<SplitSettings, SettingsError> {
    let file = File::read(text, &["split"])?;
    let mut settings = SplitSettings::default();
    if let Some(most) = file.connections {
        if !(1..=1 << 20).contains(&most.get_ref().0) {
            return Err(SettingsError::at(text, &most, "connections is not between 1 and 1048576"));
        }
        settings.connections = most.into_inner().0;
    }
    set(&mut settings.idle, file.idle.map(|it| it.0));
    let Some(split) = file.split.map(Spanned::into_inner) else { return Ok(settings) };
    if let Some(buffer) = split.buffer {
        let bytes = u32::try_from(buffer.get_ref().0).ok().filter(|bytes| (4096..=1 << 30).contains(bytes));
        let wrong = || SettingsError::at(text, &buffer, "buffer is not between 4096 bytes and 1 GiB");
        settings.buffer = bytes.ok_or_else(wrong)?;
    }
    set(&mut settings.drain, split.drain.map(|it| it.0));
    settings.congestion_control = split.congestion_control;
    Ok(settings)
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// All keys; which of them an agent takes depends on its kind.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    connections: Option<Spanned<Count<0, 0x100_0000>>>,
    memory: Option<Spanned<Bytes>>,
    idle: Option<PositiveTime>,
    snoop: Option<Spanned<SnoopKeys>>,
    eln_ack: Option<Spanned<ElnAckKeys>>,
    obtcp: Option<Spanned<ObtcpKeys>>,
    split: Option<Spanned<SplitKeys>>,
}

impl File {
    /// Read it, and refuse keys of other kinds of agents than that which takes `own`.
    fn read(text: &str, own: &[&str]) -> Result<Self, SettingsError> {
        let file: File = read(text)?;
        let at = [
            ("memory", file.memory.as_ref().map(Spanned::span)),
            ("snoop", file.snoop.as_ref().map(Spanned::span)),
            ("eln_ack", file.eln_ack.as_ref().map(Spanned::span)),
            ("obtcp", file.obtcp.as_ref().map(Spanned::span)),
            ("split", file.split.as_ref().map(Spanned::span)),
        ];
        let foreign = at.into_iter().find(|(name, span)| span.is_some() && !own.contains(name));
        match foreign {
            Some((name, Some(span))) => {
                let message = format!(
                    "`{name}` is not for this kind of agent, which takes `connections`, `idle`, `{}`",
                    own.join("`, `")
                );
                Err(SettingsError::at(text, &Spanned::new(span, ()), message))
            }
            _ => Ok(file),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SnoopKeys {
    profile: Option<Profile>,
    cache: Option<Count<0, 1_000_000>>,
    passed_duplicates: Option<Count<0, 100>>,
    local_retransmissions: Option<Count<0, 1000>>,
    minimum_timeout: Option<PositiveTime>,
    initial_round_trip_time: Option<PositiveTime>,
    initial_variation: Option<Time>,
    sample_weight: Option<Fraction>,
    samples_retransmissions: Option<bool>,
    counts_duplicates_on: Option<bool>,
    continues_after_timeouts: Option<bool>,
    explicit_loss_notification: Option<bool>,
}

impl SnoopKeys {
    fn apply(self, snoop: &mut SnoopParameters) {
        if self.profile == Some(Profile::Ns2) {
            *snoop = SnoopParameters::ns2();
        }
        set(&mut snoop.cache, self.cache.map(|it| it.0));
        set(&mut snoop.passed_duplicates, self.passed_duplicates.map(|it| it.0));
        set(&mut snoop.local_retransmissions, self.local_retransmissions.map(|it| it.0));
        set(&mut snoop.minimum_timeout, self.minimum_timeout.map(|it| it.0));
        set(&mut snoop.initial_round_trip_time, self.initial_round_trip_time.map(|it| it.0));
        set(&mut snoop.initial_variation, self.initial_variation.map(|it| it.0));
        set(&mut snoop.sample_weight, self.sample_weight.map(|it| it.0));
        set(&mut snoop.samples_retransmissions, self.samples_retransmissions);
        set(&mut snoop.counts_duplicates_on, self.counts_duplicates_on);
        set(&mut snoop.goes_on_after_timeouts, self.continues_after_timeouts);
        set(&mut snoop.explicit_loss_notification, self.explicit_loss_notification);
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ElnAckKeys {
    bits: Option<BitsKey>,
    timeout: Option<PositiveTime>,
}

impl ElnAckKeys {
    fn apply(self, eln_ack: &mut ElnAckParameters) {
        set(&mut eln_ack.bits, self.bits.map(Bits::from));
        set(&mut eln_ack.timeout, self.timeout.map(|it| it.0));
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ObtcpKeys {
    cache: Option<Count<0, 1_000_000>>,
    requests: Option<Count<1, 1000>>,
    local_retransmissions: Option<Count<0, 1000>>,
    minimum_timeout: Option<PositiveTime>,
    base_station_timer: Option<bool>,
    continues_after_timeouts: Option<bool>,
}

impl ObtcpKeys {
    fn apply(self, obtcp: &mut ObtcpParameters) {
        set(&mut obtcp.cache, self.cache.map(|it| it.0));
        set(&mut obtcp.requests, self.requests.map(|it| it.0));
        set(&mut obtcp.local_retransmissions, self.local_retransmissions.map(|it| it.0));
        set(&mut obtcp.minimum_timeout, self.minimum_timeout.map(|it| it.0));
        set(&mut obtcp.base_station_timer, self.base_station_timer);
        set(&mut obtcp.goes_on_after_timeouts, self.continues_after_timeouts);
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SplitKeys {
    buffer: Option<Spanned<Bytes>>,
    drain: Option<Time>,
    congestion_control: Option<String>,
}

/// The defaults of a Snoop agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Profile {
    Plain,
    Ns2,
}

#[derive(Clone, Copy, Debug, Deserialize)]
enum BitsKey {
    #[serde(rename = "per loss")]
    PerLoss,
    #[serde(rename = "one")]
    One,
}

impl From<BitsKey> for Bits {
    fn from(key: BitsKey) -> Self {
        match key {
            BitsKey::PerLoss => Bits::PerLoss,
            BitsKey::One => Bits::One,
        }
    }
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug)]
struct Fraction(f64);

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match f64::deserialize(deserializer)? {
            fraction @ 0.0..=1.0 => Ok(Fraction(fraction)),
            other => Err(D::Error::custom(format!("{other} is not between 0 and 1"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seamline_agent::{Limits, find};

    #[test]
    fn every_kind_has_its_keys() {
        let mut parameters = Parameters::default();
        let text = "connections = 10\nmemory = \"1 MB\"\nidle = \"5 min\"\n[snoop]\nprofile = \"ns2\"\ncache = 7\nsample_weight = 0.5";
        read_bridge(text, find("snoop").unwrap(), &mut parameters).unwrap();
        let limits = Limits { connections: 10, bytes: 1_000_000, idle: Duration::from_secs(300) };
        assert_eq!(parameters.limits, limits);
        assert_eq!(
            parameters.snoop,
            SnoopParameters { cache: 7, sample_weight: 0.5, ..SnoopParameters::ns2() }
        );
        let text = "[eln_ack]\nbits = \"one\"\ntimeout = \"2 s\"";
        read_bridge(text, find("eln-ack").unwrap(), &mut parameters).unwrap();
        assert_eq!(
            (parameters.eln_ack.bits, parameters.eln_ack.timeout),
            (Bits::One, Duration::from_secs(2))
        );
        let text = "[obtcp]\nrequests = 3\nbase_station_timer = false";
        read_bridge(text, find("obtcp").unwrap(), &mut parameters).unwrap();
        assert_eq!((parameters.obtcp.requests, parameters.obtcp.base_station_timer), (3, false));
        let split = read_split("connections = 5\n[split]\nbuffer = \"8 KiB\"\ndrain = \"0 s\"").unwrap();
        assert_eq!((split.connections, split.buffer, split.drain), (5, 8192, Duration::ZERO));
        assert_eq!(read_split("").unwrap(), SplitSettings::default());
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for (kind, text) in [
            ("snoop", "[snoop]\nsample_weight = 1.5"),
            ("snoop", "[snoop]\ncache = 1000001"),
            ("obtcp", "[obtcp]\nrequests = 0"),
            ("eln-ack", "[eln_ack]\ntimeout = \"0 s\""),
        ] {
            let error = read_bridge(text, find(kind).unwrap(), &mut Parameters::default()).unwrap_err();
            assert_eq!(error.line, 2, "{text}: {error}");
        }
        for text in ["connections = 0", "connections = 1048577"] {
            assert_eq!(read_split(text).unwrap_err().line, 1, "{text}");
        }
        assert_eq!(read_split("[split]\nbuffer = \"4095 B\"").unwrap_err().line, 2);
    }
}
