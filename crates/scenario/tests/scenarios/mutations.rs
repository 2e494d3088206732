//! However a file is damaged, reading it never panics, and the message about it can be shown.

use proptest::prelude::*;
use seamline_scenario::Plan;
use std::path::Path;

const EXAMPLES: [&str; 4] = [
    include_str!("../../../../scenarios/train-wifi.toml"),
    include_str!("../../../../scenarios/starlink.toml"),
    include_str!("../../../../scenarios/mahimahi.toml"),
    include_str!("../../../../scenarios/mobile-ip.toml"),
];

/// What people and editors put into files.
const PIECES: [&str; 24] = [
    "",
    "\"",
    "[",
    "]",
    "{",
    "}",
    "=",
    ".",
    "\n",
    "[[",
    "]]",
    "#",
    "-1",
    "1e999",
    "nan",
    "\"nan s\"",
    "\"-5 ms\"",
    "9999999999999999999",
    "\"\u{1F6F0} Mbit/s\"",
    "true",
    "[]",
    "{}",
    "\"0 s\"",
    "1979-05-27",
];

#[derive(Clone, Debug)]
enum Damage {
    Replace { at: usize, length: usize, piece: &'static str },
    Repeat { at: usize, length: usize },
    SwapLines { one: usize, other: usize },
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (any::<usize>(), 0usize..20, prop::sample::select(PIECES.to_vec()))
            .prop_map(|(at, length, piece)| Damage::Replace { at, length, piece }),
        (any::<usize>(), 1usize..200).prop_map(|(at, length)| Damage::Repeat { at, length }),
        (any::<usize>(), any::<usize>()).prop_map(|(one, other)| Damage::SwapLines { one, other }),
    ]
}

fn apply(text: &str, damage: &Damage) -> String {
    let span = |at: usize, length: usize| {
        let start = text.floor_char_boundary(at % (text.len() + 1));
        start..text.ceil_char_boundary((start + length).min(text.len()))
    };
    match *damage {
        Damage::Replace { at, length, piece } => {
            let mut text = text.to_owned();
            text.replace_range(span(at, length), piece);
            text
        }
        Damage::Repeat { at, length } => {
            let span = span(at, length);
            format!("{}{}{}", &text[..span.end], &text[span.clone()], &text[span.end..])
        }
        Damage::SwapLines { one, other } => {
            let mut lines: Vec<&str> = text.lines().collect();
            if !lines.is_empty() {
                let count = lines.len();
                lines.swap(one % count, other % count);
            }
            lines.join("\n")
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]
    #[test]
    fn damaged_files_never_panic(
        example in prop::sample::select(EXAMPLES.to_vec()),
        damages in prop::collection::vec(damage(), 1..4),
        overrides in prop::collection::vec("[a-z.\\[\\]\"=1-9]{0,30}", 0..2),
    ) {
        let text = damages.iter().fold(example.to_owned(), |text, damage| apply(&text, damage));
        match Plan::new(Path::new("damaged.toml"), text, &overrides) {
            Ok(plan) => prop_assert!(plan.runs() > 0, "neither runs nor errors"),
            Err(diagnostics) => prop_assert!(!diagnostics.render(true).is_empty()),
        }
    }
}
