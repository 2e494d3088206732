//! `arq = { retransmissions = 3 }` and `fec = { data = 10, redundancy = 2 }`: repair of losses at the link layer.

use crate::keys::{Keys, Section, choice, positive_time, table, time, whole};
use seamline_net::{ArqConfig, Delivery, FecConfig};

const DELIVERY: &[(&str, Delivery)] =
    &[("in order", Delivery::InOrder), ("out of order", Delivery::OutOfOrder)];

/// The length of a Reed-Solomon code over bytes.
const MOST_FRAMES: i64 = 255;

pub(super) fn arq<'a>() -> Section<'a, ArqConfig> {
    let keys: Keys<'a, ArqConfig> = table! { ArqConfig;
        .definition("arq");
        key retransmissions: whole(0, 1000), "Maximum number of retransmissions of a frame; each frame carries one packet";
        key delivery: choice(DELIVERY), "Whether packets wait at the far end for those before them that are being repaired";
        key report_interval: time(), "Time from one status report of the receiver to the next; zero reports each loss at once";
        optional report_delay: time(), "Time that a report takes to the transmitter [default: the one-way delay of the link]";
    };
    keys.build(ArqConfig::default(), |config, _| Some(config))
}

pub(super) fn fec<'a>() -> Section<'a, FecConfig> {
    let keys: Keys<'a, FecConfig> = table! { FecConfig;
        .definition("fec");
        key data: whole(1, MOST_FRAMES), "Packets of a block";
        key redundancy: whole(1, MOST_FRAMES), "Frames of redundancy after each block, the number of losses that it corrects; the overhead is `redundancy` / `data`";
        key timeout: positive_time(), "Time from the first packet of a block after which its redundancy is sent, however many packets it has";
    };
    keys.build(FecConfig::default(), |config, _| Some(config))
}
