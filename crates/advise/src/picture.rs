//! The figure: transfer time, or data delivered, over the interruption.

use crate::advice::Advice;
use crate::closed_form::ClosedForm;
use crate::question::Question;
use seamline_report::picture::Picture;
use seamline_report::picture::frame::Names;
use seamline_report::picture::lines::{Line, Parameter, lines};
use seamline_report::statistics::Estimate;

/// The number of segments of the closed form's line.
const POINTS: u32 = 24;

/// One line for each scheme, one for staying, and one for the closed form.
pub fn picture(question: &Question, advice: &Advice) -> Picture {
    let scale = |value: f64| question.traffic.pick(value, value / 1e6);
    let scaled = |value: &Estimate| value.map(scale);
    let interruptions = advice.schemes.iter().flat_map(|scheme| &scheme.over_interruption).map(|(at, _)| *at);
    let last = interruptions.fold(question.interruption.as_secs_f64(), f64::max);
    let of_scheme = |(name, points): (&str, &[(f64, Estimate)])| Line {
        name: if name == "none" { "unmodified stack".to_owned() } else { name.to_owned() },
        points: points.iter().map(|(at, value)| (*at, scaled(value))).collect(),
    };
    let shown = advice.schemes.iter().filter(|scheme| !scheme.over_interruption.is_empty());
    let mut all: Vec<Line> =
        shown.map(|scheme| of_scheme((&scheme.name, &scheme.over_interruption))).collect();
    all.push(Line {
        name: "stays".to_owned(),
        points: vec![(0.0, scaled(&advice.stays)), (last, scaled(&advice.stays))],
    });
    all.push(closed_form(question, &advice.closed_form, last, scale));
    let lower = ("transfer time (s)", "Lower is better");
    let (axis, caption) = question.traffic.pick(lower, ("delivered (MB)", "Higher is better"));
    let title = format!("From {} to {}", advice.question.from.name, advice.question.to.name);
    let stays = match advice.effort.seeds == advice.question.seeds as usize {
        true => String::new(),
        false => format!(" (staying: {})", advice.question.seeds),
    };
    let remark = format!("means of {} seeds{stays} and their 95 % intervals", advice.effort.seeds);
    let names = Names { picture: "advice", title: &title, remark: &remark, axis };
    Picture {
        name: "advice".to_owned(),
        svg: lines(names, Parameter { name: "interruption (s)", logarithmic: false }, &all),
        caption: format!("{caption}. A line crosses the line of staying at its t*_MAX."),
    }
}

fn closed_form(question: &Question, form: &ClosedForm, last: f64, scale: impl Fn(f64) -> f64) -> Line {
    let at_index = |n: u32| last * f64::from(n) / f64::from(POINTS);
    let value = |at: f64| Estimate::single(scale(form.moves_with(question, at)));
    Line {
        name: "closed form".to_owned(),
        points: (0..=POINTS).map(|n| (at_index(n), value(at_index(n)))).collect(),
    }
}
