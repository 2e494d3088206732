"""The same scenarios over the TCP of this host's kernel, in real time: which part of a miss is the TCP model's. Needs root."""
import json
import os
import statistics
import subprocess
import tempfile

import flent_lab
import leoreplayer
from runs import SEAMLINE, median, quantile, spread, table

SEEDS = 10
SEEDS_OF_ENDS = 16


def records(command, path, seeds, *more):
    done = subprocess.run([SEAMLINE, command, path, "--json", "--seeds", str(seeds), *more], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)["cells"][0]["runs"]


def compare(data, show):
    with tempfile.TemporaryDirectory() as scratch:
        show(captured(data, scratch))
        show(ends(data, scratch))
        show(bbr(scratch))


def scenario(data, scratch, run, **changes):
    """The path of a file with the scenario, and the run as measured."""
    measured = leoreplayer.Measured(os.path.abspath(os.path.join(data, "leoreplayer-cubic")), run)
    path = os.path.join(scratch, "scenario.toml")
    with open(path, "w") as file:
        file.write(measured.scenario(scratch, **changes) + '[output]\nintervals_of = "every run"\n')
    return path, measured


def ends(data, scratch):
    """The run `example` with our TCP at neither end, one end, or both, in real time: which end makes a difference."""
    path, _ = scenario(data, scratch, leoreplayer.RUNS[0])
    rows = []
    for sender, receiver, command, nodes in (
        ("ours", "ours, simulated", "run", []),
        ("ours", "ours", "lab", ["client", "server"]),
        ("ours", "Linux", "lab", ["client"]),
        ("Linux", "ours", "lab", ["server"]),
        ("Linux", "Linux", "lab", []),
    ):
        runs = records(command, path, SEEDS_OF_ENDS, *(word for node in nodes for word in ("--seamline", node)))
        flows = [it["flows"][0] for it in runs]
        packets = [[link["delivered_packets"] for link in it["links"]] for it in runs]
        cells = [[flow["goodput_bits_per_second"] / 1e6 for flow in flows], [flow["intervals"][0]["bytes"] * 8 / 1e6 for flow in flows]]
        shares = [up / down for down, up in packets]
        rows.append([sender, receiver, *(spread(cell, "{:.1f}") for cell in cells), spread(shares)])
    return "\n" + table(["sender", "receiver", "goodput (Mbit/s)", "first second (Mbit/s)", "acknowledgments per segment"], rows)


def captured(data, scratch):
    """LeoReplayer's runs: goodput of our TCP and of the kernel's, and where the measured one lies."""
    rows = []
    for run in leoreplayer.RUNS:
        for name, changes in (("as the scripts say", {}), ("and the emulator's own delay", {"own_delays": True})):
            path, measured = scenario(data, scratch, run, **changes)
            sides = [[it["flows"][0] for it in records(command, path, SEEDS)] for command in ("run", "lab")]
            rows.append([f"{measured.name}, {name}", f"{statistics.fmean(measured.goodput):.1f}", *line(sides)])
    heads = ["conditions", "measured (Mbit/s)", "simulated", "over Linux", "first second: simulated", "over Linux", "RTT mean: simulated (ms)", "over Linux", "retransmissions: simulated", "over Linux"]
    return table(heads, rows)


def line(sides):
    cells = []
    for form, value in (
        ("{:.1f}", lambda flow: flow["goodput_bits_per_second"] / 1e6),
        ("{:.1f}", lambda flow: flow["intervals"][0]["bytes"] * 8 / 1e6),
        ("{:.1f}", lambda flow: flow["round_trip_mean_ms"]),
        ("{:.0f}", lambda flow: flow["retransmissions"]),
    ):
        cells += [spread([value(flow) for flow in side], form) for side in sides]
    return cells


def bbr(scratch):
    """Flent's run of BBR through CoDel."""
    run = flent_lab.RUNS[-1]
    path = os.path.join(scratch, "scenario.toml")
    with open(path, "w") as file:
        file.write(flent_lab.scenario(run, 60))
    rows = []
    for name, command in (("simulated", "run"), ("over Linux", "lab")):
        flows = records(command, path, 1)[0]["flows"]
        pings = [flow["round_trip_min_ms"] for flow in flows if "ping" in flow["name"] and flow["round_trip_min_ms"]]
        rates = [flow["goodput_bits_per_second"] / 1e6 for flow in flows if "ping" not in flow["name"]]
        rows.append([name, f"{sum(rates):.1f}", f"{median(pings):.1f}", f"{quantile(pings, 0.95):.1f}"])
    return "\n" + table(["BBR through CoDel, 60 s", "goodput of all (Mbit/s)", "ping median (ms)", "ping p95 (ms)"], rows)
