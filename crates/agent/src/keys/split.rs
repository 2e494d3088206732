//! Parameters of split connections: the agent's TCP towards the mobile node stands in the table itself, that towards the
//! fixed host in `wired`.

use crate::{AgentTcp, Handshake, SplitParameters};
use seamline_config::choices;
use seamline_config::keys::{Keys, choice, named, size_within, table, time};
use seamline_config::units::Complaint;
use seamline_tcp::{profile, variant};

const HANDSHAKES: &[(&str, Handshake)] =
    &[("near side alone", Handshake::NearSideAlone), ("far side first", Handshake::FarSideFirst)];

pub(super) fn keys<'a>() -> Keys<'a, SplitParameters> {
    let buffer = size_within(1, 0x3fff_c000, "must be between 1 byte and 1 GiB, what RFC 7323 can offer");
    table! { SplitParameters;
        key buffer: buffer, "Bytes that wait in each direction, and the largest window that the agent offers";
        key handshake: choice(HANDSHAKES), "When the opening host gets its answer: at once from the agent, or after the other host answered the agent";
        part wired: tcp(), "The agent's TCP towards the fixed host";
        .with(tcp(), |it| &mut it.wireless);
    }
}

fn tcp<'a>() -> Keys<'a, AgentTcp> {
    table! { AgentTcp;
        key variant: named(choices!(variant::ALL)), "TCP variant of the agent";
        key profile: named(choices!(profile::ALL)), "Profile of the agent's TCP";
        optional minimum_rto (minimum_timeout): time(), "Minimum retransmission timeout; that of the profile unless given";
    }
    .check(|reader, it| {
            let most = profile::find(it.profile).map(|it| (it.parameters)().round_trip.maximum_timeout);
            if let (Some(minimum), Some(most)) = (it.minimum_timeout, most)
                && minimum > most
            {
                reader.refuse_value("minimum_rto", Complaint::new(format!("the maximum is {most}")));
            }
        })
}
