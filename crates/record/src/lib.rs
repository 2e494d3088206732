//! What runs leave behind, for all who compute it, keep it, compare it or draw it.
//!
//! - [`record`]: a run as plain data.
//! - [`emulation`]: how well a run in real time was emulated.
//! - [`summary`]: a flow of a cell over all seeds.
//! - [`statistics`]: means with their 95 % intervals, and factors between paired runs.

pub mod emulation;
pub mod record;
pub mod statistics;
pub mod summary;
