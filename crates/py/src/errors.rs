//! Errors as Python exceptions. Their classes are in `python/src/seamline/errors.py`.

use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use seamline_cli::Failure;
use seamline_config::Diagnostics;

const MODULE: &str = "seamline.errors";

/// `seamline.errors.ScenarioError` with everything that is wrong with a scenario.
pub(crate) fn invalid(py: Python<'_>, diagnostics: &Diagnostics) -> PyErr {
    raise(py, diagnostics).unwrap_or_else(|error| error)
}

fn raise(py: Python<'_>, diagnostics: &Diagnostics) -> PyResult<PyErr> {
    let module = py.import(MODULE)?;
    let problem = module.getattr("Problem")?;
    let problems = diagnostics.iter().map(|it| {
        let place = diagnostics.place(it);
        let code = it.code.to_string();
        problem.call1((
            code,
            &it.title,
            it.tips.join("\n"),
            place.source,
            place.line,
            place.column,
            &it.label,
        ))
    });
    let problems = problems.collect::<PyResult<Vec<_>>>()?;
    let text = diagnostics.list(false).trim_end().to_owned();
    Ok(PyErr::from_value(module.getattr("ScenarioError")?.call1((text, problems))?))
}

/// `seamline.errors.RunError`: a run could not be completed.
pub(crate) fn failed(py: Python<'_>, why: String) -> PyErr {
    let class = py.import(MODULE).and_then(|module| module.getattr("RunError"));
    let error = class.and_then(|class| class.call1((why.clone(),)));
    error.map_or_else(|_| PyRuntimeError::new_err(why), PyErr::from_value)
}

/// The same of a run in a sweep: the message starts with the cell and the seed. What ends programs stays as it is.
pub(crate) fn of_job(py: Python<'_>, cell: &str, seed: u64, cause: PyErr) -> PyErr {
    if !cause.is_instance_of::<PyException>(py) {
        return cause;
    }
    let error = failed(py, format!("cell {cell}, seed {seed}: {}", cause.value(py)));
    error.set_cause(py, Some(cause));
    error
}

/// The exception for a failure of a command.
pub(crate) fn failure(py: Python<'_>, failure: Failure) -> PyErr {
    match failure {
        Failure::Input(why) | Failure::Explained(why) => PyValueError::new_err(why),
        Failure::Runtime(why) => failed(py, why),
        Failure::Interrupted(..) => PyKeyboardInterrupt::new_err(()),
        Failure::Passed(code) => failed(py, format!("a command failed with exit code {code}")),
    }
}
