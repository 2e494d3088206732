//! What modems and scripts tell the daemon: one line of text in each datagram.

use seamline_config::units::{self, in_words};
use seamline_wire::Duration;
use std::str::FromStr;

/// What a datagram says. Names of interfaces are as the kernel has them; `None` means all but loopback. The events are those of
/// IEEE 802.21-2008, section 6.3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `going-down [INTERFACE] [in DURATION]`: the link is expected to be lost (Link_Going_Down).
    GoingDown {
        /// Which.
        interface: Option<String>,
        /// After this long, if that is known.
        within: Option<Duration>,
    },
    /// `down [INTERFACE]`: the link is lost, whatever the state of the interface (Link_Down).
    Down(Option<String>),
    /// `up [INTERFACE]`: the link carries packets again (Link_Up).
    Up(Option<String>),
    /// `status [json]`: say how it goes, to the socket from which this came.
    Status {
        /// As one JSON document instead of `key=value`.
        json: bool,
    },
    /// `metrics`: the counters as Prometheus text, to the socket from which this came.
    Metrics,
}

const USAGE: &str =
    "going-down [INTERFACE] [in DURATION] | down [INTERFACE] | up [INTERFACE] | status [json] | metrics";

impl FromStr for Command {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let interface = |name: Option<&&str>| name.map(|name| (*name).to_owned());
        match words.as_slice() {
            ["going-down", rest @ ..] => going_down(rest),
            ["down", rest @ ..] if rest.len() < 2 => Ok(Command::Down(interface(rest.first()))),
            ["up", rest @ ..] if rest.len() < 2 => Ok(Command::Up(interface(rest.first()))),
            ["status"] => Ok(Command::Status { json: false }),
            ["metrics"] => Ok(Command::Metrics),
            ["status", "json"] => Ok(Command::Status { json: true }),
            _ => Err(format!("{:?} is none of: {USAGE}", text.trim())),
        }
    }
}

fn going_down(rest: &[&str]) -> Result<Command, String> {
    let (before, within) = match rest.iter().position(|word| *word == "in") {
        Some(place) => (&rest[..place], Some(duration(&rest[place + 1..].join(" "))?)),
        None => (rest, None),
    };
    match before {
        [] => Ok(Command::GoingDown { interface: None, within }),
        [name] => Ok(Command::GoingDown { interface: Some((*name).to_owned()), within }),
        _ => Err(format!("going-down names more than one interface, {}: {USAGE}", before.join(", "))),
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    in_words(text, units::duration)
        .map_err(|why| format!("{text:?}: {}", [vec![why.label], why.tips].concat().join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Command, String> {
        text.parse()
    }

    #[test]
    fn every_notice_is_understood() {
        let wwan = || Some("wwan0".to_owned());
        let lead = Some(Duration::from_millis(150));
        assert_eq!(read("up\n"), Ok(Command::Up(None)));
        assert_eq!(read("up wwan0"), Ok(Command::Up(wwan())));
        assert_eq!(read(" down  wwan0 "), Ok(Command::Down(wwan())));
        assert_eq!(read("going-down"), Ok(Command::GoingDown { interface: None, within: None }));
        assert_eq!(read("going-down in 150 ms"), Ok(Command::GoingDown { interface: None, within: lead }));
        assert_eq!(
            read("going-down wwan0 in 150ms"),
            Ok(Command::GoingDown { interface: wwan(), within: lead })
        );
        assert_eq!(read("going-down wwan0"), Ok(Command::GoingDown { interface: wwan(), within: None }));
        assert_eq!(read("status json"), Ok(Command::Status { json: true }));
        assert_eq!(read("metrics"), Ok(Command::Metrics));
    }

    #[test]
    fn anything_else_is_refused_with_what_it_could_be() {
        for wrong in
            ["", "upp", "up a b", "going-down a b", "going-down in", "going-down in soon", "status all"]
        {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
        assert!(read("upp").unwrap_err().contains("up [INTERFACE]"));
    }
}
