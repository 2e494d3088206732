//! What the periods of a trial come to.

use super::{Period, Shape};
use seamline_report::export::table::{Data, Table};
use seamline_report::picture::Picture;
use seamline_report::picture::frame::Names;
use seamline_report::picture::lines::{Line, Parameter, lines};
use seamline_report::statistics::{Estimate, Median, nearest_rank};
use seamline_report::text_table::TextTable;
use seamline_wire::Duration;

/// A number of a period.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// Its name.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Whether more is better.
    pub is_gain: bool,
    /// It; `None` where nothing was measured.
    pub of: fn(&Period) -> Option<f64>,
}

/// All of them, in the order of tables.
pub const QUANTITIES: &[Quantity] = &[
    Quantity {
        name: "goodput",
        unit: "Mbit/s",
        is_gain: true,
        of: |it| per_second(it, it.downloads.bytes as f64 * 8e-6),
    },
    Quantity {
        name: "stalled",
        unit: "s/min",
        is_gain: false,
        of: |it| per_second(it, it.downloads.stalled_s * 60.0),
    },
    Quantity {
        name: "longest stall",
        unit: "s",
        is_gain: false,
        of: |it| (it.downloads.duration_s > 0.0).then_some(it.downloads.longest_stall_s),
    },
    Quantity { name: "request, median", unit: "ms", is_gain: false, of: |it| share(it, 50) },
    Quantity { name: "request, 95th percentile", unit: "ms", is_gain: false, of: |it| share(it, 95) },
];

fn per_second(it: &Period, sum: f64) -> Option<f64> {
    (it.downloads.duration_s > 0.0).then(|| sum / it.downloads.duration_s)
}

/// The least time that so many in a hundred do not exceed; one that was not answered exceeds any.
fn share(it: &Period, percent: usize) -> Option<f64> {
    let mut times = it.answers_ms.clone();
    times.resize(times.len() + it.unanswered as usize, f64::INFINITY);
    times.sort_by(f64::total_cmp);
    nearest_rank(&times, percent * 10)
}

/// A quantity with help and without it.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The median of periods with help, and of those without.
    pub medians: [Median; 2],
    /// The median of the differences within pairs, with help less without, and its 95 % interval (sign test).
    pub difference: Median,
    /// How many pairs there are.
    pub pairs: usize,
}

/// By [`QUANTITIES`]; `None` where there is no pair of it.
pub fn compare(periods: &[Period]) -> Vec<Option<Comparison>> {
    QUANTITIES.iter().map(|quantity| comparison(periods, quantity)).collect()
}

fn comparison(periods: &[Period], quantity: &Quantity) -> Option<Comparison> {
    let of = |number: u32| {
        let period = periods.iter().find(|period| period.number == number)?;
        Some((period.has_help, (quantity.of)(period)?))
    };
    let numbers = periods.iter().map(|period| period.number).filter(|number| number % 2 == 0);
    let pairs: Vec<[f64; 2]> = numbers
        .filter_map(|number| {
            let [(first_has_help, first), (_, second)] = [of(number)?, of(number + 1)?];
            Some(if first_has_help { [first, second] } else { [second, first] })
        })
        .collect();
    let median = |of: fn(&[f64; 2]) -> f64| Median::of(pairs.iter().map(of).collect());
    Some(Comparison {
        medians: [median(|pair| pair[0])?, median(|pair| pair[1])?],
        // Two requests that were never answered do not differ.
        difference: median(|pair| if pair[0] == pair[1] { 0.0 } else { pair[0] - pair[1] })?,
        pairs: pairs.len(),
    })
}

impl Comparison {
    /// Below six pairs, the interval is only the range.
    fn has_interval(&self) -> bool {
        self.pairs >= 6
    }
    /// What it says of help.
    fn verdict(&self, quantity: &Quantity) -> &'static str {
        let Median { low, high, .. } = self.difference;
        match (low > 0.0, high < 0.0) {
            _ if !self.has_interval() => "too few pairs",
            (false, false) => "no difference shown",
            (is_more, _) if is_more == quantity.is_gain => "better",
            _ => "worse",
        }
    }
}

fn number(value: f64) -> String {
    match value {
        it if it.is_infinite() => "never".to_owned(),
        it if it.abs() < 10.0 => format!("{it:.2}"),
        it => format!("{it:.0}"),
    }
}

fn table(comparisons: &[Option<Comparison>]) -> TextTable {
    let head = ["", "with help", "without", "difference", "95 % interval", "pairs", "help is"];
    let rows = QUANTITIES.iter().zip(comparisons).map(|(quantity, it)| {
        let name = format!("{} ({})", quantity.name, quantity.unit);
        let Some(it) = it else { return [vec![name], vec!["-".to_owned(); 6]].concat() };
        let Median { median, low, high } = it.difference;
        let numbers = [it.medians[0].median, it.medians[1].median, median].map(number);
        let interval = match it.has_interval() {
            true => format!("{} to {}", number(low), number(high)),
            false => "-".to_owned(),
        };
        let last = [interval, it.pairs.to_string(), it.verdict(quantity).to_owned()];
        [name].into_iter().chain(numbers).chain(last).collect()
    });
    TextTable::new("lrrrrrl", head).with(rows)
}

/// For a terminal.
pub fn text(comparisons: &[Option<Comparison>]) -> String {
    table(comparisons).to_text()
}

/// A row for each quantity.
pub fn to_table(comparisons: &[Option<Comparison>]) -> Table {
    let rows =
        || QUANTITIES.iter().zip(comparisons).filter_map(|(quantity, it)| Some((quantity, it.as_ref()?)));
    let real = |of: fn(&Comparison) -> f64| Data::Real(rows().map(|(_, it)| Some(of(it))).collect());
    Table::new("trial")
        .text("quantity", rows().map(|(quantity, _)| quantity.name.to_owned()))
        .text("unit", rows().map(|(quantity, _)| quantity.unit.to_owned()))
        .with("with_help", real(|it| it.medians[0].median))
        .with("without_help", real(|it| it.medians[1].median))
        .with("difference", real(|it| it.difference.median))
        .with("difference_low", real(|it| it.difference.low))
        .with("difference_high", real(|it| it.difference.high))
        .whole("pairs", rows().map(|(_, it)| it.pairs as u64))
        .text("help_is", rows().map(|(quantity, it)| it.verdict(quantity).to_owned()))
}

/// As a page, with its pictures.
pub fn markdown(shape: &Shape, comparisons: &[Option<Comparison>], pictures: &[Picture]) -> String {
    let pictures: String =
        pictures.iter().map(|it| format!("![{0}]({1}.svg)\n\n{0}\n\n", it.caption, it.name)).collect();
    format!(
        "# With help and without it\n\n\
         Help was on and off in turn for {} each, in pairs of one period with help and one without. The difference is the median over the\n\
         pairs, with help less without. Its interval holds the true median with a probability of at least 95 % (sign test).\n\
         Downloads and requests of {} bytes alternated every {}; a stall is {} or more without data.\n\n{}\n{pictures}",
        Duration::from_millis(shape.period_ms),
        shape.request_bytes,
        Duration::from_millis(shape.slot_ms),
        Duration::from_millis(shape.stall_ms),
        table(comparisons).to_markdown(),
    )
}

/// The periods over time: one picture for the goodput, and one for requests.
pub fn picture(periods: &[Period]) -> Vec<Picture> {
    const DRAWN: [(usize, &str, &str); 2] = [
        (0, "trial-goodput", "Goodput of each period: with help it should be higher"),
        (3, "trial-requests", "Median time of a request in each period: with help it should be lower"),
    ];
    let first = periods.iter().map(|it| it.began_unix_s).min().unwrap_or(0);
    let drawn = DRAWN.into_iter().map(|(place, name, caption)| {
        let quantity = &QUANTITIES[place];
        let line = |has_help: bool, name: &str| {
            let of_kind = periods.iter().filter(|it| it.has_help == has_help);
            let finite = |it: &Period| (quantity.of)(it).filter(|value| value.is_finite());
            let hours = |it: &Period| (it.began_unix_s - first) as f64 / 3600.0;
            let points = of_kind.filter_map(|it| Some((hours(it), Estimate::single(finite(it)?)))).collect();
            Line { name: name.to_owned(), points }
        };
        let axis = format!("{} ({})", quantity.name, quantity.unit);
        let names = Names { picture: name, title: caption, remark: "a mark for each period", axis: &axis };
        let x = Parameter { name: "time since the first period (h)", logarithmic: false };
        let svg = lines(names, x, &[line(true, "with help"), line(false, "without")]);
        Picture { name: name.to_owned(), caption: caption.to_owned() + ".", svg }
    });
    drawn.collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Downloads, has_help};
    use super::*;

    fn period(number: u32, bytes: u64, answers_ms: &[f64]) -> Period {
        Period {
            number,
            has_help: has_help(number),
            began_unix_s: u64::from(number) * 1800,
            shape: Shape {
                period_ms: 1_800_000,
                settle_ms: 10_000,
                slot_ms: 30_000,
                request_bytes: 100_000,
                stall_ms: 200,
            },
            downloads: Downloads { bytes, duration_s: 10.0, ..Downloads::default() },
            answers_ms: answers_ms.to_vec(),
            unanswered: 0,
        }
    }

    /// Twelve pairs in which help gains a tenth, while the rate itself doubles meanwhile; requests are the same. The last period has no partner.
    #[test]
    fn a_gain_shows_though_the_path_changes_more() {
        let periods: Vec<Period> = (0..25)
            .map(|number| {
                let base = 1_000_000 + 40_000 * u64::from(number);
                period(number, if has_help(number) { base * 11 / 10 } else { base }, &[80.0, 100.0, 120.0])
            })
            .collect();
        let found = compare(&periods);
        let goodput = found[0].as_ref().unwrap();
        assert_eq!((goodput.pairs, goodput.verdict(&QUANTITIES[0])), (12, "better"));
        assert!(goodput.difference.low > 0.0 && goodput.difference.high < 0.3, "{goodput:?}");
        let requests = found[3].as_ref().unwrap();
        assert_eq!((requests.medians[0].median, requests.difference.median), (100.0, 0.0));
        assert_eq!(requests.verdict(&QUANTITIES[3]), "no difference shown");
        let text = text(&found);
        assert!(text.contains("goodput (Mbit/s)") && text.contains("better"), "{text}");
        assert_eq!(picture(&periods).len(), 2);
    }

    #[test]
    fn fewer_than_six_pairs_show_nothing_and_one_period_is_no_pair() {
        let periods: Vec<Period> =
            (0..10).map(|number| period(number, 1 + u64::from(has_help(number)), &[])).collect();
        let comparisons = compare(&periods);
        assert_eq!(comparisons[0].as_ref().unwrap().verdict(&QUANTITIES[0]), "too few pairs");
        assert!(!text(&comparisons).contains(" to "), "{}", text(&comparisons));
        assert_eq!(compare(&periods)[3], None);
        assert!(compare(&periods[..1]).iter().all(Option::is_none));
    }

    #[test]
    fn what_was_never_answered_counts() {
        let mut it = period(0, 1, &[10.0, 20.0, 30.0]);
        it.unanswered = 2;
        assert_eq!([share(&it, 50), share(&it, 95)], [Some(30.0), Some(f64::INFINITY)]);
    }
}
