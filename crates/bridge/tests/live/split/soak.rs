//! All trouble at once, for as long as is asked.

use super::{Router, answer_in_ipv6, made_a_router, settings};
use crate::hop::{Hop, Troubles};
use crate::hosts::{ip, pause};
use crate::net::Net;
use crate::soak::Stay;

/// As bridges are put through it, but for what a router is no part of, or has a test of its own: VLANs, forged SYNs, and an interface that is set down, which would
/// lose its routes; its link is cut in place of that. Nobody kills it either: what was split then is reset.
#[test]
fn all_trouble_at_once_through_a_router() {
    let name = "all_trouble_at_once_through_a_router";
    let Some(net) = Net::with_wired_hop(name).and_then(|net| made_a_router(net, name)) else { return };
    let stay = Stay::asked();
    let troubles = Troubles { lost: 20, mangled: 20, has_vlan: false };
    let hops = [Hop::before(&net, Troubles { lost: 2, ..troubles }, 5), Hop::behind(&net, troubles, 7)];
    let router = Router::begin(&net, settings());
    let transfers = stay.transfers(&net, || {
        ip(&net.hop, "link set c0 down");
        pause(300);
        ip(&net.hop, "link set c0 up");
        // The kernel answers for nobody any more at an interface that was without a carrier.
        answer_in_ipv6(&net.bridge);
    });
    let it = router.end(false);
    hops.into_iter().for_each(Hop::end);
    println!("split: {transfers} transfers of {} bytes; {it:?}", stay.bytes);
    assert_eq!((it.begun, it.ended, it.open), (transfers, transfers, 0), "{it:?}");
    assert_eq!((it.refused, it.reset, it.expired), (0, 0, 0), "{it:?}");
    assert_eq!((it.bytes_to_wireless, it.bytes_to_wired), (transfers * stay.bytes, 0), "{it:?}");
}
