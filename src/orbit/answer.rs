//! The answer as text and as a table.

use super::Run;
use seamline_orbit::{Passage, Relay, Switch};
use seamline_report::export::table::Table;
use seamline_report::quantity::{count, digits, millis, plural};
use seamline_report::text_table::{TextTable, aligned, indented};
use seamline_wire::Duration;

/// The figures of one terminal.
pub(super) struct Figures {
    /// Round-trip times in ms: the least, the quartiles, the largest. `None` when there is never a path.
    pub(super) round_trip: Option<[f64; 5]>,
    pub(super) handovers: usize,
    pub(super) handovers_per_hour: f64,
    pub(super) outages: usize,
    /// In seconds.
    pub(super) longest_outage: f64,
    /// The share of time without a path, 0 to 1.
    pub(super) without_path: f64,
    /// The share of time in interruptions of handovers and outages together, 0 to 1.
    pub(super) without_service: f64,
}

impl Figures {
    pub(super) fn of(passage: &Passage, switch: Switch) -> Figures {
        let all = passage.round_trips();
        let quartile = |quarter: usize| all[(all.len() - 1) * quarter / 4].as_millis_f64();
        let outages = passage.outages();
        let hours = passage.duration().as_secs_f64() / 3600.0;
        let handovers = passage.handovers().len();
        let lengths = outages.iter().map(|it| (it.until - it.from).as_secs_f64());
        Figures {
            round_trip: (!all.is_empty()).then(|| [0, 1, 2, 3, 4].map(quartile)),
            handovers,
            handovers_per_hour: handovers as f64 / hours,
            outages: outages.len(),
            longest_outage: lengths.fold(0.0, f64::max),
            without_path: passage.share_without_path(),
            without_service: without_service(passage, switch),
        }
    }
}

fn without_service(passage: &Passage, switch: Switch) -> f64 {
    let Ok(schedule) = passage.schedule(switch, super::FATES) else { return 1.0 };
    let end = passage.duration();
    let down = schedule.handovers.as_slice().iter().map(|it| {
        let from = it.at.saturating_since(seamline_wire::Instant::ZERO);
        it.interruption.min(end - from)
    });
    down.fold(Duration::ZERO, |sum, span| sum + span).as_secs_f64() / end.as_secs_f64()
}

impl Run<'_> {
    pub(super) fn text(&self) -> String {
        let setup = self.setup;
        let relay = match setup.relay {
            Relay::BentPipe => "bent pipe through",
            Relay::InterSatelliteLinks => "inter-satellite links to",
        };
        let head = format!(
            "{} ({}) from {} for {}, seen every {}; {relay} {}\n\n",
            self.name,
            plural(setup.constellation.len(), "satellite"),
            setup.start,
            time(setup.duration.as_secs_f64()),
            setup.step,
            plural(setup.gateways.len(), "gateway")
        );
        match self.passages {
            [passage] => head + &self.one(passage),
            passages => head + &self.many(passages),
        }
    }

    fn one(&self, passage: &Passage) -> String {
        let figures = Figures::of(passage, self.switch);
        let round_trip = match figures.round_trip {
            None => "no path at any time".to_owned(),
            Some([least, first, median, third, largest]) => {
                let [least, first, median, third, largest] =
                    [least, first, median, third, largest].map(digits);
                format!("{least} / {first} / {median} / {third} / {largest} ms")
            }
        };
        let switching = match self.switch {
            Switch::MakeBeforeBreak => "without interruption".to_owned(),
            Switch::BreakBeforeMake { interruption } => format!("{interruption} each"),
        };
        let own = passage.handovers().iter().filter(|it| it.is_own).count();
        let handovers = format!(
            "{} ({} an hour; {own} of the terminal's own satellite), {switching}",
            figures.handovers,
            count(figures.handovers_per_hour)
        );
        let rows = [
            ("terminal", passage.terminal().to_owned()),
            ("round trip, least / quartiles / most", round_trip),
            ("handovers", handovers),
            ("outages", outages(passage)),
            ("time without a path", percent(figures.without_path)),
            ("time without service", percent(figures.without_service)),
        ];
        let rows = rows.map(|(name, value)| vec![name.to_owned(), value]);
        indented(&aligned(&rows, "ll"))
    }

    fn many(&self, passages: &[Passage]) -> String {
        let head = [
            "terminal",
            "RTT least",
            "median",
            "most",
            "handovers/h",
            "outages",
            "longest",
            "without path",
            "without service",
        ];
        let row = |passage: &Passage| {
            let figures = Figures::of(passage, self.switch);
            let round_trip =
                |place: usize| figures.round_trip.map_or_else(|| "-".to_owned(), |all| millis(all[place]));
            vec![
                passage.terminal().to_owned(),
                round_trip(0),
                round_trip(2),
                round_trip(4),
                count(figures.handovers_per_hour),
                figures.outages.to_string(),
                time(figures.longest_outage),
                percent(figures.without_path),
                percent(figures.without_service),
            ]
        };
        TextTable::new("lr", head).with(passages.iter().map(row)).to_text()
    }

    pub(super) fn table(&self) -> Table {
        let figures: Vec<Figures> = self.passages.iter().map(|it| Figures::of(it, self.switch)).collect();
        let figures = &figures;
        let round_trip = |place: usize| figures.iter().map(move |it| it.round_trip.map(|all| all[place]));
        let real = |value: fn(&Figures) -> f64| figures.iter().map(move |it| Some(value(it)));
        Table::new("terminals")
            .text("terminal", self.passages.iter().map(|it| it.terminal().to_owned()))
            .real("round_trip_least_ms", round_trip(0))
            .real("round_trip_quartile_1_ms", round_trip(1))
            .real("round_trip_median_ms", round_trip(2))
            .real("round_trip_quartile_3_ms", round_trip(3))
            .real("round_trip_most_ms", round_trip(4))
            .whole("handovers", figures.iter().map(|it| it.handovers as u64))
            .real("handovers_per_hour", real(|it| it.handovers_per_hour))
            .whole("outages", figures.iter().map(|it| it.outages as u64))
            .real("longest_outage_s", real(|it| it.longest_outage))
            .real("share_without_path", real(|it| it.without_path))
            .real("share_without_service", real(|it| it.without_service))
    }
}

/// The outages with their lengths; of many, the longest.
fn outages(passage: &Passage) -> String {
    const SHOWN: usize = 6;
    let mut all = passage.outages();
    let number = all.len();
    if number > SHOWN {
        all.sort_by_key(|it| std::cmp::Reverse(it.until - it.from));
        all.truncate(SHOWN);
    }
    let list: Vec<String> = all
        .iter()
        .map(|it| {
            format!("{} from {}", time((it.until - it.from).as_secs_f64()), time(it.from.as_secs_f64()))
        })
        .collect();
    match number {
        0 => "none".to_owned(),
        number if number > SHOWN => format!("{number}; the longest: {}", list.join(", ")),
        number => format!("{number}: {}", list.join(", ")),
    }
}

fn percent(share: f64) -> String {
    format!("{} %", digits(share * 100.0))
}

/// Seconds for people: `12 s`, `10 min`, `1 h 30 min`.
fn time(seconds: f64) -> String {
    if seconds < 600.0 {
        return format!("{} s", (seconds * 1e3).round() / 1e3);
    }
    let whole = seconds.round() as u64;
    let parts = [(whole / 3600, "h"), (whole / 60 % 60, "min"), (whole % 60, "s")];
    let parts: Vec<String> =
        parts.iter().filter(|(value, _)| *value > 0).map(|(value, unit)| format!("{value} {unit}")).collect();
    parts.join(" ")
}
