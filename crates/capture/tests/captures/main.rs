//! What is written into captures, and what is read from them.

mod capture;
mod common;
mod messages;
mod messages6;
mod recovery;
