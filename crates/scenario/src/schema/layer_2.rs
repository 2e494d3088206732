//! `layer_2 = { scan = "100 ms", associate = "80 ms" }`: how long a handover of a mobile node takes below IP.

use crate::codes::Code;
use crate::reader::Reader;
use crate::units::{self, Complaint};
use seamline_mobility::{Layer2Config, Phase, Spread};
use seamline_wire::Duration;

pub(crate) type Shape = fn(Duration) -> Spread;
pub(crate) const SHAPES: &[(&str, Shape)] = &[("uniform", Spread::Uniform), ("normal", Spread::Normal)];

/// Read the table; `None` when something about it is wrong, which has been noted.
pub(super) fn read(mut reader: Reader<'_>) -> Option<Layer2Config> {
    let shape = reader.choice("spread_shape", SHAPES).unwrap_or(Spread::Uniform);
    let scan = read_phase(&mut reader, "scan", "scan_spread", shape);
    let associate = read_phase(&mut reader, "associate", "associate_spread", shape);
    reader.finish();
    Some(Layer2Config { scan: scan?, associate: associate? })
}

fn read_phase(
    reader: &mut Reader<'_>,
    key: &'static str,
    spread_key: &'static str,
    shape: Shape,
) -> Option<Phase> {
    let mean = reader.or(key, Duration::ZERO, units::duration);
    let spread = reader.or(spread_key, Duration::ZERO, |node| match units::duration(node)? {
        spread if mean.is_some_and(|mean| spread > mean) => {
            Err(Complaint::new(format!("must not be longer than `{key}`")).code(Code::OutOfBounds))
        }
        spread => Ok(spread),
    })?;
    Some(Phase { mean: mean?, spread: if spread.is_zero() { Spread::None } else { shape(spread) } })
}
