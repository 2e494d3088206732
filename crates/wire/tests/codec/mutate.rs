//! Damage to packets: what networks, buggy stacks and attackers do.

/// Change `packet` in one to four places.
pub(crate) fn mutate(draw: &mut dyn FnMut(u64) -> u64, packet: &mut Vec<u8>) {
    for _ in 0..=draw(4) {
        let at = draw(packet.len() as u64 + 1) as usize;
        match draw(6) {
            0 => packet.truncate(at),
            1 => packet.insert(at, draw(256) as u8),
            2 => packet.extend((0..draw(12)).map(|_| draw(256) as u8)),
            3 => set(packet, at, interesting(draw)),
            // The lengths, offsets and protocol numbers stand here.
            4 => set(packet, draw(60) as usize, interesting(draw)),
            _ => {
                let bit = 1 << draw(8);
                if let Some(byte) = packet.get_mut(at) {
                    *byte ^= bit;
                }
            }
        }
    }
}

/// A packet with an IPv6 extension header put in before its payload, the lengths adjusted.
pub(crate) fn insert_extension(draw: &mut dyn FnMut(u64) -> u64, packet: &mut Vec<u8>) {
    const HEADERS: [u8; 5] = [0, 43, 44, 60, 51];
    if packet.len() < 40 || packet[0] >> 4 != 6 {
        return;
    }
    let kind = HEADERS[draw(5) as usize];
    let units = draw(3);
    let mut header = vec![0; (units as usize + 1) * 8];
    (header[0], header[1], header[3]) = (packet[6], units as u8, u8::from(draw(4) == 0));
    let length = usize::from(u16::from_be_bytes([packet[4], packet[5]])) + header.len();
    packet[6] = kind;
    packet[4..6].copy_from_slice(&(length as u16).to_be_bytes());
    packet.splice(40..40, header);
}

fn set(packet: &mut [u8], at: usize, value: u8) {
    if let Some(byte) = packet.get_mut(at) {
        *byte = value;
    }
}

fn interesting(draw: &mut dyn FnMut(u64) -> u64) -> u8 {
    const VALUES: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 8, 10, 18, 43, 44, 60, 253, 254, 255];
    if draw(4) == 0 { draw(256) as u8 } else { VALUES[draw(16) as usize] }
}
