//! The records of runs, statistics over them, and the pages, pictures and tables that show them.
//!
//! Three words, used the same way in all crates:
//!
//! - a *record* is the outcome of one run ([`record::RunRecord`]): plain data, the same bytes for the same scenario and seed;
//! - a *result* is what is stored or compared: the records of all seeds of a cell, and their summary ([`summary::FlowSummary`]);
//! - a *report* is what a person reads: a page, a picture, a table, a sentence ([`Report`], [`paper::PaperReport`]).
//!
//! This crate has no simulator and measures nothing. It takes plain data and returns text and bytes; the caller writes the files.
//! The same data gives the same bytes.
//!
//! - [`record`], [`emulation`]: the record of a run, and how well a run with real stacks was emulated.
//! - [`statistics`], [`summary`]: means and medians with their 95 % intervals, factors between paired runs.
//! - [`page`]: one self-contained HTML file, readable without a network.
//! - [`picture`]: standalone SVG files for papers and slides.
//! - [`export`]: the same numbers as CSV, JSON and Parquet.
//! - [`text_table`]: tables for terminals and Markdown pages.

pub mod decimate;
pub mod emulation;
pub mod encode;
pub mod escape;
pub mod export;
pub mod files;
pub mod messages;
pub mod model;
pub mod page;
pub mod paper;
pub mod picture;
pub mod provenance;
pub mod quantity;
pub mod record;
pub mod scale;
pub mod series;
pub mod shares;
pub mod statistics;
pub mod summary;
pub mod text_table;

pub use files::{File, ReportError};
pub use model::Report;
pub use provenance::Provenance;
