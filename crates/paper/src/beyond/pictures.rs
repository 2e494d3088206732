//! Maps of benefits as pictures.

use super::benefit::{Map, SchemeMap};
use seamline_report::picture::Picture;
use seamline_report::picture::frame::Names;
use seamline_report::picture::heat::{self, heat_map};
use seamline_scenario::statistics::Estimate;

/// A picture of a map, the schemes one above the other on one scale. The baseline's map, 1 everywhere, is left out.
pub fn picture(map: &Map, baseline: &str) -> Picture {
    let own: Vec<&SchemeMap> = map.schemes.iter().filter(|scheme| scheme.scheme != baseline).collect();
    let rows = own.iter().flat_map(|own| map.y.iter().map(|row| format!("{}, {row}", own.scheme)));
    let mean = |factor: &Option<Estimate>| factor.map(|factor| factor.mean);
    let values = own.iter().flat_map(|own| own.factor.iter().map(|row| row.iter().map(mean).collect()));
    let drawn = heat::Map { rows: rows.collect(), columns: map.x.clone(), values: values.collect() };
    let remark = match map.seeds() {
        1 => "goodput over that without a scheme, one seed".to_owned(),
        seeds => format!("goodput over that without a scheme, mean of {seeds} seeds"),
    };
    let names = Names { picture: &map.scenario, title: &map.title, remark: &remark, axis: "factor" };
    Picture {
        name: format!("beyond-{}", map.scenario),
        svg: heat_map(names, &map.x_axis, &map.y_axis, &drawn),
        caption: format!("Darker is better; below 1 the scheme does harm. {}", map.note),
    }
}
