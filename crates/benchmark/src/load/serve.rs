//! The server.

use super::socket::listening;
use super::{ENDLESS, PORT};
use seamline_lab::traffic::choose_congestion_control;
use seamline_wire::Duration;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// Bytes given to the kernel at once.
const PIECE: usize = 1 << 16;
/// How long the server waits after an error that passes.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

/// How to serve.
#[derive(Clone, Debug)]
pub struct Serve {
    /// Where to listen; of all addresses of the host, IPv4 and IPv6.
    pub port: u16,
    /// The kernel's congestion control; without a name the host's own.
    pub congestion_control: Option<String>,
    /// The longest retransmission timeout (`TCP_RTO_MAX_MS`, 1 s to 120 s).
    pub longest_retransmission_timeout: Option<Duration>,
    /// Whether clients may use MPTCP (RFC 8684).
    pub is_mptcp: bool,
}

impl Default for Serve {
    fn default() -> Self {
        Serve { port: PORT, congestion_control: None, longest_retransmission_timeout: None, is_mptcp: false }
    }
}

impl Serve {
    /// Begin to listen.
    ///
    /// # Errors
    /// When the port is taken, or the kernel lacks what was asked for.
    pub fn listen(&self) -> io::Result<TcpListener> {
        listening(self)
    }

    /// Answer all clients, for as long as the process lives.
    ///
    /// # Errors
    /// When it cannot listen there.
    pub fn run(&self, listener: &TcpListener) -> io::Result<()> {
        for stream in listener.incoming() {
            match stream.and_then(|stream| self.begin(stream)) {
                Ok(()) => {}
                Err(error) if is_final(&error) => return Err(error),
                Err(_) => {
                    #[expect(
                        clippy::disallowed_methods,
                        reason = "waits for a host that is short of something"
                    )]
                    thread::sleep(PAUSE);
                }
            }
        }
        Ok(())
    }

    fn begin(&self, stream: TcpStream) -> io::Result<()> {
        let congestion_control = self.congestion_control.clone();
        let name = thread::Builder::new().name("connection".to_owned());
        // A client that leaves is no error of the server.
        name.spawn(move || drop(answer(stream, congestion_control.as_deref()))).map(drop)
    }
}

/// Whether an error is the listener's own. Others are those of one connection, or of a host that is short of something: they pass.
fn is_final(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EBADF | libc::EINVAL | libc::ENOTSOCK))
}

/// Answer one connection until its client has had enough.
fn answer(mut stream: TcpStream, congestion_control: Option<&str>) -> io::Result<()> {
    // What the listener has chosen yields to a congestion control of the route, which the lab sets.
    if let Some(name) = congestion_control {
        choose_congestion_control(&stream, name)?;
    }
    stream.set_nodelay(true)?;
    let piece = vec![0; PIECE];
    let mut request = [0; 8];
    loop {
        stream.read_exact(&mut request)?;
        let mut left = u64::from_be_bytes(request);
        while left > 0 {
            let written = stream.write(&piece[..left.min(PIECE as u64) as usize])?;
            if left != ENDLESS {
                left -= written as u64;
            }
        }
    }
}
