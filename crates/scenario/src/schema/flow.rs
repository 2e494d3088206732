//! `[[flow]]`: what is sent from where to where, and with which TCP.

use super::choices;
use super::group::{Ends, Named, Nodes};
use super::stack::Stack;
use super::tcp::parameters;
use super::with_records;
use crate::codes::Code;
use crate::document::Node;
use crate::keys::{
    Choice, Section, Shape, amount, boolean, name, named, named_since, positive_time, table, time, unread,
    whole,
};
use crate::reader::Reader;
use crate::units::{Amount, Complaint};
use seamline_tcp::handover::{self, Scheme};
use seamline_tcp::parameters::Parameters;
use seamline_tcp::variant::{self, PairError, Variant};
use seamline_tcp::{cc, profile, recovery};
use seamline_wire::{Duration, Instant};
use std::sync::Arc;

/// The name that stands for no handover scheme, with a line about it.
const NO_SCHEME: (&str, &str) = ("none", "no scheme");

/// Congestion controls that people ask for and that only kernels have.
const OF_KERNELS: &[&str] = &[
    "bbr1",
    "bbr2",
    "bic",
    "cdg",
    "copa",
    "highspeed",
    "htcp",
    "hybla",
    "illinois",
    "lp",
    "nv",
    "pcc",
    "scalable",
    "search",
    "veno",
    "yeah",
];

const REAL_LINUX: &str = "our own TCP does not have it; the kernel's has: stack = \"linux-6.12\", or in the lab: seamline lab FILE --congestion NAME";

/// The flow of one `[[flow]]`.
#[derive(Clone, Debug)]
pub struct FlowSpec {
    /// Its name.
    pub name: String,
    /// The pairs of sender and receiver; the copies are distributed over the pairs in turn.
    pub ends: Ends,
    /// Whose TCP both ends have.
    pub stack: Stack,
    /// The name of the variant, or "congestion control/recovery". With the TCP of a kernel, a congestion control of the kernel.
    pub variant_name: String,
    /// Congestion control and recovery of our TCP.
    pub variant: Variant,
    /// The handover scheme of both ends, if any.
    pub handover: Option<&'static Scheme>,
    /// The name of the profile that `parameters` began as.
    pub profile: &'static str,
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

#[derive(Clone)]
struct Options {
    name: Option<String>,
    ends: Named,
    stack: Stack,
    variant: Option<Node>,
    congestion_control: Option<&'static str>,
    recovery: Option<&'static str>,
    handover: &'static str,
    profile: &'static str,
    parameters: Parameters,
    count: u32,
    start: Duration,
    stagger: Duration,
    stop: Option<Duration>,
    size: Option<Amount>,
    handshake: bool,
}

/// One flow.
pub(super) fn section<'a>(nodes: &'a Nodes, stack: &Stack) -> Section<'a, FlowSpec> {
    let start = Options {
        name: None,
        ends: Named::default(),
        stack: stack.clone(),
        variant: None,
        congestion_control: None,
        recovery: None,
        handover: NO_SCHEME.0,
        profile: profile::DEFAULT.name,
        parameters: (profile::DEFAULT.parameters)(),
        count: 1,
        start: Duration::ZERO,
        stagger: Duration::ZERO,
        stop: None,
        size: None,
        handshake: true,
    };
    let mut schemes = vec![Choice::from(NO_SCHEME)];
    schemes.extend(choices!(handover::all()));
    table! { Options;
        .definition("flow");
        .name("flow", "Its name", |it: &mut Options| &mut it.name);
        .with(nodes.ends(
                "Node that sends, or a group: each of its nodes",
                "Node that receives, or a group: each of its nodes",
            ),
            |it| &mut it.ends,);
        key stack: super::stack::stack(), "TCP of both ends: that of Seamline, or that of a kernel in virtual time, such as `linux-6.12`";
        optional variant: unread(Shape::OpenChoice(choices!(variant::all()), OF_KERNELS, "with the TCP of a kernel, any congestion control that it has")), "TCP variant; required unless `congestion_control` and `recovery` are given";
        optional congestion_control: named(choices!(cc::all())), "Congestion control, with `recovery` instead of a variant";
        optional recovery: named(choices!(recovery::ALL)), "Loss recovery, with `congestion_control` instead of a variant";
        property profile: named_since(choices!(profile::ALL, is_historical), profile::REPLACED), "Set of parameters that the tables below change", |_, show| show(&profile::DEFAULT.name), set_profile;
        key handover: named(schemes), "Handover scheme of both ends";
        key count: whole(1, 100_000), "Number of parallel copies";
        key start: time(), "Start time of the first copy";
        key stagger: time(), "Delay from one copy to the next";
        optional stop: positive_time(), "Time at which it stops supplying data";
        optional size: amount(), "Amount of data to transfer; no limit unless given";
        key handshake: boolean(), "Begin with a handshake; otherwise the connection is established at once";
        .with(parameters(), |it| &mut it.parameters);
    }
    .build(start, make)
}

fn set_profile(options: &mut Options, name: &'static str) {
    options.profile = name;
    options.parameters = (profile::find(name).unwrap_or(profile::DEFAULT).parameters)();
}

fn make(it: Options, reader: &mut Reader<'_>) -> Option<FlowSpec> {
    let ends = it.ends.resolve(reader, "flow");
    let variant = variant_of(&it, reader);
    if it.stop.is_some_and(|stop| stop <= it.start) && !reader.is_wrong("start") {
        reader.refuse_value("stop", Complaint::new("the flow would stop before it starts"));
    }
    if let Some((_, variant)) = &variant {
        refuse_recovery(&it, variant, reader);
    }
    let size = it.size.map(|size| bytes(size, &it.parameters));
    if size == Some(0) {
        reader.refuse_value("size", Complaint::out_of_bounds("a transfer of nothing"));
    }
    let (variant_name, variant) = variant?;
    if it.stack == Stack::Seamline {
        with_records::check(&it.parameters, &variant, reader);
    }
    let ends = ends?;
    Some(FlowSpec {
        name: it.name?,
        ends,
        variant_name,
        variant,
        handover: handover::find(it.handover),
        profile: it.profile,
        parameters: Arc::new(it.parameters),
        count: it.count.checked_mul(u32::try_from(ends.count()).ok()?)?,
        start: Instant::ZERO + it.start,
        stagger: it.stagger,
        stop: it.stop.map(|stop| Instant::ZERO + stop),
        stack: it.stack,
        size,
        handshake: it.handshake,
    })
}

fn variant_of(it: &Options, reader: &mut Reader<'_>) -> Option<(String, Variant)> {
    let has_pair = reader.has("congestion_control") || reader.has("recovery");
    if reader.has("variant") && has_pair {
        let complaint = Complaint::conflict("a variant has its own congestion control and recovery")
            .tip("give `variant`, or `congestion_control` and `recovery`");
        reader.refuse_value("variant", complaint);
        return None;
    }
    for key in if has_pair { &["congestion_control", "recovery"][..] } else { &["variant"][..] } {
        reader.need(key);
    }
    if has_pair {
        let (control, recovery) = (it.congestion_control?, it.recovery?);
        let pair = reader.accept("recovery", variant::pair(control, recovery).map_err(refusal))?;
        return Some((format!("{control}/{recovery}"), pair));
    }
    let ours = named(choices!(variant::all())).elsewhere(OF_KERNELS, REAL_LINUX);
    let node = it.variant.as_ref()?;
    let found = ours.read(node);
    if it.stack != Stack::Seamline && found.is_err() {
        let name = reader.accept("variant", name().read(node))?;
        // Nothing of ours runs.
        let variant = variant::find("sack", &Parameters::default()).ok()?;
        return Some((name, variant));
    }
    let name = reader.accept("variant", found)?;
    let variant = reader.accept("variant", variant::find(name, &it.parameters).map_err(refusal))?;
    Some((name.to_owned(), variant))
}

/// Handover schemes, and Careful Resume at the beginning, do not make sense with every recovery.
fn refuse_recovery(it: &Options, variant: &Variant, reader: &mut Reader<'_>) {
    let recovery = variant.recovery.name;
    let reason = |refuses: &[(&str, &'static str)]| {
        refuses.iter().find(|(refused, _)| *refused == recovery).map(|(_, reason)| *reason)
    };
    let scheme = handover::find(it.handover);
    let resumes = it.parameters.careful_resume.saved_window > 0.0;
    let refused = [
        ("handover", scheme.and_then(|scheme| reason(scheme.refuses))),
        ("careful_resume", resumes.then(|| reason(handover::NEEDS_PACING)).flatten()),
    ];
    for (key, why) in refused {
        if let Some(why) = why.filter(|_| reader.has(key)) {
            let complaint = Complaint::new(format!("recovery \"{recovery}\": {why}")).code(Code::RefusedPair);
            reader.refuse_value(key, complaint);
        }
    }
}

fn refusal(error: PairError) -> Complaint {
    Complaint::new(error.to_string()).code(Code::RefusedPair)
}

/// Bytes, or packets of a full segment each.
fn bytes(size: Amount, parameters: &Parameters) -> u64 {
    match size {
        Amount::Bytes(bytes) => bytes,
        Amount::Packets(packets) => {
            packets.saturating_mul(u64::from(parameters.segments.maximum_segment_size))
        }
    }
}
