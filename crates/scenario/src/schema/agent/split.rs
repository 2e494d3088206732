//! What of split connections is set: the agent's TCP towards the mobile node stands in the table itself, that towards the
//! fixed host in `wired`.

use crate::codes::Code;
use crate::reader::Reader;
use crate::schema::tcp::set;
use crate::units::{self, Complaint};
use seamline_agent::{AgentTcp, Handshake, SplitParameters};
use seamline_tcp::{profile, variant};

pub(crate) const HANDSHAKES: &[(&str, Handshake)] =
    &[("near side alone", Handshake::NearSideAlone), ("far side first", Handshake::FarSideFirst)];

pub(super) fn read(mut reader: Reader<'_>, split: &mut SplitParameters) {
    let buffer = reader.optional("buffer", |node| match units::bytes(node)? {
        size @ 1..=0x3fff_c000 => Ok(size as u32),
        _ => Err(Complaint::new("must be between 1 byte and 1 GiB, what RFC 7323 can offer")
            .code(Code::OutOfBounds)),
    });
    set(&mut split.buffer, buffer);
    set(&mut split.handshake, reader.choice("handshake", HANDSHAKES));
    read_tcp(&mut reader, &mut split.wireless);
    if let Some(mut wired) = reader.table("wired") {
        read_tcp(&mut wired, &mut split.wired);
        wired.finish();
    }
    reader.finish();
}

fn read_tcp(reader: &mut Reader<'_>, tcp: &mut AgentTcp) {
    let variants: Vec<_> = variant::ALL.iter().map(|it| (it.name, it.name)).collect();
    set(&mut tcp.variant, reader.choice("variant", &variants));
    let profiles: Vec<_> = profile::ALL.iter().map(|it| (it.name, it.name)).collect();
    set(&mut tcp.profile, reader.choice("profile", &profiles));
    let most = profile::find(tcp.profile).map(|it| (it.parameters)().round_trip.maximum_timeout);
    let minimum = reader.optional("minimum_rto", |node| match (units::duration(node)?, most) {
        (minimum, Some(most)) if minimum > most => Err(Complaint::new(format!("the maximum is {most}"))),
        (minimum, _) => Ok(minimum),
    });
    tcp.minimum_timeout = minimum.or(tcp.minimum_timeout);
}
