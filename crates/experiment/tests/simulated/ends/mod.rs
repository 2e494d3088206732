//! What systems at the ends gain over a handover, as their papers claim it, and what they cost where the claim does not hold.

mod ack_buffering;
mod delayed_response;
mod elfn;
mod fixed_timeout;
mod freeze_timestamps;
mod registration;
mod transactions;

use crate::support::{flow, link, plan};
use seamline_experiment::record::{FlowRecord, HandoverRecord};
use seamline_experiment::{CellResult, RunOptions, run};

/// A download over a base station to a mobile node: 10 Mbit/s, and 50 ms of round-trip time. `radio` are more keys of the radio
/// link, `keys` those of the flow. The first run of each grid cell.
fn download(radio: &str, keys: &str, overrides: &[&str]) -> Vec<FlowRecord> {
    download_over("rate = \"10 Mbit/s\"\none_way_delay = \"5 ms\"", radio, keys, overrides)
}
/// The same over a radio link with this rate and delay.
fn download_over(rate_and_delay: &str, radio: &str, keys: &str, overrides: &[&str]) -> Vec<FlowRecord> {
    let queue = "queue = { discipline = \"drop-tail\", limit = \"60 packets\" }";
    let wired = format!("rate = \"100 Mbit/s\"\none_way_delay = \"20 ms\"\n{queue}");
    let text = "duration = \"30 s\"\nseeds = [1]\nnodes = [\"server\", \"station\", \"phone\"]\n".to_owned()
        + &link("wired", ["server", "station"], &wired)
        + &link("radio", ["station", "phone"], &format!("{rate_and_delay}\n{queue}\n{radio}"))
        + &flow("download", ["server", "phone"], keys);
    let results = run(&plan(&text, overrides), &RunOptions::default(), &|| ()).unwrap();
    results.into_iter().map(|mut cell| cell.runs.swap_remove(0).flows.swap_remove(0)).collect()
}

/// The radio link is down from 10 s on for so long, and everything on it is lost.
fn outage(seconds: &str) -> String {
    format!(
        "handover = {{ at = \"10 s\", interruption = \"{seconds} s\", queued = \"drop\", in_service = \"drop\", \
         in_flight = \"drop\", arriving = \"drop\" }}\n"
    )
}

fn only(flow: &FlowRecord) -> &HandoverRecord {
    let [handover] = &flow.handovers[..] else { panic!("{:?}", flow.handovers) };
    handover
}
