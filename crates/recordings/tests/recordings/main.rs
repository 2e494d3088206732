//! What is read from recordings, and what becomes of it.

mod data_sets;
mod directions;
mod formats;
mod native;
mod odd_probes;
mod path_log;
mod ping;
mod published;
mod published_formats;
mod recognition;
mod replay;
mod support;
mod tables;
mod together;
mod tools;
