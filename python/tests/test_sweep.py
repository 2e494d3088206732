"""Sweeps on the processors of this machine, on executors, and over what is stored."""

import subprocess
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest
from support import GRID, QUICK, assert_one_is_within, cells, stored
from test_controls import Halving

import seamline
from seamline import store as stores
from seamline import sweeping
from seamline._command import program


@pytest.fixture(scope="module")
def expected():
    return QUICK.vary(*GRID.copy().popitem()).run(seeds=3, over_time=False)


def test_a_sweep_gives_what_a_run_gives(expected):
    assert cells(seamline.sweep(QUICK, GRID, seeds=3)) == cells(expected)


def test_executors_give_the_same(expected):
    with ThreadPoolExecutor(2) as threads:
        assert cells(seamline.sweep(QUICK, GRID, seeds=3, client=threads)) == cells(expected)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        assert cells(seamline.sweep(QUICK, GRID, seeds=3, client=processes)) == cells(expected)


def test_lines_are_those_of_the_command_byte_for_byte(tmp_path):
    path = tmp_path / "quick.toml"
    path.write_text(QUICK.text)
    scenario = seamline.Scenario.from_file(path).set("duration", "5 s").set("seeds", 3)
    settings = [word for setting in scenario.settings for word in ("--set", setting)]
    out = tmp_path / "command"
    subprocess.run([program(), "sweep", path, *settings, "--out", out, "--quiet"], check=True, capture_output=True)
    seamline.sweep(scenario, store=tmp_path / "library")
    assert sorted((out / "runs.jsonl").read_bytes().splitlines(keepends=True)) == stored(tmp_path / "library")


def test_stored_runs_are_not_run_again(tmp_path, expected, monkeypatch):
    seamline.sweep(QUICK, GRID, seeds=2, store=tmp_path)
    ran = []
    run_batch = sweeping.run_batch
    monkeypatch.setattr(sweeping, "run_batch", lambda task, jobs, stop: ran.extend(jobs) or run_batch(task, jobs, stop))
    assert cells(seamline.sweep(QUICK, GRID, seeds=3, store=tmp_path)) == cells(expected)
    assert len(ran) == len(expected.outcomes), "one seed of each cell"
    seamline.sweep(QUICK, GRID, seeds=3, store=tmp_path)
    assert len(ran) == len(expected.outcomes), "nothing is left to do"


def test_damaged_and_duplicate_files_do_no_harm(tmp_path, expected):
    seamline.sweep(QUICK, GRID, seeds=3, store=tmp_path)
    files = sorted(tmp_path.glob("*.jsonl"))
    whole = files[0].read_bytes()
    files[0].write_bytes(whole[: len(whole) // 2])
    lines = files[-1].read_bytes().splitlines(keepends=True)
    stores.put(stores.open_store(tmp_path), lines[:1])  # a line that is in two files
    with pytest.warns(UserWarning, match=f"{files[0].name} is damaged"):
        assert cells(seamline.sweep(QUICK, GRID, seeds=3, store=tmp_path)) == cells(expected)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the damaged file, unless the same batch has replaced it
        assert len(set(stored(tmp_path))) == len(expected.runs), "every run is in a file that is whole"


def test_a_remote_place_is_a_store(expected):
    fsspec = pytest.importorskip("fsspec")
    url = "memory://sweep"
    assert cells(seamline.sweep(QUICK, GRID, seeds=3, store=url)) == cells(expected)
    files = fsspec.filesystem("memory")
    count = len(files.ls("/sweep"))
    assert cells(seamline.sweep(QUICK, GRID, seeds=3, store=url)) == cells(expected)
    assert len(files.ls("/sweep")) == count > 0


def test_cells_end_when_their_interval_is_narrow():
    grid = {"flow.main.variant": ["newreno"], **GRID}
    narrow = seamline.sweep(QUICK, grid, seeds=60, until=0.05)
    counts = narrow.outcomes.to_dict()["runs"]
    assert counts[0] == 5, "without losses all seeds are alike"
    assert 5 < counts[1] <= 60
    low, mean, high = (narrow.outcomes.to_dict()[f"goodput_{it}_bits_per_second"][1] for it in ("low", "mean", "high"))
    assert (high - low) / 2 / mean <= 0.05
    for jobs in (1, 3):
        again = seamline.sweep(QUICK, grid, seeds=60, until=0.05, jobs=jobs)
        assert cells(again) == cells(narrow), "whatever the order of runs"


def test_errors_name_the_cell_and_keep_what_is_finished(tmp_path):
    class Fragile(Halving):
        limit = seamline.parameter(1, low=0, high=1)

        def on_ack(self, acked, view):
            if self.limit == 0:
                raise ZeroDivisionError("on purpose")
            return super().on_ack(acked, view)

    scenario = QUICK.set("flow.main.variant", Fragile).vary("flow.main.fragile.limit", [1, 0])
    with pytest.raises(seamline.RunError, match=r"cell .*limit = 0, seed \d+: on purpose") as caught:
        seamline.sweep(scenario, seeds=4, store=tmp_path, jobs=1)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert len(stored(tmp_path)) >= 1


def test_another_version_is_refused():
    task = sweeping._Task(QUICK, (), "0.0.1+0123456789abcdef")
    with pytest.raises(seamline.VersionMismatch, match="install the same version"):
        sweeping.run_batch(task, [(0, 0)])


def test_an_interrupt_ends_a_sweep_within_a_second_and_keeps_what_is_finished(tmp_path):
    import _thread

    long = seamline.Scenario.bundled("quickstart").set("duration", "300 s")

    def took(attempt):
        store, began, seconds = tmp_path / str(attempt), time.perf_counter(), []

        def interrupt(done, all):
            if done >= 2 and not seconds:
                seconds.append(time.perf_counter())
                threading.Timer(0.05, _thread.interrupt_main).start()

        with pytest.raises(KeyboardInterrupt):
            seamline.sweep(long, seeds=2000, store=store, progress=interrupt)
            pytest.fail(f"2000 seeds took {time.perf_counter() - began} s")
        ended = time.perf_counter()
        assert len(stored(store)) >= 2
        return ended - seconds[0]

    assert_one_is_within(1.05, took)


def test_an_interrupt_ends_a_run_within_a_second():
    import _thread

    long = seamline.Scenario.bundled("quickstart").set("duration", "3000 s")

    def took(_):
        threading.Timer(0.3, _thread.interrupt_main).start()
        began = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            long.run(seeds=2000)
        return time.perf_counter() - began

    assert_one_is_within(1.3, took)


def test_other_clients_are_refused():
    with pytest.raises(TypeError, match="Executor"):
        seamline.sweep(QUICK, client=object())
