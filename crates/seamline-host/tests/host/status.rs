//! What a running agent says of itself: `seamline-host agent status`, and its log in the journal.

use crate::support::{self, HOST, assert_contains, folder, host, program, stderr, with_interfaces};
use serde_json::Value;

/// A script that begins an agent as `$A`, with these options, and ends it.
fn with_agent(options: &str, task: &str) -> String {
    format!(
        "S={}; ip link set lo up
        $S agent snoop --in b0 --out b1 {options} & A=$!
        {task}
        kill -TERM $A; wait $A",
        program(HOST).display()
    )
}

#[test]
fn a_running_agent_is_shown_once_where_there_is_no_terminal() {
    seamline_testing::punctual(50, || {
        let folder = folder();
        let file = folder.path().join("agent.prom");
        for (metrics, source) in [
            ("127.0.0.1:9477".to_owned(), String::new()),
            (file.display().to_string(), file.display().to_string()),
        ] {
            let task = format!(
                "until $S agent status {source}; do sleep 0.1; done 2>/dev/null >/dev/null
            timeout 10 $S agent status {source} --watch
            $S agent status {source} --json
            timeout 3.5 $S agent status {source} --json --watch"
            );
            let script = with_agent(&format!("--metrics {metrics} >/dev/null"), &task);
            let Some(output) = with_interfaces("a_running_agent_is_shown_once", &script) else { return };
            assert!(output.status.success(), "{}", stderr(&output));
            let text = String::from_utf8(output.stdout).unwrap();
            let version = env!("CARGO_PKG_VERSION");
            let title = format!("agent snoop, b0 (in) - b1 (out), version {version}, up ");
            assert_eq!((text.matches(&title).count(), text.contains('\u{1b}')), (1, false), "{text}");
            assert_contains(
                &text,
                &["\nstate: helping\n", "interface b0: up", "known now", "round trip, wireless side"],
            );
            let json: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            assert!((4..=5).contains(&json.len()), "once, and in three and a half seconds: {text}");
            assert!(
                json.iter().all(|it| it["about"]["in"] == "b0" && it["metrics"]["flows"] == 0.0),
                "{json:?}"
            );
        }
    });
}

/// A terminal gets a page that is written over, and goes on when the agent ends.
#[test]
fn a_terminal_gets_a_live_view() {
    seamline_testing::punctual(50, || {
        if std::process::Command::new("script").arg("--version").output().is_err() {
            return support::skip("a_terminal_gets_a_live_view", "it takes script (util-linux)");
        }
        let task = "until $S agent status >/dev/null 2>&1; do sleep 0.1; done
        TERM=xterm timeout 10 script -qec \"timeout 4 $S agent status --watch\" /dev/null & watch=$!
        sleep 2.5; kill -TERM $A; wait $watch";
        let script = with_agent("--metrics 127.0.0.1:9477 >/dev/null", task);
        let Some(output) = with_interfaces("a_terminal_gets_a_live_view", &script) else { return };
        let text = String::from_utf8(output.stdout).unwrap();
        let pages: Vec<&str> = text.split("\u{1b}[H").skip(1).collect();
        assert!((3..=5).contains(&pages.len()), "{} pages: {text:?}", pages.len());
        assert!(!pages[0].contains("per second") && pages[1].contains("per second"), "{text:?}");
        assert_contains(pages[1], &["times (last 1 s)", "\u{1b}[K", "\u{1b}[J"]);
        assert_contains(pages.last().unwrap(), &["reading http://127.0.0.1:9477/metrics", "tip: "]);
    });
}

#[test]
fn without_an_agent_there_is_a_tip() {
    let output = host(&["agent", "status", "./none.prom"], folder().path());
    assert_eq!(output.status.code(), Some(1));
    assert_contains(stderr(&output), &["reading ./none.prom: ", "tip: the agent has to run with --metrics"]);
    let wrong = host(&["agent", "status", "localhost:9477"], folder().path());
    assert_eq!(wrong.status.code(), Some(2));
    assert_contains(stderr(&wrong), &["127.0.0.1:9477", "./localhost:9477"]);
}

#[test]
fn nothing_but_a_status_is_watched() {
    let output = host(&["mobile", "--watch", "--socket", "/no/such"], folder().path());
    assert_eq!(output.status.code(), Some(2));
    assert_contains(stderr(&output), &["--watch is for --status"]);
    let often = host(&["agent", "status", "--watch", "0"], folder().path());
    assert_eq!(often.status.code(), Some(2), "{}", stderr(&often));
}

/// Standard output is the journal if its device and inode are those that the service manager names.
#[test]
fn the_journal_gets_priorities_and_other_readers_none() {
    for (stream, is_journal) in [("$(stat -c %d:%i log)", true), ("1:2", false)] {
        let folder = folder();
        let script = format!(
            "cd {}; touch log; JOURNAL_STREAM={stream} {} mobile --socket s --dry-run > log & d=$!
            until grep -q event=start log; do sleep 0.05; done
            kill -TERM $d; wait $d; cat log",
            folder.path().display(),
            program(HOST).display()
        );
        let Some(output) = with_interfaces("the_journal_gets_priorities", &script) else { return };
        let log = String::from_utf8(output.stdout).unwrap();
        let start = log.lines().next().unwrap_or_default();
        let line = start.strip_prefix("<6>");
        assert_eq!(line.is_some(), is_journal, "{log}");
        let line = line.unwrap_or(start);
        let (time, rest) = line.split_once(' ').unwrap();
        assert!(rest.starts_with("level=info event=start "), "{log}");
        // As in time=2026-11-26T17:49:28.123456Z
        let form: String = time.chars().map(|it| if it.is_ascii_digit() { '9' } else { it }).collect();
        assert_eq!(form, "time=9999-99-99T99:99:99.999999Z", "{log}");
    }
}
