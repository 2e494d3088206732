//! The kernel refuses a part: it is reported, and the other one works.
#![cfg(all(target_os = "linux", feature = "ebpf"))]

mod support;

use seamline_sender::{Counter, Part};
use seamline_wire::Duration;
use seamline_wire::codec::IpVersion;
use support::{Rig, Setup};

#[test]
fn where_no_program_can_be_attached_the_window_still_comes_back_and_it_is_reported() {
    let setup = Setup { is_full: true, ..Setup::usual(IpVersion::V4) };
    let Some(mut rig) = Rig::or_skip("where_no_program_can_be_attached", setup) else { return };
    let [off] = &rig.attached.off[..] else { panic!("{:?}", rig.attached.off) };
    assert_eq!(off.part, Part::Retransmission);
    let message = off.to_string();
    assert!(
        message.starts_with("sending again at once is off: ") && message.contains("os error"),
        "{message}"
    );
    rig.peer.acknowledge_until(1_000_000);
    rig.blackout();
    rig.peer.send(rig.peer.marked());
    let came = rig.peer.watch(Duration::from_millis(60));
    assert!(came.len() > 10, "{came:?}");
    assert_eq!([Counter::Restored, Counter::Asked].map(|it| rig.count(it)), [1, 0], "{}", rig.counters());
}
