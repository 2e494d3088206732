//! epoll: who waits for what, and for edges of it.

use crate::errno::{Answer, Errno};
use crate::socket::{Kind, Socket};
use crate::world::World;
use libc::{c_int, epoll_event};
use seamline_wire::Instant;

/// Reported whether asked for or not.
const ALWAYS: u32 = (libc::EPOLLERR | libc::EPOLLHUP) as u32;
const EDGE: u32 = libc::EPOLLET as u32;
const ONCE: u32 = libc::EPOLLONESHOT as u32;

/// A descriptor that is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    descriptor: c_int,
    events: u32,
    data: u64,
    /// The edges that were seen.
    seen: u64,
    /// An edge has not been reported.
    is_new: bool,
}

impl World {
    pub(crate) fn epoll_create(&mut self) -> Answer {
        Ok(i64::from(self.add_socket(Socket { kind: Kind::Poller(Vec::new()), ..Socket::new(false) })))
    }

    pub(crate) fn epoll_control(
        &mut self,
        poller: c_int,
        operation: c_int,
        descriptor: c_int,
        event: epoll_event,
    ) -> Answer {
        self.socket(descriptor)?;
        let seen = self.edges(descriptor);
        let items = self.items(poller)?;
        let place = items.iter().position(|item| item.descriptor == descriptor);
        let item = Item { descriptor, events: event.events, data: event.u64, seen, is_new: true };
        match (operation, place) {
            (libc::EPOLL_CTL_ADD, None) => items.push(item),
            (libc::EPOLL_CTL_ADD, Some(_)) => return Err(Errno(libc::EEXIST)),
            (libc::EPOLL_CTL_MOD, Some(place)) => items[place] = item,
            (libc::EPOLL_CTL_DEL, Some(place)) => {
                items.remove(place);
            }
            _ => return Err(Errno(libc::ENOENT)),
        }
        Ok(0)
    }

    /// Fill in what has happened; [`Errno::AGAIN`] before `deadline` when nothing has.
    pub(crate) fn epoll_wait(
        &mut self,
        poller: c_int,
        places: &mut [epoll_event],
        deadline: Option<Instant>,
    ) -> Answer {
        let mut items = self.items(poller)?.clone();
        let mut count = 0;
        for item in &mut items {
            if count == places.len() {
                break;
            }
            if let Some(events) = self.take_event(item) {
                places[count] = epoll_event { events, u64: item.data };
                count += 1;
            }
        }
        *self.items(poller)? = items;
        let is_over = deadline.is_some_and(|deadline| self.now >= deadline);
        if count > 0 || is_over { Ok(count as i64) } else { Err(Errno::AGAIN) }
    }

    fn take_event(&mut self, item: &mut Item) -> Option<u32> {
        let edges = self.edges(item.descriptor);
        item.is_new |= edges != item.seen;
        item.seen = edges;
        let mask = item.events & !(EDGE | ONCE);
        if mask == 0 || (item.events & EDGE != 0 && !item.is_new) {
            return None;
        }
        let events = u32::from(self.events(item.descriptor) as u16) & (mask | ALWAYS);
        item.is_new = false;
        if events != 0 && item.events & ONCE != 0 {
            item.events = 0;
        }
        (events != 0).then_some(events)
    }

    fn items(&mut self, poller: c_int) -> Result<&mut Vec<Item>, Errno> {
        match &mut self.socket(poller)?.kind {
            Kind::Poller(items) => Ok(items),
            _ => Err(Errno::INVALID),
        }
    }

    /// How often something has happened that wakes who waits for it.
    fn edges(&self, descriptor: c_int) -> u64 {
        let Some(socket) = self.sockets.get(&descriptor) else { return 0 };
        match &socket.kind {
            Kind::Connected(id) => {
                let connection = &self.connections[*id];
                let opened = u64::from(!connection.is_opening());
                connection.endpoint.edges() + connection.errors.added + opened
            }
            Kind::Listener(queue) => queue.len() as u64,
            Kind::Fresh | Kind::Deferred(_) | Kind::Poller(_) => 0,
        }
    }
}
