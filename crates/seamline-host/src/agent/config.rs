//! The files of `--config`: the keys that the agents of scenarios have, without their place.

use seamline_agent::{Kind, Parameters, keys};
use seamline_bridge::system::Split;
use seamline_config::Diagnostics;
use seamline_config::keys::{positive_time, size_within, table, text, time, whole};
use seamline_config::settings::read;
use std::path::Path;

/// Read the file of an agent on a bridge, over the defaults in `parameters`.
///
/// # Errors
/// Everything that is wrong with it.
pub(super) fn read_bridge(
    path: &Path,
    text: &str,
    kind: &Kind,
    parameters: &mut Parameters,
) -> Result<(), Diagnostics> {
    let keys = table! { Parameters;
        .with(keys::limits(), |it: &mut Parameters| &mut it.limits);
    };
    let keys = match kind.name {
        "snoop" => keys.part("snoop", "Parameters of Snoop", keys::snoop(), |it| &mut it.snoop),
        "eln-ack" => keys.part("eln_ack", "Parameters of ELN-ACK", keys::eln_ack(), |it| &mut it.eln_ack),
        "obtcp" => keys.part("obtcp", "Parameters of obTCP", keys::obtcp(), |it| &mut it.obtcp),
        _ => keys,
    };
    read(path, text, |reader| keys.read(reader, parameters))
}

/// Read the file of split connections.
///
/// # Errors
/// Everything that is wrong with it.
pub(super) fn read_split(path: &Path, text: &str) -> Result<Split, Diagnostics> {
    let buffer = size_within(4096, 1 << 30, "must be between 4096 bytes and 1 GiB");
    let sockets = table! { Split;
        key buffer: buffer, "Bytes that each socket of a connection keeps";
        key half_closed: positive_time(), "Time without data after which a connection is reset that one end has closed";
        key drain: time(), "Time that connections have to end after a signal";
        optional congestion_control: self::text(), "The kernel's congestion control on the wireless side";
    };
    let keys = table! { Split;
        key connections: whole(1, 1 << 20), "Maximum number of connections that are split";
        optional memory: size_within(1 << 20, 1 << 40, "must be between 1 MiB and 1 TiB"), "Memory of all split connections; if left out: what the kernel has for TCP";
        key idle: positive_time(), "Time without data after which a connection is reset";
        part split (self): sockets, "Sockets of split connections";
    };
    let mut settings = Split::default();
    read(path, text, |reader| keys.read(reader, &mut settings)).map(|()| settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use seamline_agent::{Bits, Limits, SnoopParameters, find};
    use seamline_wire::Duration;

    fn path() -> &'static Path {
        Path::new("agent.toml")
    }

    fn first_line(error: &Diagnostics, text: &str) -> usize {
        let first = error.iter().next().unwrap();
        text[..first.span.start].lines().count().max(1)
    }

    #[test]
    fn every_kind_has_its_keys() {
        let mut parameters = Parameters::default();
        let text = "connections = 10\nmemory = \"1 MB\"\nidle = \"5 min\"\n[snoop]\nprofile = \"ns2\"\ncache = 7\nsample_weight = 0.5";
        read_bridge(path(), text, find("snoop").unwrap(), &mut parameters).unwrap();
        let limits = Limits { connections: 10, bytes: 1_000_000, idle: Duration::from_secs(300) };
        assert_eq!(parameters.limits, limits);
        assert_eq!(
            parameters.snoop,
            SnoopParameters { cache: 7, sample_weight: 0.5, ..SnoopParameters::ns2() }
        );
        let text = "[eln_ack]\nbits = \"one\"\ntimeout = \"2 s\"";
        read_bridge(path(), text, find("eln-ack").unwrap(), &mut parameters).unwrap();
        assert_eq!(
            (parameters.eln_ack.bits, parameters.eln_ack.timeout),
            (Bits::One, Duration::from_secs(2))
        );
        let text = "[obtcp]\nrequests = 3\nbase_station_timer = false";
        read_bridge(path(), text, find("obtcp").unwrap(), &mut parameters).unwrap();
        assert_eq!((parameters.obtcp.requests, parameters.obtcp.base_station_timer), (3, false));
        let split =
            read_split(path(), "connections = 5\n[split]\nbuffer = \"8 KiB\"\ndrain = \"0 s\"").unwrap();
        assert_eq!((split.connections, split.buffer, split.drain), (5, 8192, Duration::ZERO));
        assert_eq!(read_split(path(), "").unwrap(), Split::default());
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for (kind, text) in [
            ("snoop", "[snoop]\nsample_weight = 1.5"),
            ("snoop", "[snoop]\ncache = 1000001"),
            ("obtcp", "[obtcp]\nrequests = 0"),
            ("eln-ack", "[eln_ack]\ntimeout = \"0 s\""),
        ] {
            let error =
                read_bridge(path(), text, find(kind).unwrap(), &mut Parameters::default()).unwrap_err();
            assert_eq!(first_line(&error, text), 2, "{}", error.list(false));
        }
        for text in ["connections = 0", "connections = 1048577"] {
            assert_eq!(first_line(&read_split(path(), text).unwrap_err(), text), 1, "{text}");
        }
        let text = "[split]\nbuffer = \"4095 B\"";
        assert_eq!(first_line(&read_split(path(), text).unwrap_err(), text), 2);
    }
}
