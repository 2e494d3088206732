//! A column of a table: the chunk of the current row group.

use super::encoding::{Presence, differences, references};
use super::{Field, Kind, Values};
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescPtr, Type};
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::sync::Arc;

/// The words of a column.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    words: Vec<String>,
    places: BTreeMap<String, u16>,
    /// Whether there were more words than places.
    is_full: bool,
}

impl Dictionary {
    /// The place of a word, which is added if it is new. There are 65,536 places: with more words, the table cannot be written.
    pub(crate) fn place(&mut self, word: &str) -> u16 {
        if let Some(place) = self.places.get(word) {
            return *place;
        }
        let Ok(place) = u16::try_from(self.words.len()) else {
            self.is_full = true;
            return u16::MAX;
        };
        self.words.push(word.to_owned());
        self.places.insert(word.to_owned(), place);
        place
    }

    fn page(&self) -> Page {
        let mut page = Vec::new();
        for word in &self.words {
            page.extend_from_slice(&(word.len() as u32).to_le_bytes());
            page.extend_from_slice(word.as_bytes());
        }
        let num_values = self.words.len() as u32;
        Page::DictionaryPage { buf: page.into(), num_values, encoding: Encoding::PLAIN, is_sorted: false }
    }
}

/// The current row group of a column.
pub(super) struct Column {
    description: ColumnDescPtr,
    field: Field,
    pub(super) dictionary: Dictionary,
    pages: TrackedWrite<Vec<u8>>,
    /// The length of the last page: the next one is about as long.
    last_length: usize,
    rows: i64,
    /// The first and the last value, if they are known to be the least and the greatest.
    range: Option<(i64, i64)>,
}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column").field("field", &self.field).field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl Column {
    /// A column that is empty so far.
    pub(super) fn new(description: ColumnDescPtr, field: Field) -> Self {
        let (dictionary, pages) = (Dictionary::default(), TrackedWrite::new(Vec::new()));
        Column { description, field, dictionary, pages, last_length: 0, rows: 0, range: None }
    }

    pub(super) fn put(
        &mut self,
        rows: usize,
        presence: Option<&Presence>,
        values: Values<'_>,
    ) -> ParquetResult<()> {
        let mut page = Vec::with_capacity(self.last_length * 5 / 4 + 128);
        presence.into_iter().for_each(|presence| page.extend_from_slice(&presence.levels));
        match values {
            Values::Words(places) => references(places, self.dictionary.words.len(), &mut page),
            Values::Number(numbers) => differences(numbers, &mut page),
            Values::Long(numbers) => {
                differences(numbers, &mut page);
                self.widen(numbers);
            }
            Values::Real(numbers) => {
                page.reserve(size_of_val(numbers));
                numbers.iter().for_each(|number| page.extend_from_slice(&number.to_le_bytes()));
            }
            Values::Bytes(texts) => {
                for text in texts {
                    page.extend_from_slice(&(text.len() as u32).to_le_bytes());
                    page.extend_from_slice(text);
                }
            }
        }
        self.rows += rows as i64;
        self.last_length = page.len();
        append(
            &mut self.pages,
            Page::DataPage {
                buf: page.into(),
                num_values: rows as u32,
                encoding: self.field.kind.encoding(),
                def_level_encoding: Encoding::RLE,
                rep_level_encoding: Encoding::RLE,
                statistics: None,
            },
        )
    }

    /// Include the numbers of a required column, which increase, in what readers may skip by.
    fn widen(&mut self, numbers: &[i64]) {
        if let ([first, ..], [.., last]) = (numbers, numbers)
            && !self.field.optional
        {
            self.range = Some((self.range.map_or(*first, |(least, _)| least), *last));
        }
    }

    /// End the row group: write its bytes in this column. Returns what the footer says about them.
    pub(super) fn write(
        &mut self,
        file: &mut TrackedWrite<impl Write + Send>,
    ) -> ParquetResult<ColumnChunkMetaData> {
        let is_of_words = self.field.kind == Kind::Words;
        if self.dictionary.is_full {
            return Err(ParquetError::General(format!(
                "the column {} has more than 65,536 words",
                self.field.name
            )));
        }
        let begin = file.bytes_written() as i64;
        if is_of_words {
            append(file, self.dictionary.page())?;
        }
        let begin_of_data = file.bytes_written() as i64;
        let mut pages = std::mem::replace(&mut self.pages, TrackedWrite::new(Vec::new())).into_inner()?;
        file.write_all(&pages)?;
        pages.clear();
        self.pages = TrackedWrite::new(pages);
        let length = file.bytes_written() as i64 - begin;
        let mut encodings = vec![Encoding::RLE, self.field.kind.encoding()];
        encodings.extend(is_of_words.then_some(Encoding::PLAIN));
        let mut metadata = ColumnChunkMetaData::builder(Arc::clone(&self.description))
            .set_compression(Compression::UNCOMPRESSED)
            .set_encodings(encodings)
            .set_total_compressed_size(length)
            .set_total_uncompressed_size(length)
            .set_num_values(std::mem::take(&mut self.rows))
            .set_data_page_offset(begin_of_data)
            .set_dictionary_page_offset(is_of_words.then_some(begin));
        if let Some((least, greatest)) = self.range.take() {
            metadata =
                metadata.set_statistics(Statistics::int64(Some(least), Some(greatest), None, Some(0), false));
        }
        metadata.build()
    }
}

impl Kind {
    fn encoding(self) -> Encoding {
        match self {
            Kind::Words => Encoding::RLE_DICTIONARY,
            Kind::Number | Kind::Long => Encoding::DELTA_BINARY_PACKED,
            Kind::Real | Kind::Text | Kind::Bytes => Encoding::PLAIN,
        }
    }
}

pub(super) fn schema(field: &Field) -> ParquetResult<Type> {
    let (physical, logical) = match field.kind {
        Kind::Words | Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Number => (Physical::INT32, Some(LogicalType::integer(32, false))),
        Kind::Long => (Physical::INT64, None),
        Kind::Real => (Physical::DOUBLE, None),
        Kind::Bytes => (Physical::BYTE_ARRAY, None),
    };
    let repetition = if field.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    Type::primitive_type_builder(field.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
}

/// Append a page with its header.
fn append(chunk: &mut TrackedWrite<impl Write + Send>, page: Page) -> ParquetResult<()> {
    let length = page.buffer().len();
    SerializedPageWriter::new(chunk).write_page(CompressedPage::new(page, length)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::{Field, Kind, Table, Values};

    #[test]
    fn a_table_with_more_words_than_places_is_refused() {
        let field = Field { name: "element", kind: Kind::Words, optional: false };
        let written = |words: u32| {
            let mut table = Table::new(Vec::new(), &[field], Vec::new()).unwrap();
            let places: Vec<u16> =
                (0..words).map(|word| table.dictionary(0).place(&word.to_string())).collect();
            table.put(0, places.len(), None, Values::Words(&places)).unwrap();
            table.end_page().and_then(|()| table.finish())
        };
        assert!(written(1 << 16).is_ok());
        let refusal = written((1 << 16) + 1).unwrap_err().to_string();
        assert!(refusal.contains("element has more than 65,536 words"), "{refusal}");
    }
}
