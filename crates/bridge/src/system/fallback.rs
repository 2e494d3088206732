//! Forwarding by the kernel: always of packets with which the agent has nothing to do, so that they take no detour; and of all packets while
//! the agent's thread does not respond, or its process is gone.
//!
//! An eBPF program at each interface reads when the agent's thread last said that it works. If that was too long ago, each packet that
//! comes in goes out at the other interface, in the kernel. Programs and this number outlive the process: whether it is stopped, killed or
//! hangs, packets are forwarded. The next agent at the same interfaces replaces the programs.
//!
//! A frame is forwarded either by the kernel or by the agent: what the program at the interface forwards, another one at the agent's socket keeps
//! from the agent. The kernel runs both when a frame comes in, one right after the other, and they decide by the same number. Only if the agent's
//! thread says in between that it works again, within about a microsecond, neither forwards that frame.

mod flows;
mod programs;
mod words;

use super::port::Port;
use crate::engine::Flow;
use flows::Secret;
use programs::Common;
use seamline_agent::Side;
use seamline_host::bpf::{SharedWords, classifier, filter};
use seamline_host::netlink::classifiers::{attach, detach};
use seamline_host::{Every, Line, explained};
use seamline_wire::{Duration, Instant};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::atomic::Ordering;
use words::{BEATEN, FORWARDED, LEFT_ALONE, NOT_SHOWN, TARGET};

/// The kernel forwards when the agent's thread has said nothing for so long.
const PATIENCE: Duration = Duration::from_millis(40);
/// How often that thread says something at least.
pub(super) const BEAT: Duration = Duration::from_millis(10);

/// How often flows that were left alone are shown to the agent again: there may be room now.
const AGAIN: Duration = Duration::from_secs(10);

/// Where the programs are among the classifiers of an interface (`tc filter show dev NAME ingress`): behind those of other programs, which
/// choose numbers from 49152 on downwards by themselves.
const PREFERENCE: u16 = 0xfff0;
const NAME: &str = "seamline-fallback";

/// Who forwards while the agent does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FallbackBy {
    /// The kernel, by eBPF programs at the interfaces, also when the process is stopped or killed. Where it may not, as [`FallbackBy::Guard`]; the
    /// log says why.
    #[default]
    Kernel,
    /// As [`FallbackBy::Kernel`]; and after an ordinary end, too.
    KernelForGood,
    /// A thread of this process.
    Guard,
}

/// While the agent's thread said nothing, the kernel has forwarded what came in then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stall {
    from: Instant,
    until: Instant,
}

/// The stalls so far.
#[derive(Debug, Default)]
pub(super) struct Stalls {
    newest: Option<Stall>,
    pub(super) count: u64,
    reported: u64,
}

impl Stalls {
    pub(super) fn note(&mut self, stall: Stall) {
        self.count += 1;
        self.newest = Some(stall);
    }
    /// What the log says of those since it was asked last.
    pub(super) fn unreported(&mut self) -> Option<Line> {
        let new = self.count - std::mem::replace(&mut self.reported, self.count);
        let newest = self.newest.filter(|_| new > 0)?;
        let lasted = newest.until.saturating_since(newest.from);
        Some(Line::new("resume").with("stalls", new).with("kernel_forwarded_for_ms", lasted.as_millis()))
    }
}

/// The programs at both interfaces.
#[derive(Debug)]
pub(super) struct Fallback {
    words: SharedWords,
    secret: Secret,
    again: Every,
    /// Some flows were left alone since.
    leaves_alone: bool,
    stays: bool,
}

impl Fallback {
    /// Attach the programs; they forward from [`PATIENCE`] after `now` on. `None` if that is not wanted, or the kernel does not let this
    /// process; then with what the log says of it.
    pub(super) fn begin(
        by: FallbackBy,
        ports: &[Option<Port>; 2],
        now: Instant,
    ) -> (Option<Self>, Option<Line>) {
        if by == FallbackBy::Guard {
            return (None, None);
        }
        match Fallback::try_begin(ports, now, by == FallbackBy::KernelForGood) {
            Ok(fallback) => (Some(fallback), None),
            Err(error) => {
                let why = format!("nothing is forwarded if this process is stopped or killed: {error}");
                (None, Some(Line::warning("warning").with("why", why)))
            }
        }
    }
    fn try_begin(ports: &[Option<Port>; 2], now: Instant, stays: bool) -> io::Result<Self> {
        let words = SharedWords::new(LEFT_ALONE + flows::PLACES)
            .map_err(|error| explained(error, "making a map for eBPF"))?;
        let secret = Secret::new()?;
        let fallback = Fallback { words, secret, again: Every::new(AGAIN), leaves_alone: false, stays };
        fallback.beat(now);
        fallback.attach(ports)?;
        Ok(fallback)
    }

    /// An interface is there, or there again.
    ///
    /// # Errors
    /// When the process may not use eBPF or change interfaces, or the kernel is older than Linux 5.5.
    pub(super) fn attach(&self, ports: &[Option<Port>; 2]) -> io::Result<()> {
        let number = |side: Side| ports[side.index()].as_ref().map_or(0, |port| port.index);
        for side in Side::BOTH {
            let target = self.words.word(TARGET + side.index());
            target.store(number(side.other()).into(), Ordering::Relaxed);
            if let Some(port) = &ports[side.index()] {
                let common =
                    Common { map: self.words.as_fd().as_raw_fd(), medium: port.medium, secret: &self.secret };
                let program = classifier(programs::forwarding(common, side))
                    .map_err(|error| explained(error, "loading an eBPF program"))?;
                // First what keeps them from the agent: in between they are lost, as while the interface was not open.
                filter(port, programs::receiving(common))
                    .map_err(|error| explained(error, "filtering by an eBPF program"))?;
                attach(port.index, PREFERENCE, NAME, program.as_fd())
                    .map_err(|error| explained(error, format_args!("interface {}", port.interface)))?;
            }
        }
        Ok(())
    }

    /// The agent's thread works. Returns since when the kernel has forwarded, if it has.
    pub(super) fn beat(&self, now: Instant) -> Option<Stall> {
        let before = Instant::from_nanos(self.words.word(BEATEN).swap(now.as_nanos(), Ordering::SeqCst));
        let from = before + PATIENCE;
        (before > Instant::ZERO && from < now).then_some(Stall { from, until: now })
    }
    /// The agent leaves these flows alone.
    pub(super) fn leave_alone(&mut self, now: Instant, flows: impl Iterator<Item = Flow>) {
        if self.again.is_due(now) && std::mem::take(&mut self.leaves_alone) {
            flows::forget(&self.words);
        }
        for flow in flows {
            self.leaves_alone = true;
            flows::leave_alone(&self.words, &self.secret, &flow);
        }
    }
    /// Frames that the kernel has forwarded while the agent did not respond.
    pub(super) fn forwarded(&self) -> u64 {
        self.sum(FORWARDED)
    }
    /// Frames that the kernel has forwarded because the agent need not see them.
    pub(super) fn not_shown(&self) -> u64 {
        self.sum(NOT_SHOWN)
    }
    fn sum(&self, first: usize) -> u64 {
        Side::BOTH.iter().map(|side| self.words.word(first + side.index()).load(Ordering::Relaxed)).sum()
    }
    /// Remove the programs, unless they are to stay. Returns what the log says if that fails.
    pub(super) fn end(&self, ports: &[Option<Port>; 2]) -> Option<Line> {
        let ports = ports.iter().flatten().filter(|_| !self.stays);
        let failed = ports.map(|port| detach(port.index, PREFERENCE)).find_map(Result::err);
        failed.map(|error| Line::warning("warning").with("why", format!("removing the fallback: {error}")))
    }
}
