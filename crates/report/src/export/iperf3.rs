//! A flow in the JSON format of `iperf3 --json` (iperf 3.12, client that sends), for programs that read it.
//!
//! A warm-up is what `iperf3 --omit` leaves out: its intervals come first, marked as omitted, and times begin again at
//! zero after it. Sums are without it. Keys about sockets, the host's clock and its processors have no meaning in
//! simulated time: they are absent (`cookie`, `snd_wnd`, `sndbuf_actual`) or `null` (`cpu_utilization_percent`), and the
//! timestamp is the begin of Unix time, as in captures.

use serde_json::{Value, json};

/// One flow of one run: what iperf3 calls a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Test {
    /// What was run.
    pub title: String,
    /// Where it comes from.
    pub provenance: String,
    /// What ran it: a simulator or a kernel.
    pub system: String,
    /// The name of the sending node.
    pub from: String,
    /// The name of the receiving node.
    pub to: String,
    /// The name of the TCP variant.
    pub variant: String,
    /// Payload of a full segment in bytes.
    pub segment_bytes: u64,
    /// The largest packet in bytes, headers included.
    pub packet_bytes: u64,
    /// Bytes to transfer; `None` is without end.
    pub size: Option<u64>,
    /// Length of the warm-up.
    pub omit_s: f64,
    /// Length of what is measured after it.
    pub measured_s: f64,
    /// Its connections.
    pub streams: Vec<Stream>,
}

/// One connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stream {
    /// Port of the sender.
    pub local_port: u16,
    /// Port of the receiver.
    pub remote_port: u16,
    /// Payload that arrived after the warm-up.
    pub received_bytes: u64,
    /// Its intervals; all connections of a test have the same.
    pub intervals: Vec<Interval>,
}

/// What a sender did in an interval. Times count from the start of the flow in the warm-up, and from its end after it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interval {
    /// Begin.
    pub start_s: f64,
    /// End.
    pub end_s: f64,
    /// Whether it is part of the warm-up.
    pub is_omitted: bool,
    /// Payload sent for the first time.
    pub sent_bytes: u64,
    /// Segments retransmitted.
    pub retransmissions: u64,
    /// The last congestion window of the interval in bytes.
    pub congestion_window_bytes: u64,
    /// The last smoothed round-trip time of the interval, in whole microseconds.
    pub round_trip_us: u64,
    /// The last variation of the round-trip time in the interval, in whole microseconds.
    pub variation_us: u64,
}

/// A test as a JSON document.
pub fn iperf3(test: &Test) -> String {
    let document = json!({
        "title": test.title,
        "extra_data": test.provenance,
        "start": start(test),
        "intervals": (0..test.intervals()).map(|place| interval(test, place)).collect::<Vec<_>>(),
        "end": end(test),
    });
    format!("{document:#}\n")
}

impl Test {
    fn intervals(&self) -> usize {
        self.streams.first().map_or(0, |stream| stream.intervals.len())
    }
}

impl Stream {
    fn measured(&self) -> impl Iterator<Item = &Interval> {
        self.intervals.iter().filter(|interval| !interval.is_omitted)
    }
    fn sent_bytes(&self) -> u64 {
        self.measured().map(|interval| interval.sent_bytes).sum()
    }
    fn retransmissions(&self) -> u64 {
        self.measured().map(|interval| interval.retransmissions).sum()
    }
}

fn start(test: &Test) -> Value {
    let connected = test.streams.iter().enumerate().map(|(place, stream)| {
        json!({
            "socket": place + 1,
            "local_host": test.from,
            "local_port": stream.local_port,
            "remote_host": test.to,
            "remote_port": stream.remote_port,
        })
    });
    let port = test.streams.first().map(|stream| stream.remote_port);
    json!({
        "connected": connected.collect::<Vec<_>>(),
        "version": concat!("seamline ", env!("CARGO_PKG_VERSION")),
        "system_info": test.system,
        "timestamp": { "time": "Thu, 01 Jan 1970 00:00:00 GMT", "timesecs": 0 },
        "connecting_to": { "host": test.to, "port": port },
        "tcp_mss_default": test.segment_bytes,
        "target_bitrate": 0,
        "test_start": {
            "protocol": "TCP",
            "num_streams": test.streams.len(),
            "blksize": test.segment_bytes,
            "omit": test.omit_s,
            "duration": if test.size.is_some() { 0.0 } else { test.measured_s },
            "bytes": test.size.unwrap_or(0),
            "blocks": 0,
            "reverse": 0,
            "tos": 0,
            "target_bitrate": 0,
        },
    })
}

fn interval(test: &Test, place: usize) -> Value {
    let all = || test.streams.iter().enumerate().filter_map(|(n, it)| Some((n, it.intervals.get(place)?)));
    let streams = all().map(|(n, it)| {
        let own = json!({
            "socket": n + 1,
            "retransmits": it.retransmissions,
            "snd_cwnd": it.congestion_window_bytes,
            "rtt": it.round_trip_us,
            "rttvar": it.variation_us,
            "pmtu": test.packet_bytes,
            "omitted": it.is_omitted,
        });
        transfer(it.start_s, it.end_s, it.sent_bytes, own)
    });
    let streams: Vec<Value> = streams.collect();
    let Some((_, first)) = all().next() else { return json!({ "streams": streams }) };
    let sum = json!({
        "retransmits": all().map(|(_, it)| it.retransmissions).sum::<u64>(),
        "omitted": first.is_omitted,
    });
    let bytes = all().map(|(_, it)| it.sent_bytes).sum();
    json!({ "streams": streams, "sum": transfer(first.start_s, first.end_s, bytes, sum) })
}

fn end(test: &Test) -> Value {
    let sum = |number: fn(&Stream) -> u64| test.streams.iter().map(number).sum::<u64>();
    let over = |bytes, own| transfer(0.0, test.measured_s, bytes, own);
    let streams = test.streams.iter().enumerate().map(|(place, stream)| {
        json!({
            "sender": over(stream.sent_bytes(), sender(place, stream)),
            "receiver": over(stream.received_bytes, json!({ "socket": place + 1 })),
        })
    });
    json!({
        "streams": streams.collect::<Vec<_>>(),
        "sum_sent": over(sum(Stream::sent_bytes), json!({ "retransmits": sum(Stream::retransmissions) })),
        "sum_received": over(sum(|stream| stream.received_bytes), json!({})),
        "cpu_utilization_percent": {
            "host_total": null, "host_user": null, "host_system": null,
            "remote_total": null, "remote_user": null, "remote_system": null,
        },
        "sender_tcp_congestion": test.variant,
        "receiver_tcp_congestion": test.variant,
    })
}

/// As iperf3, the mean is that of the samples at the ends of intervals.
fn sender(place: usize, stream: &Stream) -> Value {
    let round_trips = || stream.measured().map(|interval| interval.round_trip_us).filter(|it| *it > 0);
    let samples = round_trips().count() as u64;
    let windows = stream.measured().map(|interval| interval.congestion_window_bytes);
    json!({
        "socket": place + 1,
        "retransmits": stream.retransmissions(),
        "max_snd_cwnd": windows.max().unwrap_or(0),
        "max_rtt": round_trips().max().unwrap_or(0),
        "min_rtt": round_trips().min().unwrap_or(0),
        "mean_rtt": round_trips().sum::<u64>().checked_div(samples).unwrap_or(0),
    })
}

/// The keys of every transfer, and `own`.
fn transfer(start_s: f64, end_s: f64, bytes: u64, mut own: Value) -> Value {
    let seconds = end_s - start_s;
    let rate = if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 };
    own["start"] = json!(start_s);
    own["end"] = json!(end_s);
    own["seconds"] = json!(seconds);
    own["bytes"] = json!(bytes);
    own["bits_per_second"] = json!(rate);
    own["sender"] = json!(true);
    own
}
