//! What a running live part does, for people: once, or again and again on a terminal.

mod scrape;
mod view;

use scrape::Scrape;
use seamline_cli::{Failure, Outcome, moves_cursor, print, visible};
use seamline_host::clock;
use seamline_host::socket::pause;
use seamline_wire::{Duration, Instant};
use std::collections::VecDeque;
use std::io::{self, Write};
use view::view;

/// How it is shown.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// On a terminal, show it again every second or every SECONDS seconds until interrupted; as JSON, write a line each time
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "1", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) watch: Option<u64>,
}

/// Times and rates of a live view are those of so many looks.
const LOOKS: usize = 10;

/// Show the metrics that `read` returns.
pub(crate) fn show(how: &Show, json: bool, read: impl Fn() -> io::Result<String>) -> Outcome {
    let look = || Scrape::read(&read()?).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why));
    let period = how.watch.map(Duration::from_secs).filter(|_| json || moves_cursor(&io::stdout()));
    let first = look().map_err(|error| Failure::Runtime(error.to_string()))?;
    let Some(period) = period else { return print(&text_of(&first, json, None)) };
    let mut looks = VecDeque::from([(clock::monotonic(), first)]);
    let mut missing = None;
    loop {
        let text = match (&missing, json) {
            (Some(error), true) => serde_json::json!({ "error": error }).to_string() + "\n",
            (Some(error), false) => format!("{error}\n"),
            (None, _) => shown(&looks, json),
        };
        if json {
            print(&text)?
        } else {
            redraw(&text)?
        }
        pause(period);
        match look() {
            Ok(scrape) => {
                missing = None;
                note(&mut looks, clock::monotonic(), scrape);
            }
            Err(error) => missing = Some(error.to_string()),
        }
    }
}

/// Keep the latest looks at one process.
fn note(looks: &mut VecDeque<(Instant, Scrape)>, now: Instant, scrape: Scrape) {
    if looks.back().is_some_and(|(_, last)| last.began() != scrape.began()) {
        looks.clear();
    }
    looks.push_back((now, scrape));
    if looks.len() > LOOKS + 1 {
        looks.pop_front();
    }
}

fn shown(looks: &VecDeque<(Instant, Scrape)>, json: bool) -> String {
    let (Some((then, oldest)), Some((now, newest))) = (looks.front(), looks.back()) else {
        return String::new();
    };
    let seconds = now.saturating_since(*then).as_secs_f64();
    text_of(newest, json, (seconds > 0.0).then_some((oldest, seconds)))
}

fn text_of(newest: &Scrape, json: bool, before: Option<(&Scrape, f64)>) -> String {
    match json {
        true => newest.json().to_string() + "\n",
        false => view(newest, before, clock::wall()),
    }
}

/// Write over what the terminal shows.
fn redraw(text: &str) -> Outcome {
    let lines: String = visible(text).lines().map(|line| format!("{line}\u{1b}[K\n")).collect();
    let mut stdout = io::stdout().lock();
    // The cursor goes home, and what is below the last line is erased.
    let written =
        stdout.write_all(format!("\u{1b}[H{lines}\u{1b}[J").as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|error| Failure::Runtime(format!("cannot write to standard output: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_at_another_process_begin_again_and_no_more_than_so_many_are_kept() {
        let scrape =
            |began: u64| Scrape::read(&format!("seamline_agent_start_time_seconds {began}\n")).unwrap();
        let mut looks = VecDeque::new();
        (0..30).for_each(|second| note(&mut looks, Instant::from_secs(second), scrape(5)));
        assert_eq!((looks.len(), looks[0].0), (LOOKS + 1, Instant::from_secs(19)));
        note(&mut looks, Instant::from_secs(30), scrape(6));
        assert_eq!(looks.len(), 1);
    }
}
