"""Kernels in virtual time, by the same calls."""

import subprocess

import pytest

import seamline
from seamline._command import program

QUICK = seamline.Scenario.bundled("quickstart").set("duration", "3 s").set("flow.main.variant", "cubic")


def has_kernel():
    listed = subprocess.run([program(), "kernel", "list"], capture_output=True, text=True)
    return "linux-6.12" in listed.stdout


needs_kernel = pytest.mark.skipif(not has_kernel(), reason="seamline kernel build 6.12 has not been run")


@needs_kernel
def test_a_kernel_runs_and_sweeps_like_our_tcp(tmp_path):
    run = QUICK.run(seeds=2, stack="linux-6.12", over_time=False)
    assert run.table("emulation").to_dict()["kernel"][0].startswith("6.12")
    assert all(rate > 1e5 for rate in run.runs.to_dict()["goodput_bits_per_second"])
    swept = seamline.sweep(QUICK.set("stack", "linux-6.12"), seeds=2, store=tmp_path)
    assert swept.runs.to_dict() == run.runs.to_dict(), "the same bytes, from a run and from a sweep"


def test_a_kernel_that_was_not_built_says_how():
    with pytest.raises(ValueError, match="seamline kernel build"):
        QUICK.run(stack="linux-5.99")
