//! Single runs of a paper's figures over time: why its bars differ.

use crate::page::{Encoded, Group, encode};
use crate::picture::{Picture, over_time};
use crate::series::RunSeries;

/// Runs of one figure, to be looked at one by one or two side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunsOfFigure {
    /// What the names of its pictures begin with.
    pub name: String,
    /// The figure's title.
    pub title: String,
    /// What to see in the runs, in a line.
    pub look: String,
    /// What is shown of them at first, in seconds; everything without it.
    pub shown_s: Option<(f64, f64)>,
    /// The runs. The second one is the one next to the first when the page opens.
    pub runs: Vec<RunSeries>,
}

impl RunsOfFigure {
    /// The pictures of its runs, `fig3-time-1-window` and the like.
    pub fn pictures(&self) -> impl Iterator<Item = Picture> + '_ {
        let pictures = self.runs.iter().flat_map(over_time::of_run);
        pictures.map(|picture| Picture { name: format!("{}-{}", self.name, picture.name), ..picture })
    }
}

/// All runs for the page, figure by figure.
pub(super) fn encoded(figures: &[RunsOfFigure]) -> Encoded {
    let runs: Vec<&RunSeries> = figures.iter().flat_map(|figure| &figure.runs).collect();
    let mut encoded = encode(&runs);
    let mut first = 0;
    for figure in figures {
        // Where there is no room for all runs, the last figures go without.
        let count = figure.runs.len().min(encoded.runs.len() - first);
        if count > 0 {
            let (title, look) = (figure.title.clone(), figure.look.clone());
            encoded.groups.push(Group { title, look, first, count, shown: figure.shown_s });
        }
        first += count;
    }
    encoded
}
