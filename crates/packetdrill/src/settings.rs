//! What a script has set by `sysctl`, and what of it the endpoint has parameters for.

use crate::socket::SocketOptions;
use seamline_tcp::parameters::{
    ErrorsEndingHandshakes, IdleRestart, KeepAlive, SegmentParameters, SynWithFin,
};
use seamline_tcp::{EcnUse, Parameters, Variant, profile, variant};
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
    pub(crate) fn parameters(&self, options: &SocketOptions) -> (Parameters, Variant) {
        let Some(profile) = profile::find(&self.profile) else {
            quit(&format!("unknown profile {}", self.profile))
        };
        let mut parameters = (profile.parameters)();
        apply_settings(&mut parameters);
        apply_options(&mut parameters, options);
        let name =
            self.variant.clone().unwrap_or_else(|| variant_of(&options.congestion_control()).to_owned());
        let variant = find_variant(&name, &parameters);
        (parameters, variant)
    }

    /// The variant with the congestion control that these options set.
    pub(crate) fn variant(&self, options: &SocketOptions) -> Variant {
        let (_, variant) = self.parameters(options);
        variant
    }
}

fn find_variant(name: &str, parameters: &Parameters) -> Variant {
    variant::find(name, parameters).unwrap_or_else(|error| quit(&error.to_string()))
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

fn apply_settings(parameters: &mut Parameters) {
    let segments = &mut parameters.segments;
    segments.maximum_segment_size = SEGMENT_SIZE;
    if !is_set("tcp_timestamps") {
        segments.timestamp_tick = None;
    }
    segments.selective_acknowledgments &= is_set("tcp_sack");
    segments.window_scale = is_set("tcp_window_scaling").then(window_scale);
    segments.ecn = match number("tcp_ecn") {
        Some(0) => EcnUse::Off,
        Some(1) => EcnUse::On,
        Some(3) => EcnUse::Accurate,
        _ => EcnUse::OnRequest,
    };
    if let Some(buffer) = &mut segments.send_buffer {
        buffer.first = third("tcp_wmem", 1).map_or(buffer.first, |bytes| bytes as u32);
        buffer.most = third("tcp_wmem", 2).map_or(buffer.most, |bytes| bytes as u32);
    }
    segments.least_burst = segments.least_burst.and(number("tcp_min_tso_segs").map(|least| least as u32));
    match &mut parameters.receiver.tuning {
        Some(tuning) => {
            tuning.first_memory = third("tcp_rmem", 1).map_or(tuning.first_memory, |bytes| bytes as u32);
            tuning.most_memory = third("tcp_rmem", 2).map_or(tuning.most_memory, |bytes| bytes as u32);
        }
        None => parameters.receiver.buffer = default_window(),
    }
    parameters.receiver.reports_duplicates &= is_set("tcp_dsack");
    if !is_set("tcp_slow_start_after_idle") {
        parameters.window.idle_restart = IdleRestart::Keep;
    }
    apply_settings_of_freebsd(parameters);
    let connection = &mut parameters.connection;
    connection.most_syn_retransmissions = number("tcp_syn_retries").unwrap_or(6) as u32;
    let answers = &mut connection.most_syn_ack_retransmissions;
    *answers = number("tcp_synack_retries").map_or(*answers, |most| most as u32);
    let linear = &mut connection.linear_syn_timeouts;
    if let Some(timeouts) = number("tcp_syn_linear_timeouts").filter(|_| *linear > 0) {
        *linear = timeouts as u32;
    }
}

fn apply_settings_of_freebsd(parameters: &mut Parameters) {
    let number = |name| read("inet", name).and_then(|text| text.parse::<u32>().ok());
    let connection = &mut parameters.connection;
    let seconds = number("tcp_keepinit").map(|seconds| Duration::from_secs(seconds.into()));
    connection.handshake_timeout = connection.handshake_timeout.and(seconds);
    if number("tcp_icmp_may_rst") == Some(0) {
        connection.errors_ending_handshakes = ErrorsEndingHandshakes::None;
    }
    if number("tcp_drop_synfin") == Some(1) {
        connection.syn_with_fin = SynWithFin::Dropped;
    }
    let again = &mut parameters.segments.ecn_syn_retransmissions;
    *again = number("tcp_ecn_maxretries").map_or(*again, |most| most.min(*again));
}

fn apply_options(parameters: &mut Parameters, options: &SocketOptions) {
    if let Some(size) = options.segment_size {
        parameters.segments.maximum_segment_size = size.min(SEGMENT_SIZE);
    }
    if options.no_options {
        leave_out_options(&mut parameters.segments);
    }
    if let Some(seconds) = options.handshake_timeout {
        parameters.connection.handshake_timeout = Some(Duration::from_secs(seconds.into()));
    }
    parameters.segments.nagle = !options.no_delay;
    if let Some(timeout) = options.user_timeout {
        parameters.connection.user_timeout = Some(timeout);
    }
    if let Some(bytes) = options.receive_buffer {
        parameters.receiver.buffer = bytes;
    }
    parameters.connection.keepalive = options.keep_alive.then(|| options.keep_alive());
}

fn leave_out_options(segments: &mut SegmentParameters) {
    segments.offers_segment_size = false;
    segments.window_scale = None;
    segments.timestamp_tick = None;
    segments.selective_acknowledgments = false;
}

impl SocketOptions {
    /// Seconds that a handshake may take on FreeBSD.
    pub(crate) fn handshake_timeout(&self) -> u32 {
        let default = || read("inet", "tcp_keepinit").and_then(|text| text.parse().ok()).unwrap_or(75);
        self.handshake_timeout.unwrap_or_else(default)
    }
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

/// Bytes not sent at which a socket that sets nothing blocks.
pub(crate) fn default_most_unsent() -> u64 {
    number("tcp_notsent_lowat").map_or(u64::MAX, |bytes| bytes as u64)
}

/// Flags of the setting tcp_fastopen.
pub(crate) mod fast_open {
    pub(crate) const CLIENT: i64 = 1;
    pub(crate) const SERVER: i64 = 2;
    pub(crate) const CLIENT_WITHOUT_COOKIE: i64 = 4;
    pub(crate) const SERVER_WITHOUT_COOKIE: i64 = 0x200;
    pub(crate) const EVERY_LISTENER: i64 = 0x400;
}

/// Whether a flag of tcp_fastopen is set.
pub(crate) fn fast_open_has(flag: i64) -> bool {
    let text = read("ipv4", "tcp_fastopen").unwrap_or_default();
    let value = match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    value.unwrap_or(0) & flag != 0
}

/// Changes when `ip tcp_metrics flush` runs.
pub(crate) fn metrics_flushed() -> String {
    read("ipv4", "tcp_metrics_flushed").unwrap_or_default()
}

/// The keys of cookies, the present one first.
pub(crate) fn fast_open_keys() -> Vec<[u8; 16]> {
    let text = read("ipv4", "tcp_fastopen_key").unwrap_or_default();
    let key = |text: &str| {
        let words = text.split('-').map(|word| u32::from_str_radix(word.trim(), 16).map(u32::to_le_bytes));
        let words: Result<Vec<[u8; 4]>, _> = words.collect();
        words.ok().and_then(|words| <[u8; 16]>::try_from(words.concat()).ok())
    };
    text.split(',').filter_map(key).collect()
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
