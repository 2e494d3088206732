"""What it costs to spread a sweep: writes docs/measurements/cluster.md. Takes about five minutes.

python python/benches/cluster.py [PAGE]
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cloudpickle
from distributed import Client, LocalCluster

import seamline
from seamline import sweeping
from seamline._command import program

PAGE = Path(__file__).parents[2] / "docs" / "measurements" / "cluster.md"
PAIRS = 5
SEEDS = 200
WORKERS = 2
#: Virtual seconds of a run; chosen so that one takes about 50 ms here.
TARGET_SECONDS = 0.05


def scenario() -> seamline.Scenario:
    base = seamline.Scenario.bundled("quickstart").set("flow.main.variant", "cubic").set("link.radio.rate", "50 Mbit/s")
    base = base.set("link.radio.down.loss.probability", "0.01 %")
    duration = 20
    while True:
        trial = base.set("duration", f"{duration} s")
        began = time.perf_counter()
        trial.plan.lines([(0, 0), (0, 1), (0, 2), (0, 3)])
        seconds = (time.perf_counter() - began) / 4
        if seconds > 0.8 * TARGET_SECONDS:
            return base.set("duration", f"{max(1, round(duration * TARGET_SECONDS / seconds))} s").set("seeds", SEEDS)
        duration *= 2


def timed(work: Callable[[Path], object]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        work(Path(folder) / "out")
        return time.perf_counter() - began


def command(it: seamline.Scenario, jobs: int) -> Callable[[Path], object]:
    def run(out: Path) -> None:
        file = out.with_name("quick.toml")
        file.write_text(it.text)
        settings = [word for setting in it.settings for word in ("--set", setting)]
        words = [program(), "sweep", file, *settings, "--out", out, "--jobs", str(jobs), "--quiet"]
        subprocess.run(words, check=True, capture_output=True)

    return run


def ratios(first: Callable[[Path], object], second: Callable[[Path], object]) -> list[float]:
    """Second over first, pair by pair, the order of each pair reversed in the next."""
    found = []
    for pair in range(PAIRS):
        order = [first, second] if pair % 2 == 0 else [second, first]
        times = {work: timed(work) for work in order}
        found.append(times[second] / times[first])
    return found


def spread(values: list[float]) -> str:
    values = sorted(values)
    return f"{statistics.median(values):.3f} ({values[0]:.3f} to {values[-1]:.3f})"


def main() -> None:
    it = scenario()
    seconds = timed(lambda _: it.plan.lines([(0, place) for place in range(20)])) / 20
    library = lambda out: seamline.sweep(it, store=out, jobs=WORKERS, progress=False)  # noqa: E731
    rows = [("library, threads", ratios(command(it, WORKERS), library))]
    with LocalCluster(WORKERS, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        dask = lambda out: seamline.sweep(it, store=out, client=client, progress=False)  # noqa: E731
        timed(dask)  # workers import the package
        rows.append(("Dask, 2 worker processes", ratios(command(it, WORKERS), dask)))
        one = ratios(command(it, 1), command(it, WORKERS))
        cluster.scale(1)
        client.wait_for_workers(1)
        while len(client.nthreads()) > 1:
            time.sleep(0.1)
        single = [timed(dask) for _ in range(3)]
        cluster.scale(WORKERS)
        client.wait_for_workers(WORKERS)
        timed(dask)
        double = [timed(dask) for _ in range(3)]
        tasks = tasks_per_second(client)
    scaling = statistics.median(single) / statistics.median(double)
    task = sweeping._Task(it, (), seamline.engine())
    sent = len(cloudpickle.dumps((sweeping.run_batch, task, [(0, 0)])))
    lines, _ = sweeping.run_batch(task, [(0, 0), (0, 1)])
    received = sum(map(len, lines)) / len(lines)
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    place.write_text(page(it, seconds, rows, one, scaling, tasks, sent, received))


def nothing(number: int) -> int:
    return number


def tasks_per_second(client: Client) -> float:
    """How many tasks that do nothing the scheduler and two workers handle in a second."""
    count = 2000
    client.gather(client.map(nothing, range(100), pure=False))
    began = time.perf_counter()
    client.gather(client.map(nothing, range(count), pure=False))
    return count / (time.perf_counter() - began)


def page(
    it: seamline.Scenario,
    seconds: float,
    rows: list[tuple[str, list[float]]],
    one: list[float],
    scaling: float,
    tasks: float,
    sent: int,
    received: float,
) -> str:
    table = "\n".join(f"| {name} | {spread(values)} |" for name, values in rows)
    cores = 10_000
    slots = 2 * cores
    batch = sweeping.seconds_in_a_batch(slots)
    per_batch = max(1, int(batch / seconds))
    rate = cores / batch
    cells = cores / seconds
    return f"""# What a cluster costs

The script `python python/benches/cluster.py` wrote this page, on {os.cpu_count()} processors ({platform.machine()}), with
Python {platform.python_version()}. A run takes {seconds * 1e3:.0f} ms there (`quickstart`, CUBIC at 50 Mbit/s), and a sweep has {SEEDS} runs. Each
ratio is of two sweeps one after the other, the order alternating; the median of {PAIRS} pairs, and the range.

| on {WORKERS} processors | time relative to `seamline sweep` |
|---|---|
{table}

The time includes what each needs to begin: the command starts a process, and Dask sends the first batches. With two workers in place of one, a
sweep on Dask takes {1 / scaling:.2f} of the time, and `seamline sweep` {spread(one)}.

## Ten thousand cores

This part is calculated from what was measured on this machine. Nobody has run it.

| | |
|---|---|
| sent for a batch, without Dask's own | {sent / 1024:.1f} kB, whatever the number of its runs |
| received for a run | {received / 1024:.2f} kB |
| tasks that Dask's scheduler and two workers handled | {tasks:.0f} in a second |
| length of a batch with {slots} places | {batch:.0f} s, which is {per_batch} runs |
| batches that the scheduler hands out | {rate:.0f} in a second: {100 * rate / tasks:.0f} % of what it can |
| results that reach the program | {cells:.0f} runs in a second, {cells * received / 1e6:.0f} MB/s |
| stored files | {rate:.0f} in a second |

A batch grows with the number of places, so that the scheduler has at most {sweeping.TASKS_PER_SECOND} batches in a second with any number of
cores. The limit is the program that takes the results: at {received / 1024:.1f} kB for each run, a network of 1 Gbit/s
carries those of {int(125e6 / received * seconds)} cores with runs of {seconds * 1e3:.0f} ms. Longer runs, or several sweeps with stores of their own, need
proportionally less. A lost worker costs its batch: at most {batch:.0f} s of one core.
"""


if __name__ == "__main__":
    main()
