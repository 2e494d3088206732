//! `layer_2 = { scan = "100 ms", associate = "80 ms" }`: how long a handover of a mobile node takes below IP.

use super::notice::SPREADS;
use crate::keys::{Section, choice, table, time};
use crate::reader::Reader;
use crate::units::Complaint;
use seamline_mobility::{Layer2Config, Phase, Spread};
use seamline_wire::Duration;

#[derive(Clone, Default)]
struct Options {
    shape: super::notice::Shape,
    scan: Duration,
    scan_spread: Duration,
    associate: Duration,
    associate_spread: Duration,
}

pub(super) fn section<'a>() -> Section<'a, Layer2Config> {
    table! { Options;
        key scan: time(), "Time to find a base station";
        key associate: time(), "Time to associate with it";
        key scan_spread: time(), "Spread of `scan`: maximum (uniform) or standard deviation (normal)";
        key associate_spread: time(), "Spread of `associate`: maximum (uniform) or standard deviation (normal)";
        key spread_shape (shape): choice(SPREADS), "Distribution of the spread";
    }
    .build(Options::default(), |it, reader| {
            let shape = it.shape;
            let scan = phase(reader, ["scan", "scan_spread"], it.scan, it.scan_spread, shape);
            let keys = ["associate", "associate_spread"];
            let associate = phase(reader, keys, it.associate, it.associate_spread, shape);
            Some(Layer2Config { scan: scan?, associate: associate? })
        })
}

fn phase(
    reader: &mut Reader<'_>,
    [key, spread_key]: [&'static str; 2],
    mean: Duration,
    spread: Duration,
    shape: super::notice::Shape,
) -> Option<Phase> {
    if spread > mean && !reader.is_wrong(key) {
        let complaint = Complaint::out_of_bounds(format!("must not be longer than `{key}`"));
        reader.refuse_value(spread_key, complaint);
        return None;
    }
    let spread = match shape {
        _ if spread.is_zero() => Spread::None,
        super::notice::Shape::Uniform => Spread::Uniform(spread),
        super::notice::Shape::Normal => Spread::Normal(spread),
    };
    Some(Phase { mean, spread })
}
