//! Where satellites are, and which way packets take.

mod frames;
mod hypatia;
mod leoem;
mod log;
mod policies;
mod sgp4_vectors;
mod shells;
