"""The template for Slurm's job arrays, under a scheduler that stands in for Slurm."""

import os
import subprocess
from pathlib import Path

import pytest

import seamline
from seamline import store as stores
from seamline._command import program

TEMPLATE = Path(__file__).parents[2] / "packaging" / "slurm" / "sweep.sbatch"


def submit(arguments, *, tasks, count=None, folder, **variables):
    """Run the tasks of an array, as Slurm would."""
    outcomes = []
    for task in tasks:
        environment = os.environ | {
            "PATH": f"{program().parent}:{os.environ['PATH']}",
            "SLURM_ARRAY_TASK_ID": str(task),
            "SLURM_ARRAY_TASK_COUNT": str(count or len(tasks)),
            "SLURM_ARRAY_TASK_MIN": str(min(tasks)),
            "SLURM_ARRAY_TASK_MAX": str(max(tasks)),
            "SLURM_CPUS_PER_TASK": "2",
            **variables,
        }
        done = subprocess.run(["sh", TEMPLATE, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
        outcomes.append(done)
    return outcomes


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "quick.toml"
    path.write_text(seamline.Scenario.bundled("quickstart").text.replace('"30 s"', '"3 s"'))
    return path


def test_an_array_computes_the_whole_sweep(scenario, tmp_path):
    for done in submit(["quick.toml", "out"], tasks=range(1, 5), folder=tmp_path):
        assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "out").glob("runs-*-of-4.jsonl"))) == 4
    joined = subprocess.run(
        [program(), "sweep", "quick.toml", "--out", "out", "--quiet", "--format", "json"], cwd=tmp_path, capture_output=True, check=True
    )
    assert b'"cells"' in joined.stdout
    lines = sorted((tmp_path / "out" / "runs.jsonl").read_bytes().splitlines(keepends=True))
    seamline.sweep(seamline.Scenario.from_file(scenario), store=tmp_path / "library")
    assert lines == sorted(stores.lines_of(stores.open_store(tmp_path / "library"))), "the bytes of a sweep on one machine"


def test_a_missing_shard_is_run_alone(scenario, tmp_path):
    submit(["quick.toml", "out"], tasks=[1, 2], count=2, folder=tmp_path)
    (tmp_path / "out" / "runs-2-of-2.jsonl").unlink()
    (refused,) = submit(["quick.toml", "out"], tasks=[2], count=1, folder=tmp_path)
    assert refused.returncode != 0 and "SHARDS" in refused.stderr
    (done,) = submit(["quick.toml", "out"], tasks=[2], count=1, folder=tmp_path, SHARDS="2")
    assert done.returncode == 0 and (tmp_path / "out" / "runs-2-of-2.jsonl").exists()


def test_a_wrong_call_says_how(scenario, tmp_path):
    (done,) = submit(["quick.toml"], tasks=[1], folder=tmp_path)
    assert done.returncode == 2 and "usage" in done.stderr
