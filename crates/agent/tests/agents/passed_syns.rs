//! A split connection must begin with its first SYN: one that has passed passes again, for the other host may have answered it.

use crate::support::{Script, Sent, data, syn};
use seamline_agent::{Limits, Parameters, find};
use seamline_wire::Flags;

fn split(limits: Limits) -> Script {
    Script::new(find("split").unwrap().build(&Parameters { limits, ..Parameters::default() }))
}
fn one_connection() -> Limits {
    Limits { connections: 1, ..Limits::default() }
}
fn no_memory() -> Limits {
    Limits { bytes: 0, ..Limits::default() }
}
fn answer(acknowledgment: u32) -> Sent {
    syn(500).acknowledging(acknowledgment).flags(Flags::SYN | Flags::ACK)
}
/// The connection that takes the only place begins or ends untouched, so that the place is free again after it.
fn begin(script: &mut Script) {
    script.fixed_port(80).wired(data(1, 10)).onwards();
}
fn end(script: &mut Script) {
    script.fixed_port(80).wired(data(11, 0).flags(Flags::RST)).onwards();
}
fn is_split(script: &mut Script, sent: Sent) {
    let before = script.counters().split;
    script.wired(sent).sent_by_side();
    assert_eq!(script.counters().split, before + 1);
}

#[test]
fn a_syn_that_found_no_place_passes_when_there_is_one() {
    let mut script = split(one_connection());
    begin(&mut script);
    script.fixed_port(81).wired(syn(100)).onwards();
    end(&mut script);
    script.fixed_port(81).at(1000).wired(syn(100)).onwards().wireless(answer(101)).onwards();
    script.wired(data(101, 100)).onwards();
}

/// Its answer may come first, or instead of another SYN.
#[test]
fn a_syn_passes_after_its_answer() {
    let mut script = split(Limits::default());
    script.wireless(answer(101)).onwards().wired(syn(100)).onwards();
    script.fixed_port(81).wireless(answer(0)).onwards().wired(syn(u32::MAX)).onwards();
    let mut script = split(one_connection());
    begin(&mut script);
    script.fixed_port(81).wireless(answer(101)).onwards();
    end(&mut script);
    script.fixed_port(81).wired(syn(100)).onwards();
}

/// Another connection between the same ports is split, and so is one that begins when nobody repeats the old SYN any more.
#[test]
fn others_are_split() {
    for (wait, sequence) in [(1000, 9000), (180_000, 100)] {
        let mut script = split(one_connection());
        begin(&mut script);
        script.fixed_port(81).wired(syn(100)).onwards();
        end(&mut script);
        is_split(script.fixed_port(81).at(wait), syn(sequence));
    }
}

/// Memory is bounded: when more are refused than it holds, nothing is split until none of them can come again.
#[test]
fn more_than_are_remembered_pass() {
    let mut script = split(one_connection());
    begin(&mut script);
    for port in 1000..3000 {
        script.fixed_port(port).wired(syn(100)).onwards();
    }
    end(&mut script);
    for port in [1000, 2999] {
        script.fixed_port(port).at(179_000).wired(syn(100)).onwards();
        script.wired(data(101, 0).flags(Flags::RST)).onwards();
    }
    is_split(script.fixed_port(1001).at(181_000), syn(100));
}

/// What passed at one base station passes at the next, whatever room there is, and what is split there stays split.
#[test]
fn it_passes_at_the_next_base_station() {
    let mut script = split(no_memory());
    script.wired(syn(100)).onwards();
    let mut there = script.moves_to(split(Limits::default()), 300);
    there.wired(syn(100)).onwards();
    is_split(&mut there, syn(7000));

    let mut script = split(one_connection());
    begin(&mut script);
    script.fixed_port(81).wired(syn(100)).onwards();
    let mut there = script.moves_to(split(Limits::default()), 300);
    there.fixed_port(81).wired(syn(100)).onwards();

    // There is no place for it at the next one, and then there is.
    let mut script = split(no_memory());
    script.fixed_port(81).wired(syn(100)).onwards();
    let mut there = split(one_connection());
    begin(&mut there);
    let mut there = script.moves_to(there, 300);
    end(&mut there);
    there.fixed_port(81).wired(syn(100)).onwards();

    let mut script = split(no_memory());
    script.wired(syn(100)).onwards();
    let mut there = split(Limits::default());
    is_split(&mut there, syn(100));
    let mut there = script.moves_to(there, 300);
    assert!(there.wireless(answer(101)).sent_by_side()[1].len() == 1, "still split");
}
