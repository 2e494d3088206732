//! What a frozen sender sent before it heard of the closed window arrives until the link is lost, and is acknowledged before that.
//!
//! A kernel that has one segment to acknowledge waits 40 ms and more for a second (RFC 9293 section 3.8.6.3). If the link is lost meanwhile,
//! the sender's timer runs out, again and again, and all that the freeze was for is lost: its slow-start threshold ends at two segments.

use super::help::{line, warning, way};
use super::{Agent, Host};
use crate::connections::Key;
use crate::craft;
use crate::kick::KernelView;
use seamline_wire::{Duration, Instant};
use std::io;

/// So often the kernel is asked what has arrived at a connection between its freeze and the loss. Each time that nothing was waiting for its
/// acknowledgment shows which sequence number stands for how many bytes.
const LOOKS: u32 = 16;
/// As many are asked about by one look at the clock; there is always other news to be read in between.
const AT_ONCE: usize = 64;

/// What is on its way to one frozen connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arriving {
    pub(super) look_at: Instant,
    every: Duration,
    /// When all of it should be there, by the round trip as it was: from then on nothing waits for more to be acknowledged.
    all_at: Instant,
    lost_at: Instant,
}

impl Arriving {
    /// Frozen, with all there so long before the loss.
    pub(super) fn new(now: Instant, lost_at: Instant, margin: Duration) -> Self {
        let every = lost_at.saturating_since(now) / u64::from(LOOKS);
        Arriving { look_at: now + every, every, all_at: lost_at - margin, lost_at }
    }

    /// The next look; `None` where that would be after the loss.
    fn next(self, now: Instant) -> Option<Self> {
        let look_at = now + self.every;
        (look_at < self.lost_at).then_some(Arriving { look_at, ..self })
    }
}

impl Agent {
    /// Look what has arrived at connections that are frozen, and acknowledge it where nothing more should come.
    pub(super) fn acknowledge_arrivals(&mut self, now: Instant, host: &mut dyn Host) {
        let is_due = |(_, arriving): &(&Key, &Arriving)| arriving.look_at <= now;
        let due = self.freezing.arriving.iter().filter(is_due).map(|(key, arriving)| (*key, *arriving));
        let mut due: Vec<(Key, Arriving)> = due.collect();
        // Where there are so many that all are always due, each still has its turn.
        due.sort_by_key(|(_, arriving)| arriving.look_at);
        due.truncate(AT_ONCE);
        for (key, arriving) in due {
            match arriving.next(now) {
                Some(next) => self.freezing.arriving.insert(key, next),
                None => self.freezing.arriving.remove(&key),
            };
            if let Err(error) = self.acknowledge_arrival(now, &key, &arriving, host) {
                self.counters.failures += 1;
                self.log.push(warning("catch-up-failed", &key).shown("error", error));
            }
        }
    }

    fn acknowledge_arrival(
        &mut self,
        now: Instant,
        key: &Key,
        arriving: &Arriving,
        host: &mut dyn Host,
    ) -> io::Result<()> {
        let interface = self.connections.all.get(key).map(|connection| connection.interface);
        let Some(interface) = interface else { return Ok(()) };
        let Some(view) = host.view(key, interface)?.filter(KernelView::is_synchronized) else {
            return Ok(());
        };
        let Some(connection) = self.connections.all.get_mut(key) else { return Ok(()) };
        if now < arriving.all_at {
            connection.learn_origin(view.received);
            return Ok(());
        }
        let Some(caught_up) = connection.caught_up(now, view.received) else { return Ok(()) };
        let packet = craft::acknowledgment(&caught_up, None).map_err(io::Error::other)?;
        host.send(&packet, way(key, &caught_up, &view))?;
        *connection = caught_up;
        self.counters.caught_up += 1;
        self.log.push(
            line("catch-up", key)
                .with("left_ms", arriving.lost_at.saturating_since(now).as_millis_f64())
                .with("acknowledgment", caught_up.last.segment.acknowledgment.0),
        );
        Ok(())
    }
}
