//! Requests to the server of the counters.

use seamline_host::metrics::answer;

const COUNTERS: &str = "seamline_it 7\n";

/// However a request is cut, what has come decides; the answer is a whole one.
pub(crate) fn check(bytes: &[u8]) {
    let counters = || COUNTERS.to_owned();
    let whole = answer(bytes, true, counters).expect("a client that has ended gets an answer");
    check_answer(&whole, bytes);
    let first = (0..=bytes.len()).find_map(|length| answer(&bytes[..length], false, counters));
    if let Some(answer) = first {
        check_answer(&answer, bytes);
    }
}

fn check_answer(answer: &[u8], request: &[u8]) {
    let answer = std::str::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).expect("a length");
    let is_head = request.starts_with(b"HEAD ") && body.is_empty();
    assert!(is_head || length.parse() == Ok(body.len()), "{answer}");
    match head.lines().next() {
        Some("HTTP/1.1 200 OK") => assert!(body == COUNTERS || is_head, "{answer}"),
        Some("HTTP/1.1 400 Bad Request" | "HTTP/1.1 404 Not Found" | "HTTP/1.1 405 Method Not Allowed") => {
            assert!(!body.contains(COUNTERS), "{answer}");
        }
        other => panic!("{other:?}"),
    }
}
