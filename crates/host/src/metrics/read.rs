//! Reads what a live part publishes, from another process.

use super::Metrics;
use crate::explained;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// For connecting, and for each piece of an answer.
const TIMEOUT: Duration = Duration::from_secs(2);
/// More than any text of a live part, in bytes.
const LONGEST: u64 = 1 << 20;

impl Metrics {
    /// The text that is published there.
    ///
    /// # Errors
    /// When nothing can be read there for 2 s, or something else answers.
    pub fn read(&self) -> io::Result<String> {
        match self {
            Metrics::Http(address) => get(*address)
                .map_err(|error| explained(error, format_args!("reading http://{address}/metrics"))),
            Metrics::File(path) => fs::read_to_string(path)
                .map_err(|error| explained(error, format_args!("reading {}", path.display()))),
        }
    }
}

fn get(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(LONGEST).read_to_string(&mut answer)?;
    let other = || io::Error::new(ErrorKind::InvalidData, "something else answers there");
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(other)?;
    let is_found = head.starts_with("HTTP/1.1 200 ") && head.contains("text/plain; version=0.0.4");
    is_found.then(|| body.to_owned()).ok_or_else(other)
}
