//! Who serves when, and what becomes of it as a schedule.

use proptest::prelude::*;
use seamline_net::schedule::Fates;
use seamline_orbit::{
    Constellation, Horizon, LIGHT, Passage, Place, Policy, Relay, Setup, Station, Switch, Terminal, Track,
    Utc, follow, look, shell_named,
};
use seamline_wire::{Duration, Instant};

const SEATTLE: (f64, f64) = (47.6, -122.3);

fn place((latitude, longitude): (f64, f64)) -> Place {
    Place::new(latitude, longitude).unwrap()
}

fn start() -> Utc {
    Utc::parse("2026-11-27T12:00:00Z").unwrap()
}

fn policy(name: &str) -> Policy {
    Policy::named(name, Relay::BentPipe).unwrap()
}

fn constellation(name: &str) -> Constellation {
    Constellation::of_shell(shell_named(name).unwrap().shell()).unwrap()
}

fn setup(shell: &str, gateways: &[(f64, f64)]) -> Setup {
    let horizon = Horizon::Elevation(shell_named(shell).unwrap().minimum_elevation);
    let gateways = gateways.iter().map(|at| Station { place: place(*at), horizon }).collect();
    Setup::new(constellation(shell), gateways, start(), Duration::from_secs(900))
}

fn run(setup: &Setup, at: (f64, f64), elevation: f64) -> Passage {
    let terminal = Terminal::at("one", place(at), Horizon::Elevation(elevation));
    follow(setup, &[terminal]).unwrap().remove(0)
}

#[test]
fn the_highest_satellite_is_the_highest_that_sees_a_gateway() {
    let setup = Setup { policy: policy("highest"), ..setup("starlink-1", &[(45.0, -120.0)]) };
    let passage = run(&setup, SEATTLE, 25.0);
    for (second, route) in passage.routes().iter().enumerate().step_by(50) {
        let space = setup.constellation.snapshot(start().after(Duration::from_secs(second as u64)));
        let highest = |from: (f64, f64)| {
            let looks = space.positions().iter().map(move |position| look(place(from), *position));
            looks.collect::<Vec<_>>()
        };
        let (mine, gateway) = (highest(SEATTLE), highest((45.0, -120.0)));
        let usable =
            (0..mine.len()).filter(|it| mine[*it].elevation >= 25.0 && gateway[*it].elevation >= 25.0);
        let best = usable.max_by(|a, b| mine[*a].elevation.total_cmp(&mine[*b].elevation)).unwrap();
        let route = route.unwrap();
        assert_eq!((route.satellite, route.exit), (best as u32, best as u32), "second {second}");
        let seconds = (mine[best].range + gateway[best].range) / LIGHT;
        assert!((route.one_way_delay.as_secs_f64() - seconds).abs() < 1e-8);
        assert!((f64::from(route.elevation) - mine[best].elevation).abs() < 1e-3);
        assert!((f64::from(route.azimuth) - mine[best].azimuth).abs() < 1e-2);
    }
}

#[test]
fn slots_change_at_12_27_42_and_57_or_when_the_satellite_is_lost() {
    let setup = setup("starlink-1", &[(45.0, -120.0)]);
    let passage = run(&setup, SEATTLE, 25.0);
    let changes = passage.handovers();
    let on_slot = |at: Duration| [12, 27, 42, 57].contains(&(at.as_nanos() / 1_000_000_000 % 60));
    assert!((15..=60).contains(&changes.len()), "{} handovers in 15 minutes", changes.len());
    assert!(changes.iter().all(|it| on_slot(it.at)), "{changes:?}");
    // A satellite that is picked stays for a whole slot.
    assert!(passage.services().windows(2).all(|pair| pair[1].from == pair[0].until));
}

#[test]
fn the_longest_visible_satellite_changes_seldom_and_only_when_lost() {
    let count = |name: &str| {
        let setup = Setup {
            policy: policy(name),
            duration: Duration::from_secs(3600),
            ..setup("starlink-1", &[SEATTLE])
        };
        run(&setup, SEATTLE, 25.0).handovers().len()
    };
    let (longest, slots, highest) = (count("longest"), count("slots"), count("highest"));
    // A pass above 25 degrees at 550 km takes at most 4.4 minutes: at least 13 handovers an hour.
    assert!((13..30).contains(&longest), "{longest}");
    assert!(longest * 2 < slots && slots < highest, "{longest}, {slots}, {highest}");
}

#[test]
fn a_kept_satellite_is_lost_no_earlier_than_its_horizon() {
    let setup = Setup {
        policy: policy("longest"),
        duration: Duration::from_secs(1800),
        ..setup("starlink-1", &[SEATTLE])
    };
    let passage = run(&setup, SEATTLE, 25.0);
    for service in passage.services().windows(2) {
        let at = |time: Duration| {
            let position = setup.constellation.position(service[0].satellite as usize, start().after(time));
            look(place(SEATTLE), position).elevation
        };
        let last = at(service[0].until - Duration::from_secs(1));
        assert!(last >= 25.0 && at(service[0].until) < 25.0, "{service:?}");
    }
}

#[test]
fn links_between_satellites_reach_where_bent_pipes_do_not() {
    let ocean = (30.0, -40.0);
    let bent = run(&setup("starlink-1", &[(40.7, -74.0)]), ocean, 25.0);
    assert_eq!(bent.share_without_path(), 1.0);
    assert_eq!(bent.outages().len(), 1);
    assert!(
        bent.schedule(Switch::MakeBeforeBreak, Fates::SEAMLESS)
            .unwrap_err()
            .to_string()
            .contains("no satellite serves one")
    );
    let linked = Setup { relay: Relay::InterSatelliteLinks, ..setup("starlink-1", &[(40.7, -74.0)]) };
    let passage = run(&linked, ocean, 25.0);
    assert_eq!(passage.share_without_path(), 0.0);
    let chord = place(ocean).ecef().distance(place((40.7, -74.0)).ecef()) / LIGHT;
    for route in passage.routes().iter().flatten() {
        assert!(route.satellites >= 2 && route.one_way_delay.as_secs_f64() > chord, "{route:?}");
    }
    let shortest = run(&Setup { policy: policy("shortest"), ..linked }, ocean, 25.0);
    let pairs = || passage.routes().iter().zip(shortest.routes()).filter_map(|(a, b)| Some(((*a)?, (*b)?)));
    assert!(pairs().count() > 800 && pairs().all(|(any, least)| least.one_way_delay <= any.one_way_delay));
}

#[test]
fn fixed_delays_are_added() {
    let plain = setup("kuiper-1", &[SEATTLE]);
    let delayed = Setup {
        processing_delay: Duration::from_millis(3),
        ground_delay: Duration::from_millis(5),
        ..plain.clone()
    };
    let (one, other) = (run(&plain, SEATTLE, 35.0), run(&delayed, SEATTLE, 35.0));
    let mut seen = 0;
    for (one, other) in one.routes().iter().zip(other.routes()) {
        let (Some(one), Some(other)) = (one, other) else { continue };
        assert_eq!(one.one_way_delay + Duration::from_millis(8), other.one_way_delay);
        seen += 1;
    }
    assert!(seen > 600, "{seen}");
}

#[test]
fn schedules_have_the_handovers_of_the_passage() {
    let passage = run(&setup("starlink-1", &[SEATTLE]), SEATTLE, 25.0);
    let interruption = Duration::from_millis(60);
    let schedule = passage.schedule(Switch::BreakBeforeMake { interruption }, Fates::SEAMLESS).unwrap();
    let expected: Vec<Instant> = passage.handovers().iter().map(|it| Instant::ZERO + it.at).collect();
    let found: Vec<Instant> = schedule.handovers.as_slice().iter().map(|it| it.at).collect();
    assert_eq!(found, expected);
    assert!(schedule.handovers.as_slice().iter().all(|it| it.interruption == interruption));
    let delay = schedule.one_way_delay.unwrap();
    for (second, route) in passage.routes().iter().enumerate() {
        assert_eq!(delay.at(Instant::from_secs(second as u64)), route.unwrap().one_way_delay);
    }
    let soft = passage.schedule(Switch::MakeBeforeBreak, Fates::SEAMLESS).unwrap();
    assert!(soft.handovers.as_slice().iter().all(|it| it.interruption.is_zero()));
    assert_eq!(soft.handovers.as_slice().len(), expected.len());
}

#[test]
fn outages_are_interruptions_that_do_not_overlap() {
    // At the edge of the shell's coverage, satellites come and go.
    let passage = run(&setup("starlink-1", &[(61.35, 10.0)]), (61.35, 10.0), 25.0);
    let outages = passage.outages();
    assert!(
        outages.len() > 3 && (0.02..0.9).contains(&passage.share_without_path()),
        "{}",
        passage.share_without_path()
    );
    let long = Switch::BreakBeforeMake { interruption: Duration::from_secs(20) };
    for switch in
        [Switch::MakeBeforeBreak, Switch::BreakBeforeMake { interruption: Duration::from_millis(60) }, long]
    {
        let schedule = passage.schedule(switch, Fates::HARD).unwrap();
        for outage in &outages {
            let covered =
                schedule.handovers.as_slice().iter().any(|it| {
                    it.at <= Instant::ZERO + outage.from && it.end() >= Instant::ZERO + outage.until
                });
            assert!(covered, "{outage:?}");
        }
    }
}

#[test]
fn terminals_that_move_see_the_sky_from_where_they_are() {
    let track =
        Track::parse("seconds,latitude,longitude\n0,47.6,-122.3\n# over the pole\n900,50.0,-110.0,10\n")
            .unwrap();
    let half_way = track.at(450.0);
    assert!(
        (half_way.altitude - 5.0).abs() < 1e-9 && (48.5..49.5).contains(&half_way.latitude),
        "{half_way:?}"
    );
    assert!(track.at(-5.0).ecef().distance(track.at(0.0).ecef()) < 1e-6);
    assert_eq!(track.at(5000.0), track.at(900.0));
    let setup = Setup { policy: policy("highest"), ..setup("starlink-1", &[(49.0, -116.0)]) };
    let terminal = Terminal { name: "plane".into(), track: track.clone(), horizon: Horizon::Elevation(25.0) };
    let passage = follow(&setup, &[terminal]).unwrap().remove(0);
    let second = 600;
    let route = passage.routes()[second].unwrap();
    let position =
        setup.constellation.position(route.satellite as usize, start().after(Duration::from_secs(600)));
    let seen = look(track.at(600.0), position);
    assert!((f64::from(route.elevation) - seen.elevation).abs() < 1e-3);
}

#[test]
fn tracks_name_the_line_that_is_wrong() {
    let line = |text: &str| Track::parse(text).unwrap_err().line;
    assert_eq!(line("0,47,8\n60,48\n"), Some(2));
    assert_eq!(line("0,47,8\n0,48,8\n"), Some(2));
    assert_eq!(line("0,47,8\n\nx,48,8\n"), Some(3));
    assert_eq!(line("0,97,8\n"), Some(1));
    assert_eq!(line(""), None);
    assert!(Track::new(vec![(f64::NAN, place(SEATTLE)), (1.0, place(SEATTLE))]).is_err());
}

#[test]
fn setups_that_cannot_be_say_why() {
    let why = |setup: &Setup, elevation: f64| {
        follow(setup, &[Terminal::at("one", place(SEATTLE), Horizon::Elevation(elevation))])
            .unwrap_err()
            .to_string()
    };
    let good = setup("starlink-1", &[SEATTLE]);
    assert!(why(&Setup { gateways: Vec::new(), ..good.clone() }, 25.0).contains("no gateway"));
    assert!(why(&Setup { step: Duration::ZERO, ..good.clone() }, 25.0).contains("longer than 0 s"));
    assert!(why(&Setup { step: Duration::from_nanos(1), ..good.clone() }, 25.0).contains("longer step"));
    assert!(why(&good, 90.0).contains("elevation"));
    let elements = "1 25544U 98067A   20194.88612269 -.00002218  00000-0 -31515-4 0  9992\n\
        2 25544  51.6461 221.2784 0001413  89.1723 280.4612 15.49507896236008\n";
    let one = Constellation::of_elements(seamline_orbit::read_elements(elements).unwrap()).unwrap();
    let linked = Setup { constellation: one, relay: Relay::InterSatelliteLinks, ..good };
    assert!(why(&linked, 25.0).contains("shell by numbers"));
}

#[test]
fn the_result_does_not_depend_on_the_company() {
    let setup = setup("kuiper-2", &[(35.0, -100.0), (40.0, -90.0)]);
    let terminals: Vec<Terminal> = (0..20)
        .map(|n| {
            Terminal::at(&n.to_string(), place((30.0 + f64::from(n) * 0.5, -95.0)), Horizon::Elevation(35.0))
        })
        .collect();
    let together = follow(&setup, &terminals).unwrap();
    for (terminal, passage) in terminals.iter().zip(&together).step_by(6) {
        assert_eq!(&follow(&setup, std::slice::from_ref(terminal)).unwrap()[0], passage);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// No path is shorter than the straight line or longer than light takes along both slant ranges of the horizon.
    #[test]
    fn delays_are_within_what_geometry_allows(latitude in -55.0..55.0f64, longitude in -180.0..180.0f64, away in 0.0..8.0f64) {
        let gateway = (latitude, (longitude + away).min(180.0));
        let setup = Setup { duration: Duration::from_secs(120), ..setup("starlink-1", &[gateway]) };
        let passage = run(&setup, (latitude, longitude), 25.0);
        let shortest = place((latitude, longitude)).ecef().distance(place(gateway).ecef()).max(2.0 * 530.0);
        for route in passage.routes().iter().flatten() {
            let length = route.one_way_delay.as_secs_f64() * LIGHT;
            prop_assert!(length >= shortest && length <= 2.0 * 1135.0, "{} km", length);
            prop_assert!(f64::from(route.elevation) >= 25.0 - 1e-4);
        }
    }
}
