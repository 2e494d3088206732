//! Maps of benefits, and matrices of combinations, as pictures.

use super::benefit::Map;
use super::matrix::{Field, Matrix};
use super::text::seeds;
use seamline_experiment::statistics::Estimate;
use seamline_report::picture::Picture;
use seamline_report::picture::frame::Names;
use seamline_report::picture::matrix as drawing;

/// A picture of a map, a panel for each scheme, on one scale. The baseline's map, 1 everywhere, is omitted.
pub fn picture(map: &Map, baseline: &str) -> Picture {
    let field = |factor: &Option<Estimate>| factor.map_or(Field::Nothing, |it| Field::Value(it.mean));
    let own = map.schemes.iter().filter(|scheme| scheme.scheme != baseline);
    let panels = own.map(|own| drawing::Panel {
        title: own.scheme.clone(),
        fields: own.factor.iter().map(|row| row.iter().map(field).collect()).collect(),
    });
    let drawn = drawing::Matrix {
        rows: map.y.clone(),
        columns: map.x.clone(),
        panels: panels.collect(),
        legend: Vec::new(),
    };
    let remark = format!("goodput relative to no scheme, {}", mean_of(map.seeds()));
    let names = Names { picture: &map.of.scenario, title: &map.of.title, remark: &remark, axis: "factor" };
    Picture {
        name: format!("beyond-{}", map.of.scenario),
        svg: drawing::matrix(names, &map.of.x_axis, &map.of.y_axis, &drawn),
        caption: format!("Darker is better; below 1 the scheme reduces goodput. {}", map.of.note),
    }
}

/// A picture of a matrix.
pub fn of_matrix(matrix: &Matrix) -> Picture {
    let panels = matrix.panels.iter().map(|panel| drawing::Panel {
        title: match &panel.baseline_megabits_per_second {
            Some(baseline) => format!("{}: {:.1} Mbit/s without help", panel.name, baseline.mean),
            None => panel.name.clone(),
        },
        fields: panel.fields.clone(),
    });
    let mut legend =
        vec!["(+4): the 95 % interval includes zero. Tinted instead of shaded: a loss.".to_owned()];
    legend.extend(
        matrix
            .reasons
            .iter()
            .enumerate()
            .map(|(n, reason)| format!("{} hatched, not supported: {reason}", n + 1)),
    );
    let drawn = drawing::Matrix {
        rows: matrix.rows.clone(),
        columns: matrix.columns.clone(),
        panels: panels.collect(),
        legend,
    };
    let seeds = mean_of(matrix.seeds());
    let remark = format!("gain in goodput over no help, in percent, {seeds}; each panel has its own scale");
    let names = Names { picture: &matrix.of.scenario, title: &matrix.of.title, remark: &remark, axis: "%" };
    Picture {
        name: format!("beyond-{}", matrix.of.scenario),
        svg: drawing::matrix(names, "handover scheme", &matrix.of.row_axis, &drawn),
        caption: matrix.of.caption.clone(),
    }
}

fn mean_of(count: usize) -> String {
    if count == 1 { seeds(count) } else { format!("mean of {}", seeds(count)) }
}
