//! What agents take from the flows of their scenario where their own keys say nothing.

use super::{DirectionSpec, FlowSpec, Scenario};
use crate::routes::{Hop, Routes, Way, whereabouts_at_start};
use seamline_agent::{AgentTcp, SplitParameters};
use seamline_net::schedule::{Capacity, Schedule};
use seamline_recordings::measured::Direction;
use seamline_tcp::variant;
use seamline_wire::{Duration, Rate};

/// How many bandwidth-delay products a split connection's buffer holds at least: one in flight, one that waits.
const PRODUCTS: u64 = 2;

/// What RFC 7323 can offer.
const MOST_BUFFER: u32 = 0x3fff_c000;

/// Complete the agents that end connections: the two halves run the TCP of the scenario's first flow, with a buffer that does not
/// limit it.
pub(super) fn complete(scenario: &mut Scenario) {
    let Some(flow) = scenario.flows.first() else { return };
    if !scenario.agents.iter().any(|agent| agent.kind.is_some_and(|kind| kind.ends_connections)) {
        return;
    }
    let (variant, profile) = (variant_of(flow), flow.profile);
    let buffer = buffer(scenario, flow);
    for agent in &mut scenario.agents {
        let Some(of) = agent.kind.and_then(|kind| kind.split) else { continue };
        let split = of(&mut agent.parameters);
        for tcp in [&mut split.wireless, &mut split.wired] {
            inherit(tcp, variant, profile);
        }
        split.buffer.get_or_insert(buffer);
    }
}

/// The flow's variant, if it has a name.
fn variant_of(flow: &FlowSpec) -> Option<&'static str> {
    variant::all().map(|variant| variant.name).find(|name| *name == flow.variant_name)
}

/// A variant that the profile refuses is not inherited.
fn inherit(tcp: &mut AgentTcp, variant: Option<&'static str>, profile: &'static str) {
    tcp.profile.get_or_insert(profile);
    let parameters = tcp.parameters();
    tcp.variant = tcp.variant.or(variant.filter(|name| variant::find(name, &parameters).is_ok()));
}

/// Enough for the slowest hop of the flow over its whole round trip.
fn buffer(scenario: &Scenario, flow: &FlowSpec) -> u32 {
    let routes = Routes::of(scenario, &whereabouts_at_start(scenario));
    let [from, to] = flow.ends.pair(0);
    let hops = |from, to| routes.path(from, to).into_iter().filter_map(|hop| conditions(scenario, hop));
    let slowest = hops(from, to).map(|(rate, _)| rate).min();
    let round_trip =
        hops(from, to).chain(hops(to, from)).map(|(_, delay)| delay).fold(Duration::ZERO, |sum, it| sum + it);
    let product = slowest.map_or(0, |rate| rate.bandwidth_delay_product(round_trip));
    let wanted = u32::try_from(product.saturating_mul(PRODUCTS)).unwrap_or(u32::MAX);
    wanted.clamp(SplitParameters::USUAL_BUFFER, MOST_BUFFER)
}

/// The highest rate and the longest one-way delay of a hop; an anchor has neither.
fn conditions(scenario: &Scenario, hop: Hop) -> Option<(Rate, Duration)> {
    let (name, spec) = match hop.way {
        Way::Link(link, direction) => {
            let link = &scenario.links[link];
            let spec = if direction == Direction::Down { &link.down } else { &link.up };
            (&link.name, spec)
        }
        Way::Cell(cell, direction) => {
            let cell = &scenario.cells[cell];
            (&cell.name, if direction == Direction::Down { &cell.down } else { &cell.up })
        }
        Way::Radio(mobile) => {
            let cell = &scenario.cells[*scenario.mobiles[mobile].cells.first()?];
            (&cell.name, &cell.up)
        }
        Way::Anchor(_) => return None,
    };
    Some(extremes(scenario, name, spec))
}

fn extremes(scenario: &Scenario, name: &str, spec: &DirectionSpec) -> (Rate, Duration) {
    let seed = scenario.seeds.first().copied().unwrap_or(1);
    let schedule = spec.schedule.as_ref().map(|it| it.build(seed, name, scenario.duration));
    let Schedule { capacity, one_way_delay, .. } = schedule.unwrap_or_default();
    let rate = capacity.and_then(|capacity| match capacity {
        Capacity::Rate(rate) => rate.steps().points().iter().map(|(_, rate)| *rate).max(),
        Capacity::Opportunities(chances) => Some(chances.mean_rate()),
    });
    let delay = one_way_delay.and_then(|delay| delay.points().iter().map(|(_, delay)| *delay).max());
    (rate.unwrap_or(spec.rate), delay.unwrap_or(spec.one_way_delay))
}

#[cfg(test)]
mod tests {
    use crate::Plan;
    use seamline_agent::SplitParameters;
    use std::path::Path;

    fn split(overrides: &[&str]) -> SplitParameters {
        let text = r#"
            duration = "1 s"
            nodes = ["a", "b", "c"]
            link = [
                { name = "wire", from = "a", to = "b", rate = "100 Mbit/s", one_way_delay = "20 ms" },
                { name = "air", from = "b", to = "c", rate = "40 Mbit/s", one_way_delay = "30 ms" },
            ]
            agent = [{ name = "bs", kind = "split", link = "air" }]
            flow = [{ name = "main", from = "a", to = "c", variant = "cubic", profile = "linux" }]
        "#;
        let overrides: Vec<String> = overrides.iter().map(|it| (*it).to_owned()).collect();
        let plan = Plan::new(Path::new("it.toml"), text.to_owned(), &overrides).unwrap();
        plan.cells[0].scenario.agents[0].parameters.split.clone()
    }

    #[test]
    fn both_halves_run_the_tcp_of_the_flow() {
        let split = split(&[]);
        for tcp in [split.wireless, split.wired] {
            assert_eq!((tcp.variant, tcp.profile), (Some("cubic"), Some("linux")));
        }
        // 40 Mbit/s over 100 ms, twice.
        assert_eq!(split.buffer(), 1_000_000);
    }

    #[test]
    fn what_the_agent_sets_stays() {
        let split = split(&["agent.bs.split.wired.variant=reno", "agent.bs.split.buffer=\"9 kB\""]);
        assert_eq!((split.wireless.variant, split.wired.variant), (Some("cubic"), Some("reno")));
        assert_eq!(split.buffer(), 9000);
    }

    #[test]
    fn a_slow_path_keeps_the_usual_buffer() {
        assert_eq!(split(&["link.air.rate=\"1 Mbit/s\""]).buffer(), SplitParameters::USUAL_BUFFER);
    }
}
