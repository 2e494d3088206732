//! Loading the programs, as many of them as the kernel takes.

use crate::attached::Error;
use crate::destinations::{self, Destinations};
use crate::host;
use libbpf_rs::{Object, ObjectBuilder, OpenMapMut};
use seamline_ebpf::{Aligned, listen, reason};
use std::fmt;

static PROGRAMS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/sender.bpf.o")));

pub(crate) const MARKS: &str = "seamline_marks";
pub(crate) const RESEND: &str = "seamline_resend";
pub(crate) const CONTROL: &str = "seamline_cubic";

/// The map of the congestion control's name, as the other programs know it (`bpf/marks.h`).
const NAME: &str = ".rodata.name";

/// So many senders run on a host at most: the name of each congestion control is its own in the whole kernel.
pub(crate) const MOST_SENDERS: usize = 9;

/// The map of whether lists of losses count (`bpf/losses.h`).
const LOSSES: &str = ".rodata.losses";

/// What the programs are loaded with, besides their name.
pub(crate) struct Setup {
    pub(crate) destinations: Destinations,
    pub(crate) acts_on_losses: bool,
}

/// One of the two things that are done about a mark. Each goes without the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Going back to the window from before the timeout: a congestion control (struct_ops).
    Window,
    /// Having the first missing segment sent at once: a program at an interface (TCX).
    Retransmission,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Window => "restoring the window",
            Part::Retransmission => "sending again at once",
        })
    }
}

/// A part that does not work here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Off {
    /// Which.
    pub part: Part,
    /// Why not.
    pub why: String,
}

impl fmt::Display for Off {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is off: {}", self.part, self.why)
    }
}

/// The programs in the kernel, attached to nothing.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) object: Object,
    pub(crate) off: Vec<Off>,
}

/// The names that the congestion control of a sender may have, of at most 15 bytes: `seamline_cubic`, `seamline_cubic2` and so on.
pub(crate) fn names() -> impl Iterator<Item = String> {
    let further = (2..=MOST_SENDERS).map(|number| format!("{CONTROL}{number}"));
    std::iter::once(CONTROL.to_owned()).chain(further)
}

/// Load the programs for some parts, or for those of them that the kernel takes, with a name for the congestion control.
///
/// # Errors
/// When it takes none.
pub(crate) fn load(parts: &[Part], name: &str, setup: &Setup) -> Result<Loaded, Error> {
    let why = match load_exactly(parts, name, setup) {
        Ok(object) => return Ok(Loaded { object, off: Vec::new() }),
        Err(why) => why,
    };
    if parts.len() < 2 {
        return Err(Error::Host(why));
    }
    let alone = |part: &Part| (*part, load_exactly(&[*part], name, setup));
    let alone: Vec<_> = parts.iter().map(alone).collect();
    let works = alone.iter().position(|(_, loaded)| loaded.is_ok()).ok_or(Error::Host(why))?;
    let mut off = Vec::new();
    let mut object = None;
    for (number, (part, loaded)) in alone.into_iter().enumerate() {
        match loaded {
            Ok(loaded) if number == works => object = Some(loaded),
            Ok(_) => {
                off.push(Off { part, why: "the kernel takes it only without the other part".to_owned() })
            }
            Err(why) => off.push(Off { part, why }),
        }
    }
    object.map(|object| Loaded { object, off }).ok_or_else(|| Error::Host("nothing can be loaded".to_owned()))
}

/// All that the verifier has to look at.
fn everything() -> Setup {
    Setup { destinations: Destinations::new(&[]), acts_on_losses: true }
}

/// Load and verify the programs, and attach nothing; what of them does not work here.
///
/// # Errors
/// When none of them works.
pub fn check() -> Result<Vec<Off>, Error> {
    load(&[Part::Window, Part::Retransmission], CONTROL, &everything()).map(|loaded| loaded.off)
}

/// Change the name of a congestion control, wherever it stands in what a map begins with.
fn rename(map: &mut OpenMapMut<'_>, name: &str) -> libbpf_rs::Result<()> {
    let missing = || std::io::Error::other(format!("a map of the programs has no name to change to {name}"));
    let bytes = map.initial_value_mut().ok_or_else(missing)?;
    let found = bytes.windows(CONTROL.len()).position(|window| window == CONTROL.as_bytes());
    let place = found.and_then(|first| bytes.get_mut(first..first + name.len())).ok_or_else(missing)?;
    place.copy_from_slice(name.as_bytes());
    Ok(())
}

fn load_exactly(parts: &[Part], name: &str, setup: &Setup) -> Result<Object, String> {
    let (outcome, messages) = listen(|| {
        let mut open = ObjectBuilder::default().open_memory(&PROGRAMS.0)?;
        for mut program in open.progs_mut() {
            let part = match program.name().to_str() {
                Some(MARKS) => None,
                Some(RESEND) => Some(Part::Retransmission),
                _ => Some(Part::Window),
            };
            program.set_autoload(part.is_none_or(|part| parts.contains(&part)));
        }
        for mut map in open.maps_mut() {
            if map.name() == CONTROL {
                map.set_autocreate(parts.contains(&Part::Window))?;
            }
            if map.name() == CONTROL || map.name() == NAME {
                rename(&mut map, name)?;
            }
            if map.name() == host::VALUES {
                map.set_initial_value(&host::reported_errors().to_ne_bytes())?;
            }
            if map.name() == LOSSES {
                map.set_initial_value(&[u8::from(setup.acts_on_losses)])?;
            }
            if map.name() == destinations::MAP {
                setup.destinations.size(&mut map)?;
            }
        }
        let object = open.load()?;
        setup.destinations.fill(&object)?;
        Ok(object)
    });
    outcome.map_err(|error: libbpf_rs::Error| reason(&error, &messages))
}

#[cfg(test)]
#[test]
fn each_part_goes_without_the_other() {
    for part in [Part::Window, Part::Retransmission] {
        match load_exactly(&[part], CONTROL, &everything()) {
            Ok(object) => {
                let loaded = object.progs().filter(|program| program.autoload()).count();
                assert_eq!(loaded, if part == Part::Window { 10 } else { 2 }, "{part}");
            }
            Err(why) if why.contains("ermi") => {
                // What the verifier refuses reads like a missing permission.
                seamline_testing::skip("each_part_goes_without_the_other", why);
            }
            Err(why) => panic!("{part}: {why}"),
        }
    }
}
