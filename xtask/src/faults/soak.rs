//! `cargo xtask soak`: episode after episode, until the time is over or something is not as it must be.

use super::episode::{Outcome, Violation, run};
use super::flow::{Broken, Why};
use super::network::now;
use super::plan::Plan;
use super::ready;
use super::subject::Subject;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long, and with which dice.
#[derive(Debug, clap::Args)]
pub(crate) struct SoakOptions {
    /// Random seed: the same seed gives the same faults
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// For about so long, such as 20s, 30min or 8h; the last episode is completed
    #[arg(long, value_name = "TIME", default_value = "5min", value_parser = duration)]
    duration: Duration,
    /// Run only the episode of this number, once
    #[arg(long, value_name = "N")]
    episode: Option<u64>,
    /// Only this agent or daemon, in every episode
    #[arg(long, value_name = "NAME")]
    subject: Option<Subject>,
    /// Also print the steps of each episode
    #[arg(long)]
    steps: bool,
    /// The command under test [default: seamline-host next to this program]
    #[arg(long, value_name = "PATH")]
    host: Option<PathBuf>,
}

/// A whole number with a unit.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let seconds = match unit.trim() {
        "s" => 1,
        "min" => 60,
        "h" => 3600,
        _ => return Err("the unit is s, min or h, as in 30min".to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| "a whole number with a unit, as in 30min".to_owned())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(|| "that is too long".to_owned())
}

/// Run it; whether everything was as it must be.
pub(crate) fn soak(options: &SoakOptions) -> Result<bool, String> {
    let program = ready(options.host.as_deref())?;
    let (begun, lasts) = (now(), options.duration.as_millis() as u64);
    let numbers = options.episode.map_or(0..u64::MAX, |number| number..number + 1);
    let mut sum = Outcome::default();
    let mut episodes = 0;
    println!("seed {}, {} with {}", options.seed, env!("CARGO_PKG_VERSION"), program.display());
    for number in numbers {
        if episodes > 0 && now() - begun >= lasts {
            break;
        }
        let plan = Plan::new(options.seed, number, options.subject);
        if options.steps {
            print_steps(&plan);
        }
        match run(&plan, options.seed, &program, false)? {
            Ok(outcome) => add(options, &plan, outcome, &mut sum),
            Err(violation) if is_ours(options, &plan, &program, &violation)? => return Ok(false),
            Err(_) => {}
        }
        episodes += 1;
    }
    println!(
        "{episodes} episodes in {} s: {} connections, {:.1} MB, each byte as it was sent; {} connections ended with the process that held them, \
         {} times a process ended for lack of memory",
        (now() - begun) / 1000,
        sum.connections,
        sum.bytes as f64 / 1e6,
        sum.ended_with_process.len(),
        sum.out_of_memory
    );
    Ok(true)
}

fn add(options: &SoakOptions, plan: &Plan, outcome: Outcome, sum: &mut Outcome) {
    println!(
        "episode {} ({}): {} steps, {} connections, {:.1} MB, {} ended with the process; {:.1} s",
        plan.number,
        plan.subject,
        plan.steps.len(),
        outcome.connections,
        outcome.bytes as f64 / 1e6,
        outcome.ended_with_process.len(),
        outcome.millis as f64 / 1e3
    );
    if options.steps {
        outcome.ended_with_process.iter().for_each(|broken| println!("  step {}: {broken}", broken.step));
    }
    sum.connections += outcome.connections;
    sum.bytes += outcome.bytes;
    sum.ended_with_process.extend(outcome.ended_with_process);
    sum.out_of_memory += outcome.out_of_memory;
}

fn print_steps(plan: &Plan) {
    let joins = if plan.joins { "the kernel joins packets" } else { "no packet is longer than the MTU" };
    println!(
        "episode {} ({}), the hop loses {} packets in a thousand, {joins}:",
        plan.number, plan.subject, plan.lost
    );
    for (number, step) in plan.steps.iter().enumerate() {
        println!("  step {number}: {}, then {} ms", step.fault, step.pause);
        step.begins.iter().for_each(|content| println!("    {content} begins"));
    }
}

/// Print what happened, and how to repeat it. Whether it is a fault of ours: a connection that ends without us, too, is none.
fn is_ours(
    options: &SoakOptions,
    plan: &Plan,
    program: &Path,
    violation: &Violation,
) -> Result<bool, String> {
    let (seed, number, step) = (options.seed, plan.number, violation.step());
    let fault = plan.steps.get(step).map_or("after the last one".to_owned(), |step| step.fault.to_string());
    println!("seed {seed}, episode {number} ({}), step {step} ({fault}): {violation}", plan.subject);
    let subject = options.subject.map(|subject| format!(" --subject {subject}")).unwrap_or_default();
    println!("to repeat it: cargo xtask soak --seed {seed} --episode {number}{subject} --steps");
    let Violation::Connection(Broken { content, why: Why::Ended(_), .. }) = violation else {
        return Ok(true);
    };
    match run(plan, seed, program, true)? {
        Err(Violation::Connection(without)) if without.content.number == content.number => {
            println!("the same episode without it: {without}; so that is not counted");
            Ok(false)
        }
        _ => {
            println!("the same episode without it: the connection survives");
            Ok(true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        let seconds = |text| duration(text).map(|it| it.as_secs()).ok();
        assert_eq!(["20s", "30 min", "8h", "0s"].map(seconds), [Some(20), Some(1800), Some(28_800), Some(0)]);
        assert_eq!(["20", "min", "1.5h", "-1s", "", "5124095576030432h"].map(seconds), [None; 6]);
    }
}
