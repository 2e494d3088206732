"""Starlink, measured from Victoria in 2023: CUBIC downloads of 120 s, with probes (irtt) over the same path at the same time."""
import csv
import glob
import os
import statistics
import tempfile

from runs import correlation, median, quantile, simulate, smooth, spread, table

SEEDS = range(1, 4)
STEP = 0.05
# Reconfigurations come at :12, :27, :42, :57; sessions begin with a minute.
FIRST, SLOT = 12, 15
HALF = 60
SCENARIO = """
title = "A download over Starlink"
duration = "{length} s"
nodes = ["server", "terminal"]

[[link]]
name = "space"
from = "server"
to = "terminal"
{rates}queue = {queue}
down.schedule = {down}
up.schedule = {up}
{loss}

[[flow]]
name = "download"
from = "server"
to = "terminal"
variant = "{variant}"
{tcp}

[output]
interval = "100 ms"
"""


QUEUE = '{{ discipline = "drop-tail", limit = "{} packets" }}'


class Session:
    """One session: times, probes (ms) and goodput (Mbit/s) every 50 ms."""

    def __init__(self, path):
        rows = list(csv.DictReader(open(path)))
        self.name = os.path.basename(path).split("_")[1][:13]
        self.trips = [float(row["rtt_ms"]) for row in rows]
        self.goodput = [float(row["cubic_goodput_mbps"]) for row in rows]
        self.length = int(len(rows) * STEP)

    def part(self, begin, end):
        """A session of its own between two times in seconds."""
        other = object.__new__(Session)
        places = slice(int(begin / STEP), int(end / STEP))
        other.name, other.trips, other.goodput = self.name, self.trips[places], self.goodput[places]
        other.length = end - begin
        return other

    def conditions(self, folder, delay):
        """Files of a rate per 100 ms, and of probes as ping writes them, and the schedules that read them."""
        rates, pings = os.path.join(folder, f"{self.name}.csv"), os.path.join(folder, f"{self.name}.ping")
        with open(rates, "w") as file:
            file.write("time,rate\n")
            file.writelines(f"{at * STEP:.2f},{max(self.goodput[at], 0.1):.4f}\n" for at in range(0, len(self.goodput), 2))
        with open(pings, "w") as file:
            file.write("PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n")
            for number, trip in enumerate(self.trips):
                answered = 1_694_563_200 + number * STEP + trip / 1e3
                file.write(f"[{answered:.6f}] 64 bytes from 192.0.2.1: icmp_seq={number + 1} ttl=64 time={trip:.3f} ms\n")
        capacity = f'{{ kind = "csv", file = "{rates}", time = {{ column = "time", unit = "s" }}, rate = {{ column = "rate", unit = "Mbit/s" }} }}'
        path = f'{{ kind = "recording", file = "{pings}", delay = "{delay}" }}'
        return f"[{capacity}, {path}]", path


def scenario(folder, source, length, **changes):
    options = {"length": length, "queue": QUEUE.format(500), "loss": "", "variant": "cubic", "tcp": "", "rates": 'up.rate = "20 Mbit/s"\n'}
    delay = changes.pop("delay", "path")
    if isinstance(source, Session):
        options["down"], options["up"] = source.conditions(folder, delay)
    else:
        options["down"] = options["up"] = source
        options["rates"] = ""
    options.update(changes)
    return SCENARIO.format(**options)


class Simulated:
    """Goodput per second, and the smoothed round trip every 100 ms."""

    def __init__(self, text, seed):
        flow = simulate(text.replace("[output]", '[output]\nintervals_of = "every run"'), seed)["flows"][0]
        tenths = [it["bytes"] * 8 / 0.1 / 1e6 for it in flow["intervals"]]
        self.seconds = smooth(tenths, 10)
        self.trips = [it["smoothed_round_trip_ms"] for it in flow["intervals"] if it["smoothed_round_trip_ms"]]
        self.again = flow["retransmissions"]


def compare(data, show):
    folder = os.path.join(data, "zhao_zenodo23")
    # In the order of time, which is that of the file names' second part.
    sessions = [Session(path) for path in sorted(glob.glob(f"{folder}/q*.csv"), key=lambda it: it.split("_")[-1])]
    if not sessions:
        raise SystemExit(f"{folder} has no q*.csv")
    with tempfile.TemporaryDirectory() as scratch:
        show(facts(sessions))
        show("\n#### Predicted\n\n" + predictions(scratch, sessions))
        show("\n" + by_session(scratch, sessions))
        show("\n#### Fitted\n\n" + fits(scratch, sessions))


def facts(sessions):
    rows = []
    for it in sessions:
        seconds = smooth(it.goodput, 20)
        rows.append(
            [it.name, f"{statistics.fmean(it.goodput):.1f}", f"{quantile(seconds, 0.1):.1f} to {quantile(seconds, 0.9):.1f}"]
            + [f"{quantile(it.trips, share):.0f}" for share in (0, 0.5, 0.95, 1)]
        )
    heads = ["session", "goodput (Mbit/s)", "of seconds, 10-90 %", "probes: least (ms)", "median", "p95", "most"]
    return table(heads, rows)


GENERATED = '{ kind = "starlink" }'
RANDOM = 'down.loss = {{ model = "bernoulli", probability = "{} %" }}'


def predictions(scratch, sessions):
    """Nothing of the session that is predicted is used."""
    rows = []
    for name, changes in [
        ("generator `starlink`, no losses", {}),
        ("the same, losses of 0.01 %", {"loss": RANDOM.format("0.01")}),
        ("the same, losses of 0.1 %", {"loss": RANDOM.format("0.1")}),
        ("the same, 0.01 %, queue of 100 packets", {"loss": RANDOM.format("0.01"), "queue": QUEUE.format(100)}),
        ("the same, 0.01 %, queue of 2000 packets", {"loss": RANDOM.format("0.01"), "queue": QUEUE.format(2000)}),
    ]:
        sims = [Simulated(scenario(scratch, GENERATED, 119, **changes), seed) for seed in SEEDS]
        rows.append(row(name, [(sim, it) for it in sessions for sim in sims]))
    pairs = list(zip(sessions, sessions[1:]))
    sims = [(Simulated(scenario(scratch, source, it.length), 1), it) for source, it in pairs]
    rows.append(row("goodput and path of the session before", sims))
    halves = [(it.part(0, HALF), it.part(HALF, it.length)) for it in sessions]
    sims = [(Simulated(scenario(scratch, source, it.length), 1), it) for source, it in halves]
    rows.append(row("goodput and path of the first half, for the second", sims))
    return table(HEADS, rows)


def by_session(scratch, sessions):
    """The prediction with losses of 0.01 %, session by session: means of the seeds."""
    text = scenario(scratch, GENERATED, 119, loss=RANDOM.format("0.01"))
    sims = [Simulated(text, seed) for seed in range(1, 11)]
    goodput = [statistics.fmean(sim.seconds) for sim in sims]
    trips = [[quantile(sim.trips, share) for sim in sims] for share in (0.5, 0.95)]
    rows = [
        [it.name, f"{statistics.fmean(it.goodput):.1f}", f"{quantile(it.trips, 0.5):.0f}", f"{quantile(it.trips, 0.95):.0f}"] for it in sessions
    ]
    rows.append(["predicted, 10 seeds", spread(goodput, "{:.1f}"), spread(trips[0], "{:.0f}"), spread(trips[1], "{:.0f}")])
    return table(["session", "goodput (Mbit/s)", "RTT median (ms)", "RTT p95 (ms)"], rows)


HEADS = [
    "conditions",
    "n",
    "goodput, simulated / measured",
    "p10 of seconds, ratio",
    "p90 of seconds, ratio",
    "RTT median, error (ms)",
    "RTT p95, error (ms)",
    "correlation over seconds",
]


def row(name, pairs):
    ratios, lows, highs, medians, p95s, fit = [], [], [], [], [], []
    for sim, measured in pairs:
        seconds = smooth(measured.goodput, 20)
        ratios.append(statistics.fmean(sim.seconds) / statistics.fmean(measured.goodput))
        lows.append(quantile(sim.seconds, 0.1) / quantile(seconds, 0.1))
        highs.append(quantile(sim.seconds, 0.9) / quantile(seconds, 0.9))
        medians.append(median(sim.trips) - median(measured.trips))
        p95s.append(quantile(sim.trips, 0.95) - quantile(measured.trips, 0.95))
        count = min(len(seconds), len(sim.seconds))
        fit.append(correlation(sim.seconds[:count], seconds[:count]) or 0)
    cells = [spread(ratios), f"{median(lows):.2f}", f"{median(highs):.2f}", spread(medians, "{:+.0f}"), spread(p95s, "{:+.0f}"), spread(fit)]
    return [name, len(pairs), *cells]


def fits(scratch, sessions):
    """The goodput that CUBIC had is the capacity: circular for the mean, not for round trips and what CUBIC leaves unused."""
    rows = []
    for name, changes in [
        ("own goodput, path's delay, queue of 500 packets", {}),
        ("queue of 50 packets", {"queue": QUEUE.format(50)}),
        ("queue of 150 packets", {"queue": QUEUE.format(150)}),
        ("queue of 1500 packets", {"queue": QUEUE.format(1500)}),
        ("`codel`", {"queue": '{ discipline = "codel" }'}),
        ("delay as measured", {"delay": "measured"}),
        ("losses of 0.01 %", {"loss": RANDOM.format("0.01")}),
        ("losses of 0.3 %", {"loss": RANDOM.format("0.3")}),
        ("profile `rfc`", {"tcp": 'profile = "rfc"'}),
        ("BBR in place of CUBIC", {"variant": "bbr"}),
    ]:
        sims = [(Simulated(scenario(scratch, it, it.length, **changes), 1), it) for it in sessions]
        rows.append(row(name, sims))
    return table(HEADS, rows)
