"""Phones: downloads over LTE and 5G. The rate that TCP had is taken for the capacity."""
import csv
import glob
import os
import re
import statistics
import tempfile

from runs import correlation, median, quantile, simulate, smooth, spread, table

# Of each file or round, in seconds.
LONGEST = 300
ROUND = 30
ROUNDS = 24
SCENARIO = """
title = "A download to a phone"
duration = "{length} s"
nodes = ["server", "phone"]

[[link]]
name = "radio"
from = "server"
to = "phone"
one_way_delay = "{delay:.3f} ms"
up.rate = "{up} Mbit/s"
queue = {queue}
down.schedule = {{ kind = "csv", file = "{rates}", time = {{ column = "time", unit = "s" }}, rate = {{ column = "rate", unit = "Mbit/s" }} }}
{loss}

[[flow]]
name = "download"
from = "server"
to = "phone"
variant = "{variant}"
{tcp}
{pings}
[output]
interval = "{interval} ms"
intervals_of = "every run"
"""
# Each carries one segment: its round trips are those of a ping.
PING = """
[[flow]]
name = "ping-{0}"
from = "phone"
to = "server"
variant = "cubic"
size = "1 packets"
start = "{0} s"
"""
PING_EVERY = 10
QUEUE = '{{ discipline = "drop-tail", limit = "{} packets" }}'
UNLIMITED = '{ discipline = "unlimited" }'
RANDOM = 'down.loss = {{ model = "bernoulli", probability = "{} %" }}'
CHANGES = [
    ("queue of 500 packets", {}),
    ("50 packets", {"queue": QUEUE.format(50)}),
    ("150 packets", {"queue": QUEUE.format(150)}),
    ("1500 packets", {"queue": QUEUE.format(1500)}),
    ("no limit", {"queue": UNLIMITED}),
    ("no limit, receive buffer 64 MB", {"queue": UNLIMITED, "tcp": 'tcp = { receive_buffer = "64 MB" }'}),
    ("the same, no HyStart", {"queue": UNLIMITED, "tcp": 'tcp = { receive_buffer = "64 MB", slow_start = "standard" }'}),
    ("losses of 0.01 %", {"loss": RANDOM.format("0.01")}),
    ("delay one half longer", {"longer": 1.5}),
    ("receive buffer 64 MB", {"tcp": 'tcp = { receive_buffer = "64 MB" }'}),
    ("a queue of 1500 packets for each flow (`fq`)", {"queue": '{ discipline = "fq", flow_limit = 1500 }'}),
    ("`fq-codel`", {"queue": '{ discipline = "fq-codel" }'}),
    ("`codel`", {"queue": '{ discipline = "codel" }'}),
    ("profile `rfc`", {"tcp": 'profile = "rfc"'}),
    ("BBR in place of CUBIC", {"variant": "bbr"}),
]


class Trace:
    """Rates in Mbit/s every `step` seconds, the least round trip in ms, round trips under load if known, and retransmissions if known."""

    def __init__(self, name, step, rates, least, trips=(), again=None):
        self.name, self.step, self.rates, self.least, self.trips, self.again = name, step, rates, least, trips, again

    def simulated(self, folder, **changes):
        rates = os.path.join(folder, "rates.csv")
        with open(rates, "w") as file:
            file.write("time,rate\n")
            file.writelines(f"{at * self.step:.1f},{max(rate, 0.01):.4f}\n" for at, rate in enumerate(self.rates))
        options = {"queue": QUEUE.format(500), "loss": "", "variant": "cubic", "tcp": "", "up": 20}
        longer = changes.pop("longer", 1)
        options.update(changes)
        length, interval = int(len(self.rates) * self.step), int(self.step * 1000)
        pings = "".join(PING.format(at) for at in range(5, length - 5, PING_EVERY)) if self.trips else ""
        text = SCENARIO.format(length=length, delay=self.least / 2 * longer, rates=rates, interval=interval, pings=pings, **options)
        flows = simulate(text)["flows"]
        flow, pings = flows[0], flows[1:]
        rates = [it["bytes"] * 8 / self.step / 1e6 for it in flow["intervals"]]
        trips = [ping["round_trip_min_ms"] for ping in pings if ping["round_trip_min_ms"]]
        return rates, trips, flow["retransmissions"]


def ucc(path):
    """UCC's 5G data set: seconds, some with several rows or none; a mean of pings about every 13 s."""
    seconds, averages, least = [], [], []
    last, values = None, []
    for row in csv.DictReader(open(path)):
        if row["Timestamp"] != last and values:
            seconds.append(statistics.fmean(values))
            values = []
        last = row["Timestamp"]
        values.append(float(row["DL_bitrate"]) / 1e3)
        if len(seconds) < LONGEST and row["PINGAVG"] not in ("-", ""):
            averages.append(float(row["PINGAVG"]))
            least.append(float(row["PINGMIN"]))
    return Trace(os.path.basename(path), 1.0, seconds[:LONGEST], min(least), averages)


def nuwins(path):
    """A round of nuttcp: the rate of each half second, and the round trip of its connection."""
    text = open(path).read()
    connected = re.search(r"with RTT=([\d.]+) ms", text)
    lines = re.findall(r"= +([\d.]+) Mbps +(\d+) retrans", text)[: int(ROUND * 2)]
    if not connected or len(lines) < ROUND * 2:
        return None
    return Trace(os.path.basename(path), 0.5, [float(rate) for rate, _ in lines], float(connected[1]), (), sum(int(count) for _, count in lines))


def compare(data, show):
    files = sorted(glob.glob(os.path.join(data, "ucc-5g-download/*/*.csv")))
    show(f"\n#### UCC: {len(files)} drives and places, the first {LONGEST} s of each\n")
    show(results([ucc(path) for path in files]))
    paths = sorted(glob.glob(os.path.join(data, "nuwins-conext2025/raw_data/data_2024/app_data/*/*/tcp_downlink_*.out")))
    rounds = [trace for trace in map(nuwins, paths) if trace and statistics.fmean(trace.rates) > 1]
    chosen = rounds[:: max(1, len(rounds) // ROUNDS)][:ROUNDS]
    show(f"\n#### NUWiNS: {len(chosen)} of {len(rounds)} rounds, evenly chosen, the first {ROUND} s of each\n")
    show(results(chosen))


def results(traces):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, changes in CHANGES:
            ratios, fits, medians, p95s, counts = [], [], [], [], []
            for trace in traces:
                rates, trips, again = trace.simulated(folder, **dict(changes))
                ratios.append(statistics.fmean(rates) / statistics.fmean(trace.rates))
                of_two = [smooth(it, 5) for it in (rates, trace.rates[: len(rates)])]
                fits.append(correlation(*of_two) or 0)
                if trace.trips:
                    medians.append(median(trips) - median(trace.trips))
                    p95s.append(quantile(trips, 0.95) - quantile(trace.trips, 0.95))
                if trace.again is not None:
                    counts.append((again, trace.again))
            row = [name, len(traces), spread(ratios), spread(fits)]
            if medians:
                row += [spread(medians, "{:+.0f}"), spread(p95s, "{:+.0f}")]
            if counts:
                row += [f"{median([it[0] for it in counts]):.0f}", f"{median([it[1] for it in counts]):.0f}"]
            rows.append(row)
    heads = ["conditions", "n", "goodput, simulated / measured", "correlation over 5 samples"]
    heads += ["RTT median, error (ms)", "RTT p95, error (ms)"] if traces[0].trips else ["retransmissions, simulated", "measured"]
    return table(heads, rows)
