//! Records in, pictures, pages and tables out.
//!
//! This crate knows no simulator and measures nothing: it gets plain data ([`Report`], [`series::RunSeries`],
//! [`paper::PaperReport`]) and gives back text and bytes. Whoever calls it writes the files.
//!
//! - [`page`]: one self-contained HTML file, readable without a network.
//! - [`picture`]: standalone SVG files for papers and slides.
//! - [`export`]: the same numbers as CSV, JSON and Parquet.
//!
//! The same data gives the same bytes.

pub mod columns;
pub mod decimate;
pub mod encode;
pub mod escape;
pub mod export;
pub mod files;
pub mod model;
pub mod page;
pub mod paper;
pub mod picture;
pub mod quantity;
pub mod scale;
pub mod series;

pub use files::{File, ReportError};
pub use model::Report;
