//! `[[agent]]`.

use super::words::{boolean, choice, name, number, one_of, quantity, text, time};
use super::{key, table};
use crate::schema::agent::{BITS, HANDSHAKES, NONE, PROFILES, ROLES, STAYS};
use crate::units::{Quantity, pattern};
use seamline_tcp::{profile, variant};
use serde_json::{Value, json};

pub(super) fn agent() -> Value {
    let kinds = std::iter::once(NONE.0).chain(seamline_agent::ALL.iter().map(|kind| kind.name));
    let mut schema = table(vec![
        key("name", "Its name", name()),
        key("kind", "Which it is", choice(kinds)),
        key("link", "The link that it stands at, where the link comes from", text()),
        key("cell", "Or the cell whose base station it stands at", text()),
        key("connections", "It knows at most so many; others pass untouched (65536)", whole(1 << 24)),
        key("memory", "It keeps at most so many bytes of packets (64 MB)", quantity(Quantity::Amount)),
        key("idle", "It forgets a connection of which so long nothing is heard (7440 s)", time()),
        key(
            "inside_tunnels",
            "It helps segments inside of mobility protocols' tunnels, too (false)",
            boolean(),
        ),
        key(
            "hand_over",
            "How long after a mobile node its caches arrive at the agent of its new cell (none)",
            hand_over(),
        ),
        key("eln_ack", "What of ELN-ACK is set", eln_ack()),
        key("snoop", "What of Snoop is set", snoop()),
        key("split", "What of split connections is set", split()),
        key("obtcp", "What of obTCP is set", obtcp()),
    ]);
    schema["required"] = json!(["name"]);
    schema
}

/// A time, or a word.
fn hand_over() -> Value {
    json!({ "type": "string", "pattern": format!("{}|^{STAYS}$", pattern(Quantity::Time)) })
}

fn whole(most: i64) -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": most })
}

fn eln_ack() -> Value {
    table(vec![
        key("bits", "What the bits of an acknowledgment speak of (per loss)", one_of(BITS)),
        key("patience", "What has not come by again after so long was lost to congestion (1 s)", time()),
    ])
}

fn obtcp() -> Value {
    let mut schema = table(vec![
        key("role", "Where it stands", one_of(ROLES)),
        key("cache", "Packets kept of each connection (100)", whole(1_000_000)),
        key("requests", "How often at most the mobile router asks for the same bytes (10)", positive(1000)),
        key(
            "local_retransmissions",
            "How often at most a packet is sent again without a request (10)",
            whole(1000),
        ),
        key(
            "minimum_timeout",
            "The shortest time until something is asked for or sent again (100 ms)",
            time(),
        ),
        key("base_station_timer", "The base station looks after the last packets, too (true)", boolean()),
        key("goes_on_after_timeouts", GOES_ON, boolean()),
    ]);
    schema["required"] = json!(["role"]);
    schema
}

const GOES_ON: &str = "After a timeout all that was under way goes out again as acknowledgments come (true; snoop of ns2 false: one packet each timeout)";

fn positive(most: i64) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": most })
}

fn snoop() -> Value {
    table(vec![
        key("profile", "What the other keys begin from (plain)", one_of(PROFILES)),
        key("cache", "Packets kept of each connection (100)", whole(1_000_000)),
        key("passed_duplicates", "Duplicates that pass before one makes the agent act (1)", whole(100)),
        key("local_retransmissions", "How often at most it sends a packet again (10)", whole(1000)),
        key("minimum_timeout", "The shortest time after which it sends again by itself (100 ms)", time()),
        key("initial_round_trip_time", "Smoothed, before the first sample (100 ms)", time()),
        key("initial_variation", "Before the first sample (250 ms)", time()),
        key(
            "sample_weight",
            "The share of a new sample in the smoothed one (0.125; ns2 0.875)",
            number(0.0, 1.0),
        ),
        key("samples_retransmissions", "What was sent again gives samples, too (false; ns2 true)", boolean()),
        key("counts_duplicates_on", "Duplicates are counted on across losses (false; ns2 true)", boolean()),
        key("goes_on_after_timeouts", GOES_ON, boolean()),
        key(
            "explicit_loss_notification",
            "Acknowledgments that ask for what the air has lost say so (true)",
            boolean(),
        ),
    ])
}

fn split() -> Value {
    let mut keys = vec![
        key(
            "buffer",
            "What waits in each direction at most, and the largest window offered (256 kB)",
            quantity(Quantity::Size),
        ),
        key("handshake", "When the host that opens gets its answer (near side alone)", one_of(HANDSHAKES)),
        key("wired", "The TCP towards the fixed host", table(split_tcp())),
    ];
    keys.extend(split_tcp());
    table(keys)
}

fn split_tcp() -> Vec<(&'static str, Value)> {
    vec![
        key("variant", "Which TCP the agent runs (newreno)", choice(variant::ALL.iter().map(|it| it.name))),
        key("profile", "Whose parameters (rfc)", choice(profile::ALL.iter().map(|it| it.name))),
        key("minimum_rto", "Least retransmission timeout; else the profile's", time()),
    ]
}
