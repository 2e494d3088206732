//! An interface at which the kernel takes no further program.

use libbpf_rs::{Link, Object, ObjectBuilder};
use seamline_ebpf::{Aligned, attach_tcx};

static PROGRAMS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/sender.bpf.o")));
const RESEND: &str = "seamline_resend";
/// More than the kernel runs at one side of an interface.
const TOO_MANY: usize = 100;

/// As many programs as the kernel takes there, which let everything pass, for they know of no connection.
pub(crate) struct Full {
    _programs: Vec<(Link, Object)>,
}

impl Full {
    /// An interface of the thread's namespace.
    pub(crate) fn make(interface: &str) -> Full {
        let index = nix::net::if_::if_nametoindex(interface).unwrap();
        let programs: Vec<_> = (0..TOO_MANY).map_while(|_| attach(index)).collect();
        assert!(programs.len() < TOO_MANY, "the kernel takes any number");
        Full { _programs: programs }
    }
}

fn attach(interface: u32) -> Option<(Link, Object)> {
    let mut open = ObjectBuilder::default().open_memory(&PROGRAMS.0).unwrap();
    for mut program in open.progs_mut() {
        let is_wanted = program.name() == RESEND;
        program.set_autoload(is_wanted);
    }
    for mut map in open.maps_mut().filter(|map| map.name() == "seamline_cubic") {
        map.set_autocreate(false).unwrap();
    }
    let object = open.load().unwrap();
    let link = {
        let program = object.progs_mut().find(|program| program.name() == RESEND).unwrap();
        attach_tcx(&program, interface).ok()?
    };
    Some((link, object))
}
