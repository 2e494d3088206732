//! In place of the eBPF program where it was not built in.

use crate::connections::Key;
use seamline_wire::Instant;
use std::collections::BTreeSet;
use std::io;

/// What there is none of.
#[derive(Debug)]
pub enum Freezer {}

impl Freezer {
    /// Always fails.
    ///
    /// # Errors
    /// That it was not built in.
    pub fn open(_most: usize) -> io::Result<Self> {
        Err(io::Error::other("this seamline was built without the eBPF program that freezes"))
    }

    /// Cannot be called.
    ///
    /// # Errors
    /// None.
    pub fn attach(&mut self, _interface: u32) -> io::Result<()> {
        match *self {}
    }

    /// Cannot be called.
    pub fn detach(&mut self, _interface: u32) {
        match *self {}
    }

    /// Cannot be called.
    pub fn keep(&mut self, _there: &BTreeSet<u32>) {
        match *self {}
    }

    /// Cannot be called.
    ///
    /// # Errors
    /// None.
    pub fn close(&self, _key: &Key, _interface: u32, _until: Instant) -> io::Result<()> {
        match *self {}
    }

    /// Cannot be called.
    ///
    /// # Errors
    /// None.
    pub fn open_window(&self, _key: &Key) -> io::Result<Option<u16>> {
        match *self {}
    }
}
