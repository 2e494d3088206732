//! What of an agent on real interfaces is set: a file of its own, with the keys that `[[agent]]` has.

use super::{read_eln_ack, read_limits, read_obtcp_of_any_role, read_snoop};
use crate::diagnostics::Diagnostics;
use crate::document::parse;
use crate::reader::{Context, Reader};
use crate::recordings::Recordings;
use crate::source::{SourceId, Sources};
use seamline_agent::{Kind, Parameters};
use std::path::Path;

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
    let sources = Sources::new(path, text);
    let recordings = Recordings::default();
    let (root, mut complaints) = parse(SourceId::FILE, &sources.get(SourceId::FILE).text);
    if complaints.is_empty() {
        let context = Context::new(&sources, &recordings);
        let what = format!("the file for {}", kind.name);
        let mut reader = Reader::new(&context, &root, what, SourceId::FILE.span(0..0));
        read_limits(&mut reader, &mut parameters.limits);
        match kind.name {
            "snoop" => reader.table("snoop").map(|table| read_snoop(table, &mut parameters.snoop)),
            "eln-ack" => reader.table("eln_ack").map(|table| read_eln_ack(table, &mut parameters.eln_ack)),
            "obtcp" => {
                reader.table("obtcp").map(|table| read_obtcp_of_any_role(table, &mut parameters.obtcp))
            }
            _ => None,
        };
        reader.finish();
        complaints = context.into_complaints();
    }
    Diagnostics::new(&sources, complaints).map_or(Ok(()), Err)
}
