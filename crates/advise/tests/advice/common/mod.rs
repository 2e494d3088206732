//! Helpers shared by the tests.

use seamline_advise::{Advice, Question, QuestionInput, Watch, advise};
use std::sync::atomic::AtomicBool;

/// A question about a file, from one link to another; change it as needed.
pub(crate) fn words<'a>(from: &'a str, to: &'a str) -> QuestionInput<'a> {
    QuestionInput {
        from,
        to,
        interruption: "100 ms",
        stay: "forever",
        file: Some("1 MB"),
        horizon: None,
        upload: false,
        at: None,
        lead: None,
        forward: None,
        seeds: 3,
        variant: "cubic",
        profile: "linux",
        stack: None,
    }
}

/// The answer to a valid question.
#[track_caller]
pub(crate) fn answer(words: &QuestionInput<'_>) -> (Question, Advice) {
    let question = Question::read(words).unwrap_or_else(|error| panic!("{error}"));
    let watch = Watch { stop: &AtomicBool::new(false), begins: &|_| {}, finished: &|| {} };
    let advice = advise(&question, watch, None).unwrap_or_else(|error| panic!("{error:?}"));
    (question, advice)
}
