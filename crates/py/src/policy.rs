//! Agents that are classes of Python: segments in, actions out.

use crate::classes::{Definition, Object, Values, answers, keys_of, register};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use seamline_agent::{AT_THE_AIR_LINK, Connection, ConnectionMaker, Exit, Kind, MakeConnection, Side};
use seamline_scenario::schema::added::Added;
use seamline_tcp::handover::Traits;
use seamline_wire::timers::NEVER;
use seamline_wire::{Duration, Flags, Instant, Packet, SequenceNumber};
use std::collections::BTreeMap;

/// The most packets that an instance keeps.
const MOST_KEPT: u32 = 10_000;

/// Make a class usable as an agent.
#[pyfunction]
pub(crate) fn register_agent(definition: Definition) -> PyResult<()> {
    register(definition, "an agent", |name, summary| {
        let connection: &'static MakeConnection =
            Box::leak(Box::new(move |parameters: &seamline_agent::Parameters| {
                let own = parameters.own.clone();
                ConnectionMaker::new(move || Box::new(ByClass::new(Object::new(name, &own))))
            }));
        let kind = Kind {
            name,
            summary,
            cite: "",
            traits: Traits { keeps_end_to_end_semantics: true, ..AT_THE_AIR_LINK },
            ends_connections: false,
            runs_on_real_hosts: false,
            split: None,
            kept_packets: |_| MOST_KEPT,
            state_bytes: 0,
            connection,
        };
        Added::agent::<Values>(Box::leak(Box::new(kind)), move || keys_of(name))
    })
}

/// A segment at an agent. Positions are bytes since the first that the agent has seen of this direction, 64 bits wide.
#[pyclass(frozen, get_all, module = "seamline._seamline")]
#[derive(Debug)]
pub(crate) struct Segment {
    /// The time in seconds since the start of the run.
    now: f64,
    /// Whether it comes from the wired side, where the fixed host is.
    from_wired: bool,
    /// Position of its first byte.
    start: i64,
    /// The position just after it.
    end: i64,
    /// Bytes of payload.
    length: u32,
    /// The position that it acknowledges, in the other direction; `None` without ACK.
    acknowledged: Option<i64>,
    /// Blocks that it reports selectively, in the other direction.
    selective: Vec<(i64, i64)>,
    /// The window as it stands in the header, not yet scaled.
    window: u16,
    /// Whether it is a SYN, FIN or RST.
    opens_or_ends: bool,
    /// Whether it acknowledges the same as the segment before from this side, and carries no payload.
    duplicate: bool,
}

/// One connection's instance of a class.
#[derive(Debug)]
struct ByClass {
    object: Object,
    kept: BTreeMap<i64, (Instant, Box<Packet>)>,
    positions: [Positions; 2],
    /// The last acknowledgment from each side.
    acknowledged: [Option<i64>; 2],
    wake_at: Instant,
}

/// The positions of sequence numbers of one direction.
#[derive(Clone, Copy, Debug, Default)]
struct Positions(Option<(SequenceNumber, i64)>);

impl Positions {
    /// The position that is nearest to those seen before.
    fn of(&mut self, number: SequenceNumber) -> i64 {
        let (known, position) = *self.0.get_or_insert((number, 0));
        let position = position + i64::from((number - known) as i32);
        self.0 = Some((number, position));
        position
    }
}

impl ByClass {
    fn new(object: Object) -> Self {
        ByClass {
            object,
            kept: BTreeMap::new(),
            positions: [Positions::default(); 2],
            acknowledged: [None; 2],
            wake_at: NEVER,
        }
    }

    fn segment(&mut self, now: Instant, from: Side, packet: &Packet) -> Segment {
        let it = &packet.segment;
        let start = self.positions[from.index()].of(it.sequence);
        let end = start + i64::from(it.sequence_length());
        let other = &mut self.positions[from.other().index()];
        let acknowledged = it.flags.contains(Flags::ACK).then(|| other.of(it.acknowledgment));
        // Blocks lie behind the acknowledgment, which stays what positions are counted from.
        let mut behind = *other;
        let blocks = it.sack.iter().map(|block| {
            let left = behind.of(block.left);
            (left, behind.of(block.right))
        });
        let selective = blocks.collect();
        let before = std::mem::replace(&mut self.acknowledged[from.index()], acknowledged);
        let opens_or_ends = it.flags.intersects(Flags::SYN | Flags::FIN | Flags::RST);
        Segment {
            now: now.as_secs_f64(),
            from_wired: from == Side::Wired,
            start,
            end,
            length: it.length,
            acknowledged,
            selective,
            window: it.window,
            opens_or_ends,
            duplicate: acknowledged.is_some() && acknowledged == before && it.length == 0 && !opens_or_ends,
        }
    }

    fn act(
        &mut self,
        now: Instant,
        answers: Vec<Answer>,
        packet: Option<(Side, Box<Packet>)>,
        exit: &mut Exit<'_>,
    ) {
        let mut packet = packet;
        for answer in answers {
            match answer {
                Answer::Drop => {
                    if let Some((from, packet)) = packet.take() {
                        exit.suppress(from, packet);
                    }
                }
                Answer::Keep(key) => {
                    let fits = self.kept.len() < MOST_KEPT as usize;
                    if let Some((Side::Wired, packet)) = packet.as_ref().filter(|_| fits)
                        && let Some(copy) = exit.keep(packet)
                        && let Some((_, old)) = self.kept.insert(key, (now, copy))
                    {
                        exit.release(old);
                    }
                }
                Answer::Send(key) => {
                    if let Some((since, kept)) = self.kept.get(&key) {
                        exit.retransmit(kept, now.saturating_since(*since));
                    }
                }
                Answer::ForgetBefore(key) => {
                    let rest = self.kept.split_off(&key);
                    for (_, kept) in std::mem::replace(&mut self.kept, rest).into_values() {
                        exit.release(kept);
                    }
                }
                Answer::WakeAfter(after) => self.wake_at = after.map_or(NEVER, |after| now + after),
            }
        }
        if let Some((from, packet)) = packet {
            exit.forward(from, packet);
        }
    }
}

impl Connection for ByClass {
    fn on_segment(&mut self, now: Instant, from: Side, packet: Box<Packet>, exit: &mut Exit<'_>) {
        let segment = self.segment(now, from, &packet);
        let answers = self.object.call(|it| answers(&it.call_method1("on_segment", (segment,))?, one));
        self.act(now, answers.unwrap_or_default(), Some((from, packet)), exit);
    }
    fn on_wake(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if self.wake_at > now {
            return;
        }
        self.wake_at = NEVER;
        let answers = self.object.call(|it| answers(&it.call_method1("on_wake", (now.as_secs_f64(),))?, one));
        self.act(now, answers.unwrap_or_default(), None, exit);
    }
    fn wake_at(&self) -> Instant {
        self.wake_at
    }
    fn moves(&self) -> bool {
        false
    }
    fn let_go(&mut self, exit: &mut Exit<'_>) {
        for (_, kept) in std::mem::take(&mut self.kept).into_values() {
            exit.release(kept);
        }
        self.wake_at = NEVER;
    }
}

enum Answer {
    Drop,
    Keep(i64),
    Send(i64),
    ForgetBefore(i64),
    WakeAfter(Option<Duration>),
}

fn one(it: &Bound<'_, PyAny>) -> PyResult<Answer> {
    if it.extract::<String>().is_ok_and(|name| name == "drop") {
        return Ok(Answer::Drop);
    }
    let wrong = || {
        PyValueError::new_err(
            "an agent answers with seamline.actions.DROP, keep(), send(), forget_before() and wake_after()",
        )
    };
    let name: String = it.get_item(0).and_then(|name| name.extract()).map_err(|_| wrong())?;
    let number = || it.get_item(1)?.extract::<i64>();
    Ok(match name.as_str() {
        "keep" => Answer::Keep(number()?),
        "send" => Answer::Send(number()?),
        "forget-before" => Answer::ForgetBefore(number()?),
        "wake-after" => Answer::WakeAfter(crate::scheme::seconds(&it.get_item(1)?)?),
        _ => return Err(wrong()),
    })
}
