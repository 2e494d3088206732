//! Bodies of the rtnetlink requests that configure interfaces (rtnetlink(7)).

use super::put_attribute;
use std::net::IpAddr;
use std::os::fd::{AsRawFd, BorrowedFd};

/// `IFA_F_NODAD`.
const NO_DUPLICATE_DETECTION: u8 = 0x02;
/// `IFLA_INET6_ADDR_GEN_MODE` and `IN6_ADDR_GEN_MODE_NONE`.
const ADDRESS_GENERATION: u16 = 8;
const GENERATE_NONE: u8 = 1;
/// `RTAX_CC_ALGO`.
const CONGESTION_CONTROL: u16 = 16;

/// `VETH_INFO_PEER`.
const PEER: u16 = 1;

/// `TCA_FQ_PLIMIT`, `TCA_FQ_FLOW_PLIMIT`, `TCA_FQ_RATE_ENABLE` and `TCA_FQ_TIMER_SLACK`.
const FQ_LIMIT: u16 = 1;
const FQ_FLOW_LIMIT: u16 = 2;
const FQ_PACING: u16 = 5;
const FQ_TIMER_SLACK_NS: u16 = 13;
const MANY: u32 = 1 << 20;

/// A kind of message and its body.
pub(super) type Request = (u16, Vec<u8>);

/// `RTM_GETLINK` by name.
pub(super) fn find(name: &str) -> Request {
    let mut body = link_header(0, 0);
    put_attribute(&mut body, libc::IFLA_IFNAME, &[name.as_bytes(), &[0]].concat());
    (libc::RTM_GETLINK, body)
}

/// `RTM_NEWLINK` for a pair of virtual Ethernet interfaces without address resolution; the second one belongs to another namespace, given by
/// a descriptor.
pub(super) fn pair([near, far]: [(&str, [u8; 6]); 2], far_namespace: BorrowedFd<'_>) -> Request {
    let half = |(name, address): (&str, [u8; 6])| {
        let mut body = link_header(0, libc::IFF_NOARP as u32);
        put_attribute(&mut body, libc::IFLA_IFNAME, &[name.as_bytes(), &[0]].concat());
        put_attribute(&mut body, libc::IFLA_ADDRESS, &address);
        body
    };
    let mut peer = half(far);
    put_attribute(&mut peer, libc::IFLA_NET_NS_FD, &far_namespace.as_raw_fd().to_ne_bytes());
    let (mut data, mut info, mut body) = (Vec::new(), Vec::new(), half(near));
    put_attribute(&mut data, PEER, &peer);
    put_attribute(&mut info, libc::IFLA_INFO_KIND, b"veth\0");
    put_attribute(&mut info, libc::IFLA_INFO_DATA, &data);
    put_attribute(&mut body, libc::IFLA_LINKINFO, &info);
    (libc::RTM_NEWLINK, body)
}

pub(super) fn shape(index: u32, mtu: u32, queue_packets: u32) -> Request {
    let mut body = link_header(index, 0);
    put_attribute(&mut body, libc::IFLA_MTU, &mtu.to_ne_bytes());
    put_attribute(&mut body, libc::IFLA_TXQLEN, &queue_packets.to_ne_bytes());
    (libc::RTM_SETLINK, body)
}

/// `RTM_NEWQDISC`: fq (tc-fq(8)) for packets that are to leave at a time of their own, exactly then, however many wait.
pub(super) fn timed_departures(index: u32) -> Request {
    const ROOT: u32 = 0xffff_ffff;
    let mut body = traffic_header(index, 0, ROOT, 0);
    put_attribute(&mut body, libc::TCA_KIND, b"fq\0");
    let mut options = Vec::new();
    let values = [(FQ_LIMIT, MANY), (FQ_FLOW_LIMIT, MANY), (FQ_PACING, 0), (FQ_TIMER_SLACK_NS, 0)];
    values.iter().for_each(|(kind, value)| put_attribute(&mut options, *kind, &value.to_ne_bytes()));
    put_attribute(&mut body, libc::TCA_OPTIONS, &options);
    (libc::RTM_NEWQDISC, body)
}

/// `TC_H_CLSACT`, and its place for packets that come in; `TCA_BPF_FD`, `TCA_BPF_NAME`, `TCA_BPF_FLAGS` and `TCA_BPF_FLAG_ACT_DIRECT`.
const CLSACT: u32 = 0xffff_fff1;
const INGRESS: u32 = 0xffff_fff2;
const BPF_DESCRIPTOR: u16 = 6;
const BPF_NAME: u16 = 7;
const BPF_FLAGS: u16 = 8;
const ACT_DIRECT: u32 = 1;

/// `RTM_NEWQDISC`: the place of classifiers, which queues nothing (clsact).
pub(super) fn place_of_classifiers(index: u32) -> Request {
    let mut body = traffic_header(index, CLSACT & 0xffff_0000, CLSACT, 0);
    put_attribute(&mut body, libc::TCA_KIND, b"clsact\0");
    (libc::RTM_NEWQDISC, body)
}

/// `RTM_NEWTFILTER`: an eBPF program for all packets that come in.
pub(super) fn classifier(index: u32, preference: u16, name: &str, program: BorrowedFd<'_>) -> Request {
    let mut body = classifier_header(index, preference);
    let mut options = Vec::new();
    put_attribute(&mut options, BPF_DESCRIPTOR, &program.as_raw_fd().to_ne_bytes());
    put_attribute(&mut options, BPF_NAME, &[name.as_bytes(), &[0]].concat());
    put_attribute(&mut options, BPF_FLAGS, &ACT_DIRECT.to_ne_bytes());
    put_attribute(&mut body, libc::TCA_OPTIONS, &options);
    (libc::RTM_NEWTFILTER, body)
}

/// `RTM_DELTFILTER`.
pub(super) fn no_classifier(index: u32, preference: u16) -> Request {
    (libc::RTM_DELTFILTER, classifier_header(index, preference))
}

fn classifier_header(index: u32, preference: u16) -> Vec<u8> {
    let all = u32::from((libc::ETH_P_ALL as u16).to_be());
    let mut body = traffic_header(index, 1, INGRESS, u32::from(preference) << 16 | all);
    put_attribute(&mut body, libc::TCA_KIND, b"bpf\0");
    body
}

/// `struct tcmsg`: family and padding, interface, handle, parent, information.
fn traffic_header(index: u32, handle: u32, parent: u32, information: u32) -> Vec<u8> {
    [0, index, handle, parent, information].iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// Without a link-local address there are no router solicitations and no multicast reports on the link.
pub(super) fn no_generated_addresses(index: u32) -> Request {
    let (mut mode, mut family, mut body) = (Vec::new(), Vec::new(), link_header(index, 0));
    put_attribute(&mut mode, ADDRESS_GENERATION, &[GENERATE_NONE]);
    put_attribute(&mut family, libc::AF_INET6 as u16, &mode);
    put_attribute(&mut body, libc::IFLA_AF_SPEC, &family);
    (libc::RTM_SETLINK, body)
}

pub(super) fn up(index: u32) -> Request {
    (libc::RTM_SETLINK, link_header(index, libc::IFF_UP as u32))
}

pub(super) fn address(index: u32, address: IpAddr, prefix_length: u8) -> Request {
    // Duplicate address detection would delay the use of an IPv6 address by a second.
    let flags = if address.is_ipv6() { NO_DUPLICATE_DETECTION } else { 0 };
    // `struct ifaddrmsg`: family, prefix length, flags, scope, index.
    let mut body = vec![family(address), prefix_length, flags, libc::RT_SCOPE_UNIVERSE];
    body.extend(index.to_ne_bytes());
    put_attribute(&mut body, libc::IFA_LOCAL, &octets(address));
    put_attribute(&mut body, libc::IFA_ADDRESS, &octets(address));
    (libc::RTM_NEWADDR, body)
}

pub(super) fn route(
    index: u32,
    destination: IpAddr,
    prefix_length: u8,
    congestion_control: Option<&str>,
) -> Request {
    let scope = if destination.is_ipv4() { libc::RT_SCOPE_LINK } else { libc::RT_SCOPE_UNIVERSE };
    // `struct rtmsg`: family, lengths of the prefixes of destination and source, type of service, table, protocol, scope, type, flags.
    let mut body = vec![family(destination), prefix_length, 0, 0];
    body.extend([libc::RT_TABLE_MAIN, libc::RTPROT_STATIC, scope, libc::RTN_UNICAST, 0, 0, 0, 0]);
    put_attribute(&mut body, libc::RTA_OIF, &index.to_ne_bytes());
    if prefix_length > 0 {
        put_attribute(&mut body, libc::RTA_DST, &octets(destination));
    }
    if let Some(name) = congestion_control {
        let mut metrics = Vec::new();
        put_attribute(&mut metrics, CONGESTION_CONTROL, &[name.as_bytes(), &[0]].concat());
        put_attribute(&mut body, libc::RTA_METRICS, &metrics);
    }
    (libc::RTM_NEWROUTE, body)
}

/// `struct ifinfomsg`: family and padding, device type, index, flags, mask of the flags to change.
fn link_header(index: u32, flags: u32) -> Vec<u8> {
    [0, index, flags, flags].iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn family(address: IpAddr) -> u8 {
    (if address.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 }) as u8
}

fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}
