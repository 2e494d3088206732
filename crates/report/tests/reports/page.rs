//! The page as text: well-formed, complete, closed to everything that would break out of its place.

use crate::common;
use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::RcDom;
use seamline_report::Report;
use seamline_report::escape::{Text, json_in_script};
use seamline_report::files;

fn errors_in(html: &str) -> Vec<String> {
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(html);
    let errors: Vec<String> = dom.errors.borrow().iter().map(ToString::to_string).collect();
    errors
}

#[test]
fn the_page_is_html_without_errors() {
    let html = common::page(&common::report());
    assert_eq!(errors_in(&html), Vec::<String>::new());
    assert_eq!(errors_in("<!DOCTYPE html><title>x</title><p></div>").len(), 1, "the parser does complain");
}

#[test]
fn nothing_breaks_out_of_its_place() {
    let html = common::page(&common::report());
    assert!(!html.contains("<script>alert"), "the title stays text");
    assert!(html.contains("&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &quot;quoted&quot;"));
    assert!(html.contains("\\u003c/script>"), "in JSON as well");
    let elements = html.matches("<script").count();
    assert_eq!(elements, html.matches("</script>").count());
    assert_eq!(elements, 4, "data, two runs, and the program");
}

#[test]
fn the_page_forbids_and_needs_no_request() {
    let html = common::page(&common::report());
    assert!(html.contains("default-src 'none'"));
    for outside in ["src=\"http", "href=\"http", "url(http", "@import", "fetch(", "XMLHttpRequest", "import("]
    {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn the_page_says_what_was_run_and_the_verdict_first() {
    let html = common::page(&common::report());
    let place = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text} is missing"));
    assert!(place("cubic was faster than") < place("<svg"));
    assert!(place("That is all.") < place("class=\"warnings\""));
    for text in [
        "0123456789ab",
        &"00ff".repeat(16),
        "1, 2, ..., 5",
        "--set</span> &#39;duration=20 s&#39;",
        "12.0 Mbit/s",
    ] {
        place(text);
    }
}

#[test]
fn the_same_report_is_the_same_page() {
    assert_eq!(common::page(&common::report()), common::page(&common::report()));
}

#[test]
fn a_report_of_nothing_is_a_page_too() {
    let html = common::page(&Report::default());
    assert_eq!(errors_in(&html), Vec::<String>::new());
    assert!(!html.contains("id=\"stage\""), "no panels without runs");
}

/// A minute at 100 Mbit/s in each of twelve cells: too much for a page, which must say what it leaves out.
#[test]
fn a_large_report_stays_small_and_says_so() {
    let mut report = common::report();
    let mut run = common::series(0);
    let flow = &mut run.flows[0];
    let (segments, acks) = (flow.segments.clone(), flow.acknowledgments.clone());
    // An uneven spacing compresses badly, as real ones do.
    let mut noise = 1u64;
    let mut jitter = || {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (noise >> 40) as f64 * 5e-11
    };
    flow.segments = (0..20)
        .flat_map(|part| {
            let mut part: Vec<_> = segments
                .iter()
                .map(|one| (one, f64::from(part)))
                .map(|(one, part)| {
                    let mut one = *one;
                    one.time_s = part + one.time_s / 20.0 + jitter();
                    one.start += (part as u64) * 29_000_000;
                    one
                })
                .collect();
            part.sort_by(|one, other| one.time_s.total_cmp(&other.time_s));
            part
        })
        .collect();
    flow.acknowledgments = acks;
    report.series = (0..12).map(|_| run.clone()).collect();
    let html = common::page(&report);
    assert!(html.len() < 3_000_000, "{} bytes", html.len());
    assert!(html.contains("To keep this page small"), "it says what is missing");
    assert!(html.len() > 300_000, "and does not throw away more than it must: {}", html.len());
}

/// What would lie next to the page is in it, and only then.
#[test]
fn a_page_alone_holds_its_numbers() {
    let alone =
        String::from_utf8(files::of_report(&common::report(), true).unwrap().remove(0).bytes).unwrap();
    assert_eq!(errors_in(&alone), Vec::<String>::new());
    assert!(
        !common::page(&common::report()).contains("id=\"table-runs\""),
        "next to the files it needs none"
    );
    for table in ["runs", "handovers", "links", "outcomes"] {
        let begin = format!("<script type=\"application/json\" id=\"table-{table}\">");
        let from = alone.find(&begin).unwrap_or_else(|| panic!("{table} is missing")) + begin.len();
        let text = &alone[from..from + alone[from..].find("</script>").unwrap()];
        let document: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(document["provenance"]["scenario_blake3"], "00ff".repeat(16));
        assert!(!document["columns"]["cell_name"].as_array().unwrap().is_empty(), "{table}");
        for ending in ["csv", "json"] {
            assert!(alone.contains(&format!(">{table}.{ending}</button>")), "{table}.{ending}");
        }
    }
}

#[test]
fn a_page_says_how_many_cells_it_shows_over_time() {
    let mut report = common::report();
    let words = "Only the first 2 cells are recorded over time; the other 1";
    assert!(!common::page(&report).contains(words));
    report.cells.push(report.cells[0].clone());
    assert!(common::page(&report).contains(words));
}

/// Only where a mobile node found out that it had moved is there something to show.
#[test]
fn handovers_show_what_mobile_nodes_did() {
    let mut report = common::report();
    let html = common::page(&report);
    assert!(html.contains("Movement detected after") && html.contains(">90.0 ms</td>"));
    assert!(!html.contains("Registered after"), "nobody registered");
    let records = |report: &mut Report, change: fn(&mut seamline_report::record::HandoverRecord)| {
        let runs = report.cells.iter_mut().flat_map(|cell| &mut cell.runs);
        runs.flat_map(|run| &mut run.flows).flat_map(|flow| &mut flow.handovers).for_each(change);
    };
    records(&mut report, |handover| {
        handover.movement_detected_ms = None;
        handover.registered_ms = Some(135.0);
    });
    let html = common::page(&report);
    assert!(!html.contains("Movement detected after"));
    assert!(html.contains("Registered after") && html.contains(">135 ms</td>"));
}

#[test]
fn text_is_escaped_for_html_and_xml() {
    assert_eq!(Text("<a b=\"c\" d='e'>&").to_string(), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
    assert_eq!(Text("\u{0}\u{8}\u{ffff}\tü").to_string(), "\u{fffd}\u{fffd}\u{fffd}\tü");
    assert_eq!(json_in_script("\"</script><!--\u{2028}\""), "\"\\u003c/script>\\u003c!--\\u2028\"");
}
