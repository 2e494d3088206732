"""The examples of the guide run."""

import re
from pathlib import Path

import pytest

import seamline

for needed in ("duckdb", "matplotlib", "polars", "pyarrow"):
    pytest.importorskip(needed)

GUIDES = Path(__file__).parents[2] / "docs" / "how-to"


def test_the_examples_of_the_guide_run(tmp_path, monkeypatch):
    import matplotlib

    matplotlib.use("Agg")
    run, sweep = seamline.Scenario.run, seamline.sweep
    # With one seed, which is enough to see that they run.
    monkeypatch.setattr(seamline.Scenario, "run", lambda self, seeds=1, *rest, **more: run(self, min(seeds, 1), *rest, **more))
    monkeypatch.setattr(seamline, "sweep", lambda *given, seeds=1, **more: sweep(*given, seeds=min(seeds, 6), **more))
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", (GUIDES / "python.md").read_text(), re.S)
    assert len(examples) >= 7
    names = {"__name__": "guide"}
    for number, example in enumerate(examples):
        exec(compile(example, f"python.md, example {number + 1}", "exec"), names)
    outcomes = names["result"].outcomes.to_dict()
    assert all(rate > 0 for rate in outcomes["goodput_mean_bits_per_second"])
