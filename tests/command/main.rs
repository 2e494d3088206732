//! The command `seamline`: what it does, and what it refuses. All of it is one program, so that tests of different files run side by side.
//! Tests that hold something to a time have programs of their own.

mod advise;
mod bad_input;
mod baseline;
mod basics;
mod compare;
mod convert;
mod demo;
mod explain;
mod formats;
mod init;
mod mistakes;
mod model;
mod new;
mod notes;
mod orbit;
mod pages;
mod paper;
mod parity;
mod recording;
mod report;
mod reproduce;
mod stack;
#[path = "../support/mod.rs"]
mod support;
mod sweep;
mod trial;
