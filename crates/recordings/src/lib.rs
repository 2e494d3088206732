//! Recorded networks: what people have measured of theirs, and what a replay takes from it.
//!
//! A [`Recording`] is the text of a file, plain or gzip. A [`Format`] recognises it by its content and reads it into
//! [`Measured`]: probes with their answers, rates, delays, losses, handovers, and notes of what the file does not contain. Some
//! formats record conditions of a link themselves ([`measured::Conditions`]): mahimahi, delay series, LeoEM and the
//! [`native`] format, which this crate also writes. Errors name the file, the line and the field, what is
//! expected there, and what to do; no input makes a reader panic or ask for more memory than a small multiple of its size.

mod contained;
mod error;
mod file;
pub mod formats;
pub mod measured;
pub mod native;
mod recognise;
pub mod replay;
mod series;
mod summary;

pub use contained::contained;
pub use error::ImportError;
pub use file::{MAXIMUM_BYTES, Recording, open_regular};
pub use formats::{FORMATS, Format};
pub use measured::Measured;
pub use recognise::{Recognised, explain, read_as, read_columns, recognise};
