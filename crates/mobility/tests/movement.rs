//! Timetables of movement.

use proptest::prelude::*;
use seamline_mobility::{CellId, Move, Movement, MovementError, Order, Period, Stay};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};

const CELLS: [CellId; 4] = [CellId(7), CellId(8), CellId(9), CellId(10)];

fn period(every_s: u64, end_s: u64) -> Period {
    let every = Duration::from_secs(every_s);
    Period { first: Instant::ZERO + every, every, end: Instant::from_secs(end_s) }
}

#[test]
fn cells_in_turn_at_a_fixed_interval() {
    let movement = Movement::periodic(&CELLS[..2], period(5, 20), Order::InTurn, Duration::ZERO).unwrap();
    let at = Instant::from_secs;
    let stay = |from, until, cell| Stay { cell: CellId(cell), from, until };
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
    let alone = Movement::periodic(&CELLS[..1], period(5, 20), Order::InTurn, Duration::ZERO).unwrap();
    assert_eq!(alone.stays(), [stay(at(0), Instant::MAX, 7)]);
}

/// Each of the three others with probability 1/3: over 30000 moves the share is within four standard
/// deviations (0.011) of that.
#[test]
fn random_order_is_uniform_over_the_other_cells() {
    let order = || Order::Random(Stream::new(1, "mobile/phone/movement"));
    let movement = Movement::periodic(&CELLS, period(1, 30_000), order(), Duration::ZERO).unwrap();
    assert_eq!(Movement::periodic(&CELLS, period(1, 30_000), order(), Duration::ZERO), Ok(movement.clone()));
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
