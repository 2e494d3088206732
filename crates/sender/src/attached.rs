//! The programs at work.

use crate::counters::Counters;
use crate::destinations::Destinations;
use crate::event::Event;
use crate::load::{self, CONTROL, Loaded, MARKS, MOST_SENDERS, Off, Part, RESEND, Setup, load};
use crate::prefix::Prefix;
use libbpf_rs::{ErrorKind, Link, MapCore, Object, RingBuffer, RingBufferBuilder};
use seamline_ebpf::{attach_tcx, listen, reason};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// Why the programs are not at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// What was asked for does not exist.
    Input(String),
    /// The kernel refuses.
    Host(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Error::Input(text) | Error::Host(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for Error {}

/// Where the programs are attached.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The folder of the cgroup (version 2) whose connections are helped.
    pub cgroup: PathBuf,
    /// The interfaces at which marked acknowledgments come in. Without any, the kernel is not asked to send at once.
    pub interfaces: Vec<String>,
    /// Where the peers are whose connections are helped. Without any, wherever they are.
    pub destinations: Vec<Prefix>,
    /// Whether losses that are reported as the air's cost no window. An acknowledgment that claims so is trusted.
    pub acts_on_losses: bool,
}

/// The programs at work. They end with this value, and with the process, however it ends: the kernel removes what only its
/// descriptors held. Connections that have the congestion control keep it until they close.
#[derive(Debug)]
pub struct Attached {
    ring: RingBuffer<'static>,
    heard: Receiver<Event>,
    /// Which parts do not work here.
    pub off: Vec<Off>,
    _links: Vec<Link>,
    object: Object,
}

impl Attached {
    /// Load the programs and attach them.
    ///
    /// # Errors
    /// When a place does not exist, or nothing of it works.
    pub fn new(places: &Places) -> Result<Self, Error> {
        let cgroup = File::open(&places.cgroup)
            .map_err(|error| Error::Input(format!("cgroup {}: {error}", places.cgroup.display())))?;
        // A set: one that is named twice, or by two of its names, is taken once.
        let interfaces: BTreeSet<u32> =
            places.interfaces.iter().map(|name| interface(name)).collect::<Result<_, _>>()?;
        let wanted: &[Part] =
            if interfaces.is_empty() { &[Part::Window] } else { &[Part::Window, Part::Retransmission] };
        let setup = Setup {
            destinations: Destinations::new(&places.destinations),
            acts_on_losses: places.acts_on_losses,
        };
        let there = congestion_controls();
        // Another sender may take a name meanwhile.
        let free = |name: String| attach(wanted, &name, &setup, &interfaces).transpose();
        let attached = load::names()
            .filter(|name| !there.contains(name))
            .find_map(free)
            .ok_or_else(|| Error::Host(taken()))??;
        let (Loaded { object, off }, mut links) = attached;
        links.push(attach_marks(&object, &cgroup, &places.cgroup)?);
        let (ring, heard) = listen_to(&object).map_err(|error| Error::Host(error.to_string()))?;
        Ok(Attached { ring, heard, off, _links: links, object })
    }

    /// Wait for something to happen, at most for so long; all that has happened.
    ///
    /// # Errors
    /// When the kernel does not report it.
    pub fn wait(&self, at_most: Duration) -> Result<Vec<Event>, Error> {
        match self.ring.poll(at_most) {
            Err(error) if error.kind() != ErrorKind::Interrupted => Err(Error::Host(error.to_string())),
            _ => Ok(self.heard.try_iter().collect()),
        }
    }

    /// What has been counted since the beginning.
    ///
    /// # Errors
    /// When the kernel does not report it.
    pub fn counters(&self) -> Result<Counters, Error> {
        let map = self.object.maps().find(|map| map.name() == "counters");
        let map = map.ok_or_else(|| Error::Host("the programs have no counters".to_owned()))?;
        Counters::read(&map).map_err(|error| Error::Host(error.to_string()))
    }
}

/// The names of all congestion controls that are there; none, where the kernel does not report them.
fn congestion_controls() -> Vec<String> {
    let names = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    names.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

fn taken() -> String {
    format!(
        "{MOST_SENDERS} seamline senders run on this host, and no more can\n\
         tip: one is enough for several cgroups below each other; end another one first"
    )
}

/// Load and attach the programs but for the one that finds marks; nothing, if the name of the congestion control is taken.
fn attach(
    wanted: &[Part],
    name: &str,
    setup: &Setup,
    interfaces: &BTreeSet<u32>,
) -> Result<Option<(Loaded, Vec<Link>)>, Error> {
    let Loaded { mut object, mut off } = load(wanted, name, setup)?;
    let mut links = Vec::new();
    for part in wanted {
        if off.iter().any(|off| off.part == *part) {
            continue;
        }
        match attach_part(*part, &mut object, interfaces) {
            Ok(attached) => links.extend(attached),
            Err(Failed::Taken) => return Ok(None),
            Err(Failed::Because(why)) => off.push(Off { part: *part, why }),
        }
    }
    if links.is_empty() {
        let why: Vec<String> = off.iter().map(Off::to_string).collect();
        return Err(Error::Host(why.join("; ")));
    }
    Ok(Some((Loaded { object, off }, links)))
}

/// Why a part could not be attached.
enum Failed {
    /// Another sender has its name.
    Taken,
    Because(String),
}

fn interface(name: &str) -> Result<u32, Error> {
    nix::net::if_::if_nametoindex(name).map_err(|_| {
        Error::Input(format!(
            "no interface {name:?} here\ntip: ip link shows those of this network namespace"
        ))
    })
}

fn attach_part(part: Part, object: &mut Object, interfaces: &BTreeSet<u32>) -> Result<Vec<Link>, Failed> {
    let (outcome, messages) = listen(|| match part {
        Part::Window => {
            let missing = || libbpf_rs::Error::from(std::io::Error::other("no congestion control"));
            let mut control = object.maps_mut().find(|map| map.name() == CONTROL).ok_or_else(missing)?;
            Ok(vec![control.attach_struct_ops()?])
        }
        Part::Retransmission => {
            let program = program(object, RESEND)?;
            interfaces.iter().map(|interface| attach_tcx(&program, *interface)).collect()
        }
    });
    outcome.map_err(|error: libbpf_rs::Error| match error.kind() {
        ErrorKind::AlreadyExists if part == Part::Window => Failed::Taken,
        _ => Failed::Because(reason(&error, &messages)),
    })
}

fn attach_marks(object: &Object, cgroup: &File, path: &std::path::Path) -> Result<Link, Error> {
    let (outcome, _) = listen(|| program(object, MARKS)?.attach_cgroup(cgroup.as_raw_fd()));
    outcome.map_err(|error: libbpf_rs::Error| {
        Error::Input(format!(
            "nothing can be attached to {}: {error}\n\
             tip: name a directory below the mount of cgroup2 (grep cgroup2 /proc/mounts)",
            path.display()
        ))
    })
}

fn program<'a>(object: &'a Object, name: &str) -> libbpf_rs::Result<libbpf_rs::ProgramMut<'a>> {
    let found = object.progs_mut().find(|program| program.name() == OsStr::new(name));
    found.ok_or_else(|| std::io::Error::other(format!("no program {name}")).into())
}

fn listen_to(object: &Object) -> libbpf_rs::Result<(RingBuffer<'static>, Receiver<Event>)> {
    let (sender, heard) = mpsc::channel();
    let missing = || libbpf_rs::Error::from(std::io::Error::other("the programs have no events"));
    let map = object.maps().find(|map| map.name() == "events").ok_or_else(missing)?;
    let mut builder = RingBufferBuilder::new();
    builder.add(&map, move |bytes| {
        // There is no receiver while this value is being dropped.
        let _ = Event::read(bytes).map(|event| sender.send(event));
        0
    })?;
    Ok((builder.build()?, heard))
}
