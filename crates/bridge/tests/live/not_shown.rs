//! What the kernel forwards because an agent has nothing to do with it.

use crate::hop::{Hop, Troubles};
use crate::hosts::{inside, pause, skip};
use crate::net::{Net, Transfer};
use crate::{Bridge, options, settings};
use nix::sched::{CpuSet, sched_getcpu, sched_setaffinity};
use nix::unistd::Pid;
use seamline_agent::{Limits, Parameters};
use seamline_bridge::Settings;
use seamline_host::uninterrupted;
use seamline_testing::punctual;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};

const BYTES: usize = 1_000_000;

/// Room for one connection.
fn one_place() -> Settings {
    let it = settings("snoop");
    let limits = Limits { connections: 1, ..it.parameters.limits };
    Settings { parameters: Parameters { limits, ..it.parameters }, ..it }
}

/// Bytes from the fixed host at this address.
fn download(net: &Net, address: &'static str) {
    let listener = net.fixed.within(|| TcpListener::bind(address)).unwrap();
    let server = inside(&net.fixed, move || listener.accept().unwrap().0.write_all(&[7; BYTES]).unwrap());
    let mut client = net.mobile.within(|| TcpStream::connect(address)).unwrap();
    client.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
    let mut content = Vec::new();
    client.read_to_end(&mut content).unwrap();
    assert!(content.len() == BYTES && content.iter().all(|byte| *byte == 7));
    server.join().unwrap();
}

/// A connection that holds its place until it is dropped.
fn hold(net: &Net) -> [TcpStream; 2] {
    let listener = net.fixed.within(|| TcpListener::bind("10.77.0.1:4100")).unwrap();
    let mut client = net.mobile.within(|| TcpStream::connect("10.77.0.1:4100")).unwrap();
    let mut server = listener.accept().unwrap().0;
    client.write_all(b"x").unwrap();
    server.read_exact(&mut [0]).unwrap();
    [client, server]
}

/// Of both versions of IP, those of version 6 in a VLAN. When there is room, a new one is known.
#[test]
fn connections_without_room_pass_in_the_kernel() {
    punctual(30, || {
        let name = "connections_without_room_pass_in_the_kernel";
        let Some(net) = Net::with_wired_hop(name) else { return };
        let troubles = Troubles { has_vlan: true, ..Troubles::default() };
        let hops = [Hop::before(&net, troubles, 1), Hop::behind(&net, troubles, 2)];
        let mut bridge = Bridge::begin(&net, one_place(), options());
        let held = hold(&net);
        for address in ["10.77.0.1:4200", "[fd77::1]:4200"] {
            download(&net, address);
        }
        // The end of a connection is seen by the agent: both resets.
        let linger = nix::libc::linger { l_onoff: 1, l_linger: 0 };
        for stream in &held {
            nix::sys::socket::setsockopt(stream, nix::sys::socket::sockopt::Linger, &linger).unwrap();
        }
        drop(held);
        pause(200);
        Transfer::begin(&net, 4, 300_000).finish();
        let it = bridge.end().unwrap();
        hops.into_iter().for_each(Hop::end);
        let packets = (BYTES / 1448) as u64;
        assert_eq!(it.agent.known, 2, "{it:?}");
        assert!((2 * packets..6 * packets).contains(&it.bridge.kernel_forwarded), "{it:?}");
        assert!((200..2 * packets).contains(&it.engine.shown), "{it:?}");
        assert!((3..300).contains(&it.agent.unknown), "{it:?}");
    });
}

/// A veth keeps packets in the order in which one processor sends them: each processor has a queue of its own.
fn stay_on_this_processor() {
    let mut this = CpuSet::new();
    this.set(sched_getcpu().unwrap()).unwrap();
    sched_setaffinity(Pid::from_raw(0), &this).unwrap();
}

/// Each datagram comes once and in order, and the agent sees none of them.
#[test]
fn what_is_not_tcp_passes_in_the_kernel() {
    punctual(30, || {
        let name = "what_is_not_tcp_passes_in_the_kernel";
        let Some(net) = Net::or_skip(name) else { return };
        let hop = Hop::begin(&net, 0);
        let mut bridge = Bridge::begin(&net, settings("snoop"), options());
        if bridge.log().contains("nothing is forwarded if") {
            return skip(name, "this process may not use eBPF");
        }
        let receiver = net.mobile.within(|| UdpSocket::bind("10.77.0.2:7000")).unwrap();
        let sender = net.fixed.within(|| UdpSocket::bind("10.77.0.1:0")).unwrap();
        receiver.set_read_timeout(Some(std::time::Duration::from_millis(300))).unwrap();
        stay_on_this_processor();
        for number in 0..200_u8 {
            sender.send_to(&[number], "10.77.0.2:7000").unwrap();
            pause(2);
        }
        let mut room = [0; 1];
        let came: Vec<u8> =
            std::iter::from_fn(|| uninterrupted(|| receiver.recv(&mut room)).ok().map(|_| room[0])).collect();
        assert_eq!(came, (0..200).collect::<Vec<u8>>());
        let it = bridge.end().unwrap();
        hop.end();
        assert!((200..300).contains(&it.bridge.kernel_forwarded), "{it:?}");
        // Of IPv6, messages with options for each hop, such as reports of multicast listeners.
        let seen: u64 = it.ports.iter().map(|port| port.received).sum();
        assert!(seen < 30 && it.engine.shown == 0, "{it:?}");
    });
}
