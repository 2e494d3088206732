//! The formats that are read, one file each.

pub mod csv;
pub mod delay_series;
pub mod dish_history;
pub mod flent;
pub mod iperf3;
pub mod irtt;
mod json;
pub mod lens;
pub mod leoem;
pub mod mahimahi;
pub mod mtr;
pub mod nyu_mets;
mod path_log;
pub mod ping;
pub mod table;
pub mod ucc;
pub mod wetlinks;

pub use path_log::path_log;

use crate::measured::Conditions;
use crate::{ImportError, Measured, Recording, native};
use seamline_net::Schedule;

/// A format that is recognised by content.
#[derive(Debug)]
pub struct Format {
    /// Its name: what a scenario and the command line call it.
    pub name: &'static str,
    /// What it is, for people: the tool or data set, with its source.
    pub about: &'static str,
    /// Whether a file looks like it, judged by its first lines. Cheap; no two formats say yes to one file.
    pub looks_like: fn(&Recording) -> bool,
    /// Read a file.
    pub read: fn(&Recording) -> Result<Measured, ImportError>,
}

impl Format {
    /// The format of this name.
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The names of all formats, for people.
    pub fn names() -> String {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        names.join(", ")
    }
}

/// All formats, in the order in which they are tried: those that name themselves first, those of bare numbers last.
pub const FORMATS: &[Format] = &[
    Format {
        name: "seamline",
        about: "conditions over time in both directions, as `seamline recording convert` writes them",
        looks_like: native::looks_like,
        read: native::read,
    },
    Format {
        name: "ping",
        about: "output of ping, best with -D (times) and -O (lost probes); iputils, BusyBox, macOS",
        looks_like: ping::looks_like,
        read: ping::read,
    },
    Format {
        name: "irtt",
        about: "JSON of irtt (github.com/heistp/irtt), plain or gzip",
        looks_like: irtt::looks_like,
        read: irtt::read,
    },
    Format {
        name: "iperf3",
        about: "output of iperf3, best with -J; also --json-stream and text",
        looks_like: iperf3::looks_like,
        read: iperf3::read,
    },
    Format {
        name: "flent",
        about: "data files of flent (flent.org), plain or gzip",
        looks_like: flent::looks_like,
        read: flent::read,
    },
    Format { name: "mtr", about: "JSON of mtr (-j)", looks_like: mtr::looks_like, read: mtr::read },
    Format {
        name: "dish-history",
        about: "history of a Starlink dish, JSON of grpcurl (get_history)",
        looks_like: dish_history::looks_like,
        read: dish_history::read,
    },
    Format {
        name: "ucc",
        about: "4G and 5G drives of University College Cork (Raca et al., MMSys 2018 and 2020), CSV",
        looks_like: ucc::looks_like,
        read: ucc::read,
    },
    Format {
        name: "wetlinks",
        about: "Starlink at Osnabrueck and Enschede (Laniewski et al., TMA 2024): iperf, ping and dish, CSV",
        looks_like: wetlinks::looks_like,
        read: wetlinks::read,
    },
    Format {
        name: "lens",
        about: "Starlink and OneWeb (Zhao and Pan, MMSys 2024): CSV made of ping and irtt; its raw files are these",
        looks_like: lens::looks_like,
        read: lens::read,
    },
    Format {
        name: "nyu-mets",
        about: "rides in New York (Mei et al., PAM 2019): a rate per second",
        looks_like: nyu_mets::looks_like,
        read: nyu_mets::read,
    },
    Format {
        name: "csv",
        about: "a table whose header names times and values with units: time_s, down_mbps, rtt_ms, loss_percent",
        looks_like: table::looks_like,
        read: table::read,
    },
    Format {
        name: "parquet",
        about: "as csv, in a Parquet file with flat columns",
        looks_like: table::is_parquet,
        read: table::read_parquet,
    },
    Format {
        name: "leoem",
        about: "path log of LeoEM (Cao and Zhang, INFOCOM 2023)",
        looks_like: leoem::looks_like,
        read: |it| leoem::parse(it, leoem::LeoemOptions::default()).map(|it| conditions(&it)),
    },
    Format {
        name: "mahimahi",
        about: "opportunities to send 1500 bytes, one time in ms per line (Netravali et al., ATC 2015)",
        looks_like: mahimahi::looks_like,
        read: |it| {
            let capacity = mahimahi::parse(it)?;
            Ok(conditions(&Schedule { capacity: Some(capacity.into()), ..Schedule::default() }))
        },
    },
    Format {
        name: "delay-series",
        about: "one-way delays in ms, one line per 10 ms, as published with LeoCC (SIGCOMM 2025)",
        looks_like: delay_series::looks_like,
        read: |it| {
            let delay = delay_series::parse(it, delay_series::USUAL_INTERVAL)?;
            Ok(conditions(&Schedule { one_way_delay: Some(delay), ..Schedule::default() }))
        },
    },
];

/// What is recorded conditions already, the same in both directions.
fn conditions(schedule: &Schedule) -> Measured {
    Measured {
        length: crate::summary::length(schedule),
        conditions: Some(Conditions::both(schedule.clone())),
        ..Measured::default()
    }
}
