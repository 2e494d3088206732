//! Accepts connections from the agents of other base stations.

use super::{Asker, HandOver, TIMEOUT};
use crate::handed::{BEGINNING, Handed, MOST_BYTES, TakenIn};
use crate::system::log::{CHECK, LogSender, WARN};
use crate::system::timed_stream::TimedStream;
use crate::system::worker::Shared;
use nix::poll::PollFlags;
use seamline_host::socket::wait;
use seamline_host::{Every, Line, clock, explained};
use seamline_wire::Instant;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};

/// The thread that accepts hand-overs, one after another.
#[derive(Debug)]
pub(in crate::system) struct Incoming {
    listener: Option<TcpListener>,
    from: Vec<IpAddr>,
    asker: Asker,
}

impl Incoming {
    /// # Errors
    /// If the address cannot be bound.
    pub(in crate::system) fn open(settings: &HandOver, asker: Asker) -> io::Result<Self> {
        let listen = |address: SocketAddr| {
            let listener = TcpListener::bind(address)
                .map_err(|error| explained(error, format_args!("listening at {address}")))?;
            listener.set_nonblocking(true).map(|()| listener)
        };
        let from = settings.from.iter().map(IpAddr::to_canonical).collect();
        Ok(Incoming { listener: settings.at.map(listen).transpose()?, from, asker })
    }

    /// Run until stopped.
    pub(in crate::system) fn run(&self, shared: &Shared, log: &LogSender) {
        let Some(listener) = &self.listener else { return };
        let mut warning = Every::new(WARN);
        while !shared.stop.load(Ordering::Relaxed) {
            wait(listener, PollFlags::POLLIN, CHECK);
            let Ok((stream, from)) = listener.accept() else { continue };
            let now = clock::monotonic();
            let line = match self.take_in(stream, from.ip(), now + TIMEOUT, &shared.stop) {
                Ok(TakenIn { connections, packets }) => {
                    Line::new("taken-in").with("connections", connections).with("packets", packets)
                }
                Err(error) => {
                    shared.hand_overs_refused.fetch_add(1, Ordering::Relaxed);
                    if !warning.is_due(now) {
                        continue;
                    }
                    Line::warning("hand-over-refused").with("why", error.to_string())
                }
            };
            log.send(line.shown("from", from));
        }
    }

    /// Records that were complete before an error stay accepted.
    fn take_in(
        &self,
        stream: TcpStream,
        from: IpAddr,
        until: Instant,
        stop: &AtomicBool,
    ) -> io::Result<TakenIn> {
        if !self.from.contains(&from.to_canonical()) {
            return Err(io::Error::other("the sender is not listed in --hand-over-from"));
        }
        let mut stream = TimedStream::new(stream, until, stop)?;
        let mut beginning = [0; BEGINNING.len()];
        stream.read_exact(&mut beginning)?;
        if beginning != BEGINNING {
            return Err(malformed());
        }
        let mut all = TakenIn::default();
        while let Some(handed) = next(&mut stream)? {
            let taken = self.asker.take_in(handed, stream.until)?;
            all.connections += taken.connections;
            all.packets = all.packets.saturating_add(taken.packets);
        }
        stream.write_all(&all.encode())?;
        Ok(all)
    }
}

/// `None` at the end of all.
fn next(stream: &mut TimedStream<'_>) -> io::Result<Option<Handed>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length) as usize;
    if length == 0 {
        return Ok(None);
    }
    if length > MOST_BYTES {
        return Err(malformed());
    }
    let mut record = vec![0; length];
    stream.read_exact(&mut record)?;
    Handed::decode(&record).map(Some).map_err(|_| malformed())
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "malformed hand-over")
}
