//! Satellite paths in scenarios.

use seamline_net::Schedule;
use seamline_scenario::{Diagnostics, Plan};
use seamline_wire::{Duration, Instant};
use std::path::Path;

const ELEMENTS: &str = "ISS (ZARYA)\n\
    1 25544U 98067A   20194.88612269 -.00002218  00000-0 -31515-4 0  9992\n\
    2 25544  51.6461 221.2784 0001413  89.1723 280.4612 15.49507896236008\n";

fn plan_in(folder: &Path, path: &str) -> Result<Plan, Diagnostics> {
    let text = format!(
        "duration = \"60 s\"\nnodes = [\"server\", \"terminal\"]\n\
         [[link]]\nname = \"space\"\nfrom = \"server\"\nto = \"terminal\"\nrate = \"20 Mbit/s\"\n{path}\n\
         [[flow]]\nname = \"download\"\nfrom = \"server\"\nto = \"terminal\"\nvariant = \"cubic\"\n"
    );
    Plan::new(&folder.join("scenario.toml"), text, &[])
}

fn plan(path: &str) -> Result<Plan, Diagnostics> {
    plan_in(Path::new("."), path)
}

/// The conditions down and up.
fn schedules(plan: &Plan, seed: u64) -> [Schedule; 2] {
    let link = &plan.cells[0].scenario.links[0];
    [&link.down, &link.up].map(|direction| {
        let schedule = direction.schedule.as_ref().expect("it has a schedule");
        assert!(schedule.has_delay() && schedule.has_handovers() && !schedule.has_capacity());
        schedule.build(seed, &link.name, plan.cells[0].scenario.duration)
    })
}

fn schedule(plan: &Plan, seed: u64) -> Schedule {
    let [down, up] = schedules(plan, seed);
    assert_eq!(down, up);
    down
}

fn refused(path: &str, expected: &str) {
    let text = plan(path).expect_err("it is refused").render(false);
    assert!(text.contains(expected), "{path}: {text}");
}

const SEATTLE: &str = "terminal = [47.6, -122.3], gateway = [47.5, -121.8]";

#[test]
fn each_seed_begins_at_another_time_and_both_directions_agree() {
    let plan = plan(&format!("schedule = {{ kind = \"orbit\", {SEATTLE} }}")).unwrap();
    let one = schedule(&plan, 1);
    assert_eq!(one, schedule(&plan, 1));
    assert_ne!(one, schedule(&plan, 2));
    let delay = one.one_way_delay.as_ref().unwrap();
    for second in 0..60 {
        let delay = delay.at(Instant::from_secs(second)).as_millis_f64();
        assert!((3.6..7.6).contains(&delay), "{delay} ms at {second} s");
    }
    let slots = [12, 27, 42, 57].map(Instant::from_secs);
    assert!(one.handovers.as_slice().iter().all(|it| slots.contains(&it.at)), "{:?}", one.handovers);
    assert!(one.handovers.as_slice().iter().all(|it| it.interruption == Duration::from_millis(75)));
}

#[test]
fn all_seeds_can_have_the_same_satellites() {
    let plan =
        plan(&format!("orbit = {{ {SEATTLE}, start_within = \"0 s\", at = \"2026-11-27T12:00:00Z\" }}"))
            .unwrap();
    assert_eq!(schedule(&plan, 1), schedule(&plan, 2));
}

#[test]
fn the_short_form_is_the_same() {
    let keys =
        format!("shell = \"kuiper-1\", {SEATTLE}, policy = \"longest\", switch = \"make-before-break\"");
    let long = plan(&format!("schedule = {{ kind = \"orbit\", {keys} }}")).unwrap();
    let short = plan(&format!("orbit = {{ {keys} }}")).unwrap();
    assert_eq!(schedule(&long, 7), schedule(&short, 7));
}

#[test]
fn tracks_gateways_and_numbers_are_read() {
    let plan = plan(
        "[link.orbit]\nwalker = { altitude = \"600 km\", inclination = 60, planes = 40, per_plane = 40, phasing = 3 }\n\
         track = [{ at = \"0 s\", place = [50.0, -10.0], altitude = 11 }, { at = \"30 s\", place = [50.0, -12.0] }]\n\
         gateway = [[51.5, -0.1], [52.0, -8.0]]\nrelay = \"inter-satellite\"\npolicy = \"shortest\"\nstep = \"500 ms\"\n\
         processing_delay = \"2 ms\"\nground_one_way_delay = \"3 ms\"\nminimum_elevation = 20\ninterruption = \"40 ms\"\n",
    )
    .unwrap();
    let schedule = schedule(&plan, 3);
    let delay = schedule.one_way_delay.unwrap().at(Instant::from_secs(10)).as_millis_f64();
    assert!((9.0..13.0).contains(&delay), "{delay} ms");
}

#[test]
fn element_sets_come_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("iss.txt"), ELEMENTS).unwrap();
    let text = format!("orbit = {{ elements = \"iss.txt\", {SEATTLE} }}");
    let plan = plan_in(folder.path(), &text).unwrap();
    let identity = plan.cells[0].identity;
    // One satellite is seldom above the horizon: most of the runs are an outage from end to end.
    let outage = |seed: u64| schedule(&plan, seed).handovers.as_slice()[0].interruption;
    assert!((1..20).filter(|seed| outage(*seed) == Duration::from_secs(60)).count() > 10);
    std::fs::write(folder.path().join("iss.txt"), format!("# newer\n{ELEMENTS}")).unwrap();
    assert_ne!(
        identity,
        plan_in(folder.path(), &text).unwrap().cells[0].identity,
        "results depend on the file"
    );
    std::fs::write(folder.path().join("iss.txt"), ELEMENTS.replace("51.6461", "51.6462")).unwrap();
    let error = plan_in(folder.path(), &text).unwrap_err().render(false);
    assert!(error.contains("line 2") && error.contains("checksum"), "{error}");
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    refused("orbit = { terminal = [47.6, -122.3] }", "has no `gateway`");
    refused("orbit = { gateway = [47.6, -122.3] }", "has no `terminal`");
    refused(
        "orbit = { terminal = [97.6, -122.3], gateway = [47.6, -122.3] }",
        "the latitude 97.6 is not between -90 and 90",
    );
    refused(&format!("orbit = {{ shell = \"starlink-9\", {SEATTLE} }}"), "`starlink-1`");
    refused(&format!("orbit = {{ at = \"noon\", {SEATTLE} }}"), "2026-11-27T12:00:00Z");
    refused(
        &format!("orbit = {{ switch = \"make-before-break\", interruption = \"5 ms\", {SEATTLE} }}"),
        "nothing is interrupted",
    );
    refused(&format!("orbit = {{ elements = \"no.txt\", {SEATTLE} }}"), "cannot read");
    refused(
        &format!("orbit = {{ {SEATTLE} }}\nschedule = {{ kind = \"starlink\" }}"),
        "two schedules set one-way delay",
    );
    refused(
        &format!(
            "orbit = {{ shell = \"starlink-1\", walker = {{ altitude = \"600 km\", inclination = 60, planes = 4, per_plane = 4 }}, {SEATTLE} }}"
        ),
        "says which satellites there are, too",
    );
    refused(
        &format!(
            "orbit = {{ walker = {{ altitude = \"60 km\", inclination = 60, planes = 4, per_plane = 4 }}, {SEATTLE} }}"
        ),
        "the altitude 60 is not between 160 and 50,000 km",
    );
    refused(
        &format!("orbit = {{ track = [{{ at = \"0 s\", place = [0, 0] }}], {SEATTLE} }}"),
        "`track` says where the terminal is",
    );
    refused(
        "orbit = { track = [{ at = \"9 s\", place = [0, 0] }, { at = \"9 s\", place = [0, 1] }], gateway = [0, 0] }",
        "does not come after",
    );
}
