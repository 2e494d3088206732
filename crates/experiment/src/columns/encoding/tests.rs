//! The encodings, as the library reads them.

use super::{pack, packed_length};
use crate::columns::{Field, Kind, PAGE, Presence, Table, Values};
use parquet::column::reader::ColumnReader;
use parquet::data_type::ByteArray;
use parquet::file::reader::{FileReader, SerializedFileReader};
use proptest::prelude::*;
use seamline_wire::random::Stream;

/// The values of a page, absent ones included.
type Page<T> = Vec<Option<T>>;

/// Write pages of one optional column and read them back.
fn written<T: Copy>(
    kind: Kind,
    pages: &[Page<T>],
    put: impl Fn(&mut Table<Vec<u8>>, usize, &Presence, &[T]),
) -> SerializedFileReader<bytes::Bytes> {
    let fields = [Field { name: "values", kind, optional: true }];
    let mut table = Table::new(Vec::new(), &fields, Vec::new()).expect("a schema");
    for page in pages {
        let present: Vec<u8> = page.iter().map(|value| u8::from(value.is_some()) << 5).collect();
        let presence = &Presence::all(&present)[5];
        let values: Vec<T> = page.iter().flatten().copied().collect();
        put(&mut table, page.len(), presence, &values);
        table.end_page().expect("memory suffices");
    }
    let bytes = table.finish().expect("memory suffices");
    SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a table")
}

fn column(file: &SerializedFileReader<bytes::Bytes>) -> impl Iterator<Item = (usize, ColumnReader)> {
    (0..file.num_row_groups()).map(|number| {
        let group = file.get_row_group(number).expect("a row group");
        (group.metadata().num_rows() as usize, group.get_column_reader(0).expect("a column"))
    })
}

macro_rules! read {
    ($file:expr, $reader:ident) => {{
        let mut all = Vec::new();
        for (rows, reader) in column(&$file) {
            let ColumnReader::$reader(mut reader) = reader else { panic!("another type") };
            let (mut levels, mut values) = (Vec::new(), Vec::new());
            let mut read = 0;
            while read < rows {
                read +=
                    reader.read_records(rows - read, Some(&mut levels), None, &mut values).expect("values").0;
            }
            let mut values = values.into_iter();
            all.extend(levels.into_iter().map(|level| (level == 1).then(|| values.next().expect("a value"))));
            assert!(values.next().is_none());
        }
        all
    }};
}

fn pages<T: std::fmt::Debug + Clone>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<Page<T>>> {
    let value = proptest::option::weighted(0.8, value);
    proptest::collection::vec(proptest::collection::vec(value, 1..600), 1..20)
}

/// How many bits each page loses, so that differences of all widths are tested.
fn losses(most: u32) -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(0..most, 20)
}

fn shortened<T: Copy>(pages: &[Page<T>], losses: &[u32], shorten: fn(T, u32) -> T) -> Vec<Page<T>> {
    let page =
        |(page, bits): (&Page<T>, &u32)| page.iter().map(|it| it.map(|it| shorten(it, *bits))).collect();
    pages.iter().zip(losses).map(page).collect()
}

proptest! {
    #[test]
    fn differences_of_short_numbers_are_read_back(pages in pages(any::<i32>()), losses in losses(32)) {
        let pages = shortened(&pages, &losses, |value, bits| value >> bits);
        let file = written(Kind::Number, &pages, |table, rows, presence, values| {
            table.put(0, rows, Some(presence), Values::Number(values)).expect("memory suffices");
        });
        prop_assert_eq!(read!(file, Int32ColumnReader), pages.concat());
    }

    #[test]
    fn differences_of_long_numbers_are_read_back(
        pages in pages(prop_oneof![9 => any::<i64>(), 1 => Just(i64::MIN), 1 => Just(i64::MAX)]), losses in losses(64)
    ) {
        let pages = shortened(&pages, &losses, |value, bits| value >> bits);
        let file = written(Kind::Long, &pages, |table, rows, presence, values| {
            table.put(0, rows, Some(presence), Values::Long(values)).expect("memory suffices");
        });
        prop_assert_eq!(read!(file, Int64ColumnReader), pages.concat());
    }

    #[test]
    fn words_are_read_back(pages in pages(0..300_u16), few in 1..300_u16) {
        let few: Vec<Page<u16>> =
            pages.iter().map(|page| page.iter().map(|word| word.map(|word| word % few)).collect()).collect();
        let file = written(Kind::Words, &few, |table, rows, presence, values| {
            let place = |word: &u16| table.dictionary(0).place(&word.to_string());
            let places: Vec<u16> = values.iter().map(place).collect();
            table.put(0, rows, Some(presence), Values::Words(&places)).expect("memory suffices");
        });
        let words: Vec<Option<String>> =
            few.concat().into_iter().map(|word| word.map(|word| word.to_string())).collect();
        let read: Vec<Option<ByteArray>> = read!(file, ByteArrayColumnReader);
        let read: Vec<Option<String>> =
            read.into_iter().map(|word| word.map(|word| word.as_utf8().expect("text").to_owned())).collect();
        prop_assert_eq!(read, words);
    }

    #[test]
    fn other_numbers_are_read_back(pages in pages(any::<f64>())) {
        let file = written(Kind::Real, &pages, |table, rows, presence, values| {
            table.put(0, rows, Some(presence), Values::Real(values)).expect("memory suffices");
        });
        let bits = |values: Page<f64>| -> Vec<_> { values.into_iter().map(|it| it.map(f64::to_bits)).collect() };
        prop_assert_eq!(bits(read!(file, DoubleColumnReader)), bits(pages.concat()));
    }
}

#[test]
fn values_of_any_width_are_packed_bit_by_bit() {
    let mut dice = Stream::new(1, "pack");
    for (width, count) in (1..=64_u32).flat_map(|width| (0..=70).map(move |count| (width, count))) {
        let values: Vec<u64> = (0..count).map(|_| dice.bits() >> (u64::BITS - width)).collect();
        let [bytes, of_words] = packed_length(count, width);
        let mut packed = vec![0; of_words];
        pack(&values, width, &mut packed);
        let bit = |place: usize| u64::from(packed[place / 8] >> (place % 8) & 1);
        let width = width as usize;
        let value =
            |number: usize| (0..width).fold(0, |value, place| value | bit(number * width + place) << place);
        assert_eq!((0..count).map(value).collect::<Vec<_>>(), values, "{width} bits");
        assert!(packed[bytes..].iter().all(|byte| *byte == 0));
    }
}

/// At the edges of 32 bits, in blocks that are full and not.
#[test]
fn differences_that_just_fit_or_do_not_are_read_back() {
    for edge in [i64::from(i32::MIN), i64::from(i32::MAX), i64::from(i32::MIN) - 1, i64::from(i32::MAX) + 1] {
        let page: Page<i64> = (0..200).map(|row| Some(if row % 3 == 1 { edge } else { 0 })).collect();
        for pages in [vec![page[..2].to_vec()], vec![page]] {
            let file = written(Kind::Long, &pages, |table, rows, presence, values| {
                table.put(0, rows, Some(presence), Values::Long(values)).expect("memory suffices");
            });
            assert_eq!(read!(file, Int64ColumnReader), pages.concat(), "{edge}");
        }
    }
}

/// A run of many full pages, of which the last group is not full.
#[test]
fn row_groups_follow_each_other() {
    let pages: Vec<Page<i64>> = (0..70)
        .map(|page| (0..PAGE as i64).map(|row| (row % 7 > 0).then_some(page * 1_000_003 + row)).collect())
        .collect();
    let file = written(Kind::Long, &pages, |table, rows, presence, values| {
        table.put(0, rows, Some(presence), Values::Long(values)).expect("memory suffices");
    });
    assert_eq!(file.num_row_groups(), 3);
    assert_eq!(read!(file, Int64ColumnReader), pages.concat());
}

/// A disk with little room.
#[derive(Debug)]
struct Disk {
    room: usize,
}

impl std::io::Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.room = self.room.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// In the first bytes, in a row group, and in the footer.
#[test]
fn a_full_disk_is_reported_as_such() {
    let fields = [Field { name: "values", kind: Kind::Long, optional: false }];
    let write = |room| {
        let mut table = Table::new(Disk { room }, &fields, Vec::new())?;
        for page in 0..80 {
            let values: Vec<i64> = (0..PAGE as i64).map(|row| row * row * page).collect();
            table.put(0, PAGE, None, Values::Long(&values))?;
            table.end_page()?;
        }
        table.finish()
    };
    let whole = write(usize::MAX).expect("there is room");
    let needed = usize::MAX - whole.room;
    assert!(write(needed).is_ok());
    for room in [0, 3, needed / 4, needed - 1] {
        let error = write(room).expect_err("no room").to_string();
        assert!(error.contains("no storage space"), "{room} bytes: {error}");
    }
}
