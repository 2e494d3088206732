//! The formats that are read, one file each.

pub mod csv;
pub mod delay_series;
pub mod leoem;
pub mod mahimahi;
mod path_log;
pub mod ping;

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
