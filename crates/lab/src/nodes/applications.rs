//! What the flows of a scenario do on hosts of the kernel's: bulk transfers with large writes and reads.

use super::{Call, Token};
use crate::kernel_view::KernelView;
use crate::system::{Done, Namespace, Operations, TcpInfo};
use crate::traffic::agenda::{Agenda, Appointment};
use crate::traffic::{SAMPLE_EVERY, allow_open_files, socket};
use nix::sys::socket::{Shutdown, shutdown};
use seamline_wire::{Event, Instant};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

/// Bytes per read. A write has them again and again, as many as it can: an application writes all it has, as the simulator's does, so that
/// no end of a write ends a segment. A larger piece of memory would not do: a guest has a mapping for each page of zeros.
const PIECE: usize = 1 << 20;

/// One connection of a flow.
#[derive(Debug)]
pub(super) struct Plan {
    /// The index of the sender's node.
    pub(super) node: usize,
    /// Of the sender and of the receiver.
    pub(super) namespaces: [Arc<Namespace>; 2],
    pub(super) addresses: [SocketAddr; 2],
    /// `None`: without end.
    pub(super) bytes: Option<u64>,
    pub(super) start: Instant,
    pub(super) stop: Option<Instant>,
    pub(super) congestion_control: String,
    pub(super) view: KernelView,
}

/// All connections of a run.
#[derive(Debug)]
pub(super) struct Applications {
    connections: Vec<Connection>,
    agenda: Agenda,
    sample_at: Instant,
    zeros: Arc<[u8]>,
}

#[derive(Debug)]
struct Connection {
    node: usize,
    sender: Arc<OwnedFd>,
    remote: SocketAddr,
    /// Bytes that are not written yet.
    left: u64,
    state: State,
    listener: TcpListener,
    receiver: Option<Arc<OwnedFd>>,
    view: KernelView,
    last: Option<TcpInfo>,
}

/// Of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Open,
    /// Everything is written; the other end has not closed.
    Closing,
    Over,
}

impl Applications {
    /// Make all sockets, and let the receivers wait for their senders.
    pub(super) fn new(plans: Vec<Plan>, operations: &mut Operations<Token>) -> io::Result<Self> {
        allow_open_files(4 * plans.len() as u64);
        let agenda = Agenda::new(plans.iter().map(|plan| (plan.start, plan.stop)));
        let connections = socket::visiting(|mut visitor| {
            plans.into_iter().map(|plan| Connection::new(plan, &mut visitor)).collect::<io::Result<Vec<_>>>()
        })?;
        for (number, connection) in connections.iter().enumerate() {
            let listener = Arc::new(OwnedFd::from(connection.listener.try_clone()?));
            operations.watch(&listener, Token::Call(number, Call::Accept))?;
        }
        let zeros = Arc::from(vec![0; PIECE]);
        Ok(Applications { connections, agenda, sample_at: Instant::ZERO, zeros })
    }

    /// When something is to be done although no call is over.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        let samples = self.connections.iter().any(Connection::is_alive).then_some(self.sample_at);
        self.agenda.first().into_iter().chain(samples).min()
    }

    /// Begin and end what is due, and report the state of senders.
    pub(super) fn keep_appointments(
        &mut self,
        now: Instant,
        operations: &mut Operations<Token>,
        report: &mut dyn FnMut(usize, &Event),
    ) -> io::Result<()> {
        while let Some((what, number)) = self.agenda.take_due(now) {
            let connection = &mut self.connections[number];
            match what {
                Appointment::Start if connection.state == State::Waiting => {
                    connection.state = State::Open;
                    let token = Token::Call(number, Call::Connect);
                    operations.connect(&connection.sender, connection.remote, token)?;
                }
                Appointment::Start => {}
                Appointment::Stop => connection.stop(number, operations)?,
            }
        }
        if now >= self.sample_at {
            let alive = self.connections.iter_mut().filter(|connection| connection.is_alive());
            alive.for_each(|connection| connection.sample(report));
            self.sample_at = now + SAMPLE_EVERY;
        }
        Ok(())
    }

    /// A call is over.
    pub(super) fn proceed(
        &mut self,
        done: Done<(usize, Call)>,
        operations: &mut Operations<Token>,
        report: &mut dyn FnMut(usize, &Event),
    ) -> io::Result<()> {
        let Done { token: (number, call), result } = done;
        let connection = &mut self.connections[number];
        match (call, result) {
            (Call::Connect, Ok(_)) => connection.write(number, &self.zeros, operations),
            (Call::Write, Ok(count)) => {
                connection.left = connection.left.saturating_sub(count.into());
                connection.write(number, &self.zeros, operations)
            }
            (Call::Accept, Ok(_)) => connection.accept(number, operations),
            (Call::Read, Ok(1..)) => connection.read(number, operations),
            (Call::Read, _) => {
                connection.receiver = None;
                Ok(())
            }
            (Call::Connect | Call::Write | Call::Close, _) => {
                connection.sample(report);
                connection.state = State::Over;
                Ok(())
            }
            (Call::Accept, Err(error)) => Err(error.into()),
        }
    }
}

impl Connection {
    fn new(plan: Plan, visitor: &mut socket::Visitor) -> io::Result<Self> {
        let ([from, to], [local, remote]) = (&plan.namespaces, plan.addresses);
        visitor.go_to(to)?;
        let listener = socket::listening(remote)?;
        visitor.go_to(from)?;
        let sender = Arc::new(socket::unconnected(local, Some(&plan.congestion_control))?);
        Ok(Connection {
            node: plan.node,
            sender,
            remote,
            left: plan.bytes.unwrap_or(u64::MAX),
            state: State::Waiting,
            listener,
            receiver: None,
            view: plan.view,
            last: None,
        })
    }

    fn is_alive(&self) -> bool {
        matches!(self.state, State::Open | State::Closing)
    }

    /// Write the next piece, or nothing more.
    fn write(
        &mut self,
        number: usize,
        zeros: &Arc<[u8]>,
        operations: &mut Operations<Token>,
    ) -> io::Result<()> {
        match (self.state, self.left) {
            (State::Open, 0) => self.close(number, operations),
            (State::Open, left) => {
                operations.send_repeated(&self.sender, zeros, left, Token::Call(number, Call::Write))
            }
            _ => Ok(()),
        }
    }

    /// Supply no more data.
    fn stop(&mut self, number: usize, operations: &mut Operations<Token>) -> io::Result<()> {
        match self.state {
            State::Waiting => self.state = State::Over,
            State::Open => self.close(number, operations)?,
            State::Closing | State::Over => {}
        }
        Ok(())
    }

    fn close(&mut self, number: usize, operations: &mut Operations<Token>) -> io::Result<()> {
        self.state = State::Closing;
        match shutdown(self.sender.as_raw_fd(), Shutdown::Write) {
            Ok(()) => operations.skip(&self.sender, vec![0; 1], Token::Call(number, Call::Close)),
            Err(_) => {
                self.state = State::Over;
                Ok(())
            }
        }
    }

    fn accept(&mut self, number: usize, operations: &mut Operations<Token>) -> io::Result<()> {
        let (stream, _) = self.listener.accept()?;
        self.receiver = Some(Arc::new(stream.into()));
        self.read(number, operations)
    }

    fn read(&mut self, number: usize, operations: &mut Operations<Token>) -> io::Result<()> {
        let Some(receiver) = &self.receiver else { return Ok(()) };
        operations.skip(receiver, vec![0; PIECE], Token::Call(number, Call::Read))
    }

    /// Report the sender's state, unless nothing has changed.
    fn sample(&mut self, report: &mut dyn FnMut(usize, &Event)) {
        let Ok(info) = TcpInfo::of(&*self.sender) else { return };
        if self.last.replace(info) != Some(info) {
            self.view.note(&info, &mut |event| report(self.node, event));
        }
    }
}
