//! `seamline mobile` over an outage of the lab.

/// A daemon for so many seconds, in a shell: it listens at `mobile.sock`, and its log goes to `log`.
pub(crate) fn daemon_script(options: &str, seconds: f64) -> String {
    let seamline = assert_cmd::cargo::cargo_bin("seamline");
    format!(
        "'{}' mobile --socket mobile.sock {options} > log 2>&1 & d=$!; sleep {seconds}; kill $d; wait $d",
        seamline.display()
    )
}
