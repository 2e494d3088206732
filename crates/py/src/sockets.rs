//! Sockets over simulated TCP: the native side of `seamline.Network`. No call waits; time passes in [`SocketCore::advance`] alone.

use crate::errors::invalid;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use seamline_sockets::{Core, Error, ListenerId, Options, Ready, SocketId};
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A socket or a listening socket.
#[pyclass(frozen, eq, hash, module = "seamline._seamline")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct SocketHandle(Ready);

impl SocketHandle {
    fn socket(&self) -> PyResult<SocketId> {
        match self.0 {
            Ready::Socket(id) => Ok(id),
            Ready::Listener(_) => Err(PyTypeError::new_err("a listening socket has no connection")),
        }
    }
    fn listener(&self) -> PyResult<ListenerId> {
        match self.0 {
            Ready::Listener(id) => Ok(id),
            Ready::Socket(_) => Err(PyTypeError::new_err("the socket does not listen")),
        }
    }
}

/// Profile, variant and handover scheme; `None` is the default.
type Tcp = (Option<String>, Option<String>, Option<String>);

fn options((profile, variant, handover): Tcp) -> Options {
    let options = profile.iter().fold(Options::new(), |options, name| options.profile(name));
    let options = variant.iter().fold(options, |options, name| options.variant(name));
    handover.iter().fold(options, |options, name| options.handover(name))
}

fn refused(py: Python<'_>, error: Error) -> PyErr {
    match error {
        Error::Scenario(diagnostics) => invalid(py, &diagnostics),
        Error::PortInUse(_) => PyOSError::new_err(error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// `None` for what would block.
fn now_or_never<T>(result: io::Result<T>) -> PyResult<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        done => Ok(Some(done?)),
    }
}

/// A network and its sockets.
#[pyclass(frozen, module = "seamline._seamline")]
pub(crate) struct SocketCore(Mutex<Core>);

impl SocketCore {
    fn get(&self) -> MutexGuard<'_, Core> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl SocketCore {
    /// The network of a scenario's text with settings. `name` is its file in messages.
    #[new]
    fn new(py: Python<'_>, name: String, text: &str, settings: Vec<String>) -> PyResult<Self> {
        let core = Core::new(Path::new(&name), text, &settings).map_err(|error| refused(py, error))?;
        Ok(SocketCore(Mutex::new(core)))
    }

    /// Nanoseconds since the start.
    #[getter]
    fn now(&self) -> u64 {
        self.get().now().as_nanos() as u64
    }
    /// The length of the scenario in nanoseconds.
    #[getter]
    fn duration(&self) -> u64 {
        self.get().duration().as_nanos() as u64
    }
    /// The names of the nodes.
    #[getter]
    fn nodes(&self) -> Vec<String> {
        self.get().nodes().to_vec()
    }

    /// Listen at a port of a node.
    fn listen(&self, py: Python<'_>, node: &str, port: u16, tcp: Tcp) -> PyResult<SocketHandle> {
        let id = self.get().listen(node, port, &options(tcp)).map_err(|error| refused(py, error))?;
        Ok(SocketHandle(Ready::Listener(id)))
    }
    /// Begin to connect a node to a port of another one.
    fn connect(
        &self,
        py: Python<'_>,
        node: &str,
        remote: &str,
        port: u16,
        tcp: Tcp,
    ) -> PyResult<SocketHandle> {
        let id =
            self.get().connect(node, (remote, port), &options(tcp)).map_err(|error| refused(py, error))?;
        Ok(SocketHandle(Ready::Socket(id)))
    }
    /// A connection that waits to be accepted, if there is one.
    fn accept(&self, listener: &SocketHandle) -> PyResult<Option<SocketHandle>> {
        let id = self.get().accept(listener.listener()?);
        Ok(id.map(|id| SocketHandle(Ready::Socket(id))))
    }
    /// Whether the handshake is over.
    fn connected(&self, socket: &SocketHandle) -> PyResult<bool> {
        Ok(now_or_never(self.get().connected(socket.socket()?))?.is_some())
    }
    /// Send: how many bytes TCP has taken; `None` when there is no room.
    fn send(&self, socket: &SocketHandle, data: &[u8]) -> PyResult<Option<usize>> {
        now_or_never(self.get().send(socket.socket()?, data))
    }
    /// Receive at most so many bytes; none at the end of the stream, `None` while nothing is there.
    fn receive<'py>(
        &self,
        py: Python<'py>,
        socket: &SocketHandle,
        most: usize,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let id = socket.socket()?;
        let mut core = self.get();
        let mut buffer = vec![0; most.min(core.readable(id).max(1))];
        let count = now_or_never(core.receive(id, &mut buffer))?;
        Ok(count.map(|count| PyBytes::new(py, &buffer[..count])))
    }
    /// Send no more.
    fn shutdown(&self, socket: &SocketHandle) -> PyResult<()> {
        self.get().shutdown(socket.socket()?);
        Ok(())
    }
    /// Close a socket, or listen no more.
    fn close(&self, handle: &SocketHandle) {
        match handle.0 {
            Ready::Socket(id) => self.get().close(id),
            Ready::Listener(id) => self.get().close_listener(id),
        }
    }
    /// Reset a connection.
    fn abort(&self, socket: &SocketHandle) -> PyResult<()> {
        self.get().abort(socket.socket()?);
        Ok(())
    }
    /// This end and the other one, each as node and port.
    fn ends(&self, socket: &SocketHandle) -> PyResult<[(String, u16); 2]> {
        Ok(self.get().ends(socket.socket()?)?)
    }

    /// Let time pass until something has happened at sockets, which are returned, or until `until` nanoseconds since the start.
    fn advance(&self, py: Python<'_>, until: u64) -> Vec<SocketHandle> {
        py.detach(|| {
            let mut core = self.get();
            core.advance(Duration::from_nanos(until));
            core.take_ready().into_iter().map(SocketHandle).collect()
        })
    }
    /// Whether something will happen if no program does anything.
    fn is_busy(&self) -> bool {
        self.get().is_busy()
    }
}
