//! The claims under other readings of a paper's silent points.

use crate::evaluate::ClaimResult;
use crate::run::PaperOutcome;
use seamline_report::paper::claims::ends;
use seamline_report::paper::{Entry, Listing, Part, Section};
use seamline_report::picture::Picture;
use seamline_report::picture::forest::{Panel, Row, forest};
use seamline_report::picture::frame::Names;
use seamline_report::quantity::plural;

/// The heading of readings that are not about one silent point.
const SEVERAL: &str = "several points";

/// A line of picture and table: a reading and the result of each claim.
struct Line<'a> {
    name: String,
    seeds: usize,
    claims: Vec<Option<&'a ClaimResult>>,
}

/// Lines that belong together.
struct Block<'a> {
    heading: String,
    lines: Vec<Line<'a>>,
}

/// The sensitivity of the claims; nothing when no other readings were tried.
pub(super) fn section(outcome: &PaperOutcome) -> Option<Section> {
    let tried = outcome.claims_with_readings();
    if tried.is_empty() {
        return None;
    }
    let blocks = blocks(outcome, &tried);
    let words = "The paper leaves some points open. Here each is read differently, one at a time or several \
     together, and the claims are measured and judged again. The ground of each reading is in brackets. One found by search shows \
     what would bring a number nearer to the paper's; it is never taken. Where a dot is outside the shaded band, the claim depends on the reading.";
    let picture = Picture {
        name: "readings".to_owned(),
        svg: draw(&tried, &blocks),
        caption: "Each dot is the measured value of a claim under one reading, with its 95 % interval; the shaded band is \
         the accepted range, the dashed line with the diamond the paper's number."
            .to_owned(),
    };
    let mut parts = vec![
        Part::Words(format!("{words} {}", format_seeds(outcome))),
        Part::WidePicture(picture),
        Part::Table(listing(&tried, &blocks)),
        Part::Caption(
            "With the 95 % interval and the sign of the verdict. †: the reading measures the claim in another way, which the picture leaves out."
                .to_owned(),
        ),
    ];
    parts.extend(sources(outcome));
    let title = "How much depends on what the paper leaves open".to_owned();
    Some(Section { id: "readings", title, parts })
}

/// What the readings with names of their own are based on.
fn sources(outcome: &PaperOutcome) -> Option<Part> {
    let named = outcome.readings.iter().map(|it| &it.reading).filter(|it| !it.source.is_empty());
    let rows: Vec<Vec<Entry>> = named
        .map(|it| {
            let ground = it.ground.to_string();
            vec![Entry::Strong(it.words.clone()), Entry::Plain(ground), Entry::Plain(it.source.clone())]
        })
        .collect();
    let columns = ["Reading", "Ground", "Source"];
    (!rows.is_empty()).then(|| super::table(&columns, 3, rows.into_iter()))
}

fn format_seeds(outcome: &PaperOutcome) -> String {
    let count = |seeds: Option<usize>| plural(seeds.unwrap_or(0), "seed");
    let taken = outcome.parts.first().map(|part| part.provenance.seeds.len());
    let others = outcome.readings.first().map(|reading| reading.seeds.len());
    if taken == others {
        format!("All of this uses {}.", count(taken))
    } else {
        let (taken, others) = (count(taken), count(others));
        format!(
            "The verdicts above use {taken}, most of these readings {others}; the reading taken is therefore also shown for the same {others}."
        )
    }
}

fn blocks<'a>(outcome: &'a PaperOutcome, tried: &[&ClaimResult]) -> Vec<Block<'a>> {
    let line = |name: &str, claims: &'a [ClaimResult]| {
        let claims: Vec<Option<&ClaimResult>> =
            tried.iter().map(|wanted| claims.iter().find(|claim| claim.id == wanted.id)).collect();
        let seeds = claims.iter().flatten().filter_map(|claim| claim.seeds).max().unwrap_or(0);
        Line { name: format!("{name}{}", plural(seeds, "seed")), seeds, claims }
    };
    let mut taken = vec![line("all ", &outcome.claims)];
    if !outcome.taken_over_their_seeds.is_empty() {
        taken.push(line("the same ", &outcome.taken_over_their_seeds));
    }
    let mut blocks = vec![Block { heading: "as taken".to_owned(), lines: taken }];
    for reading in &outcome.readings {
        let heading = reading.reading.about.clone().unwrap_or_else(|| SEVERAL.to_owned());
        let name = format!("{} ({})", reading.reading.words, reading.reading.ground);
        let line = Line { name, ..line("", &reading.claims) };
        match blocks.last_mut().filter(|block| block.heading == heading) {
            Some(block) => block.lines.push(line),
            None => blocks.push(Block { heading, lines: vec![line] }),
        }
    }
    blocks
}

fn draw(tried: &[&ClaimResult], blocks: &[Block<'_>]) -> String {
    let mut rows = Vec::new();
    for block in blocks {
        rows.push(Row::Heading(block.heading.clone()));
        rows.extend(block.lines.iter().map(|line| Row::Values(line.name.clone())));
    }
    let panels = tried.iter().enumerate().map(|(place, claim)| {
        let mut values = Vec::new();
        for block in blocks {
            values.push(None);
            let on_scale = |it: &&ClaimResult| it.is_measured_as(claim);
            values.extend(block.lines.iter().map(|line| line.claims[place].filter(on_scale)?.estimate()));
        }
        Panel { title: heading(claim), accepted: ends(claim.accept), published: claim.published(), values }
    });
    let names = Names {
        picture: "readings",
        title: "The claims under other readings of what the paper leaves open",
        remark: "mean and 95 % interval; shaded: accepted; diamond: the paper",
        axis: "each claim on its own scale",
    };
    forest(names, &rows, &panels.collect::<Vec<_>>())
}

fn listing(tried: &[&ClaimResult], blocks: &[Block<'_>]) -> Listing {
    let mut columns = vec!["Left open".to_owned(), "Reading".to_owned(), "Seeds".to_owned()];
    columns.extend(tried.iter().map(|claim| heading(claim)));
    let mut rows = Vec::new();
    for block in blocks {
        for (place, line) in block.lines.iter().enumerate() {
            let heading = if place == 0 { block.heading.clone() } else { String::new() };
            let head =
                [Entry::Strong(heading), Entry::plain(&line.name), Entry::Plain(line.seeds.to_string())];
            rows.push(head.into_iter().chain(tried.iter().zip(&line.claims).map(entry)).collect());
        }
    }
    Listing { columns, words: 2, rows }
}

/// The claim and its unit, if it has one.
fn heading(claim: &ClaimResult) -> String {
    match claim.unit {
        "" => claim.id.clone(),
        unit => format!("{} ({unit})", claim.id),
    }
}

/// What comes of a claim under a reading.
fn entry((tried, claim): (&&ClaimResult, &Option<&ClaimResult>)) -> Entry {
    let Some((claim, mean)) = claim.and_then(|claim| Some((claim, claim.measured?))) else {
        return Entry::plain("–");
    };
    // Intervals of orderings and spreads are wider on one side.
    let interval = claim.ci95.map(|[low, high]| format!(" [{low:.1}, {high:.1}]")).unwrap_or_default();
    let mark = claim.mark_of_other_measure(tried);
    Entry::Judged(format!("{mean:.1}{interval}{mark}"), claim.verdict.tone())
}
