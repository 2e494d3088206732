//! What a socket is ready for (`poll`), as Linux's `tcp_poll` has it.

use crate::connection::Connection;
use crate::errno::Answer;
use crate::socket::{Kind, Socket};
use crate::world::World;
use libc::{c_int, c_short, pollfd};
use seamline_tcp::State;
use seamline_wire::Instant;

/// Reported whether asked for or not.
const ALWAYS: c_short = libc::POLLERR | libc::POLLHUP | libc::POLLNVAL;

impl World {
    /// Fill in what is ready, and return how many are; [`crate::errno::Errno::AGAIN`] before `deadline` when nothing is.
    pub(crate) fn poll(&mut self, descriptors: &mut [pollfd], deadline: Option<Instant>) -> Answer {
        let mut ready = 0;
        for descriptor in descriptors {
            let events = self.events(descriptor.fd);
            descriptor.revents = events & (descriptor.events | ALWAYS);
            ready += i64::from(descriptor.revents != 0);
        }
        let is_over = deadline.is_some_and(|deadline| self.now >= deadline);
        if ready > 0 || is_over { Ok(ready) } else { Err(crate::errno::Errno::AGAIN) }
    }

    pub(crate) fn events(&mut self, descriptor: c_int) -> c_short {
        let Some(socket) = self.sockets.get(&descriptor) else { return libc::POLLNVAL };
        match &socket.kind {
            Kind::Fresh => libc::POLLOUT | libc::POLLHUP,
            Kind::Deferred(_) => libc::POLLOUT | libc::POLLWRNORM,
            Kind::Listener(queue) => {
                let has_one = queue.iter().any(|&id| self.connections[id].waits_to_be_accepted());
                if has_one { libc::POLLIN | libc::POLLRDNORM } else { 0 }
            }
            Kind::Connected(id) => events_of(&mut self.connections[*id], socket),
            Kind::Poller(_) => 0,
        }
    }
}

fn events_of(connection: &mut Connection, socket: &Socket) -> c_short {
    let readiness = connection.endpoint.readiness();
    let endpoint = &connection.endpoint;
    let is_closed = endpoint.state() == State::Closed;
    let reads_nothing_more = endpoint.peer_has_closed() || connection.shut_read;
    let mut events = 0;
    let mut add = |condition, bits| events |= if condition { bits } else { 0 };
    add(endpoint.readable() > 0 || connection.is_at_end(), libc::POLLIN | libc::POLLRDNORM);
    add(reads_nothing_more, libc::POLLRDHUP);
    add((reads_nothing_more && connection.shut_write) || is_closed, libc::POLLHUP);
    let has_error = connection.error().is_some() && !connection.error_reported;
    add(has_error || !connection.errors.is_empty(), libc::POLLERR);
    // Linux: a third of the buffer must be free.
    let has_room = match endpoint.send_buffer() {
        Some(_) => readiness.writable,
        None => endpoint.buffered() * 3 / 2 < socket.options.send_buffer(),
    };
    let may_write = !connection.is_opening() && (has_room || connection.shut_write);
    add(may_write, libc::POLLOUT | libc::POLLWRNORM);
    events
}
