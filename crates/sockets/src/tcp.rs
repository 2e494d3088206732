//! Connections of programs.

use crate::core::{ListenerId, Ready, SocketId};
use crate::network::Network;
use std::io;

/// A connection. It is closed when this is dropped: what was written still goes to the other end.
#[derive(Debug)]
pub struct TcpStream {
    network: Network,
    id: SocketId,
}

impl TcpStream {
    pub(crate) fn new(network: Network, id: SocketId) -> Self {
        TcpStream { network, id }
    }

    /// Read what has arrived, at least a byte, as much as fits. 0 bytes: the other end writes no more.
    ///
    /// # Errors
    /// Why the connection ended.
    pub async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.network.retry(Ready::Socket(self.id), || self.try_read(buffer)).await
    }
    /// Read until the buffer is full.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] when the other end writes no more, and why the connection ended.
    pub async fn read_exact(&self, buffer: &mut [u8]) -> io::Result<()> {
        let mut rest = buffer;
        while !rest.is_empty() {
            match self.read(rest).await? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => rest = &mut rest[count..],
            }
        }
        Ok(())
    }
    /// Read everything until the other end writes no more.
    ///
    /// # Errors
    /// Why the connection ended.
    pub async fn read_to_end(&self) -> io::Result<Vec<u8>> {
        let (mut all, mut buffer) = (Vec::new(), vec![0; 65_536]);
        loop {
            match self.read(&mut buffer).await? {
                0 => return Ok(all),
                count => all.extend_from_slice(&buffer[..count]),
            }
        }
    }
    /// Write as many bytes as there is room for, at least one.
    ///
    /// # Errors
    /// [`io::ErrorKind::BrokenPipe`] after [`TcpStream::shutdown`], and why the connection ended.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.network.retry(Ready::Socket(self.id), || self.try_write(bytes)).await
    }
    /// Write all of it.
    ///
    /// # Errors
    /// As [`TcpStream::write`].
    pub async fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = self.write(rest).await?;
            rest = &rest[count..];
        }
        Ok(())
    }

    /// Read without waiting.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] while nothing is there, and why the connection ended.
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.network.core(|core| core.receive(self.id, buffer))
    }
    /// Write without waiting.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] while there is no room, and as [`TcpStream::write`].
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.network.core(|core| core.send(self.id, bytes))
    }
    /// Write no more; the other end learns of it after everything that was written. Reading goes on.
    pub fn shutdown(&self) {
        self.network.core(|core| core.shutdown(self.id));
    }
    /// Reset the connection.
    pub fn abort(self) {
        self.network.core(|core| core.abort(self.id));
    }

    /// Node and port of this end.
    ///
    /// # Errors
    /// When the connection is over.
    pub fn local(&self) -> io::Result<(String, u16)> {
        self.network.core(|core| core.ends(self.id)).map(|[local, _]| local)
    }
    /// Node and port of the other end.
    ///
    /// # Errors
    /// When the connection is over.
    pub fn remote(&self) -> io::Result<(String, u16)> {
        self.network.core(|core| core.ends(self.id)).map(|[_, remote]| remote)
    }
}

impl Drop for TcpStream {
    fn drop(&mut self) {
        self.network.core(|core| core.close(self.id));
    }
}

/// Waits for connections at a port. Dropped, it listens no more, and resets connections that nobody has accepted.
#[derive(Debug)]
pub struct TcpListener {
    network: Network,
    id: ListenerId,
}

impl TcpListener {
    pub(crate) fn new(network: Network, id: ListenerId) -> Self {
        TcpListener { network, id }
    }

    /// The next connection.
    ///
    /// # Errors
    /// Never; as those of systems.
    pub async fn accept(&self) -> io::Result<TcpStream> {
        self.network.retry(Ready::Listener(self.id), || self.try_accept()).await
    }
    /// The next connection, without waiting.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] while there is none.
    pub fn try_accept(&self) -> io::Result<TcpStream> {
        let id = self.network.core(|core| core.accept(self.id)).ok_or(io::ErrorKind::WouldBlock)?;
        Ok(TcpStream::new(self.network.clone(), id))
    }
}

impl Drop for TcpListener {
    fn drop(&mut self) {
        self.network.core(|core| core.close_listener(self.id));
    }
}
