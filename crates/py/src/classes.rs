//! Classes of Python in the registries: congestion controls, handover schemes and agents, by name.

use crate::run::{is_stopping, stop_with};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use seamline_scenario::keys::{Keys, number};
use seamline_scenario::schema::added::{self, Added};
use seamline_tcp::cc::OwnSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The classes by name. One may be replaced by another of the same kind, as happens in notebooks.
static CLASSES: RwLock<BTreeMap<&'static str, Arc<Class>>> = RwLock::new(BTreeMap::new());

/// Texts that are kept until the process ends, as registries do. Each is kept once, however often its class is registered.
static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

fn kept(text: String) -> &'static str {
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(text.as_str()) {
        return known;
    }
    let text: &'static str = text.leak();
    all.insert(text);
    text
}

/// A class as the Python modules describe it: name, summary, the class, parameters, version, methods that it has.
pub(crate) type Definition = (String, String, Py<PyType>, Vec<KeyOf>, String, BTreeSet<String>);

/// A parameter: name, what it is, least, most and default.
pub(crate) type KeyOf = (String, String, f64, f64, f64);

struct Key {
    name: &'static str,
    about: &'static str,
    least: f64,
    most: f64,
    default: f64,
}

/// A class that scenarios may name.
pub(crate) struct Class {
    /// What cannot change when a class is replaced.
    kind: &'static str,
    class: Py<PyType>,
    keys: Vec<Key>,
    version: String,
    /// The methods that it has.
    pub(crate) methods: BTreeSet<String>,
}

/// The class of this name.
pub(crate) fn class_of(name: &str) -> Option<Arc<Class>> {
    CLASSES.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
}

/// Make a class usable by its name. `add` makes the entry of a registry, from name and summary, unless there is one. `kind` says what
/// entry that is.
pub(crate) fn register(
    definition: Definition,
    kind: &'static str,
    add: impl FnOnce(&'static str, &'static str) -> Added,
) -> PyResult<()> {
    let (name, summary, class, keys, version, methods) = definition;
    let known = class_of(&name);
    if let Some(known) = known.as_ref().filter(|known| known.kind != kind) {
        return Err(PyValueError::new_err(format!(
            "\"{name}\" was registered as {} before, and is {kind} now\ntip: give the class another name",
            known.kind
        )));
    }
    let name = kept(name);
    if known.is_none() {
        let version = move || class_of(name).map_or(String::new(), |it| it.version.clone());
        let entry = add(name, kept(summary)).with_version(version);
        added::add(vec![entry]).map_err(|error| PyValueError::new_err(error.to_string()))?;
    }
    let keys = keys.into_iter().map(|(name, about, least, most, default)| Key {
        name: kept(name),
        about: kept(about),
        least,
        most,
        default,
    });
    let class = Class { kind, class, keys: keys.collect(), version, methods };
    CLASSES.write().unwrap_or_else(PoisonError::into_inner).insert(name, Arc::new(class));
    Ok(())
}

/// The parameters of all classes, by the names of class and parameter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values(BTreeMap<(&'static str, &'static str), f64>);

/// The keys of a class as it is now.
pub(crate) fn keys_of(name: &'static str) -> Keys<'static, Values> {
    let Some(class) = class_of(name) else { return Keys::new() };
    class.keys.iter().fold(Keys::new(), |keys, key| {
        let (place, default) = ((name, key.name), key.default);
        keys.property(
            key.name,
            key.about,
            number(key.least, key.most),
            move |values: &mut Values, show| show(values.0.get(&place).unwrap_or(&default)),
            move |values, value| {
                values.0.insert(place, value);
            },
        )
    })
}

/// An instance of a class, for one connection.
#[derive(Debug)]
pub(crate) struct Object(Option<Py<PyAny>>);

impl Object {
    /// Make one, with its parameters as attributes. If that raises, the run is being stopped.
    pub(crate) fn new(name: &'static str, parameters: &OwnSet) -> Self {
        let values: Values = parameters.get();
        let make = |class: Arc<Class>| {
            Python::attach(|py| instance(py, name, &class, &values).map_err(stop_with).ok())
        };
        Object(class_of(name).and_then(make))
    }

    /// Call it. `None` after an exception: the run is being stopped, and nothing is called any more.
    pub(crate) fn call<R>(&self, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<R>) -> Option<R> {
        let object = self.0.as_ref().filter(|_| !is_stopping())?;
        Python::attach(|py| call(object.bind(py)).map_err(stop_with).ok())
    }
}

fn instance(py: Python<'_>, name: &'static str, class: &Class, values: &Values) -> PyResult<Py<PyAny>> {
    let bound = class.class.bind(py);
    let object = bound.call_method1("__new__", (bound,))?;
    for key in &class.keys {
        object.setattr(key.name, values.0.get(&(name, key.name)).copied().unwrap_or(key.default))?;
    }
    object.call_method0("__init__")?;
    Ok(object.unbind())
}

/// The answers of a method: nothing, or as many as it returns.
pub(crate) fn answers<R>(
    answer: &Bound<'_, PyAny>,
    read: impl Fn(&Bound<'_, PyAny>) -> PyResult<R>,
) -> PyResult<Vec<R>> {
    if answer.is_none() {
        return Ok(Vec::new());
    }
    answer.try_iter()?.map(|it| read(&it?)).collect()
}
