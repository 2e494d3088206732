//! Tables that name a group of nodes stand for several.

use crate::support::plan;
use seamline_mobility::Position;
use seamline_scenario::schema::{AgentPlace, MovesSpec, Networks, Scenario};

/// Trains along a line of cells, a coach behind each, and users who stay.
const FLEET: &str = r#"
duration = "30 s"
nodes = ["server", "hub"]
group = [
    { name = "bs", count = 6 }, { name = "train", count = 3 }, { name = "coach", count = 3 }, { name = "seat", count = 6 },
    { name = "user", count = 12 },
]
link = [
    { name = "wired", from = "server", to = "hub", rate = "1 Gbit/s", one_way_delay = "1 ms" },
    { name = "backhaul", from = "hub", to = "bs", rate = "1 Gbit/s", one_way_delay = "1 ms" },
    { name = "wifi", from = "train", to = "coach", rate = "10 Mbit/s", one_way_delay = "1 ms", loss = { model = "bernoulli", probability = "1 %" } },
    { name = "cable", from = "coach", to = "seat", rate = "10 Mbit/s", one_way_delay = "1 ms" },
]
cell = [{ name = "air", base_station = "bs", fixed = "user", position = ["100 m", "50 m"], spacing = ["1 km", "10 m"], range = "600 m", rate = "5 Mbit/s", one_way_delay = "1 ms" }]
agent = [{ name = "station", kind = "snoop", cell = "air" }, { name = "on-board", kind = "snoop", link = "wifi" }]
flow = [{ name = "main", from = "server", to = "seat", count = 2, variant = "cubic" }]

[[mobile]]
name = "train"
cells = "air"
protocol = { kind = "none" }
movement = { start = ["0 m", "0 m"], spacing = ["1 km", "0 m"], waypoints = [{ at = "0 s", to = ["1200 m", "0 m"], speed = "100 m/s" }], change = "nearest" }
"#;

fn fleet(overrides: &[&str]) -> Scenario {
    plan(FLEET, overrides).cells[0].scenario.clone()
}

#[test]
fn each_has_a_name_and_a_place_of_its_own() {
    let it = fleet(&[]);
    let names: Vec<&str> = it.cells.iter().map(|cell| cell.name.as_str()).collect();
    assert_eq!(names, ["air-1", "air-2", "air-3", "air-4", "air-5", "air-6"]);
    let places: Vec<Position> = it.cells.iter().map(|cell| cell.area.unwrap().position).collect();
    assert_eq!(places[2], Position { x: 2100.0, y: 70.0 });
    let node = |name: &str| it.nodes.iter().position(|known| known == name).unwrap();
    assert_eq!(it.cells[3].base_station, node("bs-4"));
    assert_eq!(it.cells[3].fixed, [node("user-4"), node("user-10")]);
    let agents: Vec<(&str, AgentPlace)> = it.agents.iter().map(|it| (it.name.as_str(), it.at)).collect();
    assert_eq!(agents[1], ("station-2", AgentPlace::Cell(1)));
    assert_eq!(agents[6], ("on-board-1", AgentPlace::Link(7)));
    assert_eq!((agents.len(), it.links[7].name.as_str()), (9, "wifi-1"));
}

/// Six seats behind three coaches: two each, in turn.
#[test]
fn a_larger_group_is_spread_over_a_smaller_one() {
    let it = fleet(&[]);
    let cables: Vec<(&str, &str)> = it
        .links
        .iter()
        .filter(|link| link.name.starts_with("cable"))
        .map(|link| (it.nodes[link.from].as_str(), it.nodes[link.to].as_str()))
        .collect();
    let expected = ["seat-1", "seat-2", "seat-3", "seat-4", "seat-5", "seat-6"].map(|seat| seat.to_owned());
    for (place, (coach, seat)) in cables.iter().enumerate() {
        assert_eq!((*coach, *seat), (["coach-1", "coach-2", "coach-3"][place % 3], expected[place].as_str()));
    }
    assert_eq!(
        (cables.len(), it.flows[0].count, Networks::of(&it).behind(it.mobiles[1].node).len()),
        (6, 12, 3)
    );
}

/// A node with waypoints takes the cells on its way and begins in that where it is; so its way costs what it passes, not what there is.
#[test]
fn mobile_nodes_take_the_cells_on_their_way() {
    let it = fleet(&[]);
    let cells: Vec<&[usize]> = it.mobiles.iter().map(|mobile| mobile.cells.as_slice()).collect();
    assert_eq!(cells, [[0, 1], [1, 2], [2, 3]]);
    let starts: Vec<Position> = it
        .mobiles
        .iter()
        .map(|mobile| match &mobile.movement.moves {
            MovesSpec::Waypoints(way) => way.trajectory.position_at(seamline_wire::Instant::ZERO),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(starts[2], Position { x: 2000.0, y: 0.0 });
    for (place, mobile) in it.mobiles.iter().enumerate() {
        let movement = mobile.movement.build(&mobile.cells, 1, "train").unwrap();
        let passed: Vec<usize> = movement.stays().iter().map(|stay| stay.cell.0 as usize).collect();
        assert_eq!(passed, [place, place + 1], "from the nearest to the next");
    }
}

/// Without a way each has all cells, and moves as the table says.
#[test]
fn those_without_waypoints_move_alike() {
    let it = fleet(&["mobile.train.movement={ every = \"5 s\" }"]);
    assert!(it.mobiles.iter().all(|mobile| mobile.cells == [0, 1, 2, 3, 4, 5]));
    assert!(it.mobiles.iter().all(|mobile| mobile.movement == it.mobiles[0].movement));
}

#[test]
fn the_grid_sets_all_of_a_table() {
    let plan = plan(
        FLEET,
        &["grid.agent.on-board.kind=[\"none\", \"snoop\"]", "group.bs.count=4", "group.user.count=4"],
    );
    let kinds = |cell: usize| {
        let agents = plan.cells[cell].scenario.agents.iter().filter(|it| it.name.starts_with("on-board"));
        agents.map(|agent| agent.kind.is_some()).collect::<Vec<bool>>()
    };
    assert_eq!((kinds(0), kinds(1)), (vec![false; 3], vec![true; 3]));
    assert_eq!(plan.cells[0].scenario.cells.len(), 4);
}

/// The links of a group see the same satellites, from the places that they have in turn.
#[test]
fn terminals_of_a_group_share_the_sky() {
    let text = r#"
duration = "60 s"
nodes = ["server"]
group = [{ name = "home", count = 4 }]
flow = [{ name = "main", from = "server", to = "home", variant = "cubic" }]
link = [{ name = "space", from = "server", to = "home", rate = "5 Mbit/s", orbit = { terminal = [[47.6, -122.3], [45.5, -122.7]], gateway = [47.5, -121.8] } }]
"#;
    let plan = plan(text, &[]);
    let scenario = &plan.cells[0].scenario;
    let delay = |link: usize, seed: u64| {
        let link = &scenario.links[link];
        let schedule = link.down.schedule.as_ref().unwrap().build(seed, &link.name, scenario.duration);
        schedule.one_way_delay.unwrap().points().to_vec()
    };
    assert_eq!(delay(0, 1), delay(2, 1), "both are in the first place");
    assert_eq!(delay(1, 1), delay(3, 1));
    assert_ne!(delay(0, 1), delay(1, 1), "these are elsewhere");
    assert_ne!(delay(0, 1), delay(0, 2), "another seed begins at another time");
}
