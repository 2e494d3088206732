//! `seamline-host mobile` over an outage of the lab.

/// A shell script that runs a daemon for so many seconds: it listens at `mobile.sock`, and its log goes to `log`.
pub(crate) fn daemon_script(options: &str, seconds: f64) -> String {
    format!(
        "'{}' mobile --socket mobile.sock {options} > log 2>&1 & d=$!; sleep {seconds}; kill $d; wait $d",
        super::program(super::HOST).display()
    )
}
