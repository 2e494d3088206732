//! Queue disciplines: each against the rules of its source, and all against what every discipline promises.

mod drive;
mod fairness;
mod limits;
mod marks;
mod overload;
mod properties;
