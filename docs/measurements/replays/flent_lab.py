"""Flent's test bed: a path of known rate, round trip and queue discipline, with real TCP through it."""
import gzip
import json
import os
import re
import statistics

from runs import median, quantile, simulate, table

SEEDS = range(1, 3)
# TCP begins 5 s after the pings. Its first and last seconds are left out.
BEGIN, LEFT_OUT = 5, 5
# The link of the test bed counts 14 bytes of Ethernet with each packet, ours does not.
ETHERNET = 1500 / 1514
SCENARIO = """
title = "Flent's test bed"
duration = "{length} s"
nodes = ["client", "near", "far"{servers}]

[[link]]
name = "access"
from = "client"
to = "near"
rate = "1 Gbit/s"
one_way_delay = "0.1 ms"

[[link]]
name = "bottleneck"
from = "near"
to = "far"
rate = "{rate:.3f} Mbit/s"
one_way_delay = "0 s"
queue = {queue}
{links}{flows}{pings}

[output]
interval = "1 s"
"""
LINK = """
[[link]]
name = "to-server-{0}"
from = "far"
to = "server-{0}"
rate = "10 Gbit/s"
one_way_delay = "{1:.3f} ms"
"""
FLOW = """
[[flow]]
name = "{0}"
from = "{1}"
to = "{2}"
variant = "{3}"
start = "5 s"
stop = "{4} s"
{5}
"""
# Each carries one segment: its round trips are those of a ping.
PING = """
[[flow]]
name = "ping-{0}"
from = "client"
to = "server-0"
variant = "cubic"
size = "1 packets"
start = "{0} s"
"""
FQ_CODEL = '{ discipline = "fq-codel" }'
CODEL = '{ discipline = "codel", ecn = true, limit = "1000 packets" }'
FOUR = [50.0] * 4
RUNS = [
    {"file": "test-voip-1up", "up": [50.0], "down": [], "rate": 100, "queue": FQ_CODEL, "variant": "cubic"},
    {"file": "test-http-1up", "up": [50.0], "down": [], "rate": 100, "queue": FQ_CODEL, "variant": "cubic"},
    {"file": "test-rrul-icmp", "up": FOUR, "down": FOUR, "rate": 100, "queue": FQ_CODEL, "variant": "cubic"},
    {"file": "test-voip-rrul", "up": FOUR, "down": FOUR, "rate": 100, "queue": FQ_CODEL, "variant": "cubic"},
    {"file": "test-rtt-fair", "up": [10.0, 50.0, 200.0, 500.0], "down": [], "rate": 100, "queue": FQ_CODEL, "variant": "cubic"},
    {"file": "test-rrul", "up": [10.0] * 4, "down": [10.0] * 4, "rate": 10, "queue": CODEL, "variant": "bbr"},
]


class Measured:
    """What flent recorded."""

    def __init__(self, folder, run):
        with gzip.open(f"{folder}/{run['file']}.flent.gz") as file:
            document = json.load(file)
        self.length = document["metadata"]["LENGTH"]
        self.kernel = document["metadata"]["KERNEL_RELEASE"]
        window = (BEGIN + LEFT_OUT, BEGIN + self.length - LEFT_OUT)
        inside = [at for at, x in enumerate(document["x_values"]) if window[0] <= x < window[1]]
        self.series = {
            name: [values[at] for at in inside if values[at] is not None] for name, values in document["results"].items()
        }
        self.up = self._flows("TCP upload")
        self.down = self._flows("TCP download")
        pings = [name for name in self.series if re.match(r"Ping \(ms\) (ICMP|ICMP1 .*)$", name)]
        self.pings = self.series[pings[0]] if pings else None
        self.drops = self._drops(document["metadata"]["REMOTE_METADATA"])

    def _flows(self, kind):
        names = [it for it in self.series if re.match(kind + r"( BE\d*( .*)?)?$", it)]
        return [statistics.fmean(self.series[name]) for name in sorted(names)]

    def _drops(self, hosts):
        """Packets that the two disciplines dropped, up and down; None where that was not recorded."""
        counts = []
        for host, side in (("testbed-02", "EGRESS_INFO"), ("testbed-04", "INGRESS_INFO")):
            text = " ".join(hosts[host][side]["tc_stats_post"])
            found = re.findall(r"codel .*?dropped (\d+)", text, re.DOTALL)
            counts.append(int(found[0]) if found and "Sent 0 bytes" not in text else None)
        return counts


def scenario(run, length, **changes):
    run = {**run, "tcp": "", **changes}
    trips = run["up"] if len(run["up"]) >= len(run["down"]) else run["down"]
    end = BEGIN + length
    flows = [FLOW.format(f"up-{n}", "client", f"server-{n}", run["variant"], end, run["tcp"]) for n in range(len(run["up"]))]
    flows += [FLOW.format(f"down-{n}", f"server-{n}", "client", run["variant"], end, run["tcp"]) for n in range(len(run["down"]))]
    return SCENARIO.format(
        length=end,
        servers="".join(f', "server-{n}"' for n in range(len(trips))),
        rate=run["rate"] * ETHERNET,
        queue=run["queue"],
        links="".join(LINK.format(n, trip / 2 - 0.1) for n, trip in enumerate(trips)),
        flows="".join(flows),
        pings="".join(PING.format(at) for at in range(BEGIN + LEFT_OUT, end - LEFT_OUT)),
    )


def simulated(run, length, seed, **changes):
    record = simulate(scenario(run, length, **changes), seed)
    flows = {flow["name"]: rate(flow, length) for flow in record["flows"] if "ping" not in flow["name"]}
    drops = {link["name"]: link["dropped_by_queue_management"] + link["dropped_by_full_queue"] for link in record["links"]}
    return {
        "up": [flows[name] for name in sorted(flows) if name.startswith("up")],
        "down": [flows[name] for name in sorted(flows) if name.startswith("down")],
        "pings": [flow["round_trip_min_ms"] for flow in record["flows"] if "ping" in flow["name"] and flow["round_trip_min_ms"]],
        "drops": [drops["bottleneck/down"], drops["bottleneck/up"]],
    }


def rate(flow, length):
    """Mbit/s between the seconds that are left out."""
    inside = [it["bytes"] for it in flow["intervals"] if BEGIN + LEFT_OUT <= it["from_s"] < BEGIN + length - LEFT_OUT]
    return statistics.fmean(inside) * 8 / 1e6


def compare(data, show):
    folder = os.path.join(data, "flent-lab")
    everything = [(run, Measured(folder, run)) for run in RUNS]
    rows = []
    for run, measured in everything:
        sims = [simulated(run, measured.length, seed) for seed in SEEDS]
        rows.append(row(run["file"], measured, sims))
    heads = ["run", "measured (Mbit/s)", "simulated / measured", "each flow, least to most", "ping median, error (ms)", "ping p95, error (ms)", "drops up, measured", "simulated", "drops down, measured", "simulated"]
    show(table(heads, rows))
    show(flows(everything))
    show(variations(everything))


def row(name, measured, sims):
    def total(it):
        return sum(it.up + it.down) if isinstance(it, Measured) else sum(it["up"] + it["down"])
    ratio = statistics.fmean(total(sim) for sim in sims) / total(measured)
    each = [
        statistics.fmean(sim[way][n] for sim in sims) / flow
        for way in ("up", "down")
        for n, flow in enumerate(getattr(measured, way))
    ]
    pings = [trip for sim in sims for trip in sim["pings"]]
    errors = ["", ""]
    if measured.pings:
        errors = [f"{quantile(pings, share) - quantile(measured.pings, share):+.1f} of {quantile(measured.pings, share):.1f}" for share in (0.5, 0.95)]
    drops = []
    for way in (0, 1):
        drops += ["" if measured.drops[way] is None else measured.drops[way], f"{statistics.fmean(sim['drops'][way] for sim in sims):.0f}"]
    return [name, f"{total(measured):.1f}", f"{ratio:.3f}", f"{min(each):.2f} to {max(each):.2f}", *errors, *drops]


CHANGES = [
    ("as above", {}),
    ("profile `rfc`", {"tcp": 'profile = "rfc"'}),
    ("no HyStart", {"tcp": 'tcp = { slow_start = "standard" }'}),
    ("rate 3 % less", {"less": 0.97}),
    ("receive buffer 64 MB", {"tcp": 'tcp = { receive_buffer = "64 MB" }'}),
    ("drop tail, 1000 packets", {"queue": '{ discipline = "drop-tail", limit = "1000 packets" }'}),
]


def changed(run, measured, change):
    change = dict(change)
    return simulated({**run, "rate": run["rate"] * change.pop("less", 1)}, measured.length, 1, **change)


def flows(everything):
    """The flows of different round trips, one by one."""
    run, measured = next(it for it in everything if it[0]["file"] == "test-rtt-fair")
    rows = [["measured"] + [f"{flow:.1f}" for flow in measured.up] + [measured.drops[0]]]
    for name, change in CHANGES:
        sim = changed(run, measured, change)
        rows.append([f"simulated, {name}"] + [f"{flow:.1f}" for flow in sim["up"]] + [sim["drops"][0]])
    return "\n" + table(["goodput (Mbit/s) at"] + [f"{trip:.0f} ms" for trip in run["up"]] + ["drops"], rows)


def variations(everything):
    """One thing changed at a time: goodput of all flows, simulated / measured, drops up, and the median of pings."""
    chosen = [it for it in everything if it[0]["file"] in ("test-voip-1up", "test-rrul-icmp", "test-rrul")]
    rows = []
    for name, change in CHANGES:
        cells = [name]
        for run, measured in chosen:
            sim = changed(run, measured, change)
            ratio = sum(sim["up"] + sim["down"]) / sum(measured.up + measured.down)
            cells += [f"{ratio:.3f}", sim["drops"][0], f"{median(sim['pings']):.1f}"]
        rows.append(cells)
    heads = ["change"] + [f"{run['file'].removeprefix('test-')}: {what}" for run, _ in chosen for what in ("ratio", "drops up", "ping (ms)")]
    return "\n" + table(heads, rows)
