//! The information that link layers provide.

use super::{link_changes, movements};
use crate::Plan;
use seamline_wire::{Duration, Instant, Rate};
use std::path::Path;

#[test]
fn a_link_layer_knows_the_rate_of_a_new_link_and_the_values_of_its_radio_cell() {
    let cell = |name: &str, rate, stated: &str| {
        format!(
            "\n[[link]]\nname = \"to-{name}\"\nfrom = \"sender\"\nto = \"{name}\"\nrate = \"1 Gbit/s\"\none_way_delay = \"1 ms\"\n\
             [[cell]]\nname = \"{name}\"\nbase_station = \"{name}\"\nrate = \"{rate}\"\none_way_delay = \"5 ms\"\n{stated}\n"
        )
    };
    let text = "duration = \"20 s\"\nnodes = [\"sender\", \"satellite\", \"wlan\", \"mobile\"]\n".to_owned()
        + &cell("satellite", "1 Mbit/s", "known_round_trip_time = \"550 ms\"")
        + &cell("wlan", "11 Mbit/s", "")
        + "\n[[mobile]]\nname = \"mobile\"\ncells = [\"satellite\", \"wlan\"]\nprotocol = { kind = \"none\" }\n\
           layer_2 = { scan = \"2 s\", associate = \"500 ms\" }\n\
           movement = { timetable = [{ at = \"5 s\", cell = \"wlan\" }, { at = \"10 s\", cell = \"satellite\" }], overlap = \"3 s\" }\n\
           [[flow]]\nname = \"file\"\nfrom = \"sender\"\nto = \"mobile\"\nvariant = \"reno\"\n";
    let plan = Plan::new(Path::new("test.toml"), text, &[]);
    let plan = plan.unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render(false)));
    let scenario = &plan.cells[0].scenario;
    let movements = movements(scenario, 1);
    let changes: Vec<_> = link_changes(scenario, &movements[0])
        .map(|change| (change.down, change.up, change.rate, change.round_trip_time))
        .collect();
    let ms = Instant::from_millis;
    let megabits = |n| Some(Rate::from_megabits_per_second(n));
    let expected = [
        (ms(8_000), ms(7_500), megabits(11), None),
        (ms(13_000), ms(12_500), megabits(1), Some(Duration::from_millis(550))),
    ];
    assert_eq!(changes, expected);
}
