//! Interfaces that stop, and such as are removed and made again, while a connection runs.

use crate::hop::Hop;
use crate::hosts::{ip, pause, run, skip, veth};
use crate::net::{Net, Transfer};
use crate::{Bridge, options, settings};
use seamline_bridge::system::{Metrics, Options};

/// That of the fixed host's interface, whichever device has its name: the mobile host does not ask for it again.
const ADDRESS: &str = "02:00:00:00:00:0a";

/// The link before the bridge is removed with both its ends, and made again; its devices have other numbers.
fn replace(net: &Net, prepare: impl Fn(&str)) {
    ip(&net.bridge, "link del b0");
    pause(400);
    veth(&net.fixed, "a0", &net.bridge, "fresh");
    ip(&net.fixed, &format!("link set a0 address {ADDRESS}"));
    ip(&net.fixed, "addr add 10.77.0.1/24 dev a0");
    prepare("fresh");
    for words in ["set fresh down", "set fresh name b0", "set b0 up"] {
        ip(&net.bridge, &format!("link {words}"));
    }
}

/// The first one that comes back is as the one before; the second joins packets in a way that cannot be undone, and the log says so before one is lost.
#[test]
fn a_connection_outlives_an_interface_that_is_made_again_and_one_that_joins_is_logged() {
    let name = "a_connection_outlives_an_interface_that_is_made_again_and_one_that_joins_is_logged";
    let Some(net) = Net::or_skip(name) else { return };
    if !run(&net.bridge, "ethtool -K b0 rx-gro-list off") {
        return skip(name, "ethtool is missing");
    }
    ip(&net.fixed, &format!("link set a0 address {ADDRESS}"));
    let hop = Hop::begin(&net, 20);
    let mut bridge = Bridge::begin(&net, settings("snoop"), options());
    let mut transfer = Transfer::begin_by(&net, 4, 4_000_000, Some("cubic"));
    transfer.wait_for(300_000);
    replace(&net, |_| {});
    bridge.wait_for("event=interface-returned");
    assert!(!transfer.is_finished() && !bridge.log().contains("event=warning"), "{}", bridge.log());
    transfer.wait_for(1_200_000);
    replace(&net, |device| assert!(run(&net.bridge, &format!("ethtool -K {device} rx-gro-list on"))));
    bridge.wait_for("event=warning");
    assert!(!transfer.is_finished());
    assert!(run(&net.bridge, "ethtool -K b0 rx-gro-list off"));
    transfer.finish();
    let it = bridge.end().unwrap();
    hop.end();
    let log = bridge.log();
    let back = log.lines().skip_while(|line| !line.contains("event=interface-returned")).skip(1);
    let back = back.skip_while(|line| !line.contains("event=interface-returned")).collect::<Vec<_>>();
    assert!(back[1].contains("event=warning") && back[1].contains("interface=b0"), "{log}");
    assert!(back[1].contains("command=\"ethtool -K b0 rx-gro-list off\""), "{log}");
    assert_eq!(log.matches("event=warning").count(), 1, "{log}");
    assert_eq!(it.ports.map(|port| port.flaps), [2, 0], "{it:?}");
}

/// The other end of its link goes down: it is there, and carries nothing. Then it is set down itself.
#[test]
fn an_interface_that_stops_is_logged_and_counted() {
    let Some(net) = Net::or_skip("an_interface_that_stops_is_logged_and_counted") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.prom");
    let read = || {
        let text = std::fs::read_to_string(&path).unwrap();
        ["present", "running", "stops_total"].map(|name| {
            ["b0", "b1"].map(|interface| {
                let sample = format!("seamline_agent_interface_{name}{{interface=\"{interface}\"}} ");
                text.lines().find_map(|line| line.strip_prefix(&sample)?.parse::<u64>().ok())
            })
        })
    };
    // Counters are published once a second, and written somewhat later.
    let expect = |numbers: [[u64; 2]; 3]| {
        let numbers = numbers.map(|pair| pair.map(Some));
        (0..50).take_while(|_| read() != numbers).for_each(|_| pause(100));
        assert_eq!(read(), numbers);
    };
    let hop = Hop::begin(&net, 20);
    // The kernel says up to a second late that a new device has a carrier.
    pause(1500);
    let metrics = Some(Metrics::File(path.clone()));
    let mut bridge = Bridge::begin(&net, settings("snoop"), Options { metrics, ..options() });
    let mut transfer = Transfer::begin_by(&net, 4, 4_000_000, Some("cubic"));
    transfer.wait_for(300_000);
    assert!(!bridge.log().contains("event=link-"), "{}", bridge.log());
    ip(&net.hop, "link set c0 down");
    bridge.wait_for("interface=b1 why=\"no carrier\"");
    expect([[1, 1], [1, 0], [0, 1]]);
    assert!(!transfer.is_finished());
    ip(&net.hop, "link set c0 up");
    bridge.wait_for("event=link-up");
    expect([[1, 1], [1, 1], [0, 1]]);
    ip(&net.bridge, "link set b0 down");
    bridge.wait_for("interface=b0 why=\"set down\"");
    expect([[1, 1], [0, 1], [1, 1]]);
    ip(&net.bridge, "link set b0 up");
    bridge.wait_for_times("event=link-up", 2);
    expect([[1, 1], [1, 1], [1, 1]]);
    transfer.finish();
    let it = bridge.end().unwrap();
    hop.end();
    assert_eq!(it.ports.map(|port| (port.stops, port.flaps)), [(1, 0); 2], "{it:?}");
}
