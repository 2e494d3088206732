//! Parameters of an agent on real interfaces: a file of its own, with the keys that `[[agent]]` has.

use super::{eln_ack, limits, obtcp, snoop};
use crate::diagnostics::Diagnostics;
use crate::document::parse;
use crate::keys::{Keys, positive_time, size_within, table, text, time, whole};
use crate::reader::{Context, Reader};
use crate::recordings::Recordings;
use crate::source::{SourceId, Sources};
use seamline_agent::{Kind, Parameters};
use seamline_wire::Duration;
use std::path::Path;

/// Parameters of split connections on real hosts, where the kernel's TCP is on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RealSplit {
    /// Connections that are split at a time; more pass.
    pub connections: u32,
    /// Bytes that each of a connection's two sockets keeps unread, and as many unacknowledged.
    pub buffer: u32,
    /// A connection that has carried nothing for so long is reset.
    pub idle: Duration,
    /// So long connections have to end when the agent is to stop.
    pub drain: Duration,
    /// The kernel's name of the congestion control on the wireless side; the host's own, if none.
    pub congestion_control: Option<String>,
}

impl Default for RealSplit {
    /// The buffer holds what is under way at 40 Mbit/s over a round trip of 100 ms. Silence: RFC 5382, REQ-5.
    fn default() -> Self {
        RealSplit {
            connections: 1024,
            buffer: 512_000,
            idle: Duration::from_secs(7440),
            drain: Duration::from_secs(10),
            congestion_control: None,
        }
    }
}

/// The keys of a file for split connections.
pub fn real_split_keys<'a>() -> Keys<'a, RealSplit> {
    let buffer = size_within(4096, 0x4000_0000, "a buffer holds 4096 bytes to 1 GB");
    let own = table! { RealSplit;
        key buffer: buffer, "Unread bytes, and unacknowledged bytes, that each of a connection's two sockets holds";
        key drain: time(), "How long connections may take to end when the agent stops";
        optional congestion_control: text(), "The kernel's congestion control on the wireless side; the host's own unless given";
    };
    table! { RealSplit;
        key connections: whole(1, 1 << 20), "Maximum number of split connections; more pass";
        key idle: positive_time(), "Time without data after which a connection is reset";
        part split (self): own, "Parameters of split connections";
    }
}

/// The keys of a file for an agent of another kind: limits, and the table of this kind. Where the agent stands is not in it, nor which
/// of several roles it has.
pub fn real_keys<'a>(kind: &Kind) -> Keys<'a, Parameters> {
    let limits = Keys::new().with(limits(), |it: &mut Parameters| &mut it.limits);
    match kind.name {
        "snoop" => limits.part("snoop", "Parameters of Snoop", snoop(), |it| &mut it.snoop),
        "eln-ack" => limits.part("eln_ack", "Parameters of ELN-ACK", eln_ack(), |it| &mut it.eln_ack),
        "obtcp" => limits.part("obtcp", "Parameters of obTCP", obtcp(), |it| &mut it.obtcp),
        _ => limits,
    }
}

/// Set what the file at `path`, with this text, says, by [`real_split_keys`].
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn read_real_split(path: &Path, text: String, split: &mut RealSplit) -> Result<(), Diagnostics> {
    read_file(path, text, "split", &real_split_keys(), split)
}

/// Set what the file at `path`, with this text, says, by [`real_keys`].
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn read_real(
    path: &Path,
    text: String,
    kind: &Kind,
    parameters: &mut Parameters,
) -> Result<(), Diagnostics> {
    read_file(path, text, kind.name, &real_keys(kind), parameters)
}

fn read_file<T>(
    path: &Path,
    text: String,
    kind: &str,
    keys: &Keys<'_, T>,
    target: &mut T,
) -> Result<(), Diagnostics> {
    let sources = Sources::new(path, text);
    let recordings = Recordings::default();
    let (root, mut complaints) = parse(SourceId::FILE, &sources.get(SourceId::FILE).text);
    if complaints.is_empty() {
        let context = Context::new(&sources, &recordings);
        let what = format!("the file for {kind}");
        let mut reader = Reader::new(&context, &root, what, SourceId::FILE.span(0..0));
        keys.read(&mut reader, target);
        reader.finish();
        complaints = context.into_complaints();
    }
    Diagnostics::new(&sources, complaints).map_or(Ok(()), Err)
}
