//! Tables of keys: what a table of a configuration file may hold, written down once.
//!
//! [`Keys`] lists the keys of one table. A key has a name, a description, the kind of value it takes ([`Takes`]) and the
//! field of the target that it sets. Reading, the JSON Schema, the reference page, lists and shell completions are all made from it,
//! and the default that they show is the value of the field before anything is read. Nothing here knows what the keys mean.
//!
//! Tables with required keys, or with values that depend on each other, fill a struct of options and end in a conversion:
//! [`Keys::build`] makes a [`Section`]. A [`Kinds`] selects further keys by the value of one, such as `kind`.

#![expect(missing_debug_implementations, reason = "tables are made of functions")]

pub mod json_schema;
mod reference;
mod section;
mod shape;
mod takes;

pub use reference::{key_list, key_paths, reference_page};
pub use section::{Kinds, Section};
pub use shape::{Choice, KeyShape, KindShape, Shape, TableShape};
pub use takes::{
    Takes, amount, boolean, choice, coordinate, distance, index_of, name, named, named_since, number, path,
    positive_rate, positive_speed, positive_time, share, size_within, text, time, time_or_word, unread,
    whole,
};

#[doc(inline)]
pub use crate::{kinds, table};

use crate::reader::Reader;

/// A table of keys, one a line: `METHOD KEY (FIELD): VALUE, "DESCRIPTION";`. The method is one of [`Keys`] such as `key`, `optional`,
/// `required`, `part`, `section` or `sections`; the value is what it takes. Those of `section` and `sections` are
/// made when they are needed. The field stands there where it is not called like the key;
/// `self` is the whole target. A key that functions show and set ends in both: `property KEY: VALUE, "DESCRIPTION", GET, SET;`. A line that
/// begins with a dot is a call of any other method.
///
/// `table! { VegasParameters; key alpha: number(0.0, 1e6), "Lower bound of queued segments"; .check(refuse_crossed); }`
#[macro_export]
macro_rules! table {
    (@field $it:ident $key:ident) => { &mut $it.$key };
    (@field $it:ident $key:ident (self)) => { $it };
    (@field $it:ident $key:ident ($($field:tt)+)) => { &mut $it.$($field)+ };
    (@value section $section:expr) => { $crate::keys::Section::later(move || $section) };
    (@value sections $section:expr) => { $crate::keys::Section::later(move || $section) };
    (@value $method:ident $takes:expr) => { $takes };
    (@add $target:ty, [$($calls:tt)*]) => { $($calls)* };
    (@add $target:ty, [$($calls:tt)*] .$call:ident($($given:tt)*); $($rest:tt)*) => {
        $crate::table!(@add $target, [$($calls)* .$call($($given)*)] $($rest)*)
    };
    (@add $target:ty, [$($calls:tt)*] property $key:ident: $takes:expr, $about:expr, $get:expr, $set:expr; $($rest:tt)*) => {
        $crate::table!(@add $target, [$($calls)* .property(stringify!($key), $about, $takes, $get, $set)] $($rest)*)
    };
    (@add $target:ty, [$($calls:tt)*] $method:ident $key:ident $(($($field:tt)+))?: $takes:expr, $about:expr; $($rest:tt)*) => {
        $crate::table!(@add $target, [$($calls)* .$method(stringify!($key), $about, $crate::table!(@value $method $takes), |it: &mut $target| {
            $crate::table!(@field it $key $(($($field)+))?)
        })] $($rest)*)
    };
    ($target:ty; $($lines:tt)*) => {
        $crate::table!(@add $target, [$crate::keys::Keys::<$target>::new()] $($lines)*)
    };
}

/// The members of a registry as choices; the field `is_historical` is named where members have it.
#[macro_export]
macro_rules! choices {
    ($all:expr $(, $is_historical:ident)?) => {
        $all.into_iter()
            .map(|it| $crate::keys::Choice {
                cite: it.cite,
                $($is_historical: it.$is_historical,)?
                ..(it.name, it.summary).into()
            })
            .collect::<Vec<_>>()
    };
}

/// Kinds of a table, one a line, added to those of the first line: `kinds! { Kinds::new("model", "..."); "burst" => burst(), "DESCRIPTION", "SOURCE"; }`.
/// Kinds without a source leave it out.
#[macro_export]
macro_rules! kinds {
    ($kinds:expr; $($name:expr => $section:expr, $about:expr $(, $cite:expr)?;)*) => {
        $kinds$(.kind(($name, $about $(, $cite)?), $crate::keys::Section::later(move || $section)))*
    };
}

type Read<'a, T> = Box<dyn Fn(&mut Reader<'_>, &mut T) + 'a>;
type Describe<'a, T> = Box<dyn Fn(&mut T) -> KeyShape + 'a>;

/// The field of a target that a key sets.
pub type Field<T, V> = fn(&mut T) -> &mut V;

struct Entry<'a, T> {
    name: &'static str,
    read: Read<'a, T>,
    describe: Describe<'a, T>,
}

/// The keys of one table, which set the fields of a `T`.
pub struct Keys<'a, T> {
    entries: Vec<Entry<'a, T>>,
    checks: Vec<Read<'a, T>>,
    replaced: Vec<(&'static str, &'static str)>,
    definition: Option<&'static str>,
    about: &'static str,
}

impl<T> Default for Keys<'_, T> {
    fn default() -> Self {
        Keys { entries: Vec::new(), checks: Vec::new(), replaced: Vec::new(), definition: None, about: "" }
    }
}

impl<'a, T: 'a> Keys<'a, T> {
    /// No keys yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// With a name, under which the JSON Schema and the reference describe the table once, wherever it is used.
    pub fn definition(self, name: &'static str) -> Self {
        Keys { definition: Some(name), ..self }
    }
    /// With a remark about the whole table for the reference.
    pub fn about(self, about: &'static str) -> Self {
        Keys { about, ..self }
    }

    /// A key that sets a field; without it the field stays as it is.
    pub fn key<V: 'a>(
        self,
        name: &'static str,
        about: &'static str,
        takes: Takes<'a, V>,
        field: Field<T, V>,
    ) -> Self {
        self.property(
            name,
            about,
            takes,
            move |target, show| show(field(target)),
            move |target, value| {
                *field(target) = value;
            },
        )
    }

    /// A key that may be absent, which leaves the field as it is, usually `None`.
    pub fn optional<V: 'a>(
        self,
        name: &'static str,
        about: &'static str,
        takes: Takes<'a, V>,
        field: Field<T, Option<V>>,
    ) -> Self {
        let get =
            move |target: &mut T, show: &dyn Fn(&V) -> Option<String>| field(target).as_ref().and_then(show);
        self.property(name, about, takes, get, move |target, value| *field(target) = Some(value))
    }

    /// A key that must be there. The field stays `None` when it is absent or wrong, which has been noted.
    pub fn required<V: 'a>(
        self,
        name: &'static str,
        about: &'static str,
        takes: Takes<'a, V>,
        field: Field<T, Option<V>>,
    ) -> Self {
        self.optional(name, about, takes, field).needed()
    }

    /// The key before must be there.
    pub fn needed(mut self) -> Self {
        let Entry { name, read, describe } = self.entries.pop().expect("a key comes first");
        let read_needed: Read<'a, T> = Box::new(move |reader, target| {
            read(reader, target);
            reader.need(name);
        });
        self.push(name, read_needed, move |target| KeyShape { is_required: true, ..describe(target) });
        self
    }

    /// Only comparisons with older work need the key before.
    pub fn historical(mut self) -> Self {
        let Entry { name, read, describe } = self.entries.pop().expect("a key comes first");
        // Not asked for where it is absent, so that no message lists it.
        let read: Read<'a, T> = Box::new(move |reader, target| {
            if reader.has(name) {
                read(reader, target);
            }
        });
        self.push(name, read, move |target| KeyShape { is_historical: true, ..describe(target) });
        self
    }

    /// The key `name`, which must be there. Messages call the table by its `kind` and this name from then on.
    pub fn name(self, kind: &'static str, about: &'static str, field: Field<T, Option<String>>) -> Self {
        let read = move |reader: &mut Reader<'_>, target: &mut T| {
            *field(target) = reader.optional("name", |node| takes::name().read(node));
            if let Some(name) = field(target) {
                reader.what = format!("{kind} \"{name}\"");
            }
        };
        self.custom("name", read, move || KeyShape::new("name", about, Shape::Name)).needed()
    }

    /// A key that a function sets. `get` passes the value before anything is read to the function that shows it.
    pub fn property<V: 'a>(
        mut self,
        name: &'static str,
        about: &'static str,
        takes: Takes<'a, V>,
        get: impl Fn(&mut T, &dyn Fn(&V) -> Option<String>) -> Option<String> + 'a,
        set: impl Fn(&mut T, V) + 'a,
    ) -> Self {
        let Takes { read, show, shape } = takes;
        let read: Read<'a, T> = Box::new(move |reader, target| {
            if let Some(value) = reader.optional(name, &read) {
                set(target, value);
            }
        });
        self.push(name, read, move |target| KeyShape {
            default: get(target, &show),
            ..KeyShape::new(name, about, shape.clone())
        });
        self
    }

    /// A table whose keys set a part of the target.
    pub fn part<P: 'a>(
        mut self,
        name: &'static str,
        about: &'static str,
        keys: Keys<'a, P>,
        field: Field<T, P>,
    ) -> Self {
        let keys = std::rc::Rc::new(keys);
        let described = keys.clone();
        let read: Read<'a, T> = Box::new(move |reader, target| {
            if let Some(mut table) = reader.table(name) {
                keys.read(&mut table, field(target));
                table.finish();
            }
        });
        self.push(name, read, move |target| {
            KeyShape::new(name, about, Shape::Table(described.describe(field(target))))
        });
        self
    }

    /// Further keys of this table that set a part of the target.
    pub fn with<P: 'a>(mut self, keys: Keys<'a, P>, field: Field<T, P>) -> Self {
        for Entry { name, read, describe } in keys.entries {
            let read: Read<'a, T> = Box::new(move |reader, target| read(reader, field(target)));
            self.push(name, read, move |target| describe(field(target)));
        }
        for check in keys.checks {
            self.checks.push(Box::new(move |reader, target| check(reader, field(target))));
        }
        self.replaced.extend(keys.replaced);
        self
    }

    /// A table; the field is `None` when it is absent or wrong, which has been noted.
    pub fn section<V: 'a>(
        mut self,
        name: &'static str,
        about: &'static str,
        section: Section<'a, V>,
        field: Field<T, Option<V>>,
    ) -> Self {
        let Section { read, describe } = section;
        let read: Read<'a, T> = Box::new(move |reader, target| {
            *field(target) = reader.table(name).and_then(|table| section::read_whole(&read, table));
            if field(target).is_none() {
                reader.mark_wrong(name);
            }
        });
        self.push(name, read, move |_| KeyShape::new(name, about, Shape::Table(describe())));
        self
    }

    /// A table or a list of tables; the field is `None` when it is absent or one of them is wrong, which has been noted.
    pub fn sections<V: 'a>(
        mut self,
        name: &'static str,
        about: &'static str,
        section: Section<'a, V>,
        field: Field<T, Option<Vec<V>>>,
    ) -> Self {
        let Section { read, describe } = section;
        let read: Read<'a, T> = Box::new(move |reader, target| {
            let named = reader.count(name);
            let tables = reader.tables(name).into_iter();
            let good: Vec<V> = tables.filter_map(|table| section::read_whole(&read, table)).collect();
            *field(target) = (reader.has(name) && good.len() == named).then_some(good);
            if field(target).is_none() {
                reader.mark_wrong(name);
            }
        });
        self.push(name, read, move |_| {
            KeyShape::new(name, about, Shape::OneOrMany(Box::new(Shape::Table(describe()))))
        });
        self
    }

    /// A key that selects which further keys there are; the field is `None` when something about them is wrong, which has
    /// been noted.
    pub fn kinds<V: 'a>(mut self, kinds: Kinds<'a, V>, field: Field<T, Option<V>>) -> Self {
        let kinds = std::rc::Rc::new(kinds);
        let described = kinds.clone();
        let name = kinds.selector;
        let read: Read<'a, T> = Box::new(move |reader, target| *field(target) = kinds.read(reader));
        self.push(name, read, move |_| described.describe());
        self
    }

    /// A key that is read by a function of its own.
    pub fn custom(
        mut self,
        name: &'static str,
        read: impl Fn(&mut Reader<'_>, &mut T) + 'a,
        describe: impl Fn() -> KeyShape + 'a,
    ) -> Self {
        self.push(name, Box::new(read), move |_| describe());
        self
    }

    /// A key that no longer exists; messages name its replacement.
    pub fn replaced(mut self, name: &'static str, by: &'static str) -> Self {
        self.replaced.push((name, by));
        self
    }

    /// A check of several keys, after all have been read.
    pub fn check(mut self, check: impl Fn(&mut Reader<'_>, &mut T) + 'a) -> Self {
        self.checks.push(Box::new(check));
        self
    }

    /// A table that becomes a `V`: the keys fill `start`, and `convert` makes the value of it, or notes why it cannot.
    pub fn build<V: 'a>(
        self,
        start: T,
        convert: impl Fn(T, &mut Reader<'_>) -> Option<V> + 'a,
    ) -> Section<'a, V>
    where
        T: Clone,
    {
        Section::of(self, start, convert)
    }

    /// Read the keys into `target`. What is wrong has been noted, and left as it was.
    pub fn read(&self, reader: &mut Reader<'_>, target: &mut T) {
        for (name, by) in &self.replaced {
            reader.refuse_replaced(name, by);
        }
        self.entries.iter().for_each(|entry| (entry.read)(reader, target));
        self.checks.iter().for_each(|check| check(reader, target));
    }

    /// What the keys are; their defaults are the values in `start`.
    pub fn describe(&self, start: &mut T) -> TableShape {
        let keys = self.entries.iter().map(|entry| (entry.describe)(start)).collect();
        TableShape { definition: self.definition, about: self.about, keys }
    }

    fn push(&mut self, name: &'static str, read: Read<'a, T>, describe: impl Fn(&mut T) -> KeyShape + 'a) {
        self.entries.push(Entry { name, read, describe: Box::new(describe) });
    }
}
