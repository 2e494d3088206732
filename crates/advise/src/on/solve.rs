//! Compute the answer to a question.

use super::answer::{CandidateAdvice, Combination, PathAdvice, PathVerdict};
use super::candidates::{self, Candidate, Change, Demand, Group};
use super::judge::{Better, DELAY_INDIFFERENCE, is_better, judge, pieces};
use super::pick::{Entry, at_the_price_of_delay, best_of, promising, sets, shortest_round_trips};
use super::question::PathQuestion;
use super::runs::{Runner, Sample};
use crate::error::AdviseError;
use crate::link::PACKET_BYTES;
use crate::runs::Watch;
use crate::significance::{INDIFFERENCE, estimate_of, without_interval};
use seamline_report::statistics::mean;

/// A budget of packets: less than a minute on two processors.
const PACKETS: f64 = 70e6;
/// The fixed cost of a run, in packets.
const PACKETS_TO_BEGIN: f64 = 1000.0;
/// Further candidates, at the most: four combinations of the best of three groups, and again with other seeds today's, the best of
/// each group, one combination, and two about round trips.
const FURTHER: usize = 4 + 7;
/// Round trips that exceed today's by this share have more than doubled.
const DOUBLED: f64 = 1.0;
/// Intervals of fewer seeds would show nothing; of more, runs would mostly overlap.
const SEEDS: (u32, u32) = (6, 20);

/// How many seeds the comparison has: those that were asked for, or as many as take less than about a minute.
pub fn seeds_for(question: &PathQuestion) -> u32 {
    let packets = PACKETS_TO_BEGIN + question.bytes() / PACKET_BYTES as f64;
    let candidates = candidates::all(question).len() + FURTHER;
    let affordable = PACKETS / packets / candidates as f64;
    question.given_seeds.unwrap_or((affordable as u32).clamp(SEEDS.0, SEEDS.1))
}

/// Answer a question.
///
/// # Errors
/// When the scenario of a candidate is refused, or the caller asked to stop.
pub fn advise_on(question: &PathQuestion, watch: Watch<'_>) -> Result<PathAdvice, AdviseError> {
    let runner = Runner::new(question, watch);
    let seeds = seeds_for(question);
    let all = candidates::all(question);
    let compared = Compared::new(question, &all, runner.run(&all, 1..seeds + 1)?, 2 * (all.len() - 1));
    let best = best_of_each(&compared, false);
    let another_tcp = best.iter().any(|it| it.group == Group::Tcp);
    let partners = best_of_each(&compared, another_tcp);
    let combinations: Vec<Candidate> = sets(&partners).iter().map(|parts| combination(parts)).collect();
    let together = best_combination(&runner.run(&combinations, 1..seeds + 1)?, question, &combinations);
    let picked = Picked::of(&compared, &best, together);
    let mut advice = PathAdvice {
        verdict: PathVerdict::LeaveIt,
        question: question.clone(),
        recording: runner.recording.clone(),
        seeds,
        comparisons: compared.comparisons,
        runs: (all.len() + combinations.len()) * seeds as usize,
        candidates: compared.advice.clone(),
        confirmed: Vec::new(),
        combination: None,
        at_the_price_of_delay: None,
        shorter_round_trips: None,
        advised_change: None,
    };
    let today = &compared.advice[0];
    if today.incomplete == seeds as usize || today.outcome.mean <= 0.0 {
        advice.verdict = PathVerdict::NothingToCompare;
    }
    if picked.again.len() > 1 {
        let samples = runner.run(&picked.again, seeds + 1..2 * seeds + 1)?;
        let confirmed = Compared::new(question, &picked.again, samples, 2 * (picked.again.len() - 1));
        advice.runs += picked.again.len() * seeds as usize;
        conclude(&mut advice, &picked, &confirmed);
    }
    Ok(advice)
}

/// Candidates with the results of the same seeds, today's hosts first.
struct Compared<'a> {
    candidates: &'a [Candidate],
    comparisons: usize,
    advice: Vec<CandidateAdvice>,
    /// By candidate and seed, as shares of today's means: more goodput or less time, and shorter round trips.
    gains: Vec<Vec<f64>>,
    cuts: Vec<Vec<f64>>,
}

impl<'a> Compared<'a> {
    fn new(
        question: &PathQuestion,
        candidates: &'a [Candidate],
        samples: Vec<Vec<Sample>>,
        comparisons: usize,
    ) -> Self {
        let better = question.traffic.pick(Better::Less, Better::More);
        let over_today = |own: &[Sample], read: fn(&Sample) -> f64, better| {
            let values = |samples: &[Sample]| samples.iter().map(read).collect::<Vec<_>>();
            pieces(&values(own), &values(&samples[0]), better).unwrap_or_default()
        };
        let gains: Vec<Vec<f64>> = samples.iter().map(|own| over_today(own, |it| it.value, better)).collect();
        let cuts: Vec<Vec<f64>> =
            samples.iter().map(|own| over_today(own, |it| it.p95_ms, Better::Less)).collect();
        // Round trips of a connection that ends at the gateway are not those of the path.
        let is_whole = candidates.iter().map(|it| !it.change.ends_at_gateway());
        let cuts: Vec<Vec<f64>> = cuts
            .into_iter()
            .zip(is_whole)
            .map(|(cuts, whole)| if whole { cuts } else { Vec::new() })
            .collect();
        let advice = candidates.iter().zip(&samples).zip(gains.iter().zip(&cuts));
        let advice = advice
            .map(|((candidate, own), (gains, cuts))| {
                advice_of(candidate, own, &samples[0], gains, cuts, comparisons)
            })
            .collect();
        Compared { candidates, comparisons, advice, gains, cuts }
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        let others = 1..self.candidates.len();
        others
            .map(|place| Entry {
                candidate: &self.candidates[place],
                advice: &self.advice[place],
                gains: &self.gains[place],
                cuts: &self.cuts[place],
            })
            .collect()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.candidates.iter().position(|it| it.name == name)
    }
}

fn advice_of(
    candidate: &Candidate,
    own: &[Sample],
    today: &[Sample],
    gains: &[f64],
    cuts: &[f64],
    comparisons: usize,
) -> CandidateAdvice {
    let is_today = candidate.group == Group::Today;
    let of = |read: fn(&Sample) -> f64| estimate_of(&own.iter().map(read).collect::<Vec<_>>());
    let unfinished = |samples: &[Sample]| samples.iter().filter(|it| !it.complete).count();
    let (incomplete, incomplete_today) = (unfinished(own), unfinished(today));
    let outcome = of(|it| it.value);
    // An unfinished transfer has only a lower bound of its time: fine for today's, not for a candidate.
    let judged = judge(gains, comparisons, INDIFFERENCE).filter(|_| !is_today && incomplete == 0);
    let is_whole = !candidate.change.ends_at_gateway();
    let cut = judge(cuts, comparisons, DELAY_INDIFFERENCE).filter(|_| !is_today);
    let gain = judged.map(|judged| judged.gain);
    CandidateAdvice {
        name: candidate.name.clone(),
        group: candidate.group,
        installed: candidate.installed.clone(),
        how: candidate.how.clone(),
        outcome: if incomplete > 0 { without_interval(outcome) } else { outcome },
        gain: if incomplete_today > 0 { gain.map(without_interval) } else { gain },
        is_gain: judged.is_some_and(|judged| judged.is_gain),
        is_loss: judged.is_some_and(|judged| judged.is_loss && incomplete_today == 0),
        round_trip_median_ms: is_whole.then(|| of(|it| it.median_ms)),
        round_trip_p95_ms: is_whole.then(|| of(|it| it.p95_ms)),
        round_trip_cut: cut.map(|cut| cut.gain),
        cuts_round_trip: cut.is_some_and(|cut| cut.is_gain),
        doubles_round_trip: cut.is_some_and(|cut| cut.gain.mean < -DOUBLED),
        longest_stall_s: of(|it| it.stall_s),
        incomplete,
    }
}

/// The best of each group, in the order in which they would be advised; when `with_any_tcp`, of those that do not need today's
/// congestion control.
fn best_of_each<'a>(compared: &Compared<'a>, with_any_tcp: bool) -> Vec<&'a Candidate> {
    let entries = compared.entries();
    let groups = [Group::Tcp, Group::Setting, Group::Help];
    let fits = |it: &&Entry<'_>| !(with_any_tcp && it.candidate.only_today);
    let mut left: Vec<&Entry<'_>> =
        groups.into_iter().filter_map(|group| best_of(&promising(&entries, group, fits))).collect();
    let mut places = Vec::new();
    while let Some(next) = best_of(&left) {
        let name = next.candidate.name.clone();
        left.retain(|it| it.candidate.name != name);
        places.extend(compared.place(&name));
    }
    places.into_iter().map(|place| &compared.candidates[place]).collect()
}

/// The combination with the best mean.
fn best_combination<'a>(
    samples: &[Vec<Sample>],
    question: &PathQuestion,
    combinations: &'a [Candidate],
) -> Option<&'a Candidate> {
    let sign = question.traffic.pick(-1.0, 1.0);
    let value = |own: &[Sample]| own.iter().map(|it| sign * it.value).sum::<f64>();
    let best = combinations.iter().zip(samples).max_by(|one, other| value(one.1).total_cmp(&value(other.1)));
    best.map(|(combination, _)| combination)
}

/// What is run again.
struct Picked {
    /// Today's hosts, the best of each group, their best combination, and what is about round trips.
    again: Vec<Candidate>,
    /// The names of the best of each group, in the order in which they would be advised.
    best: Vec<String>,
    /// The name of the shortest round trips.
    shortest: Option<String>,
    /// The name of the greatest gain that doubles round trips.
    priced: Option<String>,
}

impl Picked {
    fn of(compared: &Compared<'_>, best: &[&Candidate], together: Option<&Candidate>) -> Self {
        let entries = compared.entries();
        let shortest = shortest_round_trips(&entries, INDIFFERENCE).map(|it| it.candidate);
        let priced = at_the_price_of_delay(&entries).map(|it| it.candidate);
        let mut again = vec![candidates::today()];
        let others = best.iter().copied().chain(shortest).chain(priced).chain(together);
        for candidate in others {
            if again.iter().all(|known| known.name != candidate.name) {
                again.push(candidate.clone());
            }
        }
        let name = |it: &Candidate| it.name.clone();
        Picked {
            again,
            best: best.iter().copied().map(name).collect(),
            shortest: shortest.map(name),
            priced: priced.map(name),
        }
    }
}

/// Between the names of what is combined.
const JOINT: &str = " + ";

fn combination(parts: &[&Candidate]) -> Candidate {
    let joined = |read: fn(&Candidate) -> &str, by: &str| {
        let mut all: Vec<&str> = parts.iter().map(|it| read(it)).collect();
        all.dedup();
        all.join(by)
    };
    Candidate {
        name: joined(|it| &it.name, JOINT),
        group: Group::Combination,
        installed: joined(|it| &it.installed, ", "),
        how: joined(|it| &it.how, "; "),
        demand: parts.iter().map(|it| it.demand).max().unwrap_or(Demand::TwoPlaces),
        only_today: false,
        change: parts.iter().fold(Change::default(), |change, it| change.with(&it.change)),
    }
}

/// The verdict, from runs that had no part in the choice.
fn conclude(advice: &mut PathAdvice, picked: &Picked, confirmed: &Compared<'_>) {
    let gain = |place: &usize| mean(&confirmed.gains[*place]).unwrap_or(f64::NEG_INFINITY);
    let gaining = |place: &usize| confirmed.advice[*place].is_gain;
    // In the order of the comparison: these seeds choose nothing.
    let best = picked.best.iter().filter_map(|name| confirmed.place(name)).find(gaining);
    let together = confirmed.candidates.iter().position(|it| it.group == Group::Combination);
    let mut advised = best;
    if let Some(best) = best {
        advice.verdict = PathVerdict::Use { candidate: confirmed.candidates[best].name.clone() };
        if let Some(together) = together {
            let combination = over_best(confirmed, best, together);
            if combination.is_more && confirmed.advice[together].is_gain {
                advice.verdict = PathVerdict::UseTogether { candidates: combination.candidates.clone() };
                advised = Some(together);
            }
            advice.combination = Some(combination);
        }
    }
    let shortest = picked.shortest.as_deref().and_then(|name| confirmed.place(name));
    let shortest =
        shortest.filter(|place| confirmed.advice[*place].cuts_round_trip && gain(place) >= -INDIFFERENCE);
    let is_done = |place: usize| {
        advised.is_some_and(|advised| confirmed.advice[advised].cuts_round_trip || advised == place)
    };
    advice.shorter_round_trips =
        shortest.filter(|place| !is_done(*place)).map(|place| confirmed.candidates[place].name.clone());
    let priced = picked.priced.as_deref().and_then(|name| confirmed.place(name)).filter(gaining);
    let least = advised.map_or(0.0, |advised| gain(&advised));
    advice.at_the_price_of_delay =
        priced.filter(|place| gain(place) > least).map(|place| confirmed.candidates[place].name.clone());
    advice.advised_change = advised.map(|place| confirmed.candidates[place].change.clone());
    advice.confirmed = confirmed.advice.clone();
}

fn over_best(confirmed: &Compared<'_>, best: usize, together: usize) -> Combination {
    let (alone, both) = (&confirmed.gains[best], &confirmed.gains[together]);
    let more: Vec<f64> = both.iter().zip(alone).map(|(both, alone)| both - alone).collect();
    Combination {
        candidates: confirmed.candidates[together].name.split(JOINT).map(str::to_owned).collect(),
        over_best: estimate_of(&more),
        is_more: is_better(both, alone, 1),
    }
}
