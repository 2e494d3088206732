//! `queue = { discipline = "drop-tail", limit = "50 packets" }`

use crate::keys::{
    Keys, Kinds, Section, Takes, amount, boolean, kinds, number, positive_time, share, size_within, table,
    whole,
};
use crate::units::{Amount, Complaint};
use seamline_net::{
    CakeConfig, CoDelConfig, DualPi2Config, FqCoDelConfig, FqConfig, Limit, PieConfig, QueueConfig,
    StepConfig,
};

const MARKS: &str = "Whether ECN-capable packets are marked (CE) in place of being dropped";

pub(super) fn section<'a>() -> Section<'a, QueueConfig> {
    let disciplines = kinds! { Kinds::new("discipline", "What happens to packets that cannot be sent yet");
        "unlimited" => Section::empty(|| QueueConfig::Unlimited), "packets are never dropped";
        "drop-tail" => drop_tail(), "packets that do not fit are dropped on arrival";
        "codel" => defaults(codel(), QueueConfig::CoDel), "Controlled Delay active queue management (RFC 8289)";
        "fq-codel" => defaults(fq_codel(), QueueConfig::FqCoDel), "a queue with CoDel for each flow; new flows go first (RFC 8290)";
        "pie" => defaults(pie(), QueueConfig::Pie), "Proportional Integral controller Enhanced: drops on arrival by the delay (RFC 8033)";
        "dualpi2" => defaults(dual_pi2(), QueueConfig::DualPi2), "two coupled queues, for low-latency (L4S) and classic flows (RFC 9332)";
        "fq" => defaults(fq(), QueueConfig::Fq), "a queue for each flow, in turn, as in Linux (`sch_fq`) without its pacing";
        "cake" => defaults(cake(), QueueConfig::Cake), "fair between hosts and flows, with COBALT, as in Linux (`sch_cake`) without its shaper (LANMAN 2018)";
        "step" => step(), "a threshold on arrival, as switches have it for DCTCP (RFC 8257)";
    };
    disciplines.alone("queue")
}

/// A discipline whose keys all have defaults.
fn defaults<'a, C: Clone + Default + 'a>(
    keys: Keys<'a, C>,
    make: fn(C) -> QueueConfig,
) -> Section<'a, QueueConfig> {
    keys.build(C::default(), move |config, _| Some(make(config)))
}

fn drop_tail<'a>() -> Section<'a, QueueConfig> {
    table! { Option<Limit>;
        required limit (self): limit(), "Packets or bytes that may wait, besides the packet in service";
    }
    .build(None, |limit, _| limit.map(QueueConfig::DropTail))
}

fn codel<'a>() -> Keys<'a, CoDelConfig> {
    table! { CoDelConfig;
        key target: positive_time(), "Acceptable standing delay (RFC 8289)";
        key interval: positive_time(), "Time above the target before the first drop (RFC 8289)";
        key maximum_packet: packet_size(), "Bytes in the queue below which nothing is dropped";
        key ecn: boolean(), MARKS;
        optional limit: limit(), "Packets or bytes that may wait";
    }
}

fn fq_codel<'a>() -> Keys<'a, FqCoDelConfig> {
    table! { FqCoDelConfig;
        key target: positive_time(), "Acceptable standing delay of a flow";
        key interval: positive_time(), "Time above the target before the first drop";
        key maximum_packet: packet_size(), "Bytes in all queues below which nothing is dropped";
        key ecn: boolean(), MARKS;
        key flows: whole(1, 65_536), "Number of queues; flows whose hashes collide share one";
        key quantum: quantum(), "Bytes that a flow may send in one round";
        key limit: packets(), "Packets that may wait";
        key memory_limit: memory(), "Bytes that may wait";
        key drop_batch: whole(1, 65_535), "Packets that the longest queue loses at once when a limit is exceeded, at most half of its bytes";
    }
}

fn pie<'a>() -> Keys<'a, PieConfig> {
    table! { PieConfig;
        key target: positive_time(), "Delay that it aims at (RFC 8033)";
        key update_interval: positive_time(), "Time from one update of the probability to the next";
        key alpha: gain(), "Gain by the deviation from the target, per second";
        key beta: gain(), "Gain by the change of the delay, per second";
        key burst_allowance: positive_time(), "Time for which a queue that was empty passes everything";
        key maximum_packet: packet_size(), "Half of the bytes in the queue below which nothing is dropped";
        key ecn: boolean(), "Whether ECN-capable packets are marked (CE) in place of being dropped, while the probability is at most 10 %";
        key limit: limit(), "Packets or bytes that may wait";
    }
}

fn dual_pi2<'a>() -> Keys<'a, DualPi2Config> {
    table! { DualPi2Config;
        key target: positive_time(), "Delay of the classic queue that it aims at (RFC 9332)";
        key update_interval: positive_time(), "Time from one update of the probability to the next";
        key alpha: gain(), "Gain by the deviation from the target, per second";
        key beta: gain(), "Gain by the change of the delay, per second";
        key coupling: number(0.1, 100.0), "Ratio of the probability of low-latency marks to the square root of the classic one (k)";
        key step_threshold: positive_time(), "Delay above which every low-latency packet is marked";
        key classic_share: share(), "Share of the rate that the classic queue gets at least";
        key maximum_packet: packet_size(), "Largest packet in bytes, by which turns are weighted";
        key ecn: boolean(), "Whether ECN-capable packets of the classic queue are marked (CE) in place of being dropped; low-latency packets always are";
        key limit: limit(), "Packets or bytes that may wait in both queues";
    }
}

fn fq<'a>() -> Keys<'a, FqConfig> {
    table! { FqConfig;
        key limit: packets(), "Packets that may wait";
        key flow_limit: packets(), "Packets of one flow that may wait";
        key quantum: quantum(), "Bytes that a flow may send in one round";
        key initial_quantum: quantum(), "Bytes that a flow may send before its first round";
        key refill_delay: positive_time(), "Silence after which a flow gets a quantum at once";
    }
}

fn cake<'a>() -> Keys<'a, CakeConfig> {
    table! { CakeConfig;
        key target: positive_time(), "Acceptable standing delay of a flow";
        key interval: positive_time(), "Time above the target before the first drop";
        key ecn: boolean(), MARKS;
        key host_isolation: boolean(), "Whether hosts share the link before their flows do (triple isolation)";
        key quantum: quantum(), "Bytes that a flow may send in one round";
        key memory_limit: memory(), "Bytes that may wait";
    }
}

#[derive(Clone)]
struct StepKeys {
    threshold: Option<Limit>,
    ecn: bool,
    limit: Option<Limit>,
}

fn step<'a>() -> Section<'a, QueueConfig> {
    table! { StepKeys;
        required threshold: limit(), "Packets or bytes that may wait before packets are marked, or dropped if they are not ECN-capable (K)";
        key ecn: boolean(), MARKS;
        optional limit: limit(), "Packets or bytes that may wait";
    }
    .build(StepKeys { threshold: None, ecn: true, limit: None }, |StepKeys { threshold, ecn, limit }, _| {
        Some(QueueConfig::Step(StepConfig { threshold: threshold?, ecn, limit }))
    })
}

fn packet_size<'a>() -> Takes<'a, u32> {
    whole(1, 65_535)
}

fn quantum<'a>() -> Takes<'a, u32> {
    whole(1, 10_000_000)
}

fn packets<'a>() -> Takes<'a, u32> {
    whole(1, 10_000_000)
}

fn memory<'a>() -> Takes<'a, u64> {
    size_within(1500, 1 << 40, "must be between 1500 bytes and 1 TiB")
}

fn gain<'a>() -> Takes<'a, f64> {
    number(0.0, 1000.0)
}

fn limit<'a>() -> Takes<'a, Limit> {
    amount().map(
        |amount| match amount {
            Amount::Bytes(bytes) => Ok(Limit::Bytes(bytes)),
            Amount::Packets(packets) => u32::try_from(packets)
                .map(Limit::Packets)
                .map_err(|_| Complaint::out_of_bounds("too many packets")),
        },
        |limit| {
            Some(match limit {
                Limit::Bytes(bytes) => Amount::Bytes(*bytes),
                Limit::Packets(packets) => Amount::Packets((*packets).into()),
            })
        },
    )
}
