//! The page of documentation.

use crate::remedy::ALL;
use crate::store::Run;
use crate::summary::Cell;
use crate::text::{by_conditions, row, table};
use seamline_report::picture::Picture;
use std::fmt::Write;

const INTRODUCTION: &str = "# What a handover costs Linux TCP, and what helps

A phone downloads from a server over a radio link that goes away and comes back. Both are network namespaces of one host with the kernel's own
TCP; what is between them is the lab's: 20 Mbit/s, 25 ms each way, a queue of 83 packets, which is what is under way in a round trip. In the
outage all is lost that is in the queue, in the air, or arrives. An outage of one nominal length is between 0.8 and 1.2 times as long from run
to run, and begins at another time, because the time of a stock sender depends on the state of its doubled timer when the link is back.

- *An acknowledgment lost*: as is usual, something that the phone has sent is lost in the outage, too. *No acknowledgment lost*: what comes
  down is cut off 150 ms before the outage, which makes that longer for the sender, so that all that the phone has to say arrives, and a repeated acknowledgment says nothing new. (But for `freeze`:
  with a lead that is true nothing is under way when the link goes.)
- *Random loss*: 0.1 % of the packets that come down are lost, besides.
- *Bulk*: one download without end. *Requests*: answers of 100 kB, each asked for when the last one is complete.

Times count from the instant when the link is back. **First data**: the first segment with data arrives. **Progress**: the application has more than
before; for requests, the next answer is complete. **Full rate**: from then on data arrives for 100 ms at 90 % of the rate from before, which is
that of two seconds until half a second before the outage. First data and full rate count what arrives, segments that come twice among it; for MPTCP, whose
segments the kernel does not count, full rate is that of the application. **Stall**: the longest time in which the application got nothing, the outage included. **Missed**: how much less the application gets in five seconds than at that rate; below zero it gets more. **Dropped**: packets that the
queue of the link dropped in these five seconds because it was full.

Numbers are medians, in brackets an interval that holds the true median with a chance of at least 95 % when there are six runs or more (between
two of the sorted values, by the sign test; of fewer runs it is their whole range). Runs in which the host was too busy to emulate the network well
are repeated, and left out if that does not help.
";

/// Everything as Markdown.
pub fn markdown(cells: &[Cell], runs: &[Run], pictures: &[Picture]) -> String {
    let mut page = INTRODUCTION.to_owned();
    let _ = writeln!(page, "\n{}", provenance(cells, runs));
    for picture in pictures {
        let _ = writeln!(page, "\n![{0}]({1}.svg)\n\n*{0}*", picture.caption, picture.name);
    }
    let _ = writeln!(page, "\n## Remedies\n\n| name | what it is |\n|---|---|");
    for remedy in
        ALL.iter().filter(|remedy| cells.iter().any(|cell| cell.runs > 0 && cell.case.remedy == *remedy))
    {
        let _ = writeln!(page, "| {} | {} |", remedy.name, remedy.description);
    }
    for (conditions, cells) in by_conditions(cells) {
        let title = format!("{}{}", conditions[..1].to_uppercase(), &conditions[1..]);
        let rows = cells.into_iter().map(row);
        let _ = write!(page, "\n## {title}\n\n{}", table().with(rows).to_markdown());
    }
    page
}

fn provenance(cells: &[Cell], runs: &[Run]) -> String {
    let mut kernels: Vec<&str> = runs.iter().map(|run| run.kernel.as_str()).collect();
    kernels.sort_unstable();
    kernels.dedup();
    let most = cells.iter().map(|cell| cell.runs).max().unwrap_or(0);
    let least = cells.iter().map(|cell| cell.runs).filter(|runs| *runs > 0).min().unwrap_or(0);
    let each = if least == most { format!("{most}") } else { format!("{least} to {most}") };
    let repeated: u32 = runs.iter().map(|run| run.repeated).sum();
    let left_out = runs.iter().filter(|run| !run.warnings.is_empty()).count();
    format!(
        "Kernel {}; {} runs, {each} of each case; {repeated} repeated, {left_out} left out. This page is written by `seamline benchmark --out DIR`.",
        kernels.join(", "),
        runs.len() - left_out,
    )
}
