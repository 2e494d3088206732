//! `[[flow]]`: who sends what to whom, and with which TCP.

use super::group::{Ends, Nodes};
use super::tcp::read_parameters;
use crate::codes::Code;
use crate::document::Node;
use crate::reader::{Reader, boolean, choose, integer};
use crate::units::{self, Amount, Complaint};
use seamline_tcp::handover::{self, Scheme};
use seamline_tcp::parameters::Parameters;
use seamline_tcp::variant::{self, PairError, Variant};
use seamline_tcp::{cc, profile, recovery};
use seamline_wire::{Duration, Instant};
use std::sync::Arc;

/// What the flow of one `[[flow]]` is.
#[derive(Clone, Debug)]
pub struct FlowSpec {
    /// Its name.
    pub name: String,
    /// Who sends to whom: the copies are between the pairs in turn.
    pub ends: Ends,
    /// What the variant is called: its name, or "congestion control/recovery".
    pub variant_name: String,
    /// Congestion control and recovery.
    pub variant: Variant,
    /// What both ends do about a move; `None` is nothing.
    pub handover: Option<&'static Scheme>,
    /// Parameters of both ends.
    pub parameters: Arc<Parameters>,
    /// Connections: parallel copies between each pair.
    pub count: u32,
    /// When the first copy starts.
    pub start: Instant,
    /// How much later each next copy starts.
    pub stagger: Duration,
    /// When it stops supplying data.
    pub stop: Option<Instant>,
    /// Bytes to transfer; `None` is without end.
    pub size: Option<u64>,
    /// Whether it begins with a handshake, or established.
    pub handshake: bool,
}

/// Read one flow; `None` when something about it is wrong, which has been noted.
pub(super) fn read(mut reader: Reader<'_>, nodes: &Nodes) -> Option<FlowSpec> {
    let name = reader.required("name", super::name);
    if let Some(name) = &name {
        reader.what = format!("flow \"{name}\"");
    }
    let ends = nodes.read_ends(&mut reader, "flow");
    let parameters = read_profile_and_parameters(&mut reader);
    let variant = read_variant(&mut reader, &parameters);
    let handover = read_handover(&mut reader);
    let count = reader.or("count", 1, integer(1, 100_000));
    let start = reader.or("start", Duration::ZERO, units::duration);
    let stagger = reader.or("stagger", Duration::ZERO, units::duration);
    let stop = reader.optional("stop", |node| match units::positive_duration(node)? {
        stop if start.is_some_and(|start| stop <= start) => {
            Err(Complaint::new("the flow would stop before it starts"))
        }
        stop => Ok(stop),
    });
    let segment_size = u64::from(parameters.segments.maximum_segment_size);
    let size = reader.optional("size", |node| transfer_size(node, segment_size));
    let handshake = reader.or("handshake", true, boolean);
    reader.finish();
    let (variant_name, variant) = variant?;
    Some(FlowSpec {
        name: name?,
        ends: ends?,
        variant_name,
        variant,
        handover: handover?,
        parameters: Arc::new(parameters),
        count: u32::try_from(count? * i64::try_from(ends?.count()).ok()?).ok()?,
        start: Instant::ZERO + start?,
        stagger: stagger?,
        stop: stop.map(|stop| Instant::ZERO + stop),
        size,
        handshake: handshake?,
    })
}

fn read_profile_and_parameters(reader: &mut Reader<'_>) -> Parameters {
    let profiles: Vec<_> = profile::ALL.iter().map(|profile| (profile.name, *profile)).collect();
    let profile = reader.choice("profile", &profiles).unwrap_or(&profile::RFC);
    let mut parameters = (profile.parameters)();
    read_parameters(reader, &mut parameters);
    parameters
}

fn read_variant(reader: &mut Reader<'_>, parameters: &Parameters) -> Option<(String, Variant)> {
    let names: Vec<_> = variant::ALL.iter().map(|variant| (variant.name, variant.name)).collect();
    let controls: Vec<_> = cc::ALL.iter().map(|algorithm| (algorithm.name, algorithm.name)).collect();
    let recoveries: Vec<_> = recovery::ALL.iter().map(|algorithm| (algorithm.name, algorithm.name)).collect();
    let control = reader.choice("congestion_control", &controls);
    let recovery = reader.choice("recovery", &recoveries);
    let has_pair = reader.has("congestion_control") || reader.has("recovery");
    if reader.has("variant") && has_pair {
        let complaint = Complaint::new("a variant has its own congestion control and recovery")
            .code(Code::Conflict)
            .tip("give `variant`, or `congestion_control` and `recovery`");
        return reader.optional("variant", |_| Err(complaint));
    }
    if has_pair {
        for key in ["congestion_control", "recovery"] {
            if !reader.has(key) {
                reader.missing(key);
            }
        }
        let (control, recovery) = (control?, recovery?);
        return reader.optional("recovery", |_| {
            let pair = variant::pair(control, recovery).map_err(refusal)?;
            Ok((format!("{control}/{recovery}"), pair))
        });
    }
    reader.required("variant", |node| {
        let name = choose(node, &names)?;
        Ok((name.to_owned(), variant::find(name, parameters).map_err(refusal)?))
    })
}

/// The scheme of `handover = "..."`; the outer `None` is an error, which has been noted.
fn read_handover(reader: &mut Reader<'_>) -> Option<Option<&'static Scheme>> {
    let mut schemes: Vec<(&str, Option<&'static Scheme>)> = vec![("none", None)];
    schemes.extend(handover::ALL.iter().map(|scheme| (scheme.name, Some(*scheme))));
    if reader.has("handover") { reader.choice("handover", &schemes) } else { Some(None) }
}

fn refusal(error: PairError) -> Complaint {
    Complaint::new(error.to_string()).code(Code::RefusedPair)
}

/// Bytes, or packets of a full segment each.
fn transfer_size(node: &Node, segment_size: u64) -> Result<u64, Complaint> {
    let bytes = match units::amount(node)? {
        Amount::Bytes(bytes) => bytes,
        Amount::Packets(packets) => packets.saturating_mul(segment_size),
    };
    if bytes == 0 { Err(Complaint::new("a transfer of nothing").code(Code::OutOfBounds)) } else { Ok(bytes) }
}
