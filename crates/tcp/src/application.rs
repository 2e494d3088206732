//! What uses a connection.

use seamline_wire::Instant;

/// A source of data with a beginning and an end; it reads whatever arrives at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Application {
    /// When it opens the connection (or begins to listen).
    pub start: Instant,
    /// When it stops supplying data, if ever.
    pub stop: Option<Instant>,
    /// How many bytes it sends; `u64::MAX` is without end.
    pub bytes: u64,
    /// Whether it closes the connection when all is supplied, or when the peer has closed.
    pub closes: bool,
}

impl Application {
    /// A transfer without end, beginning at `start`.
    pub fn endless(start: Instant) -> Self {
        Application { start, stop: None, bytes: u64::MAX, closes: false }
    }
    /// A transfer of `bytes` that closes the connection at its end.
    pub fn transfer(start: Instant, bytes: u64) -> Self {
        Application { start, stop: None, bytes, closes: true }
    }
    /// Only receives; closes when the peer has closed.
    pub fn sink() -> Self {
        Application { start: Instant::ZERO, stop: None, bytes: 0, closes: true }
    }
}
