//! Tables that become a value, and tables of several kinds.

use super::shape::{Choice, KeyShape, KindShape, Shape, TableShape};
use super::{Keys, takes};
use crate::reader::Reader;
use std::cell::LazyCell;
use std::rc::Rc;

pub(super) type ReadSection<'a, V> = Box<dyn Fn(&mut Reader<'_>) -> Option<V> + 'a>;

/// A table that becomes a `V`.
pub struct Section<'a, V> {
    pub(super) read: ReadSection<'a, V>,
    pub(super) describe: Box<dyn Fn() -> TableShape + 'a>,
}

/// Read all keys of a table, and refuse others.
pub(super) fn read_whole<V>(read: &ReadSection<'_, V>, mut reader: Reader<'_>) -> Option<V> {
    let value = read(&mut reader);
    reader.finish();
    value
}

impl<'a, V: 'a> Section<'a, V> {
    pub(super) fn of<T: Clone + 'a>(
        keys: Keys<'a, T>,
        start: T,
        convert: impl Fn(T, &mut Reader<'_>) -> Option<V> + 'a,
    ) -> Self {
        let keys = Rc::new(keys);
        let (described, before) = (keys.clone(), start.clone());
        let read = move |reader: &mut Reader<'_>| {
            let mut target = start.clone();
            keys.read(reader, &mut target);
            convert(target, reader)
        };
        Section { read: Box::new(read), describe: Box::new(move || described.describe(&mut before.clone())) }
    }

    /// Made when a table is first read, or described: most tables have few of the sections that they may have.
    pub fn later(make: impl FnOnce() -> Self + 'a) -> Self {
        let made = Rc::new(LazyCell::new(make));
        let described = made.clone();
        Section {
            read: Box::new(move |reader| (made.read)(reader)),
            describe: Box::new(move || described.describe()),
        }
    }

    /// Without a key.
    pub fn empty(make: impl Fn() -> V + 'a) -> Self {
        Keys::new().build((), move |(), _| Some(make()))
    }
    /// Read the whole table. `None` when something about it is wrong, which has been noted.
    pub fn read(&self, reader: Reader<'_>) -> Option<V> {
        read_whole(&self.read, reader)
    }
    /// What it is.
    pub fn describe(&self) -> TableShape {
        (self.describe)()
    }
}

struct Kind<'a, V> {
    choice: Choice,
    section: Section<'a, V>,
}

/// The kinds of a table, one of which a key selects.
pub struct Kinds<'a, V> {
    pub(super) selector: &'static str,
    about: &'static str,
    kinds: Vec<Kind<'a, V>>,
}

impl<'a, V: 'a> Kinds<'a, V> {
    /// No kinds yet; the key `selector` is to name one.
    pub fn new(selector: &'static str, about: &'static str) -> Self {
        Kinds { selector, about, kinds: Vec::new() }
    }
    /// A kind with its own keys.
    pub fn kind(mut self, choice: impl Into<Choice>, section: Section<'a, V>) -> Self {
        self.kinds.push(Kind { choice: choice.into(), section });
        self
    }
    /// A table that is of one of these kinds and has no other keys.
    pub fn alone(self, definition: &'static str) -> Section<'a, V>
    where
        V: Clone,
    {
        Keys::new().definition(definition).kinds(self, |value| value).build(None, |value, _| value)
    }

    pub(super) fn read(&self, reader: &mut Reader<'_>) -> Option<V> {
        let names = takes::named(self.kinds.iter().map(|kind| kind.choice).collect());
        let Some(chosen) = reader.required(self.selector, &names.read) else {
            reader.leave_unfinished();
            return None;
        };
        let kind = self.kinds.iter().find(|kind| kind.choice.name == chosen)?;
        (kind.section.read)(reader)
    }

    pub(super) fn describe(&self) -> KeyShape {
        let choices = self.kinds.iter().map(|kind| kind.choice).collect();
        let kinds =
            self.kinds.iter().map(|kind| KindShape { choice: kind.choice, table: kind.section.describe() });
        KeyShape {
            is_required: true,
            kinds: kinds.collect(),
            ..KeyShape::new(self.selector, self.about, Shape::Choice(choices))
        }
    }
}
