//! Kinds of values: how each is read, shown and described.

use super::shape::{Choice, Shape};
use crate::codes::Code;
use crate::diagnostics::suggestion;
use crate::document::{Node, Value};
use crate::reader;
use crate::units::{self, Amount, Complaint, Quantity};
use seamline_wire::{Duration, Rate};
use std::fmt::Display;

type ReadValue<'a, V> = Box<dyn Fn(&Node) -> Result<V, Complaint> + 'a>;
type ShowValue<'a, V> = Box<dyn Fn(&V) -> Option<String> + 'a>;

/// How one kind of value is read from a document, and how it is described.
pub struct Takes<'a, V> {
    pub(super) read: ReadValue<'a, V>,
    /// The value as it would be written; `None` when it cannot be.
    pub(super) show: ShowValue<'a, V>,
    pub(super) shape: Shape,
}

impl<'a, V: 'a> Takes<'a, V> {
    /// A kind of value.
    pub fn new(
        shape: Shape,
        read: impl Fn(&Node) -> Result<V, Complaint> + 'a,
        show: impl Fn(&V) -> Option<String> + 'a,
    ) -> Self {
        Takes { read: Box::new(read), show: Box::new(show), shape }
    }
    /// Read a value.
    ///
    /// # Errors
    /// When it is no such value.
    pub fn read(&self, node: &Node) -> Result<V, Complaint> {
        (self.read)(node)
    }
    /// The same kind of value as another type; `back` is for showing it.
    pub fn map<W: 'a>(
        self,
        into: impl Fn(V) -> Result<W, Complaint> + 'a,
        back: impl Fn(&W) -> Option<V> + 'a,
    ) -> Takes<'a, W> {
        let Takes { read, show, shape } = self;
        Takes::new(shape, move |node| into(read(node)?), move |value| show(&back(value)?))
    }
    /// Only values that pass a check.
    pub fn checked(self, check: impl Fn(&V) -> Result<(), Complaint> + 'a) -> Self {
        let Takes { read, show, shape } = self;
        let read = move |node: &Node| read(node).and_then(|value| check(&value).map(|()| value));
        Takes { read: Box::new(read), show, shape }
    }
    /// For these words, which are no such value, the error says where to find them instead.
    pub fn elsewhere(self, words: &'static [&'static str], tip: &'static str) -> Self {
        let Takes { read, show, shape } = self;
        let read = move |node: &Node| {
            read(node).map_err(|mut complaint| {
                let word = reader::text(node).unwrap_or_default().to_lowercase();
                if words.contains(&word.as_str()) {
                    complaint.tips = vec![tip.replace("NAME", &word)];
                }
                complaint
            })
        };
        Takes { read: Box::new(read), show, shape }
    }
    /// Such a value, or a list of them.
    pub fn one_or_many(self) -> Takes<'a, Vec<V>> {
        let Takes { read, show, shape } = self;
        let show_all = move |values: &Vec<V>| {
            let shown: Option<Vec<String>> = values.iter().map(&show).collect();
            Some(format!("[{}]", shown?.join(", ")))
        };
        Takes::new(Shape::OneOrMany(Box::new(shape)), reader::list(read), show_all)
    }
}

impl<'a, V: Clone + 'a> Takes<'a, V> {
    /// A value, or a list of the lowest and the highest.
    pub fn range(self) -> Takes<'a, (V, V)> {
        let Takes { read, shape, .. } = self;
        let read = move |node: &Node| match &node.value {
            Value::List(items) => match items.as_slice() {
                [lowest, highest] => Ok((read(lowest)?, read(highest)?)),
                _ => Err(Complaint::new("a list here has two values: the lowest and the highest")
                    .code(Code::WrongKind)),
            },
            _ => read(node).map(|value| (value.clone(), value)),
        };
        Takes::new(Shape::Range(Box::new(shape)), read, |_| None)
    }
    /// A list of two values; `what` they are, and an example.
    pub fn pair(self, what: &'static str, example: &'static str) -> Takes<'a, (V, V)> {
        let Takes { read, shape, .. } = self;
        let read = move |node: &Node| match &node.value {
            Value::List(items) if items.len() == 2 => {
                let read = |item: &Node| read(item).map_err(|complaint| complaint.at(item.span));
                Ok((read(&items[0])?, read(&items[1])?))
            }
            _ => Err(Complaint::new(format!("expected {what}"))
                .code(Code::WrongKind)
                .tip(format!("such as {example}"))),
        };
        Takes::new(Shape::Pair(Box::new(shape)), read, |_| None)
    }
}

fn quoted<V: Display + ?Sized>(value: &V) -> Option<String> {
    Some(format!("\"{value}\""))
}

fn show_time(time: &Duration) -> Option<String> {
    if time.is_zero() { quoted("0 s") } else { quoted(time) }
}

fn quantity<'a, V: 'a>(
    quantity: Quantity,
    read: fn(&Node) -> Result<V, Complaint>,
    show: fn(&V) -> Option<String>,
) -> Takes<'a, V> {
    Takes::new(Shape::Quantity(quantity, &[]), read, show)
}

/// A span of time, zero included.
pub fn time<'a>() -> Takes<'a, Duration> {
    quantity(Quantity::Time, units::duration, show_time)
}

/// A span of time that is not zero.
pub fn positive_time<'a>() -> Takes<'a, Duration> {
    quantity(Quantity::Time, units::positive_duration, show_time)
}

/// A span of time, or a word that stands for `None`.
pub fn time_or_word<'a>(words: &'static [&'static str]) -> Takes<'a, Option<Duration>> {
    let read = move |node: &Node| match reader::text(node) {
        Ok(text) if words.contains(&text.as_str()) => Ok(None),
        _ => units::duration(node).map(Some),
    };
    Takes::new(Shape::Quantity(Quantity::Time, words), read, move |time| match time {
        Some(time) => show_time(time),
        None => quoted(words[0]),
    })
}

/// A data rate that is not zero.
pub fn positive_rate<'a>() -> Takes<'a, Rate> {
    quantity(Quantity::Rate, units::positive_rate, quoted)
}

/// A probability or a share between 0 and 1, written in per cent.
pub fn share<'a>() -> Takes<'a, f64> {
    quantity(Quantity::Share, units::ratio, |share| quoted(&format!("{} %", (share * 1e8).round() / 1e6)))
}

/// Metres per second, more than zero.
pub fn positive_speed<'a>() -> Takes<'a, f64> {
    let show = |speed: &f64| quoted(&format!("{} km/h", (speed * 3.6e6).round() / 1e6));
    let speed = quantity(Quantity::Speed, |node| Quantity::Speed.read(node), show);
    speed.checked(|speed| within(*speed > 0.0, "must be more than zero"))
}

/// Metres, one or more.
pub fn distance<'a>() -> Takes<'a, f64> {
    coordinate().checked(|metres| within(*metres >= 1.0, "must be 1 m or more"))
}

/// Metres, zero included.
pub fn coordinate<'a>() -> Takes<'a, f64> {
    let show = |metres: &f64| quoted(&format!("{metres} m"));
    quantity(Quantity::Distance, |node| Quantity::Distance.read(node), show)
}

fn within(is_within: bool, message: &str) -> Result<(), Complaint> {
    if is_within { Ok(()) } else { Err(Complaint::out_of_bounds(message)) }
}

/// Bytes or packets.
pub fn amount<'a>() -> Takes<'a, Amount> {
    quantity(Quantity::Amount, units::amount, |amount| match amount {
        Amount::Bytes(bytes) => quoted(&format!("{bytes} bytes")),
        Amount::Packets(packets) => quoted(&format!("{packets} packets")),
    })
}

/// A number of bytes within bounds; others are refused with `message`.
pub fn size_within<'a, N>(least: u64, most: u64, message: &'static str) -> Takes<'a, N>
where
    N: TryFrom<u64> + Copy + 'a,
    u64: TryFrom<N>,
{
    let refused = move || Complaint::out_of_bounds(message);
    let read = move |node: &Node| match units::bytes(node)? {
        bytes if (least..=most).contains(&bytes) => N::try_from(bytes).map_err(|_| refused()),
        _ => Err(refused()),
    };
    Takes::new(Shape::Quantity(Quantity::Size, &[]), read, |bytes| show_bytes(u64::try_from(*bytes).ok()?))
}

/// In the largest binary unit that leaves a whole number.
fn show_bytes(bytes: u64) -> Option<String> {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let unit = units.into_iter().find(|(_, bits)| bytes > 0 && bytes.trailing_zeros() >= *bits);
    quoted(&unit.map_or(format!("{bytes} bytes"), |(name, bits)| format!("{} {name}", bytes >> bits)))
}

/// A whole number within bounds.
pub fn whole<'a, N: TryFrom<i64> + Display + 'a>(least: i64, most: i64) -> Takes<'a, N> {
    let read = move |node: &Node| {
        let number = reader::integer(least, most)(node)?;
        N::try_from(number).map_err(|_| Complaint::out_of_bounds("too large"))
    };
    Takes::new(Shape::Integer { least, most }, read, |number| Some(number.to_string()))
}

/// A number within bounds.
pub fn number<'a>(least: f64, most: f64) -> Takes<'a, f64> {
    let show = |number: &f64| number.is_finite().then(|| number.to_string());
    Takes::new(Shape::Number { least, most }, reader::number(least, most), show)
}

/// `true` or `false`.
pub fn boolean<'a>() -> Takes<'a, bool> {
    Takes::new(Shape::Boolean, reader::boolean, |truth| Some(truth.to_string()))
}

/// A string.
pub fn text<'a>() -> Takes<'a, String> {
    Takes::new(Shape::Text, reader::text, quoted)
}

/// The path of a file or folder.
pub fn path<'a>() -> Takes<'a, std::path::PathBuf> {
    text().map(|path| Ok(path.into()), |_| None)
}

/// A name that dotted keys and file names can hold.
pub fn name<'a>() -> Takes<'a, String> {
    Takes::new(Shape::Name, read_name, quoted)
}

fn read_name(node: &Node) -> Result<String, Complaint> {
    let name = reader::text(node)?;
    let allowed = |letter: char| letter.is_alphanumeric() || "-_+".contains(letter);
    if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
        return Err(Complaint::new("a name is made of up to 64 letters, digits, `-`, `_` and `+`")
            .code(Code::BadName));
    }
    Ok(name)
}

/// A value that is read later, where more is known.
pub fn unread<'a>(shape: Shape) -> Takes<'a, Node> {
    Takes::new(shape, |node| Ok(node.clone()), |_| None)
}

/// One of the named values.
pub fn choice<'a, V: Clone + PartialEq>(choices: &'a [(&'static str, V)]) -> Takes<'a, V> {
    let names: Vec<Choice> = choices.iter().map(|(name, _)| Choice::bare(name)).collect();
    let shape = Shape::Choice(names.clone());
    let read = move |node: &Node| choose(node, &names).map(|index| choices[index].1.clone());
    let name_of = |value: &V| choices.iter().find(|(_, known)| known == value).map(|(name, _)| *name);
    Takes::new(shape, read, move |value| quoted(name_of(value)?))
}

/// One of these names.
pub fn named<'a>(choices: Vec<Choice>) -> Takes<'a, &'static str> {
    let shape = Shape::Choice(choices.clone());
    Takes::new(shape, move |node| choose(node, &choices).map(|index| choices[index].name), quoted)
}

/// One of these names. Each of `replaced` is refused, with the name of what replaced it.
pub fn named_since<'a>(
    choices: Vec<Choice>,
    replaced: &'static [(&'static str, &'static str)],
) -> Takes<'a, &'static str> {
    let shape = Shape::Choice(choices.clone());
    let read = move |node: &Node| {
        choose(node, &choices).map(|index| choices[index].name).map_err(|mut complaint| {
            let name = reader::text(node).unwrap_or_default();
            if let Some((_, by)) = replaced.iter().find(|(old, _)| *old == name) {
                complaint.tips = vec![format!("this value has been replaced: use {by}")];
            }
            complaint
        })
    };
    Takes::new(shape, read, quoted)
}

fn choose(node: &Node, choices: &[Choice]) -> Result<usize, Complaint> {
    let name = reader::text(node)?;
    choices.iter().position(|known| known.name == name).ok_or_else(|| {
        let current = choices.iter().filter(|choice| !choice.is_historical);
        let names: Vec<&str> = current.map(|choice| choice.name).collect();
        let mut complaint = Complaint::new("no such value").code(Code::UnknownChoice);
        complaint.tips.extend(suggestion("value", &name, &names));
        complaint
    })
}

/// The index of one of `known` by its name; messages call it a `kind`.
pub fn index_of<'a>(kind: &'static str, known: Vec<&'a str>) -> Takes<'a, usize> {
    let read = move |node: &Node| {
        let name = reader::text(node)?;
        known.iter().position(|known| *known == name).ok_or_else(|| {
            let mut complaint = Complaint::new(format!("no such {kind}")).code(Code::UnknownName);
            complaint.tips.extend(suggestion(kind, &name, &known));
            complaint
        })
    };
    Takes::new(Shape::Text, read, |_| None)
}
