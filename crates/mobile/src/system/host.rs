//! What the agent asks of this host.

#[cfg(feature = "ebpf")]
use super::Freezer;
use super::Raw;
use super::diagnosis::Diagnosis;
use crate::agent::{Host, Way};
use crate::connections::Key;
use crate::kick::KernelView;
use crate::settings::Settings;
#[cfg(feature = "ebpf")]
use seamline_wire::Instant;
use std::io;

/// The kernel, and how it is asked.
#[derive(Debug)]
pub(super) struct Kernel {
    diagnosis: Diagnosis,
    /// Missing where nothing is to be sent.
    raw: Option<Raw>,
    /// Missing where nothing is to be frozen.
    #[cfg(feature = "ebpf")]
    freezer: Option<Freezer>,
}

impl Kernel {
    /// Open what the settings need; when it `is_dry`, no more than asking takes.
    ///
    /// # Errors
    /// When the process may not.
    #[cfg_attr(not(feature = "ebpf"), expect(unused_variables, reason = "nothing can be frozen"))]
    pub(super) fn open(settings: &Settings, is_dry: bool) -> io::Result<Self> {
        Ok(Kernel {
            diagnosis: Diagnosis::open()?,
            raw: (!is_dry).then(Raw::open).transpose()?,
            #[cfg(feature = "ebpf")]
            freezer: (settings.freezes() && !is_dry)
                .then(|| Freezer::open(settings.connections))
                .transpose()?,
        })
    }

    /// Detach from all other interfaces: these are gone.
    #[cfg_attr(not(feature = "ebpf"), expect(unused_variables, reason = "nothing is attached"))]
    pub(super) fn keep(&mut self, is_there: impl Fn(u32) -> bool) {
        #[cfg(feature = "ebpf")]
        if let Some(freezer) = &mut self.freezer {
            freezer.keep(is_there);
        }
    }
}

#[cfg(feature = "ebpf")]
impl Kernel {
    fn freezer(&mut self) -> io::Result<&mut Freezer> {
        Ok(self.freezer.as_mut().ok_or(io::ErrorKind::Unsupported)?)
    }
}

impl Host for Kernel {
    fn view(&mut self, key: &Key, interface: u32) -> io::Result<Option<KernelView>> {
        self.diagnosis.view(key, interface)
    }

    fn send(&mut self, packet: &[u8], way: Way) -> io::Result<()> {
        self.raw.as_ref().map_or(Ok(()), |raw| raw.send(packet, way))
    }

    #[cfg(feature = "ebpf")]
    fn prepare(&mut self, interface: u32) -> io::Result<()> {
        self.freezer()?.attach(interface)
    }

    #[cfg(feature = "ebpf")]
    fn close_window(&mut self, key: &Key, interface: u32, until: Instant) -> io::Result<()> {
        self.freezer()?.close(key, interface, until)
    }

    #[cfg(feature = "ebpf")]
    fn open_window(&mut self, key: &Key) -> io::Result<Option<u16>> {
        self.freezer()?.open_window(key)
    }
}
