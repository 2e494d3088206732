//! What a script has set by `sysctl`, and what of it the endpoint has parameters for.

use crate::socket::SocketOptions;
use seamline_tcp::parameters::{IdleRestart, KeepAlive};
use seamline_tcp::{Parameters, Variant, profile, variant};
use seamline_wire::Duration;

/// Largest segment over the device of packetdrill, whose MTU is 1500.
pub(crate) const SEGMENT_SIZE: u16 = 1460;

/// Which endpoint is under test: the words of `--so_flags`, `profile=NAME,variant=NAME`, both optional.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// The profile of the parameters.
    pub(crate) profile: String,
    /// The variant, or that of the congestion control that the script chooses.
    pub(crate) variant: Option<String>,
    /// Print every segment.
    pub(crate) trace: bool,
}

impl Subject {
    pub(crate) fn read(flags: &str) -> Subject {
        let mut subject = Subject { profile: "linux".to_owned(), variant: None, trace: false };
        for word in flags.split(',').filter(|word| !word.is_empty()) {
            match word.split_once('=') {
                Some(("profile", name)) => subject.profile = name.to_owned(),
                Some(("variant", name)) => subject.variant = Some(name.to_owned()),
                None if word == "trace" => subject.trace = true,
                _ => quit(&format!("unknown word in --so_flags: {word}")),
            }
        }
        subject
    }

    /// The parameters of a connection that begins now, and its variant.
    pub(crate) fn parameters(&self, options: &SocketOptions, passive: bool) -> (Parameters, Variant) {
        let Some(profile) = profile::find(&self.profile) else {
            quit(&format!("unknown profile {}", self.profile))
        };
        let mut parameters = (profile.parameters)();
        apply_settings(&mut parameters, passive);
        apply_options(&mut parameters, options);
        let name =
            self.variant.clone().unwrap_or_else(|| variant_of(&options.congestion_control()).to_owned());
        match variant::find(&name, &parameters) {
            Ok(variant) => (parameters, variant),
            Err(error) => quit(&error.to_string()),
        }
    }
}

/// End the process: the runner has passed something wrong.
fn quit(message: &str) -> ! {
    eprintln!("error: {message}");
    std::process::exit(2)
}

/// The variant that has this congestion control of Linux.
fn variant_of(congestion_control: &str) -> &'static str {
    match congestion_control {
        "reno" => "sack",
        "westwood" => "westwood+",
        "vegas" => "vegas",
        _ => "cubic",
    }
}

/// Whether Linux's name is that of a congestion control that the endpoint has.
pub(crate) fn has_congestion_control(name: &str) -> bool {
    matches!(name, "reno" | "cubic" | "westwood" | "vegas")
}

fn apply_settings(parameters: &mut Parameters, passive: bool) {
    let segments = &mut parameters.segments;
    segments.maximum_segment_size = SEGMENT_SIZE;
    if !is_set("tcp_timestamps") {
        segments.timestamp_tick = None;
    }
    segments.selective_acknowledgments &= is_set("tcp_sack");
    segments.window_scale = is_set("tcp_window_scaling").then(window_scale);
    parameters.receiver.buffer = default_window();
    parameters.receiver.reports_duplicates &= is_set("tcp_dsack");
    if !is_set("tcp_slow_start_after_idle") {
        parameters.window.idle_restart = IdleRestart::Keep;
    }
    let retries = if passive { "tcp_synack_retries" } else { "tcp_syn_retries" };
    parameters.connection.most_syn_retransmissions = number(retries).unwrap_or(6) as u32;
}

fn apply_options(parameters: &mut Parameters, options: &SocketOptions) {
    if let Some(size) = options.segment_size {
        parameters.segments.maximum_segment_size = size.min(SEGMENT_SIZE);
    }
    parameters.segments.nagle = !options.no_delay;
    if let Some(retries) = options.syn_retries {
        parameters.connection.most_syn_retransmissions = retries;
    }
    if let Some(timeout) = options.user_timeout {
        parameters.connection.user_timeout = Some(timeout);
    }
    if let Some(bytes) = options.receive_buffer {
        parameters.receiver.buffer = bytes;
    }
    parameters.connection.keepalive = options.keep_alive.then(|| options.keep_alive());
}

impl SocketOptions {
    /// The keep-alive probes of the socket, whether it sends them or not.
    pub(crate) fn keep_alive(&self) -> KeepAlive {
        let seconds = |own: Option<u32>, name| {
            let default = || number(name).unwrap_or(75) as u64;
            Duration::from_secs(own.map_or_else(default, u64::from))
        };
        KeepAlive {
            idle: seconds(self.keep_alive_idle, "tcp_keepalive_time"),
            interval: seconds(self.keep_alive_interval, "tcp_keepalive_intvl"),
            probes: self.keep_alive_probes.unwrap_or(number("tcp_keepalive_probes").unwrap_or(9) as u32),
        }
    }
}

/// Half of the default receive buffer: Linux keeps the other half for the overhead of buffers.
fn default_window() -> u32 {
    (third("tcp_rmem", 1).unwrap_or(131_072) / 2) as u32
}

/// The shift for the largest receive buffer there may be (Linux, tcp_select_initial_window).
fn window_scale() -> u8 {
    let core = read("core", "rmem_max").and_then(|text| text.parse().ok()).unwrap_or(212_992);
    let space = third("tcp_rmem", 2).unwrap_or(6 << 20).max(core);
    (space.max(1).ilog2().saturating_sub(15) as u8).min(14)
}

/// Bytes that a socket takes in before it blocks: what it may grow to.
pub(crate) fn default_send_buffer() -> u64 {
    third("tcp_wmem", 2).unwrap_or(4 << 20)
}

/// The congestion control of a socket that chooses none.
pub(crate) fn default_congestion_control() -> String {
    read("ipv4", "tcp_congestion_control").unwrap_or_else(|| "cubic".to_owned())
}

fn is_set(name: &str) -> bool {
    number(name) != Some(0)
}

fn number(name: &str) -> Option<i64> {
    read("ipv4", name)?.parse().ok()
}

/// One of the three numbers of a setting.
fn third(name: &str, place: usize) -> Option<u64> {
    read("ipv4", name)?.split_whitespace().nth(place)?.parse().ok()
}

fn read(family: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/sys/net/{family}/{name}")).ok()?;
    Some(text.trim().to_owned())
}
