"""LeoReplayer: real Linux CUBIC over an emulated path whose conditions are files; captures at both ends."""
import bisect
import os
import statistics
import tempfile

from captures import Flow, per_interval
from runs import median, quantile, simulate, spread, table

SEEDS = range(1, 31)
# Seconds after which slow start is over in all runs.
SETTLED = 2
# The scripts of the data: drop tail of 500 packets in both directions, losses of 0.2 % upwards only, a delay for each 10 ms.
SCENARIO = """
title = "LeoReplayer"
duration = "{length} s"
nodes = ["client", "server"]

[[link]]
name = "path"
from = "client"
to = "server"
queue = {{ discipline = "drop-tail", limit = "{queue} packets" }}
{rate}
down.schedule = [{capacity}{{ kind = "delay-series", file = "{up}", start = "{start} s", reordering = "{reordering}" }}]
up.schedule = [{capacity}{{ kind = "delay-series", file = "{down}", start = "{start} s", reordering = "{reordering}" }}]
down.loss = {loss}

[[flow]]
name = "upload"
from = "client"
to = "server"
variant = "cubic"
{tcp}
"""
# Data segments of the two captures. The first file of capacities is part of the data; the second is not published in full.
RUNS = [
    {"name": "example", "folder": "no_PEP", "delay": "delay_example.txt", "capacity": "bw_example.txt"},
    {"name": "A_3", "folder": "A_3", "delay": "delay_3.txt", "capacity": None},
]
LOGS = ["queue-logs/no_PEP.txt", "queue-logs/Cubic.txt", "queue-logs/1_no_PEP_withCCAlg.txt"]


def compare(data, show):
    data = os.path.abspath(os.path.join(data, "leoreplayer-cubic"))
    measured = [Measured(data, run) for run in RUNS]
    with tempfile.TemporaryDirectory() as scratch:
        for run in measured:
            show(f"\n#### {run.name}\n\n" + run.facts())
            show(run.variations(scratch))
        show(against_logs(data, measured[0], scratch))


class Measured:
    """One run with captures at both ends."""

    def __init__(self, data, run):
        folder = os.path.join(data, run["folder"])
        self.name = run["name"]
        self.sender, self.receiver = Flow(f"{folder}/inner.pcap"), Flow(f"{folder}/outer.pcap")
        self.delay_file = f"{folder}/{run['delay']}"
        self.capacity_file = run["capacity"] and f"{folder}/{run['capacity']}"
        self.delays = [float(line) for line in open(self.delay_file)]
        # Both ends are captured until here; whole seconds of it are compared.
        self.length = int(self.receiver.data[-1].time - self.sender.begin)
        self.goodput = per_interval(self.sender.progress(), self.length)
        self.trips = [trip * 1e3 for at, trip in self.sender.round_trips() if at < self.length]
        self.start = self._start()
        self.fates = self._fates()
        self.own_up, self.own_down = self._own_delays()

    def _one_way(self, sent, received):
        """Times from the sender's capture to the receiver's, or back, of numbers that both have once."""
        def once(items):
            times = {}
            for number, time in items:
                times.setdefault(number, []).append(time)
            return {number: all[0] for number, all in times.items() if len(all) == 1}
        sent, received = once(sent), once(received)
        return [(at, received[number] - at) for number, at in sent.items() if number in received]

    def _acks(self):
        return self._one_way(
            [(it.acknowledged, it.time) for it in self.receiver.acks], [(it.acknowledged, it.time) for it in self.sender.acks]
        )

    def _start(self):
        """Where in the series of delays the flow begins, in seconds: where acknowledgments, which rarely wait, fit it best."""
        points = [(at - self.sender.begin, delay * 1e3) for at, delay in self._acks() if 0 < delay < 0.1]
        best = (0.0, None)
        for step in range(2000):
            # Few spikes would decide otherwise.
            of_series = [min(self.delays[int(at * 100 + step) % len(self.delays)], 30) for at, _ in points]
            fit = statistics.correlation(of_series, [min(delay, 30) for _, delay in points])
            best = max(best, (fit, step / 100))
        return best[1]

    def _fates(self):
        """0 or 1 for each data segment in order of sending: whether it was lost."""
        arrivals = {}
        for it in self.receiver.data:
            arrivals.setdefault(it.sequence, []).append(it.time)
        fates = []
        copies = {}
        for it in self.sender.data:
            copies.setdefault(it.sequence, []).append(it.time)
        for it in self.sender.data:
            if it.time > self.receiver.data[-1].time - 0.1:
                break
            later = [time for time in copies[it.sequence] if time > it.time]
            until = later[0] if later else it.time + 10
            came = any(it.time < time < until + 0.005 for time in arrivals.get(it.sequence, []))
            fates.append(0 if came else 1)
        return fates

    def _own_delays(self):
        """Medians of what packets took beyond the recorded conditions, up and down, in ms: the emulator's own delay."""
        chances = Chances(self.capacity_file)
        clock = self.start - self.sender.begin
        up, down = [], []
        data = [(it.sequence, it.time) for it in self.sender.data]
        for at, took in self._one_way(data, [(it.sequence, it.time) for it in self.receiver.data]):
            left = chances.after(at + clock)
            up.append((at + clock + took - left) * 1e3 - self._delay(left))
        for at, took in self._acks():
            left = chances.after(at + clock + self._delay(at + clock) / 1e3)
            down.append((at + clock + took - left) * 1e3)
        return median(up), median(down)

    def _delay(self, at):
        return self.delays[int(at * 100) % len(self.delays)]

    def facts(self):
        lost = sum(self.fates)
        return (
            f"- {self.length} s, {statistics.fmean(self.goodput):.2f} Mbit/s, round trips {median(self.trips):.1f} ms (median),"
            f" {quantile(self.trips, 0.95):.1f} ms (p95), {len(self.sender.retransmissions())} retransmissions\n"
            f"- begins {self.start:.2f} s into the series; {lost} of {len(self.fates)} data segments were lost"
            f" ({lost / len(self.fates):.2%})\n"
            f"- took longer than the conditions say: {self.own_up:.1f} ms up, {self.own_down:.1f} ms down (medians)\n"
        )

    def scenario(self, scratch, **changes):
        changes = dict(changes)
        fates = os.path.join(scratch, f"{self.name}-fates.txt")
        with open(fates, "w") as file:
            file.write("".join(f"{fate}\n" for fate in self.fates) + "0\n" * 200_000)
        options = {"length": self.length, "start": f"{self.start:.2f}", "reordering": "allowed", "tcp": "", "rate": "", "queue": 500}
        if self.capacity_file:
            options["capacity"] = f'{{ kind = "mahimahi", file = "{self.capacity_file}", start = "{self.start:.2f} s" }}, '
            if changes.pop("means", False):
                options["capacity"] = self._means(scratch)
        else:
            options["capacity"], options["rate"] = "", 'rate = "60 Mbit/s"'
        share = changes.pop("share", 0.2)
        losses = {
            "random": f'{{ model = "bernoulli", probability = "{share} %" }}',
            "measured": f'{{ model = "trace", file = "{fates}", applies_to = "payload" }}',
        }
        options["loss"] = losses[changes.pop("losses", "random")]
        own = changes.pop("own_delays", False)
        options["up"] = self._series(scratch, "up", self.own_up if own else 0)
        options["down"] = self._series(scratch, "down", self.own_down if own else 0)
        options.update(changes)
        return SCENARIO.format(**options)

    def _series(self, scratch, name, more):
        if not more:
            return self.delay_file
        path = os.path.join(scratch, f"{self.name}-{name}-{more:.3f}.txt")
        with open(path, "w") as file:
            file.writelines(f"{delay + more:.3f}\n" for delay in self.delays)
        return path

    def _means(self, scratch):
        """The capacity as a rate for each second."""
        counts = [0] * 120
        for line in open(self.capacity_file):
            counts[min(int(line) // 1000, 119)] += 1
        path = os.path.join(scratch, "means.csv")
        with open(path, "w") as file:
            file.write("time,rate\n")
            file.writelines(f"{at},{count * 0.012:.3f}\n" for at, count in enumerate(counts))
        columns = 'time = { column = "time", unit = "s" }, rate = { column = "rate", unit = "Mbit/s" }'
        return f'{{ kind = "csv", file = "{path}", start = "{self.start:.2f} s", {columns} }}, '

    def variations(self, scratch):
        """The first is the prediction. The others change one thing, of the first or of the one with the emulator's own delay."""
        own = {"own_delays": True}
        cases = [
            ("as the scripts say", {}),
            ("and the emulator's own delay", own),
            ("the same, the measured losses", {**own, "losses": "measured"}),
            ("the same, no overtaking", {**own, "reordering": "prevented"}),
            ("the same, profile `rfc`", {**own, "tcp": 'profile = "rfc"'}),
            ("the same, no HyStart", {**own, "tcp": 'tcp = { slow_start = "standard" }'}),
            ("the same, receive buffer 64 MB", {**own, "tcp": 'tcp = { receive_buffer = "64 MB" }'}),
            ("the same, queue of 100 packets", {**own, "queue": 100}),
            ("the same, capacity as means of 1 s", {**own, "means": True}),
            ("the same, losses 0.15 %", {**own, "share": 0.15}),
            ("the same, losses 0.25 %", {**own, "share": 0.25}),
        ]
        if not self.capacity_file:
            cases = [case for case in cases if "means" not in case[1]]
            cases += [(f"the same, {rate} Mbit/s", {**own, "rate": f'rate = "{rate} Mbit/s"'}) for rate in (30, 200)]
        heads = [
            "conditions",
            "goodput, simulated / measured",
            f"from {SETTLED} s on",
            "RTT median, error (ms)",
            "RTT p95, error (ms)",
            "retransmissions",
            "correlation over seconds",
        ]
        return table(heads, [self._row(scratch, *case) for case in cases])

    def _row(self, scratch, name, changes):
        ratios, later, medians, p95s, again, fits = [], [], [], [], [], []
        scenario = self.scenario(scratch, **changes)
        for seed in SEEDS if changes.get("losses") != "measured" else [1]:
            _, flow = simulate(scenario, seed, Flow)
            goodput = per_interval(flow.progress(), self.length)
            trips = [trip * 1e3 for _, trip in flow.round_trips()]
            ratios.append(sum(goodput) / sum(self.goodput))
            later.append(sum(goodput[SETTLED:]) / sum(self.goodput[SETTLED:]))
            medians.append(median(trips) - median(self.trips))
            p95s.append(quantile(trips, 0.95) - quantile(self.trips, 0.95))
            again.append(len(flow.retransmissions()))
            fits.append(statistics.correlation(goodput, self.goodput))
        columns = [(ratios, "{:.2f}"), (later, "{:.2f}"), (medians, "{:+.1f}"), (p95s, "{:+.1f}"), (again, "{:.0f}"), (fits, "{:.2f}")]
        return [name] + [spread(*column) if len(ratios) > 1 else column[1].format(column[0][0]) for column in columns]


class Chances:
    """When a packet that need not wait for others is sent: at the next millisecond that has chances."""

    def __init__(self, path):
        self.times = sorted({int(line) for line in open(path)}) if path else None

    def after(self, at):
        if self.times is None:
            return at
        return self.times[bisect.bisect_right(self.times, at * 1e3)] / 1e3


def against_logs(data, example, scratch):
    """Runs of which only the log of the queue is published: what left it, and how long it waited."""
    rows = []
    for name in LOGS:
        path = os.path.join(data, name)
        if not os.path.exists(path):
            continue
        lines = [line.split() for line in open(path).read().splitlines()[1:]]
        packets = [tuple(map(int, line)) for line in lines if len(line) == 4 and int(line[3]) > 1000 and int(line[2]) < 100_000]
        begin = packets[0][1]
        length = min(10, (packets[-1][1] - begin) // 1000) if len(packets) < 50_000 else 100
        sent = sum(1 for it in packets if it[1] < begin + length * 1000) * 1448 * 8 / length / 1e6
        waits = [it[2] for it in packets]
        ratios = []
        for own in (False, True):
            scenario = example.scenario(scratch, length=length, own_delays=own)
            runs = [simulate(scenario, seed)["flows"][0]["delivered_bytes"] for seed in SEEDS]
            ratios.append(spread([count * 8 / length / 1e6 / sent for count in runs]))
        rows.append([name.split("/")[1].removesuffix(".txt"), length, f"{sent:.2f}", *ratios, f"{median(waits):.0f}", f"{quantile(waits, 0.95):.0f}"])
    heads = ["run", "length (s)", "sent (Mbit/s)", "goodput, simulated / sent", "with the emulator's own delay", "waiting, median (ms)", "p95 (ms)"]
    return "\n" + table(heads, rows)
