//! The message chart of a handover: columns, rows in the order of time, arrows from sender to receiver.

use crate::svg_shapes::{lines, overlapping, rects, texts};
use seamline_report::messages::{HandoverMessages, Message, MessageKind, NodeNote};
use seamline_report::picture::messages::chart;

fn message(kind: MessageKind, ends: [usize; 2], sent_s: f64, arrived_s: Option<f64>, number: u64) -> Message {
    let text = match kind {
        MessageKind::Signalling => "Registration Request",
        MessageKind::Marked => "ACK with handover mark",
        _ => "",
    };
    let number = (kind != MessageKind::Signalling).then_some(number);
    let [from, to] = ends;
    Message {
        kind,
        text: text.into(),
        number,
        tunnelled: false,
        from,
        sent_s,
        to,
        arrived_s,
        lost_behind: None,
    }
}

/// Forty-six segments and their acknowledgments, a loss, a note, a signalling message over two hops, and a mark.
fn handover() -> HandoverMessages {
    let mut messages = Vec::new();
    for n in 0..46_u32 {
        let at = 1.0 + f64::from(n) * 1e-3;
        messages.push(message(MessageKind::Data, [0, 2], at, Some(at + 0.05), 12 + u64::from(n)));
        let back = at + 5e-4;
        messages.push(message(
            MessageKind::Acknowledgment,
            [2, 0],
            back,
            Some(back + 0.05),
            9 + u64::from(n),
        ));
    }
    messages.push(message(MessageKind::Data, [0, 2], 1.1, None, 58));
    messages.push(message(MessageKind::Signalling, [2, 1], 1.3, Some(1.305), 0));
    messages.push(message(MessageKind::Marked, [2, 0], 1.3, Some(1.36), 58));
    messages.push(message(MessageKind::Signalling, [1, 0], 1.305, Some(1.31), 0));
    messages.push(message(MessageKind::Retransmission, [0, 2], 1.36, Some(1.41), 58));
    let note = |at_s, node, text: &'static str| NodeNote { at_s, node, text: text.into() };
    HandoverMessages {
        link: Some("mn".to_owned()),
        flow: "ftp".to_owned(),
        start_s: 1.08,
        end_s: Some(1.31),
        nodes: ["cn", "bs", "mn"].map(str::to_owned).to_vec(),
        messages,
        notes: vec![
            note(1.08, 2, "handover begins"),
            note(1.3, 2, "movement detected"),
            note(1.3, 2, "marked acknowledgment"),
            note(1.36, 0, "go back"),
        ],
    }
}

fn drawn(handover: &HandoverMessages) -> String {
    chart(handover, "chart".to_owned(), "a title", "a run").svg
}

#[test]
fn packets_that_are_alike_share_a_row_until_something_else_happens() {
    let labels: Vec<String> =
        texts(&drawn(&handover()), "message-label").into_iter().map(|shape| shape.text).collect();
    let wanted = [
        "data 12–57 (46 packets)",
        "ACK 9–54 (46 packets)",
        "data 58, lost",
        "Registration Request",
        "ACK 58 with handover mark",
        "Registration Request",
        "data 58 again",
    ];
    assert_eq!(labels, wanted);
    // A note in between parts them; it comes before what is sent then.
    let mut other = handover();
    other.notes.insert(0, NodeNote { at_s: 1.0205, node: 0, text: "fast recovery".into() });
    let labels: Vec<String> =
        texts(&drawn(&other), "message-label").into_iter().map(|shape| shape.text).collect();
    assert_eq!(labels[0], "data 12–32 (21 packets)");
    assert_eq!(labels[2..4], ["ACK 29–54 (26 packets)".to_owned(), "data 33–57 (25 packets)".to_owned()]);
}

/// Losses and marks that take turns are two rows, not a row each time.
#[test]
fn what_takes_turns_shares_its_rows() {
    let mut handover = handover();
    handover.notes.clear();
    handover.messages = (0..20_u32)
        .map(|n| match n % 2 {
            0 => message(MessageKind::Data, [0, 2], f64::from(n), None, u64::from(n)),
            _ => message(MessageKind::Marked, [2, 0], f64::from(n), Some(f64::from(n) + 0.5), u64::from(n)),
        })
        .collect();
    let labels: Vec<String> =
        texts(&drawn(&handover), "message-label").into_iter().map(|shape| shape.text).collect();
    assert_eq!(labels, ["data 0–18, lost (10 packets)", "ACK 1–19 with handover mark (10 packets)"]);
}

#[test]
fn arrows_point_from_sender_to_receiver_and_downwards() {
    let svg = drawn(&handover());
    let columns: Vec<f64> = rects(&svg, "node").iter().map(|column| column.middle().0).collect();
    assert_eq!(columns.len(), 3, "each node once");
    assert!(columns[0] < columns[1] && columns[1] < columns[2], "{columns:?}");
    let arrows = lines(&svg, "message");
    let ends = [[0, 2], [2, 0], [0, 2], [2, 1], [2, 0], [1, 0], [0, 2]];
    assert_eq!(arrows.len(), ends.len());
    for (place, ([from, to], [sender, receiver])) in arrows.iter().zip(ends).enumerate() {
        assert!((from.0 - columns[sender]).abs() < 0.1, "{place}");
        let whole = columns[receiver] - columns[sender];
        let share = (to.0 - from.0) / whole;
        let wanted = if place == 2 { 0.55 } else { 1.0 };
        assert!(
            (share - wanted).abs() < 0.01,
            "{place}: a lost packet does not arrive, any other does: {share}"
        );
        assert!(to.1 > from.1, "{place}: time runs downwards");
    }
    assert!(
        arrows.windows(2).all(|pair| pair[0][0].1 < pair[1][0].1),
        "in the order in which they were sent"
    );
    // The first hop of the request arrives where and when the second begins.
    assert_eq!(arrows[3][1], arrows[5][0]);
    // The repetition begins no earlier than the mark that asks for it arrives.
    assert!(arrows[6][0].1 >= arrows[4][1].1, "{arrows:?}");
}

#[test]
fn labels_and_notes_do_not_overlap() {
    let svg = drawn(&handover());
    let notes = texts(&svg, "note-label");
    let said: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(said, ["handover begins", "movement detected; marked acknowledgment", "go back"]);
    let all: Vec<_> =
        notes.into_iter().chain(texts(&svg, "message-label")).chain(texts(&svg, "tick")).collect();
    assert_eq!(overlapping(&all).map(|(one, other)| (one.text, other.text)), None);
}

#[test]
fn the_band_spans_the_handover_and_the_legend_has_what_is_drawn() {
    let svg = drawn(&handover());
    let bands = rects(&svg, "handover");
    let band = &bands[0];
    let arrows = lines(&svg, "message");
    assert!(arrows[1][0].1 < band.corner.1 && band.corner.1 < arrows[2][0].1, "it begins between them");
    let end = band.corner.1 + band.size.1;
    // An arrow falls by at least 4 pixels.
    assert!((end - arrows[5][1].1).abs() < 4.0, "the registration ends it");
    for (name, shown) in [("data again", true), ("lost", true), ("advertisement", false)] {
        assert_eq!(svg.contains(&format!(">{name}</text>")), shown, "{name}");
    }
}
