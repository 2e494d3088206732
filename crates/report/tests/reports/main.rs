//! What reports, pictures and exported tables show.

mod browser;
mod common;
mod decimation;
mod export;
mod many_series;
mod messages;
mod page;
mod paper;
mod pictures;
mod scales;
mod statistics;
mod svg_shapes;
mod topology;
