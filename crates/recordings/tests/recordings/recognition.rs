//! Each format recognises its own recordings, and no other format does.

use proptest::prelude::*;
use seamline_recordings::{FORMATS, Recording, recognise};
use std::fs;
use std::path::PathBuf;

/// Formats of bare numbers: which of them a file of whole numbers has is seen only by reading it.
const BARE_NUMBERS: [&str; 2] = ["mahimahi", "delay-series"];

/// All samples: the name of the file and its text.
fn samples() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut samples: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it != "md"))
        .map(|path| {
            (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap())
        })
        .collect();
    samples.sort();
    samples
}

fn text(name: &str, text: &str) -> Recording {
    Recording::from_bytes(name, text.as_bytes()).unwrap()
}

/// The format that a sample is of: the longest name of a format that its name begins with.
fn format_of(name: &str) -> &'static str {
    let names = FORMATS.iter().map(|format| format.name);
    names.filter(|format| name.starts_with(format)).max_by_key(|format| format.len()).unwrap()
}

#[test]
fn each_format_has_a_sample_that_only_it_claims() {
    let samples = samples();
    for format in FORMATS.iter().filter(|format| format.name != "parquet") {
        assert!(
            samples.iter().any(|(name, _)| format_of(name) == format.name),
            "{} has no sample",
            format.name
        );
    }
    for (name, content) in &samples {
        let recording = text(name, content);
        let own = format_of(name);
        let mut claims: Vec<&str> =
            FORMATS.iter().filter(|it| (it.looks_like)(&recording)).map(|it| it.name).collect();
        if BARE_NUMBERS.contains(&own) {
            claims.retain(|claim| *claim == own || !BARE_NUMBERS.contains(claim));
        }
        assert_eq!(claims, [own], "{name}");
        let read = recognise(&recording).unwrap_or_else(|errors| panic!("{name}: {}", errors[0].1));
        assert_eq!(read.format, own, "{name}");
        assert!(!read.measured.length.is_zero() && !read.summary.is_empty(), "{name}");
    }
}

/// Spans in a recording follow each other and end with it.
#[test]
fn what_is_read_is_in_order() {
    for (name, content) in samples() {
        let measured = recognise(&text(&name, &content)).unwrap().measured;
        let end = seamline_wire::Instant::ZERO + measured.length;
        let check = |spans: Vec<(seamline_wire::Instant, seamline_wire::Instant)>| {
            assert!(spans.iter().all(|(from, until)| from < until && *until <= end), "{name}: {spans:?}");
            assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{name}: {spans:?}");
        };
        measured.rates.iter().for_each(|it| check(it.samples.iter().map(|it| (it.from, it.until)).collect()));
        measured
            .delays
            .iter()
            .for_each(|it| check(it.samples.iter().map(|it| (it.from, it.until)).collect()));
        measured
            .losses
            .iter()
            .for_each(|it| check(it.samples.iter().map(|it| (it.from, it.until)).collect()));
        assert!(measured.probes.windows(2).all(|pair| pair[0].sent <= pair[1].sent), "{name}");
        assert!(measured.handovers.windows(2).all(|pair| pair[0] <= pair[1]), "{name}");
    }
}

proptest! {
    /// A recording that is cut anywhere, or has any byte changed, is read or refused in words.
    #[test]
    fn damaged_recordings_never_panic(which in 0_usize..64, place in 0.0_f64..1.0, letter in 0_u8..128) {
        let samples = samples();
        let (name, content) = &samples[which % samples.len()];
        let mut bytes = content.clone().into_bytes();
        let at = (place * bytes.len() as f64) as usize;
        try_read(name, &bytes[..at]);
        bytes[at] = letter;
        try_read(name, &bytes);
    }
}

fn try_read(name: &str, bytes: &[u8]) {
    let Ok(recording) = Recording::from_bytes(name, bytes) else { return };
    for format in FORMATS {
        if let Err(error) = (format.read)(&recording) {
            assert!(error.to_string().starts_with(name) && !error.help.is_empty());
        }
    }
}
