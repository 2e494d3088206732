//! What is advised for a network, and how sure it is.

mod answers;
mod certainty;
mod closed_form;
mod common;
mod mistakes;
mod on_recordings;
mod pictures;
