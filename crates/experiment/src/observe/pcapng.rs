//! A capture as pcapng.

use crate::atomic::WriteError;
use crate::background::{Background, Work};
use crate::block_file::BlockFile;
use seamline_capture::{Capture, CaptureOptions, Interface};
use seamline_wire::{Instant, Packet};
use std::io;
use std::path::{Path, PathBuf};

/// A capture being written. Packets are encoded in the background.
#[derive(Debug)]
pub(crate) struct PcapngFile {
    path: PathBuf,
    packets: Background<Capture<BlockFile>>,
    interfaces: Vec<Interface>,
    /// The error if an interface could not be declared; nothing is written then.
    failed: Option<io::Error>,
}

/// A packet as it is captured.
#[derive(Debug)]
pub(crate) struct Captured {
    at: Instant,
    interface: Interface,
    packet: Packet,
    comment: Option<String>,
}

impl Work for Capture<BlockFile> {
    type Item = Captured;
    const NAME: &'static str = "capture";

    fn process(&mut self, Captured { at, interface, packet, comment }: &Captured) -> io::Result<()> {
        self.packet(*interface, *at, packet, comment.as_deref())
    }
}

impl PcapngFile {
    /// Create the file.
    pub(crate) fn create(path: &Path, provenance: &str) -> Result<Self, WriteError> {
        let file = BlockFile::create(path)?;
        let options = CaptureOptions { provenance: provenance.to_owned(), ..CaptureOptions::default() };
        let capture =
            Capture::new(file, &options).map_err(|cause| WriteError { path: path.to_owned(), cause })?;
        let packets = Background::new(capture);
        Ok(PcapngFile { path: path.to_owned(), packets, interfaces: Vec::new(), failed: None })
    }

    /// Declare the next interface.
    pub(super) fn interface(&mut self, name: &str) {
        match self.packets.ready().map(|capture| capture.interface(name)) {
            Some(Ok(interface)) => self.interfaces.push(interface),
            Some(Err(error)) => self.failed = Some(error),
            None => {}
        }
    }

    /// Record a packet.
    pub(super) fn packet(&mut self, at: Instant, interface: u16, packet: &Packet, comment: Option<String>) {
        if self.failed.is_none()
            && let Some(interface) = self.interfaces.get(usize::from(interface)).copied()
        {
            self.packets.push(Captured { at, interface, packet: packet.clone(), comment });
        }
    }

    /// Finish the file.
    pub(super) fn finish(self) -> Result<PathBuf, WriteError> {
        let capture = self.failed.map_or_else(|| self.packets.finish(), Err);
        let capture = capture.map_err(|cause| WriteError { path: self.path, cause })?;
        capture.finish().finish()
    }
}
