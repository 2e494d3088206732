//! The messages about bad files, word for word: `tests/bad/*.toml` and `snapshots`; after a wanted
//! change of words look at the new ones and run with INSTA_UPDATE=always.

use seamline_scenario::Plan;
use std::path::Path;

fn complaints(name: &str, overrides: &[&str]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    let rendered = Plan::new(&path, text, &overrides).expect_err("a bad file passed").render(false);
    rendered.replace(env!("CARGO_MANIFEST_DIR"), "")
}

macro_rules! say {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), complaints(concat!(stringify!($name), ".toml"), &[]));
        })*
        /// No file in the folder goes untested.
        #[test]
        fn every_bad_file_is_looked_at() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
            let mut files: Vec<String> = std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            files.sort();
            let mut tested = vec![$(concat!(stringify!($name), ".toml")),*];
            tested.sort();
            assert_eq!(files, tested);
        }
    };
}

say!(
    areas,
    disconnected,
    duplicate_names,
    empty,
    fades,
    fleet_cells,
    fleet_mobiles,
    forwarding,
    grid,
    group_names,
    handovers,
    kernels,
    layer_2,
    many_at_once,
    mobility,
    mobility_keys,
    no_area,
    not_toml,
    recordings,
    refused_pair,
    repeated_key,
    seeds_and_numbers,
    too_large,
    too_many_nodes,
    units,
    waypoints,
    wrong_shapes,
);

#[test]
fn overrides_have_places_too() {
    let overrides =
        ["duration", "link.radoi.rate=1 Mbit/s", "flow.main.varaint=reno", "link.radio.rate=2 Mb"];
    insta::assert_snapshot!("overrides", complaints("disconnected.toml", &overrides));
}
