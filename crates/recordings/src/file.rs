//! Files as text: decompression, limits, lines, numbers, and the errors all of them share.

use crate::ImportError;
use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use seamline_net::schedule::ScheduleError;
use seamline_wire::Duration;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The longest recording that is read, after decompression: 512 MiB. An hour of irtt with a probe every 10 ms has 400 MB.
pub const MAXIMUM_BYTES: u64 = 512 << 20;

/// The longest delay accepted, in seconds.
pub(crate) const LONGEST_DELAY: f64 = 3_600.0;
/// The largest rate accepted: 10 Tbit/s.
pub(crate) const HIGHEST_RATE: f64 = 1e13;
/// The longest time a recording may name: a year.
pub(crate) const LONGEST_SECONDS: f64 = 366.0 * 86_400.0;

/// The text of a recording, or the bytes of a Parquet file, and the name it goes by in errors.
#[derive(Clone, Debug)]
pub struct Recording {
    name: String,
    text: String,
    binary: Option<Bytes>,
}

/// Open a file that has an end.
///
/// # Errors
/// When it cannot be opened, or is a folder, a pipe or a device.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // A pipe would keep even the opening waiting for its writer.
    if path.metadata()?.is_file() {
        return File::open(path);
    }
    let what = if path.is_dir() { "a directory" } else { "a pipe or device" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, not a regular file")))
}

/// How a gzip file begins.
const GZIP: &[u8] = &[0x1f, 0x8b];
/// How a Parquet file begins.
const PARQUET: &[u8] = b"PAR1";
/// Formats that are recognised by their first bytes, and what unpacks them.
const PACKED: [(&[u8], &str, &str); 4] = [
    (&[0x28, 0xb5, 0x2f, 0xfd], "a file packed with Zstandard (.zst)", "zstd -d FILE"),
    (&[0xfd, b'7', b'z', b'X', b'Z', 0], "a file packed with xz (.xz)", "xz -d FILE"),
    (b"BZh", "a file packed with bzip2 (.bz2)", "bzip2 -d FILE"),
    (b"PK\x03\x04", "a ZIP archive (.zip)", "unzip FILE"),
];

fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP) || PACKED.iter().any(|(magic, ..)| bytes.starts_with(magic))
}

impl Recording {
    /// Take the bytes of a file, decompressing them when they are gzip (whatever the name says).
    ///
    /// # Errors
    /// When they are too long, broken gzip, or neither text nor Parquet.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, ImportError> {
        let unread = Recording::named(name.to_owned());
        if let Some((_, what, command)) = PACKED.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
            let help = format!("unpack it: {command}");
            return Err(unread.whole((*what).to_owned(), "text, plain or packed with gzip", &help));
        }
        if !bytes.starts_with(GZIP) {
            return unread.with_content(bytes.to_vec());
        }
        let mut plain = Vec::new();
        match MultiGzDecoder::new(bytes).take(MAXIMUM_BYTES + 1).read_to_end(&mut plain) {
            Ok(_) => unread.with_content(plain),
            Err(broken) => {
                let help = "fetch or compress it again";
                Err(unread.whole(broken.to_string(), "a complete gzip file", help))
            }
        }
    }

    /// Take the content of a file that is not packed.
    fn with_content(self, plain: Vec<u8>) -> Result<Self, ImportError> {
        let unread = self;
        if plain.len() as u64 > MAXIMUM_BYTES {
            let limit = format!("at most {} MiB after decompression", MAXIMUM_BYTES >> 20);
            return Err(unread.whole("a longer file".into(), &limit, "cut the recording into parts"));
        }
        if plain.starts_with(PARQUET) {
            return Ok(Recording { binary: Some(plain.into()), ..unread });
        }
        match String::from_utf8(plain) {
            Ok(text) => Ok(Recording { text, ..unread }),
            Err(bad) => {
                let upto = bad.utf8_error().valid_up_to();
                let line = 1 + bad.as_bytes()[..upto].iter().filter(|byte| **byte == b'\n').count() as u64;
                let found = format!("byte {:#04x}", bad.as_bytes()[upto]);
                Err(unread.at(line, None, found, "text in UTF-8", "check that this is the right file"))
            }
        }
    }

    /// Read a file.
    ///
    /// # Errors
    /// When it cannot be read, or as [`Recording::from_bytes`].
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let name = path.display().to_string();
        let mut bytes = Vec::new();
        match open_regular(path).and_then(|file| file.take(MAXIMUM_BYTES + 1).read_to_end(&mut bytes)) {
            // What is not packed is not copied.
            Ok(_) if !is_packed(&bytes) => Recording::named(name).with_content(bytes),
            Ok(_) => Recording::from_bytes(&name, &bytes),
            Err(why) => {
                let unread = Recording::named(name);
                Err(unread.whole(
                    format!("a file that cannot be read ({why})"),
                    "a recording",
                    "check the path and its permissions",
                ))
            }
        }
    }

    /// One that has no content yet.
    fn named(name: String) -> Self {
        Recording { name, text: String::new(), binary: None }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of a Parquet file; `None` for text.
    pub(crate) fn binary(&self) -> Option<&Bytes> {
        self.binary.as_ref()
    }

    /// All lines that are not blank, with their numbers.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (u64, &str)> {
        let numbered = self.text.lines().enumerate().map(|(index, line)| (index as u64 + 1, line.trim()));
        numbered.filter(|(_, line)| !line.is_empty())
    }

    /// An error about the whole file.
    pub(crate) fn whole(&self, found: String, expected: &str, help: &str) -> ImportError {
        ImportError {
            file: self.name.as_str().into(),
            line: None,
            field: None,
            found: found.into(),
            expected: expected.into(),
            help: help.into(),
        }
    }

    /// An error about one line, or one field of it.
    pub(crate) fn at(
        &self,
        line: u64,
        field: Option<&str>,
        found: String,
        expected: &str,
        help: &str,
    ) -> ImportError {
        ImportError { line: Some(line), field: field.map(Into::into), ..self.whole(found, expected, help) }
    }

    /// The error for a file without a single record.
    pub(crate) fn empty(&self, expected: &str) -> ImportError {
        self.whole("no record".into(), expected, "check that this is the right file")
    }

    /// The error for records that do not form a schedule.
    pub fn no_schedule(&self, why: ScheduleError) -> ImportError {
        self.whole(why.to_string(), "times that increase from record to record", "sort the records by time")
    }

    /// The error for a row that the reader of tables refuses.
    pub(crate) fn malformed(&self, why: &csv::Error) -> ImportError {
        let line = why.position().map_or(1, csv::Position::line);
        let (expected, help) = ("as many fields as the header has", "correct or remove the row");
        self.at(line, None, why.to_string(), expected, help)
    }

    /// A finite number that is not negative, scaled by `unit` and at most `most` after that.
    pub(crate) fn number(
        &self,
        line: u64,
        field: &str,
        text: &str,
        unit: f64,
        most: f64,
    ) -> Result<f64, ImportError> {
        let text = text.trim();
        match text.parse::<f64>() {
            Ok(value) if value >= 0.0 && value * unit <= most => Ok(value * unit),
            _ => {
                let expected = format!("a number from 0 to {}", most / unit);
                Err(self.at(line, Some(field), quoted(text), &expected, "correct or remove the line"))
            }
        }
    }

    /// A time or a span, given in units of `unit` seconds.
    pub(crate) fn seconds(
        &self,
        line: u64,
        field: &str,
        text: &str,
        unit: f64,
    ) -> Result<Duration, ImportError> {
        self.number(line, field, text, unit, LONGEST_SECONDS).map(Duration::from_secs_f64)
    }

    /// A delay, given in ms.
    pub(crate) fn delay(&self, line: u64, field: &str, text: &str) -> Result<Duration, ImportError> {
        self.number(line, field, text, 1e-3, LONGEST_DELAY).map(Duration::from_secs_f64)
    }
}

/// Found text, shortened, for an error.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    format!("{shown:?}")
}
