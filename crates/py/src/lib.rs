//! The native part of the Python package `seamline`: plans, runs and tables. The Python modules next to it (`python/src/seamline`) hold
//! what users call, and document it.

mod classes;
mod control;
mod environment;
mod errors;
mod pilot;
mod plan;
mod policy;
mod result;
mod run;
mod scheme;
mod sockets;
mod table;

use pyo3::prelude::*;

/// What the Python modules are made of.
#[pymodule]
mod _seamline {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::control::{Acked, View, register_control};
    #[pymodule_export]
    use super::environment::{Environments, register_environment};
    #[pymodule_export]
    use super::pilot::PyPilot;
    #[pymodule_export]
    use super::plan::{Plan, Stop};
    #[pymodule_export]
    use super::policy::{Segment, register_agent};
    #[pymodule_export]
    use super::result::Results;
    #[pymodule_export]
    use super::scheme::{HandoverNews, register_scheme};
    #[pymodule_export]
    use super::sockets::{SocketCore, SocketHandle};
    #[pymodule_export]
    use super::table::Table;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// What [`PyPilot`] and [`Environments`] measure, in this order.
    #[pyfunction]
    fn measurements() -> Vec<&'static str> {
        super::pilot::NAMES.to_vec()
    }

    /// The version, and a fingerprint of the sources that results depend on.
    #[pyfunction]
    fn engine() -> &'static str {
        seamline_experiment::report::engine()
    }

    /// Kernels in virtual time run this file of the command.
    #[pyfunction]
    fn serve_guests_by(program: std::path::PathBuf) {
        seamline::engine::serve_guests_by(program);
    }

    /// Half of the 95 % interval of the mean relative to the mean, by Student's t; `None` for less than two values.
    #[pyfunction]
    fn relative_half_width(values: Vec<f64>) -> Option<f64> {
        seamline_experiment::statistics::estimate(&values)?.relative_half_width()
    }

    /// The scenarios of papers: letter and subject of the paper, name and text of each scenario.
    #[pyfunction]
    fn papers() -> Vec<[&'static str; 4]> {
        let scenarios = seamline_paper::bundled::ALL.iter().flat_map(|paper| {
            paper.scenarios.iter().map(|(name, text)| [paper.id, paper.summary, *name, *text])
        });
        scenarios.collect()
    }

    /// The bundled scenarios: name, summary and text of each.
    #[pyfunction]
    fn bundled() -> Vec<(&'static str, &'static str, String)> {
        seamline::bundled::ALL.iter().map(|it| (it.name, it.summary, it.as_own(None))).collect()
    }
}
