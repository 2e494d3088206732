//! The changes of packetdrill's source that a shared object and virtual time need. Each replaces an exact text, and fails if the text is
//! not there once: another version of packetdrill needs other changes, and a run without them means nothing.

use crate::support::at;
use std::fs;
use std::path::Path;

/// A text of a file, and what takes its place.
struct Change {
    file: &'static str,
    from: &'static str,
    to: &'static str,
}

const CHANGES: [Change; 14] = [
    // No packet in time is a result, not a reason to ask for ever; the shared object learns how long to wait.
    Change {
        file: "so_testing.c",
        from: "in_bytes = (*packet)->buffer_bytes;\n",
        to: "in_bytes = (*packet)->buffer_bytes;\n(*packet)->time_usecs = timeout_secs;\n",
    },
    Change {
        file: "so_testing.c",
        from: "goto next;",
        to: "{ *error = strdup(\"no packet in time\"); packet_free(*packet); *packet = NULL; return STATUS_TIMEOUT; }",
    },
    Change { file: "so_testing.c", from: "next:\n", to: "" },
    // TCP_INFO of the connection under test, not of a descriptor of this process.
    Change {
        file: "code.c",
        from: "getsockopt(fd, level, opt_name, data, &opt_len)",
        to: "state->so_instance ? state->so_instance->ifc.getsockopt(state->so_instance->ifc.userdata, fd, level, \
             opt_name, data, &opt_len) : getsockopt(fd, level, opt_name, data, &opt_len)",
    },
    Change {
        file: "code.c",
        from: "#include \"run.h\"\n",
        to: "#include \"run.h\"\n#include \"so_testing.h\"\n",
    },
    // That of an older kernel is shorter; the rest of the buffer is zero.
    Change {
        file: "code.c",
        from: "*len = opt_len;",
        to: "*len = opt_name == TCP_INFO ? data_len : (int)opt_len;",
    },
    // The same for what a script leaves open.
    Change {
        file: "socket.c",
        from: "if (close(fd->live_fd))",
        to: "if (state->so_instance ? state->so_instance->ifc.close(state->so_instance->ifc.userdata, fd->live_fd) \
             : close(fd->live_fd))",
    },
    Change {
        file: "socket.c",
        from: "#include \"run.h\"\n",
        to: "#include \"run.h\"\n#include \"so_testing.h\"\n",
    },
    // A packet that a script expects may be several segments here, where Linux hands a large one to its device (TSO) and sets PSH
    // on it for that reason alone (__tcp_transmit_skb). PSH is compared where a segment stands for a segment.
    Change {
        file: "run_packet.c",
        from: "sniffed_packets_end,\n\t\t\t\t\t\tsniffed_payload_len);\n",
        to: "sniffed_packets_end,\nsniffed_payload_len);\nif (state->so_instance && live_packet->tcp && packet->tcp)\n\
             live_packet->tcp->psh = packet->tcp->psh;\n",
    },
    // FreeBSD's scripts also say what answers a packet to a port that is bound and not listening.
    Change {
        file: "run_packet.c",
        from: "\t\t\t(socket->state == SOCKET_PASSIVE_LISTENING);\n",
        to: "\t\t\t(socket->state == SOCKET_PASSIVE_LISTENING) ||\n\t\t\t(state->so_instance && socket->state == SOCKET_NEW);\n",
    },
    // Virtual time does not pass while a program computes, so waiting in a loop never ends.
    Change { file: "run.c", from: "const int MAX_SPIN_USECS = 20;", to: "const int MAX_SPIN_USECS = 0;" },
    Change {
        file: "run.c",
        from: "if (state->num_events > 0 && wait_usecs > MAX_SPIN_USECS) {",
        to: "if (wait_usecs > MAX_SPIN_USECS) {",
    },
    Change {
        file: "run.c",
        from: "static s64 schedule_start_time_usecs(struct state *state)\n{\n#ifdef linux\n",
        to: "static s64 schedule_start_time_usecs(struct state *state)\n{\n#ifdef START_AT_A_TICK\n",
    },
    // Nor is a real-time priority of use, which would stop other programs of the machine.
    Change { file: "run.c", from: "\tset_scheduling_priority();\n\tlock_memory();\n", to: "" },
];

/// Apply all changes to the source in `directory`.
pub(crate) fn apply(directory: &Path) -> Result<(), String> {
    CHANGES.iter().try_for_each(|change| {
        let path = directory.join(change.file);
        let text = fs::read_to_string(&path).map_err(at(&path))?;
        let changed = change.in_text(&text).map_err(at(&path))?;
        fs::write(&path, changed).map_err(at(&path))
    })
}

impl Change {
    fn in_text(&self, text: &str) -> Result<String, String> {
        match text.matches(self.from).count() {
            1 => Ok(text.replacen(self.from, self.to, 1)),
            count => Err(format!(
                "the text to change is there {count} times instead of once: {:?}\ntip: this version of packetdrill \
                 needs other changes (xtask/src/packetdrill/changes.rs)",
                self.from
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_needs_its_text_exactly_once() {
        let change = Change { file: "a.c", from: "old", to: "new" };
        assert_eq!(change.in_text("an old text").as_deref(), Ok("an new text"));
        assert!(change.in_text("a text").is_err());
        assert!(change.in_text("old old").is_err());
    }
}
