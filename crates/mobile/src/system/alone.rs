//! One daemon that helps in each network namespace: two would both repeat, freeze and thaw the same.

use std::io::{self, ErrorKind};
use std::net::Shutdown;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// A name that only one has. It is free again with this value and with the process, however it ends.
#[derive(Debug)]
pub(super) struct Alone {
    _named: UnixDatagram,
}

impl Alone {
    /// Take the name. An address without a path belongs to the network namespace (unix(7)).
    pub(super) fn take() -> io::Result<Self> {
        let address = SocketAddr::from_abstract_name("seamline-mobile")?;
        let named = UnixDatagram::bind_addr(&address).map_err(|error| match error.kind() {
            ErrorKind::AddrInUse => {
                let text = "another daemon helps the connections of this network namespace already";
                io::Error::new(ErrorKind::ResourceBusy, text)
            }
            _ => error,
        })?;
        // Nothing is read there.
        named.shutdown(Shutdown::Read)?;
        Ok(Alone { _named: named })
    }
}
