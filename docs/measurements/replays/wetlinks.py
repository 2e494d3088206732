"""Conditions that the generator `starlink` makes, against five windows of WetLinks (UDP, and pings of an idle terminal)."""
import json
import os
import statistics

from runs import median, quantile, simulate, table

SEEDS = range(1, 31)
LENGTH = 60
SCENARIO = """
title = "Starlink as generated"
duration = "60 s"
nodes = ["server", "terminal"]

[[link]]
name = "space"
from = "server"
to = "terminal"
queue = { discipline = "drop-tail", limit = "QUEUE packets" }
schedule = { kind = "starlink" }
"""
# CUBIC behind a long queue and without losses fills the link: what it gets is nearly what UDP gets.
FLOW = """
[[flow]]
name = "download"
from = "server"
to = "terminal"
variant = "cubic"
tcp = { receive_buffer = "64 MB" }
"""
PING = """
[[flow]]
name = "ping-{0}"
from = "terminal"
to = "server"
variant = "cubic"
size = "1 packets"
start = "{0} s"
"""


def compare(data, show):
    windows = json.load(open(os.path.join(data, "wetlinks", "windows.json")))["windows"]
    loaded = SCENARIO.replace("QUEUE", "5000") + FLOW
    idle = SCENARIO.replace("QUEUE", "5000") + "".join(PING.format(at) for at in range(LENGTH - 2))
    rates, means = [], []
    for seed in SEEDS:
        rates.append(simulate(loaded, seed)["flows"][0]["delivered_bytes"] * 8 / LENGTH / 1e6 * 1500 / 1448)
        means.append(statistics.fmean(flow["round_trip_min_ms"] for flow in simulate(idle, seed)["flows"]))
    measured_rates = [it["iperf_download_mbps"] for it in windows]
    measured_means = [it["ping_avg_ms"] for it in windows]
    rows = [
        ["UDP rate (Mbit/s)", *numbers(measured_rates), *numbers(rates), f"{median(rates) / median(measured_rates):.2f}"],
        ["mean of pings (ms)", *numbers(measured_means), *numbers(means), f"{median(means) / median(measured_means):.2f}"],
    ]
    show(table(["", "measured, median", "least to most", "generated, median", "10-90 %", "ratio of medians"], rows))


def numbers(values):
    ends = (0, 1) if len(values) < 10 else (0.1, 0.9)
    return f"{median(values):.0f}", " to ".join(f"{quantile(values, share):.0f}" for share in ends)
