//! Timetables of movement.

use proptest::prelude::*;
use seamline_mobility::{
    CellId, Layer2Config, Move, Movement, MovementError, Order, Period, Phase, Spread, Stay,
};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};

const CELLS: [CellId; 4] = [CellId(7), CellId(8), CellId(9), CellId(10)];

fn period(every_s: u64, end_s: u64) -> Period {
    let every = Duration::from_secs(every_s);
    Period { first: Instant::ZERO + every, every, end: Instant::from_secs(end_s) }
}

fn periodic(cells: &[CellId], period: Period, order: Order) -> Result<Movement, MovementError> {
    Movement::new(cells[0], period.moves(cells, order), Duration::ZERO)
}

#[test]
fn cells_in_turn_at_a_fixed_interval() {
    let movement = periodic(&CELLS[..2], period(5, 20), Order::InTurn).unwrap();
    let at = Instant::from_secs;
    let stay = |from, until, cell| Stay { cell: CellId(cell), from, until, link_until: until };
    let expected = [
        stay(at(0), at(5), 7),
        stay(at(5), at(10), 8),
        stay(at(10), at(15), 7),
        stay(at(15), Instant::MAX, 8),
    ];
    assert_eq!(movement.stays(), expected, "no move at the end");
    assert_eq!(movement.cell_at(Instant::from_nanos(4_999_999_999)), Some(CellId(7)));
    assert_eq!(movement.cell_at(at(5)), Some(CellId(8)), "a cell is left when the move begins");
    assert_eq!(movement.cell_at(at(1000)), Some(CellId(8)));
    let alone = periodic(&CELLS[..1], period(5, 20), Order::InTurn).unwrap();
    assert_eq!(alone.stays(), [stay(at(0), Instant::MAX, 7)]);
}

/// Each of the three others with probability 1/3: over 30000 moves the share is within four standard
/// deviations (0.011) of that.
#[test]
fn random_order_is_uniform_over_the_other_cells() {
    let order = || Order::Random(Stream::new(1, "mobile/phone/movement"));
    let movement = periodic(&CELLS, period(1, 30_000), order()).unwrap();
    assert_eq!(periodic(&CELLS, period(1, 30_000), order()), Ok(movement.clone()));
    let mut steps = [0_u32; 4];
    let mut cell = movement.start();
    for stay in &movement.stays()[1..] {
        assert_ne!(stay.cell, cell);
        steps[((stay.cell.0 + 4 - cell.0) % 4) as usize] += 1;
        cell = stay.cell;
    }
    for count in &steps[1..] {
        let share = f64::from(*count) / f64::from(steps.iter().sum::<u32>());
        assert!((0.322..0.345).contains(&share), "{steps:?}");
    }
}

#[test]
fn moves_that_overlap_or_lead_nowhere_are_refused() {
    let at = Instant::from_secs;
    let moves = |list: &[(u64, u32)]| {
        list.iter().map(|(s, cell)| Move { at: at(*s), to: CellId(*cell) }).collect::<Vec<_>>()
    };
    let new = |list: &[(u64, u32)], interruption_s| {
        Movement::new(CellId(0), moves(list), Duration::from_secs(interruption_s)).err()
    };
    assert_eq!(new(&[(1, 1), (2, 0)], 1), None);
    assert_eq!(new(&[(1, 1), (2, 0)], 2), Some(MovementError::TooEarly { at: at(2) }));
    assert_eq!(new(&[(1, 1), (1, 0)], 0), Some(MovementError::TooEarly { at: at(1) }));
    assert_eq!(new(&[(2, 1), (1, 0)], 0), Some(MovementError::TooEarly { at: at(1) }));
    assert_eq!(new(&[(1, 0)], 0), Some(MovementError::ToTheSameCell { at: at(1) }));
}

#[test]
fn a_handover_that_is_not_over_when_the_next_begins_is_given_up() {
    let at = Instant::from_secs;
    let moves = [(10, 1), (11, 2), (20, 0)].map(|(s, cell)| Move { at: at(s), to: CellId(cell) }).to_vec();
    let mut lengths = [2, 3, 1].map(Duration::from_secs).into_iter();
    let movement =
        Movement::with_handovers(CellId(0), moves, || lengths.next().expect("three")).expect("in order");
    let stay = |cell, from, until| Stay { cell: CellId(cell), from, until, link_until: until };
    let expected = [stay(0, at(0), at(10)), stay(2, at(14), at(20)), stay(0, at(21), Instant::MAX)];
    assert_eq!(movement.stays(), expected);
}

#[test]
fn old_links_last_no_longer_than_the_next_stay() {
    let at = Instant::from_secs;
    let moves = [(10, 1), (20, 2)].map(|(s, cell)| Move { at: at(s), to: CellId(cell) }).to_vec();
    let movement = Movement::new(CellId(0), moves, Duration::from_secs(1)).expect("in order");
    for (lasts, expected) in [(0, [10, 20]), (5, [15, 25]), (60, [20, 80])] {
        let movement = movement.clone().with_old_links(|_, until| until + Duration::from_secs(lasts));
        let ends = [0, 1].map(|place: usize| movement.stays()[place].link_until);
        assert_eq!(ends, expected.map(at), "{lasts}");
        for second in 0..90 {
            let linked = [0, 1, 2].map(|cell| movement.is_linked(CellId(cell), at(second)));
            let expected = [second < expected[0], (11..expected[1]).contains(&second), second >= 21];
            assert_eq!(linked, expected, "{lasts}: {second} s");
        }
    }
}

/// 10000 handovers: means within four standard errors, none outside the bounds, and one phase changes nothing
/// of the other's draws.
#[test]
fn handovers_take_as_long_as_their_phases_say() {
    let ms = Duration::from_millis;
    let phase = |mean, spread| Phase { mean: ms(mean), spread };
    let draw = |scan, associate| -> Vec<f64> {
        let mut handover = Layer2Config { scan, associate }.handovers(3, "mobile/phone/layer-2");
        (0..10_000).map(|_| handover().as_millis_f64()).collect()
    };
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let constant = Layer2Config { scan: phase(100, Spread::None), associate: phase(80, Spread::None) };
    assert_eq!(constant.always(), Some(ms(180)));
    assert!(draw(constant.scan, constant.associate).iter().all(|it| (it - 180.0).abs() < 1e-9));
    let uniform = draw(phase(100, Spread::Uniform(ms(30))), phase(80, Spread::None));
    assert!(uniform.iter().all(|it| (150.0..=210.0).contains(it)));
    // 30 / sqrt(3) / sqrt(10000) = 0.17 ms.
    assert!((mean(&uniform) - 180.0).abs() < 0.7, "{}", mean(&uniform));
    assert!(uniform.iter().any(|it| *it < 152.0) && uniform.iter().any(|it| *it > 208.0));
    let both = draw(phase(100, Spread::Uniform(ms(30))), phase(80, Spread::Normal(ms(10))));
    let associations: Vec<f64> = both.iter().zip(&uniform).map(|(both, scan)| both - scan).collect();
    assert!(mean(&associations).abs() < 0.4, "{}", mean(&associations));
    let within = associations.iter().filter(|it| it.abs() < 10.0).count();
    assert!((6_640..7_010).contains(&within), "68.27 % within a deviation: {within}");
}

proptest! {
    /// Against the definition, by a walk over the moves.
    #[test]
    fn whereabouts_follow_from_the_moves(
        gaps in proptest::collection::vec(1_u64..50, 0..20), interruption in 0_u64..30, time in 0_u64..1000
    ) {
        let mut at = 0;
        let moves: Vec<Move> = gaps.iter().enumerate().map(|(n, gap)| {
            at += gap + interruption;
            Move { at: Instant::from_millis(at), to: CellId((n as u32 + 1) % 2) }
        }).collect();
        let movement =
            Movement::new(CellId(0), moves.clone(), Duration::from_millis(interruption)).expect("in order");
        let mut expected = Some(CellId(0));
        for Move { at, to } in moves {
            if at.as_nanos() <= time * 1_000_000 {
                let over = at.as_nanos() + interruption * 1_000_000;
                expected = (over <= time * 1_000_000).then_some(to);
            }
        }
        prop_assert_eq!(movement.cell_at(Instant::from_millis(time)), expected);
    }
}
