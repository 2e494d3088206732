"""Sweeps on a Dask cluster of processes: workers that die, a scheduler that is cut off, and versions that differ."""

import os
import signal
import threading
import time

import pytest
from support import GRID, QUICK, assert_one_is_within, cells, stored

import seamline

distributed = pytest.importorskip("distributed")


@pytest.fixture
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, worker_dashboard_address=None
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


def test_a_cluster_gives_the_bytes_of_this_machine(client, tmp_path):
    here = seamline.sweep(QUICK, GRID, seeds=6, store=tmp_path / "here")
    there = seamline.sweep(QUICK, GRID, seeds=6, client=client, store=tmp_path / "there")
    assert cells(there) == cells(here)
    assert stored(tmp_path / "there") == stored(tmp_path / "here")


def test_a_killed_worker_costs_only_its_batch(client, tmp_path):
    scenario = QUICK.set("duration", "60 s")
    killed = []

    def kill(done, all):
        if done >= 10 and not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    result = seamline.sweep(scenario, GRID, seeds=12, client=client, store=tmp_path, progress=kill)
    assert killed and len(result.runs) == 120
    assert cells(result) == cells(seamline.sweep(scenario, GRID, seeds=12))
    assert len(stored(tmp_path)) == 120, "no run is missing, and none is there twice"


def test_a_sweep_whose_scheduler_is_cut_off_goes_on_from_what_is_stored(tmp_path):
    scenario = QUICK.set("duration", "40 s")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, worker_dashboard_address=None
    )
    client = distributed.Client(cluster)
    closing = []

    def cut(done, all):
        if done >= 10 and not closing:
            closing.append(threading.Thread(target=cluster.close))
            closing[0].start()

    with pytest.raises(seamline.RunError, match="cluster"):
        seamline.sweep(scenario, GRID, seeds=40, client=client, store=tmp_path, progress=cut)
    closing[0].join()
    client.close()
    kept = len(stored(tmp_path))
    assert 10 <= kept < 400
    result = seamline.sweep(scenario, GRID, seeds=40, store=tmp_path)
    assert len(result.runs) == 400 and set(stored(tmp_path)[:kept]) <= set(stored(tmp_path))


def test_workers_of_another_version_are_refused(client):
    def pretend():
        import seamline._seamline as native

        native.engine = lambda: "0.0.1+0123456789abcdef"

    client.run(pretend)
    with pytest.raises(seamline.VersionMismatch, match="0.0.1"):
        seamline.sweep(QUICK, GRID, seeds=3, client=client)


def test_a_class_of_a_notebook_reaches_workers(client):
    # As in a notebook, the class belongs to no module that workers could import.
    names = {"seamline": seamline, "__name__": "__main__"}
    exec(
        "class Fixed(seamline.CongestionControl):\n"
        "    def on_ack(self, acked, view): return 7.0\n"
        "    def on_loss(self, timeout, view): return 7.0\n",
        names,
    )
    control = names["Fixed"]
    scenario = QUICK.set("flow.main.variant", control)
    there = seamline.sweep(scenario, GRID, seeds=3, client=client, classes=[control])
    assert cells(there) == cells(seamline.sweep(scenario, GRID, seeds=3))


def test_an_interrupt_ends_the_work_of_the_cluster(client, tmp_path):
    import _thread

    scenario = QUICK.set("duration", "300 s")

    def took(attempt):
        store, started = tmp_path / str(attempt), []

        def interrupt(done, all):
            if done >= 4 and not started:
                started.append(time.perf_counter())
                threading.Timer(0.05, _thread.interrupt_main).start()

        with pytest.raises(KeyboardInterrupt):
            seamline.sweep(scenario, GRID, seeds=2000, client=client, store=store, progress=interrupt)
        ended = time.perf_counter()
        assert len(stored(store)) >= 4
        return ended - started[0]

    assert_one_is_within(2, took)
