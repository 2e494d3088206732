//! What of an agent on real interfaces is set: a file of its own, with the keys that `[[agent]]` has.

use super::{read_eln_ack, read_limits, read_obtcp_of_any_role, read_snoop};
use crate::codes::Code;
use crate::diagnostics::Diagnostics;
use crate::document::parse;
use crate::files::Files;
use crate::reader::{self, Context, Reader, integer};
use crate::schema::tcp::set;
use crate::source::{SourceId, Sources};
use crate::units::{self, Complaint};
use seamline_agent::{Kind, Parameters};
use seamline_wire::Duration;
use std::path::Path;

/// What of split connections is set on real hosts, where the kernel's TCP is on both sides.
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

/// Set what the file at `path`, with this text, says: `connections` and `idle`, and a table `[split]`.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn read_real_split(path: &Path, text: String, split: &mut RealSplit) -> Result<(), Diagnostics> {
    read_file(path, text, "split", |reader| {
        let most = reader.optional("connections", integer(1, 1 << 20));
        set(&mut split.connections, most.and_then(|most| u32::try_from(most).ok()));
        set(&mut split.idle, reader.optional("idle", units::positive_duration));
        let Some(mut table) = reader.table("split") else { return };
        let buffer = table.optional("buffer", |node| match units::bytes(node)? {
            bytes @ 4096..=0x4000_0000 => Ok(bytes),
            _ => Err(Complaint::new("a buffer holds 4096 bytes to 1 GB").code(Code::OutOfBounds)),
        });
        set(&mut split.buffer, buffer.and_then(|bytes| u32::try_from(bytes).ok()));
        set(&mut split.drain, table.optional("drain", units::duration));
        split.congestion_control =
            table.optional("congestion_control", reader::text).or(split.congestion_control.take());
        table.finish();
    })
}

/// Set what the file at `path`, with this text, says: `connections`, `memory` and `idle`, and a table of the agent's kind. Where the agent stands
/// is not in it, nor which of several roles it has.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn read_real(
    path: &Path,
    text: String,
    kind: &Kind,
    parameters: &mut Parameters,
) -> Result<(), Diagnostics> {
    read_file(path, text, kind.name, |reader| {
        read_limits(reader, &mut parameters.limits);
        match kind.name {
            "snoop" => reader.table("snoop").map(|table| read_snoop(table, &mut parameters.snoop)),
            "eln-ack" => reader.table("eln_ack").map(|table| read_eln_ack(table, &mut parameters.eln_ack)),
            "obtcp" => {
                reader.table("obtcp").map(|table| read_obtcp_of_any_role(table, &mut parameters.obtcp))
            }
            _ => None,
        };
    })
}

fn read_file(
    path: &Path,
    text: String,
    kind: &str,
    read: impl FnOnce(&mut Reader<'_>),
) -> Result<(), Diagnostics> {
    let sources = Sources::new(path, text);
    let files = Files::default();
    let (root, mut complaints) = parse(SourceId::FILE, &sources.get(SourceId::FILE).text);
    if complaints.is_empty() {
        let context = Context::new(&sources, &files);
        let what = format!("the file for {kind}");
        let mut reader = Reader::new(&context, &root, what, SourceId::FILE.span(0..0));
        read(&mut reader);
        reader.finish();
        complaints = context.into_complaints();
    }
    Diagnostics::new(&sources, complaints).map_or(Ok(()), Err)
}
