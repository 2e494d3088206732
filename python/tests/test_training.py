"""The example that trains a congestion control."""

import importlib.util
from pathlib import Path

import pytest

import seamline

np = pytest.importorskip("numpy")
pytest.importorskip("gymnasium")

FILE = Path(__file__).parents[1] / "examples" / "train_congestion_control.py"


@pytest.fixture
def example():
    spec = importlib.util.spec_from_file_location("train_congestion_control", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_training_is_repeatable_and_prefers_what_scores_better(example, monkeypatch):
    monkeypatch.setattr(example, "GENERATIONS", 2)
    monkeypatch.setattr(example, "CANDIDATES", 6)
    monkeypatch.setattr(example, "ELITE", 2)
    monkeypatch.setattr(example, "RUNS", 1)
    monkeypatch.setattr(example, "SCENARIO", example.SCENARIO.set("duration", "5 s"))
    first = example.train()
    assert first.shape == (len(example.FEATURES) + 1,)
    np.testing.assert_array_equal(first, example.train())


def test_the_stored_policy_trades_a_little_goodput_for_a_short_queue(example, monkeypatch, capsys):
    monkeypatch.setattr(example, "SCENARIO", seamline.Scenario.bundled("starlink").set("duration", "20 s"))
    runs = example.compare().runs.to_dict()
    goodput = example.by_variant(runs, "goodput_bits_per_second")
    delay = example.by_variant(runs, "round_trip_mean_ms")
    assert "learned" in capsys.readouterr().out
    assert 0.6 < goodput["learned"].mean() / goodput["cubic"].mean() < 1.4
    assert 0.3 < delay["learned"].mean() / delay["cubic"].mean() < 0.95
