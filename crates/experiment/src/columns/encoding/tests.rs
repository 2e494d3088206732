//! The encodings, as the library reads them.

use crate::columns::{Field, Kind, PAGE, Presence, Table, Values};
use parquet::column::reader::ColumnReader;
use parquet::data_type::ByteArray;
use parquet::file::reader::{FileReader, SerializedFileReader};
use proptest::prelude::*;

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

proptest! {
    #[test]
    fn differences_of_short_numbers_are_read_back(pages in pages(prop_oneof![0..100_i32, any::<i32>()])) {
        let file = written(Kind::Number, &pages, |table, rows, presence, values| {
            table.put(0, rows, Some(presence), Values::Number(values)).expect("memory suffices");
        });
        prop_assert_eq!(read!(file, Int32ColumnReader), pages.concat());
    }

    #[test]
    fn differences_of_long_numbers_are_read_back(
        pages in pages(prop_oneof![0..1000_i64, 0..1_i64 << 40, any::<i64>(), Just(i64::MIN), Just(i64::MAX)])
    ) {
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
