//! TCP for Transactions (RFC 1644): a short transfer to a host that is known already takes a round trip less.

use super::*;

/// When the last of so many transfers of 500 bytes, one every 5 s, is complete, in ms after its start. A round trip takes 50 ms.
fn last_transfer(transfers: u32, transactions: bool, radio: &str) -> f64 {
    let keys = format!(
        "variant = \"newreno\"\nprofile = \"rfc\"\nsize = \"500 bytes\"\ncount = {transfers}\nstagger = \"5 s\"\n\
         tcp = {{ transactions = {transactions} }}"
    );
    let flow = download(radio, &keys, &[]).swap_remove(0);
    (flow.completion_s.unwrap() - 5.0 * f64::from(transfers - 1)) * 1e3
}

/// T/TCP "reduces the user perceived latency to one round trip delay for short transmissions" (paper eln-ack, section II): the data goes
/// with the SYN, and is there half a round trip later; after a handshake it takes one and a half. The first transfer finds no count.
#[test]
fn a_known_host_needs_no_handshake() {
    let expected = |rounds: f64| rounds * 50.0..rounds * 50.0 + 3.0;
    for (transfers, transactions, rounds) in
        [(1, false, 1.5), (2, false, 1.5), (1, true, 1.5), (2, true, 0.5), (5, true, 0.5)]
    {
        let took = last_transfer(transfers, transactions, "");
        assert!(expected(rounds).contains(&took), "{transfers} {transactions}: {took}");
    }
}

/// What is remembered is of the host: an outage between two transfers changes nothing.
#[test]
fn an_outage_leaves_what_is_known() {
    let took = last_transfer(
        3,
        true,
        &outage("0.0").replace("at = \"10 s\"", "at = \"8 s\"").replace("0.0 s", "1 s"),
    );
    assert!((25.0..28.0).contains(&took), "{took}");
}
