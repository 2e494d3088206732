//! Records of connections, as another agent may hand them over.

use crate::frames::{CONNECTIONS, ip_packet, kinds, segment};
use seamline_agent::{Limits, Parameters, Side};
use seamline_bridge::engine::ARRIVING_SHARE;
use seamline_bridge::{Engine, Handed, Outgoing};
use seamline_wire::{Duration, Flags, Instant};

const LIMITS: Limits = Limits { connections: 8, bytes: 64 << 10, idle: Duration::from_secs(60) };

/// The first byte chooses the agent and what it knows; the others are a record. One that is read is written as the same bytes, and what
/// leaves because of it are packets of the record, towards the wireless side.
pub(crate) fn check(bytes: &[u8]) {
    let Some((choice, record)) = bytes.split_first() else { return };
    let Ok(handed) = Handed::decode(record) else { return };
    let mut written = Vec::new();
    handed.encode(&mut written);
    let (length, written) = written.split_first_chunk().expect("a length");
    assert_eq!(u32::from_be_bytes(*length) as usize, written.len());
    assert_eq!(Handed::decode(written).as_ref(), Ok(&handed));
    // Without an acknowledgment its number says nothing.
    assert!(written == record || record[0] & 1 == 0, "it is written otherwise");
    let kind = ["snoop", "obtcp-bs"][usize::from(choice & 1)];
    take_in(kind, choice & 2 != 0, &handed, record);
}

fn take_in(kind: &str, knows: bool, handed: &Handed, record: &[u8]) {
    let parameters = Parameters { limits: LIMITS, ..Parameters::default() };
    let mut engine = Engine::new(kinds::settings(kind, parameters));
    let mut now = Instant::from_secs(1);
    if knows {
        for (from, flags, numbers) in [
            (Side::Wired, Flags::SYN, [0, 0]),
            (Side::Wireless, Flags::SYN | Flags::ACK, [6, 1]),
            (Side::Wired, Flags::ACK, [1, 7]),
        ] {
            let frame = CONNECTIONS[0].frame(from, segment(flags, numbers[0], numbers[1]));
            engine.pass(now, from, &frame, &mut Outgoing::new());
        }
    }
    let mut sent = Outgoing::new();
    let taken = engine.take_in(now, handed, &mut sent);
    assert!(taken.connections <= 1 && taken.packets as usize <= handed.packets(), "{taken:?}");
    for _ in 0..4 {
        now += Duration::from_millis(300);
        engine.wake(now, &mut sent);
    }
    for (towards, frame) in sent.iter() {
        // All leave by the way that the first one shows.
        let packet = ip_packet(frame).expect("a packet");
        let is_of_record = record.windows(packet.len()).any(|window| window == packet);
        assert!(towards == Side::Wireless && is_of_record, "{towards:?}: {frame:02x?}");
    }
    let counters = engine.counters();
    assert_eq!((counters.failures, counters.unsendable), (0, 0), "{counters:?}");
    assert!(engine.kept_bytes() <= LIMITS.bytes + LIMITS.bytes / ARRIVING_SHARE, "{}", engine.kept_bytes());
}
