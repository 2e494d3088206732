//! A correspondent node below its host: exchanges packets with mobile nodes directly (RFC 6275 section 9).

use crate::binding_cache::{BindingCache, answer};
use crate::send::{control, lose};
use crate::update_list::LIFETIME_UNIT_S;
use seamline_wire::control::{
    BindingAcknowledgement, BindingFlags, BindingStatus, BindingUpdate, CorrespondentAcknowledgement,
    CorrespondentUpdate, Ipv6Control, Test,
};
use seamline_wire::{
    Control, DropCause, Duration, Input, Instant, Machine, NodeId, Outbox, Packet, Port, Tunnel, TunnelHeader,
};

/// A new nonce is made this often (RFC 6275 section 5.2.7).
const NONCE_INTERVAL: Duration = Duration::from_secs(30);
/// So many nonces are accepted (MAX_NONCE_LIFETIME / 30 s, RFC 6275 section 5.2.7).
const ACCEPTED_NONCES: u16 = 8;
/// The longest lifetime of a binding (MAX_RR_BINDING_LIFETIME, RFC 6275 section 12), in seconds.
const LONGEST_BINDING_S: u16 = 420;

/// Keeps bindings of mobile nodes and sends packets of its host to their care-of addresses, with a routing header of type
/// 2 (RFC 6275 section 9.3.2). It accepts an update from a node that receives packets at both addresses (section 5.2).
///
/// Not modelled: Binding Error and Binding Refresh Request messages. A packet whose Home Address option fits no binding is
/// lost ([`DropCause::NoVisitor`]).
#[derive(Debug)]
pub struct Correspondent {
    node: NodeId,
    cache: BindingCache,
}

impl Correspondent {
    /// To and from the network.
    pub const NETWORK: Port = Port(0);
    /// To and from the host.
    pub const HOST: Port = Port(1);

    /// A correspondent on a node, without bindings.
    pub fn new(node: NodeId) -> Self {
        Correspondent { node, cache: BindingCache::new(LIFETIME_UNIT_S) }
    }
    /// Where packets for a home address are sent directly; `None` without a binding.
    pub fn care_of_address(&self, now: Instant, home_address: NodeId) -> Option<NodeId> {
        self.cache.exit(now, home_address).flatten()
    }

    fn on_network_packet(&mut self, now: Instant, mut packet: Box<Packet>, out: &mut Outbox) {
        if packet.destination == self.node
            && let Some(Control::Ipv6(message)) = packet.control()
        {
            let (message, from) = (*message, packet.source);
            if self.on_message(now, from, &message, out) {
                return out.recycle(packet);
            }
        }
        if let Some(tunnel) = packet.tunnels.outermost().filter(|tunnel| tunnel.exit == self.node)
            && packet.tunnels.header(packet.tunnels.iter().len() - 1) == TunnelHeader::HomeAddress
        {
            // RFC 6275 section 9.3.1.
            if self.care_of_address(now, packet.source) != Some(tunnel.entry) {
                return lose(out, DropCause::NoVisitor, packet);
            }
            packet.decapsulate();
        }
        out.send(Self::HOST, packet);
    }

    /// Whether the message was for this machine.
    fn on_message(&mut self, now: Instant, from: NodeId, message: &Ipv6Control, out: &mut Outbox) -> bool {
        match message {
            // RFC 6275 sections 9.4.3 and 9.4.4.
            Ipv6Control::HomeTestInit(init) => {
                let test = Ipv6Control::HomeTest(test(now, init.cookie, Kind::Home, from));
                control(out, Self::NETWORK, self.node, from, Control::Ipv6(test));
            }
            Ipv6Control::CareOfTestInit(init) => {
                let test = Ipv6Control::CareOfTest(test(now, init.cookie, Kind::CareOf, from));
                control(out, Self::NETWORK, self.node, from, Control::Ipv6(test));
            }
            Ipv6Control::CorrespondentUpdate(update) => self.update(now, update, out),
            _ => return false,
        }
        true
    }

    /// RFC 6275 sections 9.5.1 to 9.5.4.
    fn update(&mut self, now: Instant, message: &CorrespondentUpdate, out: &mut Outbox) {
        let answer = match is_authorized(now, message) {
            Ok(true) => self.bind(now, &message.update, out),
            Ok(false) => return,
            Err(status) => answer(&message.update, status),
        };
        let message = CorrespondentAcknowledgement { correspondent: self.node, answer };
        let message = Control::Ipv6(Ipv6Control::CorrespondentAcknowledgement(message));
        control(out, Self::NETWORK, self.node, answer.care_of_address, message);
    }

    fn bind(&mut self, now: Instant, update: &BindingUpdate, out: &mut Outbox) -> BindingAcknowledgement {
        self.cache.serve(update.home_address, BindingFlags::default());
        let lifetime_units = update.lifetime_units.min(LONGEST_BINDING_S / LIFETIME_UNIT_S);
        self.cache.update(now, &BindingUpdate { lifetime_units, ..*update }, out)
    }

    fn on_host_packet(&mut self, now: Instant, mut packet: Box<Packet>, out: &mut Outbox) {
        if packet.tunnels.is_empty()
            && let Some(exit) = self.care_of_address(now, packet.destination)
        {
            packet.enter(Tunnel { entry: packet.source, exit }, TunnelHeader::HomeAddress);
        }
        out.send(Self::NETWORK, packet);
    }
}

/// Which address a token belongs to.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Home = 0,
    CareOf = 1,
}

/// The index of the nonce that is used now.
fn nonce_index(now: Instant) -> u16 {
    (now.as_nanos() / NONCE_INTERVAL.as_nanos()) as u16
}

/// Whether a nonce is still accepted.
fn is_recent(now: Instant, index: u16) -> bool {
    nonce_index(now).wrapping_sub(index) < ACCEPTED_NONCES
}

/// The keygen token of an address: the RFC takes a keyed hash (section 5.2.5), here any mixing function serves
/// (splitmix64), because the nodes of a scenario do not guess.
fn token(kind: Kind, address: NodeId, nonce_index: u16) -> u64 {
    let seed = u64::from(address.0) << 32 | u64::from(nonce_index) << 8 | kind as u64;
    let mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

fn test(now: Instant, cookie: u64, kind: Kind, address: NodeId) -> Test {
    let nonce_index = nonce_index(now);
    Test { cookie, nonce_index, token: token(kind, address, nonce_index) }
}

/// Whether an update proves that its sender knows both tokens; the care-of address does not count when it deletes a
/// binding (RFC 6275 section 9.5.1).
fn is_authorized(now: Instant, message: &CorrespondentUpdate) -> Result<bool, BindingStatus> {
    let CorrespondentUpdate { update, home_nonce_index, care_of_nonce_index, authenticator } = *message;
    let deletes = update.lifetime_units == 0 || update.home_address == update.care_of_address;
    match (is_recent(now, home_nonce_index), deletes || is_recent(now, care_of_nonce_index)) {
        (true, true) => {}
        (false, true) => return Err(BindingStatus::EXPIRED_HOME_NONCE_INDEX),
        (true, false) => return Err(BindingStatus::EXPIRED_CARE_OF_NONCE_INDEX),
        (false, false) => return Err(BindingStatus::EXPIRED_NONCES),
    }
    let home = token(Kind::Home, update.home_address, home_nonce_index);
    let care_of = match deletes {
        true => 0,
        false => token(Kind::CareOf, update.care_of_address, care_of_nonce_index),
    };
    Ok(authenticator == CorrespondentUpdate::authenticate(home, care_of))
}

impl Machine for Correspondent {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(Self::HOST, packet) => self.on_host_packet(now, packet, out),
            Input::Packet(_, packet) => self.on_network_packet(now, packet, out),
            Input::Wake => self.cache.expire(now, out),
            Input::Signal(_) => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.cache.next_expiry()
    }
}
