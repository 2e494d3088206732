//! Cells from geometry: chords worked by hand, and random ways against plain sampling.

use proptest::prelude::*;
use seamline_mobility::{CellId, Change, Disc, Leg, Movement, Position, Stay, Trajectory};
use seamline_wire::{Duration, Instant};

const fn place(x: f64, y: f64) -> Position {
    Position { x, y }
}

fn disc(cell: u32, x: f64, y: f64, range: f64) -> Disc {
    Disc { cell: CellId(cell), position: place(x, y), range }
}

fn leg(at_s: u64, x: f64, y: f64, speed: f64) -> Leg {
    Leg { at: Instant::from_secs(at_s), to: place(x, y), speed }
}

fn through(start: Position, legs: &[Leg], discs: &[Disc], change: Change, handover: Duration) -> Movement {
    let trajectory = Trajectory::new(start, legs).expect("in order");
    Movement::through(&trajectory, discs, change, || handover).expect("in range at the start")
}

/// The plane of paper mobility-vegas-2020 (section 5.1): access routers 150 m apart with a range of 90 m, passed at a distance of
/// 25 m, so half a chord is sqrt(90^2 - 25^2) m = 86.458 m.
fn paper_v(change: Change, handover: Duration) -> Vec<(u32, f64, f64)> {
    let discs = [disc(0, 200.0, 300.0, 90.0), disc(1, 350.0, 300.0, 90.0), disc(2, 500.0, 300.0, 90.0)];
    let legs = [(10, 350.0), (35, 550.0), (60, 350.0), (85, 150.0)].map(|(at, x)| leg(at, x, 275.0, 10.0));
    let movement = through(place(150.0, 275.0), &legs, &discs, change, handover);
    let seconds = |stay: &Stay| (stay.cell.0, stay.from.as_secs_f64(), stay.until.as_secs_f64());
    movement.stays().iter().map(seconds).collect()
}

#[test]
fn handovers_of_paper_v_begin_where_the_new_range_does() {
    let stays = paper_v(Change::Entering, Duration::from_millis(180));
    let begins = [21.354_192, 41.354_192, 71.354_192, 91.354_192];
    assert_eq!(stays.iter().map(|stay| stay.0).collect::<Vec<_>>(), [0, 1, 2, 1, 0]);
    for (n, begin) in begins.into_iter().enumerate() {
        assert!((stays[n].2 - begin).abs() < 1e-6, "{stays:?}");
        assert!((stays[n + 1].1 - begin - 0.18).abs() < 1e-6, "{stays:?}");
    }
}

#[test]
fn the_old_ranges_of_paper_v_end_later_and_the_middles_lie_between() {
    for (change, begins) in [
        (Change::Leaving, [23.645_808, 43.645_808, 73.645_808, 93.645_808]),
        (Change::Nearest, [22.5, 42.5, 72.5, 92.5]),
    ] {
        let stays = paper_v(change, Duration::ZERO);
        assert_eq!(stays.len(), 5, "{change:?}");
        for (stay, begin) in stays.iter().zip(begins) {
            assert!((stay.2 - begin).abs() < 1e-6, "{change:?}: {stays:?}");
        }
    }
}

/// From 75 m before the middle between two base stations to 100 m behind it: in one go, with a waypoint in the middle, with
/// a rest there. The other one is nearer from when the node goes on.
#[test]
fn a_waypoint_in_the_middle_hides_no_handover() {
    let discs = [disc(0, 200.0, 300.0, 150.0), disc(1, 350.0, 300.0, 150.0)];
    let stays = |legs: &[Leg]| {
        let movement = through(place(200.0, 300.0), legs, &discs, Change::Nearest, Duration::ZERO);
        movement.stays().iter().map(|stay| (stay.cell.0, stay.until)).collect::<Vec<_>>()
    };
    let last = leg(10, 375.0, 300.0, 10.0);
    let half = leg(10, 275.0, 300.0, 10.0);
    for (name, legs, at_ms) in [
        ("one", vec![last], 17_500),
        ("two", vec![half, Leg { at: Instant::from_millis(17_500), ..last }], 17_500),
        ("a rest", vec![half, Leg { at: Instant::from_secs(40), ..last }], 40_000),
    ] {
        assert_eq!(stays(&legs), [(0, Instant::from_millis(at_ms)), (1, Instant::MAX)], "{name}");
    }
}

/// From either base station to the middle between the two, to rest there or to go on at right angles: neither is nearer, so the
/// node stays where it is, also where rounding makes one of the two distances shorter (0.3 - 0.2 < 0.2 - 0.1).
#[test]
fn in_the_middle_a_node_stays_in_its_cell() {
    for [left, middle, right] in [[200.0, 275.0, 350.0], [0.1, 0.2, 0.3], [0.7, 0.8, 0.9], [1.1, 3.3, 5.5]] {
        let discs = [disc(0, left, 300.1, 500.0), disc(1, right, 300.1, 500.0)];
        let aside = Leg { at: Instant::from_secs(100), ..leg(0, middle, 333.3, 10.0) };
        for (start, cell) in [(left, 0), (right, 1)] {
            for legs in [vec![leg(10, middle, 300.1, 10.0)], vec![leg(10, middle, 300.1, 10.0), aside]] {
                let start = place(start, 300.1);
                let movement = through(start, &legs, &discs, Change::Nearest, Duration::ZERO);
                let cells: Vec<u32> = movement.stays().iter().map(|stay| stay.cell.0).collect();
                assert_eq!(cells, [cell], "{middle} m, {legs:?}");
            }
        }
        let movement = through(place(middle, 300.1), &[aside], &discs, Change::Nearest, Duration::ZERO);
        let stays = movement.stays();
        assert_eq!((stays.len(), stays[0].cell), (1, CellId(0)), "{middle} m: the first of the file");
    }
}

/// The node is equally far from the last two at 20.742 s, and nothing changes later: what rounding makes of that very place
/// must not decide.
#[test]
fn the_last_handover_is_found_too() {
    let start = place(337.849_671_744_519_1, 246.444_323_239_546_9);
    let discs = [
        disc(0, start.x, start.y, 60.0),
        disc(1, 276.270_510_635_111_9, 82.921_105_504_343_03, 154.725_218_400_287_05),
        disc(2, 233.645_195_949_189_6, 23.564_813_955_679_95, 81.195_523_646_600_35),
    ];
    let legs = [leg(0, 230.441_646_598_116_4, 39.583_443_787_397_6, 10.0)];
    let movement = through(start, &legs, &discs, Change::Nearest, Duration::ZERO);
    let cells: Vec<u32> = movement.stays().iter().map(|stay| stay.cell.0).collect();
    assert_eq!(cells, [0, 1, 2]);
    let last = movement.stays()[2].from.as_secs_f64();
    assert!((20.74..20.75).contains(&last), "{last}");
}

/// 3-4-5: a chord at a distance of 3 m in a circle of 5 m is 8 m long.
#[test]
fn out_of_all_ranges_a_node_is_in_no_cell() {
    let discs = [disc(0, 0.0, 0.0, 5.0), disc(1, 100.0, 3.0, 5.0)];
    let legs = [leg(1, 200.0, 0.0, 1.0)];
    let second = Duration::from_secs(1);
    let movement = through(place(0.0, 0.0), &legs, &discs, Change::Entering, second);
    let at = Instant::from_secs;
    let stay = |cell, from, until| Stay { cell: CellId(cell), from, until, link_until: until };
    assert_eq!(
        movement.stays(),
        [stay(0, at(0), at(6)), stay(1, at(98), at(105))],
        "in at 96 m, a second later associated, out at 104 m"
    );
    assert_eq!(movement.cell_at(at(200)), None);
    let touching = [disc(0, 0.0, 0.0, 5.0), disc(1, 100.0, 5.0, 5.0)];
    let movement = through(place(0.0, 0.0), &legs, &touching, Change::Entering, second);
    assert_eq!(movement.stays().len(), 1);
}

/// Coming back to the same cell is a handover, too.
#[test]
fn a_handover_is_given_up_when_the_range_of_its_target_ends() {
    let at = Instant::from_secs;
    let big = disc(0, 0.0, 0.0, 100.0);
    let legs = [leg(0, 90.0, 0.0, 1.0)];
    let stays = |spot: Disc| {
        let seconds = Duration::from_secs(12);
        through(place(0.0, 0.0), &legs, &[big, spot], Change::Entering, seconds).stays().to_vec()
    };
    let stay = |cell, from, until| Stay { cell: CellId(cell), from, until, link_until: until };
    // In range of the small cell from 45 to 55 s; association takes 12 s.
    let given_up = stays(disc(1, 50.0, 0.0, 5.0));
    assert_eq!(given_up, [stay(0, at(0), at(45)), stay(0, at(67), Instant::MAX)]);
    let long_enough = stays(disc(1, 50.0, 0.0, 10.0));
    let back = [stay(0, at(0), at(40)), stay(1, at(52), at(60)), stay(0, at(72), Instant::MAX)];
    assert_eq!(long_enough, back);
}

#[test]
fn what_is_wanted_meanwhile_is_looked_at_when_a_handover_is_over() {
    let at = Instant::from_secs;
    let discs = [disc(0, 0.0, 0.0, 50.0), disc(1, 60.0, 0.0, 20.0), disc(2, 70.0, 0.0, 25.0)];
    let legs = [leg(0, 70.0, 0.0, 1.0)];
    let movement = through(place(0.0, 0.0), &legs, &discs, Change::Entering, Duration::from_secs(10));
    let stay = |cell, from, until| Stay { cell: CellId(cell), from, until, link_until: until };
    // Range of 1 from 40 m, of 2 from 45 m.
    let expected = [stay(0, at(0), at(40)), stay(1, at(50), at(50)), stay(2, at(60), Instant::MAX)];
    assert_eq!(movement.stays(), expected);
}

#[test]
fn a_node_rests_between_its_legs_and_cannot_set_out_before_it_has_arrived() {
    let legs = [leg(10, 30.0, 40.0, 10.0), leg(20, 30.0, 0.0, 4.0)];
    let trajectory = Trajectory::new(place(0.0, 0.0), &legs).expect("in order");
    for (millis, x, y) in
        [(0, 0.0, 0.0), (10_000, 0.0, 0.0), (12_500, 15.0, 20.0), (15_000, 30.0, 40.0), (22_500, 30.0, 30.0)]
    {
        let found = trajectory.position_at(Instant::from_millis(millis));
        assert!(found.distance(place(x, y)) < 1e-9, "{millis}: {found:?}");
    }
    let error = Trajectory::new(place(0.0, 0.0), &[legs[0], leg(14, 0.0, 0.0, 1.0)]).unwrap_err();
    assert_eq!((error.leg, error.arrives), (1, Instant::from_secs(15)));
}

#[test]
fn a_start_that_no_cell_reaches_is_refused() {
    let trajectory = Trajectory::new(place(0.0, 6.0), &[]).expect("in order");
    let discs = [disc(0, 0.0, 0.0, 5.0)];
    assert!(Movement::through(&trajectory, &discs, Change::Nearest, || Duration::ZERO).is_err());
}

/// Positions by adding up small steps, not by the trajectory's own pieces.
fn sampled(start: Position, corners: &[(f64, f64)], speed: f64, step_s: f64) -> Vec<Position> {
    let mut here = start;
    let mut found = vec![here];
    for &(x, y) in corners {
        let (mut left, to) = (here.distance(place(x, y)), place(x, y));
        while left > speed * step_s {
            let share = speed * step_s / left;
            here = place(here.x + (to.x - here.x) * share, here.y + (to.y - here.y) * share);
            left = here.distance(to);
            found.push(here);
        }
    }
    found
}

/// A continuous way at constant speed through these corners, without a rest.
fn non_stop(start: Position, corners: &[(f64, f64)], speed: f64) -> (Vec<Leg>, Trajectory) {
    let (mut at, mut here, mut legs) = (Instant::ZERO, start, Vec::new());
    for &(x, y) in corners {
        legs.push(Leg { at, to: place(x, y), speed });
        at += Duration::from_secs_f64(here.distance(place(x, y)) / speed);
        here = place(x, y);
    }
    let trajectory = Trajectory::new(start, &legs).expect("in order");
    (legs, trajectory)
}

fn corner() -> impl Strategy<Value = (f64, f64)> {
    (0.0..400.0, 0.0..400.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// On a single leg the sampled times are exact, so that memory of entries can be kept by sampling, too.
    #[test]
    fn every_rule_agrees_with_plain_sampling(
        start in corner(), end in corner(),
        centres in proptest::collection::vec((corner(), 20.0..200.0), 0..5)
    ) {
        const STEP_S: f64 = 0.01;
        // Wherever it begins, it is in range.
        let mut discs = vec![disc(0, start.0, start.1, 60.0)];
        discs.extend(centres.iter().zip(1..).map(|(((x, y), range), n)| disc(n, *x, *y, *range)));
        let (start, speed) = (place(start.0, start.1), 10.0);
        let (_, trajectory) = non_stop(start, &[end], speed);
        let samples = sampled(start, &[end], speed, STEP_S);
        for change in [Change::Entering, Change::Leaving, Change::Nearest] {
            let movement = Movement::through(&trajectory, &discs, change, || Duration::ZERO).expect("in range");
            let mut entered: Vec<Option<usize>> = vec![None; discs.len()];
            let mut own: Option<usize> = None;
            let mut doubtful_until = 0;
            for (n, here) in samples.iter().enumerate() {
                let distance = |disc: &Disc| here.distance(disc.position);
                for (entered, disc) in entered.iter_mut().zip(&discs) {
                    let inside = distance(disc) <= disc.range;
                    *entered = if inside { entered.or(Some(n)) } else { None };
                }
                let reachable = || (0..discs.len()).filter(|cell| entered[*cell].is_some());
                let nearest =
                    reachable().min_by(|a, b| distance(&discs[*a]).total_cmp(&distance(&discs[*b])));
                let before = own;
                own = match change {
                    Change::Nearest => nearest,
                    Change::Leaving => own.filter(|own| entered[*own].is_some()).or(nearest),
                    Change::Entering => {
                        let last = reachable().filter_map(|cell| entered[cell]).max();
                        let among = |cell: &usize| entered[*cell] == last;
                        let kept = own.filter(|own| last.is_some() && among(own));
                        let closer =
                            |a: &usize, b: &usize| distance(&discs[*a]).total_cmp(&distance(&discs[*b]));
                        kept.or_else(|| reachable().filter(among).min_by(closer))
                    }
                };
                if own != before {
                    doubtful_until = n + 2;
                }
                let at = Instant::ZERO + Duration::from_secs_f64(n as f64 * STEP_S);
                let margin = Duration::from_secs_f64(STEP_S * 1.5);
                let found = movement.cell_at(at);
                let is_clear = [at - margin, at + margin].iter().all(|near| movement.cell_at(*near) == found);
                if n >= doubtful_until && is_clear {
                    prop_assert_eq!(found, own.map(|own| CellId(own as u32)), "{:?} at {}", change, at);
                }
            }
        }
    }

    /// Round corners nothing is lost: in range means in a cell, and out of range in none.
    #[test]
    fn in_a_cell_exactly_when_one_is_in_range(
        corners in proptest::collection::vec(corner(), 1..6),
        centres in proptest::collection::vec((corner(), 20.0..200.0), 0..5),
        times in proptest::collection::vec(0.0..1.0_f64, 50)
    ) {
        let start = place(200.0, 200.0);
        let mut discs = vec![disc(0, 200.0, 200.0, 60.0)];
        discs.extend(centres.iter().zip(1..).map(|(((x, y), range), n)| disc(n, *x, *y, *range)));
        let (legs, trajectory) = non_stop(start, &corners, 10.0);
        let end = legs.last().expect("a leg").at.as_secs_f64() + 60.0;
        for change in [Change::Entering, Change::Leaving, Change::Nearest] {
            let movement = Movement::through(&trajectory, &discs, change, || Duration::ZERO).expect("in range");
            for share in &times {
                let at = Instant::ZERO + Duration::from_secs_f64(share * end);
                let here = trajectory.position_at(at);
                let margins = discs.iter().map(|disc| disc.range - here.distance(disc.position));
                // Within a micrometre of an edge rounding to nanoseconds decides.
                if margins.clone().any(|margin| margin.abs() < 1e-6) {
                    continue;
                }
                match movement.cell_at(at) {
                    None => prop_assert!(margins.clone().all(|margin| margin < 0.0), "{:?} at {}", change, at),
                    Some(CellId(cell)) => {
                        let margin = margins.clone().nth(cell as usize).expect("a cell");
                        prop_assert!(margin > 0.0, "{:?} at {}", change, at);
                    }
                }
            }
        }
    }
}
