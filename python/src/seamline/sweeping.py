"""Sweeps: many runs, on the processors of this machine, on a Dask cluster, or on any executor."""

from __future__ import annotations

import math
import os
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from . import _seamline
from . import store as stores
from .classes import Named, register, version
from .errors import RunError, VersionMismatch
from .progress import Bar, Progress
from .result import Result
from .scenario import Scenario

__all__ = ["sweep"]

#: The least work that goes to a worker at once: the more, the less it costs to hand it over; the less, the less is lost with a worker.
LEAST_SECONDS = 0.5
#: Batches that are handed out in a second, at most, however many workers there are: far below what Dask's scheduler can do.
TASKS_PER_SECOND = 100
MOST_IN_A_BATCH = 10_000
#: Runs of a cell before its interval is judged.
LEAST_SEEDS = 5

Job = tuple[int, int]


def sweep(
    scenario: Scenario,
    grid: Mapping[str, Iterable[Any]] | None = None,
    seeds: int | Sequence[int] | None = None,
    *,
    client: Any = None,
    store: str | os.PathLike[str] | None = None,
    until: float | None = None,
    classes: Sequence[Named] = (),
    jobs: int | None = None,
    progress: Progress = None,
) -> Result:
    """Run every cell of a grid with every seed, wherever there is room. The results are the same as those of :meth:`Scenario.run`, byte for
    byte, on any machine. The tables over time (``series``, ``queues``, ``packets``) are empty.

    Args:
        scenario: What to run.
        grid: Keys and the values of each, in addition to those that vary in the scenario.
        seeds: How many seeds, or which.
        client: A ``dask.distributed.Client``, or any ``concurrent.futures.Executor``; without it, the processors of this machine.
        store: A directory, or a URL for fsspec such as ``s3://bucket/sweep``. Finished runs are kept there, and are not run again: after an
            interruption, repeat the same call.
        until: A relative half width, such as ``0.02``. A cell gets no more seeds when the 95 % intervals of the goodput of all its flows
            are that narrow, after five seeds or more. ``seeds`` is the most.
        classes: Congestion controls, handover schemes and agents that the scenario names, for workers.
        jobs: How many batches are at work at a time [default: one for each processor, and two for each of a cluster].
        progress: As for :meth:`Scenario.run`.

    Raises:
        ScenarioError: The scenario has errors.
        RunError: A run failed; the message starts with its cell and seed. What was finished before is stored.
        VersionMismatch: A worker has another version of Seamline.
    """
    for cls in classes:
        register(cls)
    for key, values in (grid or {}).items():
        scenario = scenario.vary(key, values)
    scenario = scenario.with_options(seeds)
    work = _Work(scenario, None if store is None else stores.open_store(store), until)
    task = _Task(scenario, tuple(classes), _seamline.engine())
    pool = _pool_of(client, jobs)
    with Bar(work.size, progress) as bar:
        bar.at(len(work.done))
        try:
            _run(work, task, pool, bar)
        finally:
            _put(work, pool.close())
    return Result(scenario.plan.results_of(work.chosen(), scenario.command))


@dataclass(frozen=True)
class _Task:
    """What a worker needs to know besides its jobs."""

    scenario: Scenario
    classes: tuple[Named, ...]
    engine: str


@lru_cache(maxsize=8)
def _plan(scenario: Scenario, versions: tuple[str, ...]) -> _seamline.Plan:
    """The plan of a scenario whose classes have these versions."""
    return replace(scenario).plan


def run_batch(task: _Task, jobs: list[Job], stop: _seamline.Stop | None = None) -> tuple[list[bytes], float]:
    """What a worker does: run some jobs, and say how long they took."""
    if task.engine != _seamline.engine():
        raise VersionMismatch(
            f"this worker has seamline {_seamline.engine()}, and the program that asked it has {task.engine}: their results would differ\n"
            "tip: install the same version on all workers"
        )
    versions = []
    for cls in task.classes:
        register(cls)
        versions.append(f"{cls.name} {version(cls)}")
    plan = _plan(task.scenario, tuple(versions))
    began = time.perf_counter()
    lines = plan.lines(jobs, stop)
    return lines, time.perf_counter() - began


def seconds_in_a_batch(places: int) -> float:
    """How long a batch is to take when so many are under way at a time; two of them for each core."""
    return max(LEAST_SECONDS, places / 2 / TASKS_PER_SECOND)


class _Cell:
    """The runs of a cell in the order of their seeds, of which a wish for narrow intervals may need only the first."""

    def __init__(self, until: float | None) -> None:
        self.runs: list[tuple[Job, str]] = []
        self._until = until
        self._given = 0
        #: The goodputs of the first runs that are done.
        self._rates: list[list[float]] = []
        self._enough: int | None = None

    def next(self, done: Mapping[str, tuple[bytes, list[float]]]) -> list[tuple[Job, str]]:
        """The runs to begin now: without such a wish all at first, otherwise few, and more when those are done and not enough."""
        found: list[tuple[Job, str]] = []
        while not found and self._given < len(self.runs):
            if self._until is None:
                more = len(self.runs)
            else:
                self._look(done, self._until)
                if self._enough is not None or len(self._rates) < self._given:
                    break
                more = LEAST_SEEDS if self._given < LEAST_SEEDS else max(1, self._given // 2)
            fresh = self.runs[self._given : self._given + more]
            self._given += len(fresh)
            found = [it for it in fresh if it[1] not in done]
        return found

    def _look(self, done: Mapping[str, tuple[bytes, list[float]]], until: float) -> None:
        """Find the least number of first runs whose intervals are narrow enough; it does not depend on the order in which runs end."""
        for _, key in self.runs[len(self._rates) :]:
            if self._enough is not None or key not in done:
                return
            self._rates.append(done[key][1])
            widths = [_seamline.relative_half_width(list(flow)) for flow in zip(*self._rates)]
            is_narrow = all(width is not None and width <= until for width in widths)
            if len(self._rates) >= LEAST_SEEDS and is_narrow:
                self._enough = len(self._rates)

    def chosen(self, done: Mapping[str, tuple[bytes, list[float]]]) -> list[bytes]:
        """The lines that belong to the result."""
        if self._until is not None:
            self._look(done, self._until)
        return [done[key][0] for _, key in self.runs[: self._enough] if key in done]


class _Work:
    """What is to be run, and what has been."""

    def __init__(self, scenario: Scenario, store: stores.Store | None, until: float | None) -> None:
        self._store = store
        #: Finished runs by their key: lines, and the goodput of each flow.
        self.done: dict[str, tuple[bytes, list[float]]] = {}
        jobs = scenario.plan.jobs()
        self.size = len(jobs)
        self._cells: dict[int, _Cell] = {}
        self._cell_of: dict[str, _Cell] = {}
        for cell, place, key in jobs:
            it = self._cells.setdefault(cell, _Cell(until))
            it.runs.append(((cell, place), key))
            self._cell_of[key] = it
        if store is not None:
            self._keep(stores.lines_of(store))
        first = {key for it in self._cells.values() for _, key in it.next(self.done)}
        # The first seeds of all cells come before the second ones.
        self._waiting = deque((cell, place) for cell, place, key in jobs if key in first)

    def put(self, lines: list[bytes]) -> None:
        """Keep finished runs."""
        if self._store is not None and lines:
            stores.put(self._store, lines)
        for cell in self._keep(lines):
            self._waiting.extend(job for job, _ in cell.next(self.done))

    def _keep(self, lines: Iterable[bytes]) -> list[_Cell]:
        """Note finished runs of this sweep. Returns their cells."""
        cells: dict[int, _Cell] = {}
        for line in lines:
            key, rates = _seamline.Plan.read(line)
            if (cell := self._cell_of.get(key)) is not None:
                self.done[key] = line, rates
                cells[id(cell)] = cell
        return list(cells.values())

    def next(self, most: int) -> list[Job]:
        """What to run next, of those that wait."""
        return [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]

    def chosen(self) -> list[bytes]:
        """The lines that belong to the result: all, or of each cell the first until its interval is narrow enough."""
        return [line for cell in self._cells.values() for line in cell.chosen(self.done)]


#: What came of a batch: its lines and how long they took, or why there are none.
Outcome = tuple[list[bytes], float] | Exception


class _Pool:
    """Batches that are under way on an executor."""

    def __init__(self, executor: Executor, slots: int, *, is_own: bool) -> None:
        self._executor, self.slots, self._is_own = executor, slots, is_own
        # Threads of this process can be stopped; processes of others end what they began.
        self._stop = _seamline.Stop() if is_own else None
        self._futures: set[Future[Any]] = set()

    def __len__(self) -> int:
        return len(self._futures)

    def submit(self, task: _Task, jobs: list[Job]) -> None:
        self._futures.add(self._executor.submit(run_batch, task, jobs, self._stop))

    def next(self) -> list[Outcome]:
        """What has ended, at least one batch."""
        done, self._futures = wait(self._futures, return_when=FIRST_COMPLETED)
        return [_outcome(it) for it in done]

    def close(self) -> list[Outcome]:
        """End what is under way; what came of it."""
        if self._stop is not None:
            self._stop.set()
        under_way = [it for it in self._futures if not it.cancel()]
        if self._is_own:
            self._executor.shutdown(wait=True, cancel_futures=True)
        return [_outcome(it) for it in under_way if it.done()]


class _Cluster:
    """Batches that are under way on a Dask cluster. The scheduler runs those of a lost worker again."""

    def __init__(self, client: Any, slots: int | None) -> None:
        from distributed import as_completed

        self._client, self._slots = client, slots
        self._completed = as_completed([], with_results=False)
        self._under_way: set[Any] = set()

    @property
    def slots(self) -> int:
        # Workers come and go.
        return self._slots or max(2, 2 * sum(self._client.nthreads().values()))

    def __len__(self) -> int:
        return len(self._under_way)

    def submit(self, task: _Task, jobs: list[Job]) -> None:
        future = self._client.submit(run_batch, task, jobs, pure=False)
        self._under_way.add(future)
        self._completed.add(future)

    def next(self) -> list[Outcome]:
        done = self._completed.next_batch(block=True)
        self._under_way.difference_update(done)
        return [self._outcome(it) for it in done]

    def _outcome(self, future: Any) -> Outcome:
        outcome = _outcome(future)
        if future.status in ("cancelled", "lost"):
            return RunError(f"the cluster was lost ({outcome}); finished runs are stored if there is a store: repeat the call")
        return outcome

    def close(self) -> list[Outcome]:
        done = [it for it in self._under_way if it.status == "finished"]
        if self._client.status == "running":
            self._client.cancel([it for it in self._under_way if it.status != "finished"])
        return [_outcome(it) for it in done]


def _outcome(future: Any) -> Outcome:
    try:
        result: Outcome = future.result()
        return result
    except Exception as error:
        return error


def _pool_of(client: Any, jobs: int | None) -> _Pool | _Cluster:
    if client is None:
        slots = jobs or _processors()
        return _Pool(ThreadPoolExecutor(slots), slots, is_own=True)
    if isinstance(client, Executor):
        workers = getattr(client, "_max_workers", None) or _processors()
        return _Pool(client, jobs or 2 * workers, is_own=False)
    if hasattr(client, "nthreads") and hasattr(client, "submit"):
        return _Cluster(client, jobs)
    raise TypeError("client is a dask.distributed.Client or a concurrent.futures.Executor")


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run(work: _Work, task: _Task, pool: _Pool | _Cluster, bar: Bar) -> None:
    size = 1
    while True:
        while len(pool) < pool.slots and (batch := work.next(size)):
            pool.submit(task, batch)
        if len(pool) == 0:
            return
        outcomes = pool.next()
        seconds = _put(work, outcomes)
        bar.at(len(work.done))
        if seconds > 0:
            size = max(1, min(MOST_IN_A_BATCH, math.floor(seconds_in_a_batch(pool.slots) / seconds)))
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome


def _put(work: _Work, outcomes: list[Outcome]) -> float:
    """Keep what ended well. Returns the seconds that a run took; zero if none ended well."""
    good = [it for it in outcomes if not isinstance(it, Exception)]
    lines = [line for batch, _ in good for line in batch]
    work.put(lines)
    return sum(seconds for _, seconds in good) / len(lines) if lines else 0.0
