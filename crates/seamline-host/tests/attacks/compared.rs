//! What attacks change: each run is paired with one of the same round without the attacker.

use crate::attackers::Attack;
use crate::bottleneck::Bottleneck;
use crate::command::Counted;
use crate::downloads::Downloads;
use seamline_wire::Duration;
use seamline_wire::random::Stream;

/// Of a run.
const RUN: Duration = Duration::from_secs(9);

/// What a run gave.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) attack: Attack,
    /// Of the attacked download, and of the other one if there is one.
    pub(crate) goodput_mbit: Vec<f64>,
    /// To the attacked client.
    pub(crate) retransmissions: u32,
    /// At the bottleneck.
    pub(crate) dropped: u64,
    /// Marks that the server got.
    pub(crate) marks: u64,
    pub(crate) counted: Counted,
}

fn run(test: &str, attack: Attack, downloads: usize) -> Option<Outcome> {
    let mut downloads = Downloads::or_skip(test, downloads)?;
    let mut bottleneck = Bottleneck::new(attack);
    let before = downloads.received();
    bottleneck.pass_for(RUN, &mut downloads.wires);
    let (retransmissions, after) = (downloads.retransmissions(), downloads.received());
    let megabits = |(after, before): (u64, u64)| (after - before) as f64 * 8.0 / 1e6;
    Some(Outcome {
        attack,
        goodput_mbit: after.into_iter().zip(before).map(|it| megabits(it) / RUN.as_secs_f64()).collect(),
        retransmissions,
        dropped: bottleneck.dropped,
        marks: bottleneck.marks,
        counted: downloads.end(),
    })
}

/// So many rounds with all attacks, each round in an order of its own. `None`, having printed why, where the command cannot run.
pub(crate) fn rounds(test: &str, attacks: &[Attack], downloads: usize) -> Option<Vec<Vec<Outcome>>> {
    let count = std::env::var("SEAMLINE_ATTACK_ROUNDS").map_or(1, |text| text.parse().expect("a number"));
    let mut dice = Stream::new(1, test);
    let mut rounds = Vec::new();
    for _ in 0..count {
        let mut waiting = attacks.to_vec();
        let mut round = Vec::new();
        while !waiting.is_empty() {
            let next = waiting.swap_remove(dice.below(waiting.len() as u64) as usize);
            round.push(run(test, next, downloads)?);
        }
        rounds.push(round);
    }
    Some(rounds)
}

/// The runs with an attack, each with that without of its round.
pub(crate) fn pairs(rounds: &[Vec<Outcome>], attack: Attack) -> Vec<[&Outcome; 2]> {
    let of = |round: &'_ Vec<Outcome>, attack| round.iter().position(|it| it.attack == attack).unwrap();
    rounds.iter().map(|round| [&round[of(round, attack)], &round[of(round, attack.without())]]).collect()
}

/// A line of a table for each attack: medians over all rounds, with the lowest and the highest value.
pub(crate) fn print(rounds: &[Vec<Outcome>], attacks: &[Attack]) {
    println!("{} rounds", rounds.len());
    println!(
        "| attack | Mbit/s | against the same without | other | against | sent again | dropped | marks | restored | asked for | log | ms |"
    );
    for &attack in attacks {
        let pairs = pairs(rounds, attack);
        let of =
            |value: &dyn Fn(&Outcome) -> f64, digits| spread(pairs.iter().map(|[it, _]| value(it)), digits);
        let ratio = |value: &dyn Fn(&Outcome) -> f64| {
            spread(pairs.iter().map(|[it, without]| value(it) / value(without)), 2)
        };
        let counted = |name: &'static str| of(&move |it| it.counted.of(name) as f64, 0);
        let other = |it: &Outcome| it.goodput_mbit.get(1).copied().unwrap_or(f64::NAN);
        let cells = [
            attack.to_string(),
            of(&|it| it.goodput_mbit[0], 1),
            ratio(&|it| it.goodput_mbit[0]),
            of(&other, 1),
            ratio(&other),
            of(&|it| f64::from(it.retransmissions), 0),
            of(&|it| it.dropped as f64, 0),
            of(&|it| it.marks as f64, 0),
            counted("windows_restored"),
            counted("retransmissions_asked"),
            of(&|it| it.counted.lines as f64, 0),
            of(&|it| it.counted.processor * 1e3, 0),
        ];
        println!("| {} |", cells.join(" | "));
    }
}

/// The median, and the range if there is one.
fn spread(values: impl Iterator<Item = f64>, digits: usize) -> String {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let shown = |value: f64| if value.is_nan() { "-".to_owned() } else { format!("{value:.digits$}") };
    let [lowest, median, highest] = [0, sorted.len() / 2, sorted.len() - 1].map(|at| shown(sorted[at]));
    if lowest == highest { median } else { format!("{median} ({lowest} to {highest})") }
}
