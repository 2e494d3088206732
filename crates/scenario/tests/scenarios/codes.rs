//! Every code is explained, and every explanation's example is what the code is about.

use seamline_config::codes::{Code, Explanation, Place};
use seamline_scenario::{Diagnostics, Plan};
use std::collections::BTreeSet;
use std::path::Path;

/// A scenario with an example in its place, in which the example's keys are the only ones of their names.
fn scenario(lines: &str, place: Place) -> String {
    let top = "duration = \"1 min\"\nnodes = [\"server\", \"phone\", \"island\"]\n";
    let link = "name = \"radio\"\nfrom = \"server\"\nto = \"phone\"\nrate = \"10 Mbit/s\"\none_way_delay = \"20 ms\"\n";
    let flow = "name = \"main\"\nfrom = \"server\"\nto = \"phone\"\nvariant = \"reno\"\n";
    let with = |table: &str, here: Place| {
        if here != place {
            return table.to_owned();
        }
        let key = |line: &str| line.split('=').next().unwrap().trim().to_owned();
        let mut set: BTreeSet<String> = lines.lines().map(key).collect();
        if set.contains("congestion_control") {
            set.insert("variant".to_owned());
        }
        let kept = table.lines().filter(|line| !set.contains(&key(line)));
        kept.chain(lines.lines()).map(|line| format!("{line}\n")).collect()
    };
    let end = if place == Place::End { lines } else { "" };
    format!(
        "{}[[link]]\n{}[[flow]]\n{}{end}\n",
        with(top, Place::Top),
        with(link, Place::Link),
        with(flow, Place::Flow)
    )
}

fn read(lines: &str, place: Place) -> Result<Plan, Diagnostics> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/examples/example.toml");
    match place {
        Place::Override => Plan::new(&here, scenario("", Place::End), &[lines.to_owned()]),
        place => Plan::new(&here, scenario(lines, place), &[]),
    }
}

#[test]
fn every_example_shows_what_its_code_is_about_and_nothing_else() {
    for code in Code::all() {
        let Explanation { place, wrong, right, .. } = *code.explanation();
        let complaints = read(wrong, place).expect_err(&format!("{code}: the wrong lines are right"));
        let codes: BTreeSet<Code> = complaints.iter().map(|complaint| complaint.code).collect();
        assert_eq!(codes, BTreeSet::from([code]), "{code}:\n{}", complaints.render(false));
        assert!(complaints.render(false).contains(&format!("error[{code}]: ")));
        if let Err(complaints) = read(right, place) {
            panic!("{code}: the right lines are wrong:\n{}", complaints.render(false));
        }
    }
}

/// What the sources mention is in the list, and the other way round.
#[test]
fn every_code_that_can_be_emitted_is_in_the_list() {
    let mut mentioned = BTreeSet::new();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![here.join("src"), here.join("../config/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "codes") {
                folders.push(path);
            } else if path.is_file() {
                let source = std::fs::read_to_string(&path).unwrap();
                let names = source.split("Code::").skip(1).map(|rest| {
                    rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap().to_owned()
                });
                mentioned.extend(names.filter(|name| name.starts_with(char::is_uppercase)));
            }
        }
    }
    let listed: BTreeSet<String> = Code::all().map(|code| format!("{code:?}")).collect();
    assert!(mentioned.is_subset(&listed), "{:?}", mentioned.difference(&listed));
}

#[test]
fn codes_are_numbered_once_and_read_back() {
    let names: Vec<String> = Code::all().map(|code| code.to_string()).collect();
    assert_eq!(names[0], "SL001");
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for code in Code::all() {
        let name = code.to_string();
        let number: u16 = name[2..].parse().unwrap();
        for spelling in [name.clone(), name.to_lowercase(), number.to_string()] {
            assert_eq!(spelling.parse(), Ok(code));
        }
    }
    assert!("SL999".parse::<Code>().is_err() && "SL".parse::<Code>().is_err() && "".parse::<Code>().is_err());
}
