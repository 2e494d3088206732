//! Damage to inputs of any kind.

/// Numbers that lengths and counters overflow at.
const EDGES: [u8; 8] = [0, 1, 2, 0x7f, 0x80, 0xfe, 0xff, b'\n'];

/// A copy of one of the inputs, changed in one to five places.
pub(crate) fn damaged(draw: &mut dyn FnMut(u64) -> u64, inputs: &[&[u8]]) -> Vec<u8> {
    let mut bytes = one_of(draw, inputs).to_vec();
    for _ in 0..=draw(5) {
        let (at, length) = (draw(bytes.len() as u64 + 1) as usize, draw(16) as usize + 1);
        let end = bytes.len().min(at + length);
        match draw(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let repeated = bytes[at..end].to_vec();
                bytes.splice(at..at, repeated);
            }
            3 => {
                // A piece of another input.
                let other = one_of(draw, inputs);
                let from = draw(other.len() as u64 + 1) as usize;
                let piece = &other[from..other.len().min(from + 4 * length)];
                bytes.splice(at..end, piece.iter().copied());
            }
            4 => bytes.insert(at, draw(256) as u8),
            5 => set(&mut bytes, at, EDGES[draw(EDGES.len() as u64) as usize]),
            _ => {
                let bit = 1 << draw(8);
                let byte = bytes.get(at).map_or(0, |byte| byte ^ bit);
                set(&mut bytes, at, byte);
            }
        }
    }
    bytes
}

fn one_of<'a>(draw: &mut dyn FnMut(u64) -> u64, inputs: &[&'a [u8]]) -> &'a [u8] {
    inputs[draw(inputs.len() as u64) as usize]
}

fn set(bytes: &mut [u8], at: usize, value: u8) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte = value;
    }
}
