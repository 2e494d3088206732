use super::{Sides, sides};
use seamline_scenario::Plan;
use seamline_scenario::schema::Scenario;
use std::path::Path;

/// A server, a gateway, a mast behind the link of an agent, a house in its cell, and a car that moves between that and the cell of a farther
/// mast.
const NETWORK: &str = r#"
duration = "1 s"
nodes = ["server", "gateway", "mast", "house", "car", "farther"]
agent = [{ name = "station", kind = "snoop", link = "hop" }]

[[link]]
name = "wired"
from = "server"
to = "gateway"
rate = "100 Mbit/s"
one_way_delay = "10 ms"

[[link]]
name = "hop"
from = "gateway"
to = "mast"
rate = "100 Mbit/s"
one_way_delay = "10 ms"

[[link]]
name = "between"
from = "mast"
to = "farther"
rate = "100 Mbit/s"
one_way_delay = "10 ms"

[[cell]]
name = "air"
base_station = "mast"
fixed = ["house"]
rate = "10 Mbit/s"
one_way_delay = "2 ms"

[[cell]]
name = "farther-air"
base_station = "farther"
rate = "10 Mbit/s"
one_way_delay = "2 ms"

[[mobile]]
name = "car"
cells = ["air", "farther-air"]
movement = { every = "5 s", order = "in turn" }
protocol = { kind = "none" }
"#;
const SERVER: usize = 0;
const GATEWAY: usize = 1;
const MAST: usize = 2;
const HOUSE: usize = 3;
const CAR: usize = 4;
const FARTHER: usize = 5;

/// The network with flows between these.
fn with_flows(pairs: &[[&str; 2]]) -> Scenario {
    let flow = |(number, [from, to]): (usize, &[&str; 2])| {
        format!(
            "\n[[flow]]\nname = \"flow{number}\"\nfrom = \"{from}\"\nto = \"{to}\"\nvariant = \"newreno\"\n"
        )
    };
    let text = NETWORK.to_owned() + &pairs.iter().enumerate().map(flow).collect::<String>();
    let plan = Plan::new(Path::new("test.toml"), text, &[]);
    plan.unwrap_or_else(|wrong| panic!("{}", wrong.render(false))).cells.remove(0).scenario
}

fn sides_of_the_agent(scenario: &Scenario) -> Sides {
    let mut sides = sides(scenario, &scenario.agents[0]).unwrap();
    sides.behind.sort_unstable();
    sides
}

/// Beyond the air of a cell there are those that never leave it, too.
#[test]
fn nodes_fixed_in_a_cell_are_behind_the_agent_before_it() {
    for ends in [["server", "house"], ["house", "server"]] {
        let expected = Sides { ends: [SERVER, HOUSE], behind: vec![MAST, HOUSE, CAR, FARTHER] };
        assert_eq!(sides_of_the_agent(&with_flows(&[ends])), expected);
    }
}

/// Both ends are those of one flow that passes, whatever flows stay on one side.
#[test]
fn ends_are_of_a_flow_that_passes() {
    let scenario = with_flows(&[["server", "gateway"], ["gateway", "car"], ["mast", "house"]]);
    assert_eq!(sides_of_the_agent(&scenario).ends, [GATEWAY, CAR]);
    let scenario = with_flows(&[["server", "gateway"], ["mast", "house"]]);
    let refused = sides(&scenario, &scenario.agents[0]).unwrap_err();
    assert!(refused.to_string().contains("no flow passes agent \"station\""), "{refused}");
}
