//! The ratios as a picture.

use crate::parity::compare::{GOAL, Pair, ScenarioParity};
use seamline_report::picture::forest::{Panel, Row, forest};
use seamline_report::picture::frame::Names;

/// Shown where it applies.
const LEFT_OUT: &str = "; what reaches above 4 is in the table only";
/// Ratios above it, mostly those of a few events, would leave the others no room.
const MOST: f64 = 4.0;

/// The ratios of a scenario, both pairs next to each other over the rows of all cells.
pub fn picture(scenario: &ScenarioParity) -> String {
    let mut rows = Vec::new();
    let mut values = [Vec::new(), Vec::new()];
    let mut remark = "dot: ratio of means; line: its 95 % interval; band: within 5 %".to_owned();
    for cell in &scenario.cells {
        rows.push(Row::Heading(cell.name.clone()));
        values.iter_mut().for_each(|values| values.push(None));
        for row in &cell.rows {
            rows.push(Row::Values(row.name.clone()));
            for (values, comparison) in values.iter_mut().zip(&row.comparisons) {
                let shown = comparison.ratio.filter(|ratio| ratio.ends().1 <= MOST);
                if shown != comparison.ratio && !remark.contains(LEFT_OUT) {
                    remark += LEFT_OUT;
                }
                values.push(shown);
            }
        }
    }
    let panels = Pair::ALL.into_iter().zip(values).map(|(pair, values)| Panel {
        title: pair.name().to_owned(),
        accepted: (1.0 - GOAL, 1.0 + GOAL),
        published: Vec::new(),
        values,
    });
    let names = Names {
        picture: &scenario.name,
        title: &scenario.title,
        remark: &remark,
        axis: "ratio (1 = the same)",
    };
    forest(names, &rows, &panels.collect::<Vec<_>>())
}
