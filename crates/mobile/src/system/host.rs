//! What the agent asks of this host.

use super::diagnosis::Diagnosis;
use super::{Freezer, Raw};
use crate::agent::{Host, Way};
use crate::connections::Key;
use crate::kick::KernelView;
use crate::settings::Settings;
use seamline_wire::Instant;
use std::collections::BTreeSet;
use std::io;

/// The kernel, and how it is asked.
#[derive(Debug)]
pub(super) struct Kernel {
    diagnosis: Diagnosis,
    /// Missing where nothing is to be sent.
    raw: Option<Raw>,
    /// Missing where nothing is to be frozen.
    freezer: Option<Freezer>,
}

impl Kernel {
    /// Open what the settings need; when it `is_dry`, no more than asking takes.
    ///
    /// # Errors
    /// When the process may not.
    pub(super) fn open(settings: &Settings, is_dry: bool) -> io::Result<Self> {
        let freezes = settings.freezes() && !is_dry;
        Ok(Kernel {
            diagnosis: Diagnosis::open()?,
            raw: if is_dry { None } else { Some(Raw::open()?) },
            freezer: if freezes { Some(Freezer::open(settings.connections)?) } else { None },
        })
    }

    /// Only these interfaces are there: that others are gone may have been missed.
    pub(super) fn keep(&mut self, there: &BTreeSet<u32>) {
        if let Some(freezer) = &mut self.freezer {
            freezer.keep(there);
        }
    }

    /// An interface is gone.
    pub(super) fn gone(&mut self, interface: u32) {
        if let Some(freezer) = &mut self.freezer {
            freezer.detach(interface);
        }
    }
}

impl Host for Kernel {
    fn view(&mut self, key: &Key, interface: u32) -> io::Result<Option<KernelView>> {
        self.diagnosis.view(key, interface)
    }

    fn send(&mut self, packet: &[u8], way: Way) -> io::Result<()> {
        self.raw.as_ref().map_or(Ok(()), |raw| raw.send(packet, way))
    }

    fn prepare(&mut self, interface: u32) -> io::Result<()> {
        self.freezer.as_mut().ok_or(io::ErrorKind::Unsupported)?.attach(interface)
    }

    fn close_window(&mut self, key: &Key, interface: u32, until: Instant) -> io::Result<()> {
        let freezer = self.freezer.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        freezer.close(key, interface, until)
    }

    fn open_window(&mut self, key: &Key) -> io::Result<Option<u16>> {
        let freezer = self.freezer.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        freezer.open_window(key)
    }
}
