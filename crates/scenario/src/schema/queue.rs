//! `queue = { discipline = "drop-tail", limit = "50 packets" }`

use crate::codes::Code;
use crate::keys::{Kinds, Section, Takes, amount, kinds, positive_time, table, whole};
use crate::units::{Amount, Complaint};
use seamline_net::{CoDelConfig, Limit, QueueConfig};

pub(super) fn section<'a>() -> Section<'a, QueueConfig> {
    let drop_tail = table! { Option<Limit>;
        required limit (self): limit(), "Packets or bytes that may wait, besides the packet in service";
    }
    .build(None, |limit, _| limit.map(QueueConfig::DropTail));
    let codel = table! { CoDelConfig;
        key target: positive_time(), "Acceptable standing delay (RFC 8289)";
        key interval: positive_time(), "Time above the target before the first drop (RFC 8289)";
        key maximum_packet: whole(1, 65_535), "Bytes in the queue below which nothing is dropped";
        optional limit: limit(), "Packets or bytes that may wait";
    }
    .build(CoDelConfig::default(), |config, _| Some(QueueConfig::CoDel(config)));
    let disciplines = kinds! { Kinds::new("discipline", "What happens to packets that cannot be sent yet");
        "unlimited" => Section::empty(|| QueueConfig::Unlimited), "packets are never dropped";
        "drop-tail" => drop_tail, "packets that do not fit are dropped on arrival";
        "codel" => codel, "Controlled Delay active queue management (RFC 8289)";
    };
    disciplines.alone("queue")
}

fn limit<'a>() -> Takes<'a, Limit> {
    amount().map(
        |amount| match amount {
            Amount::Bytes(bytes) => Ok(Limit::Bytes(bytes)),
            Amount::Packets(packets) => u32::try_from(packets)
                .map(Limit::Packets)
                .map_err(|_| Complaint::new("too many packets").code(Code::OutOfBounds)),
        },
        |_| None,
    )
}
