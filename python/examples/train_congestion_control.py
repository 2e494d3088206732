"""Train a small congestion control for Starlink by the cross-entropy method, and compare it with CUBIC and BBR.

    python train_congestion_control.py            # compare the policy that is stored next to this file
    python train_congestion_control.py --train    # train it again first: one to two minutes on two cores

The policy is linear: an action is tanh(weights x features). It is trained on runs of 30 s with seeds from 1000 on, and compared in the
ordinary scenario, 60 s, with seeds 1 to 10.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

import seamline
import seamline.gym

STORED = Path(__file__).with_name("starlink_policy.json")
SCENARIO = seamline.Scenario.bundled("starlink")
SETTINGS = {"action": "rate", "round_trips": 1.0, "most_factor": 1.5}
FEATURES = list(seamline.gym.FEATURES)

#: The 97.5 % quantile of Student's t with nine degrees of freedom, for ten seeds.
STUDENT_T = 2.262

GENERATIONS, CANDIDATES, ELITE, RUNS = 20, 24, 6, 3


def act(weights, observations):
    """The actions of policies with these weights, the last of which is the bias."""
    return np.tanh((observations * weights[..., :-1]).sum(axis=-1) + weights[..., -1])


def reward(it):
    """ln(throughput) - ln(round-trip time), as in Remy: a per cent of throughput is worth a per cent of delay."""
    return seamline.gym.log_power(it, delay=1.0)


def scores(env, candidates, first_seed):
    """The mean reward per second of each candidate over the same runs."""
    weights = np.repeat(candidates, RUNS, axis=0)
    seeds = np.tile(np.arange(first_seed, first_seed + RUNS), len(candidates))
    observations, info = env.reset(seed=seeds.tolist())
    total, running = np.zeros(len(seeds)), np.ones(len(seeds), dtype=bool)
    while running.any():
        actions = act(weights, observations)[:, None].astype(np.float32)
        observations, rewards, terminated, truncated, info = env.step(actions)
        total += np.where(running, rewards * info["interval"], 0)
        running &= ~(terminated | truncated)
    return total.reshape(len(candidates), RUNS).mean(axis=1) / 30


def train():
    random = np.random.default_rng(0)
    env = seamline.gym.make_vec(SCENARIO.set("duration", "30 s"), CANDIDATES * RUNS, reward=reward, **SETTINGS)
    mean, deviation = np.zeros(len(FEATURES) + 1), np.full(len(FEATURES) + 1, 0.5)
    for generation in range(GENERATIONS):
        candidates = mean + deviation * random.standard_normal((CANDIDATES, mean.size))
        candidates[0] = mean
        found = scores(env, candidates, 1000 + generation * RUNS)
        best = candidates[np.argsort(found)[-ELITE:]]
        mean, deviation = best.mean(axis=0), best.std(axis=0) + 0.05
        print(f"generation {generation + 1:2}: mean of the candidates {found.mean():6.3f}, best {found.max():6.3f}")
    return mean


class Learned(seamline.gym.Policy):
    """A linear policy, trained on Starlink."""

    action = SETTINGS["action"]
    round_trips = SETTINGS["round_trips"]
    most_factor = SETTINGS["most_factor"]
    weights = None

    def act(self, observation):
        return act(self.weights, observation)


def compare():
    stored = json.loads(STORED.read_text())
    if stored["features"] != FEATURES or stored["settings"] != SETTINGS:
        raise SystemExit(f"{STORED.name} was trained with other features or settings: train again with --train")
    Learned.weights = np.array(stored["weights"])
    # Results depend on the weights, too, and not on the source alone.
    Learned.__seamline_version__ = json.dumps(stored["weights"])
    result = SCENARIO.run(seeds=list(range(1, 11)), variants=["cubic", "bbr", "bbr3", Learned])
    print(result)
    runs = result.runs.to_dict()
    goodput, delay = (by_variant(runs, column) for column in ("goodput_bits_per_second", "round_trip_mean_ms"))
    reached = {variant: np.log(goodput[variant] / 1e6) - np.log(delay[variant] / 1e3) for variant in goodput}
    print("variant  goodput      mean round trip  objective  learned minus this, with 95 % interval")
    for variant, values in reached.items():
        less = reached[Learned.name] - values
        half = STUDENT_T * less.std(ddof=1) / np.sqrt(len(less))
        print(
            f"{variant:8} {goodput[variant].mean() / 1e6:4.1f} Mbit/s {delay[variant].mean():8.0f} ms "
            f"{values.mean():12.2f} {less.mean():+10.2f} +- {half:.2f}"
        )
    return result


def by_variant(runs, column):
    """The values of a column for each variant, in the order of seeds."""
    values = dict.fromkeys(runs["variant"])
    for variant in values:
        values[variant] = np.array([it for it, of in zip(runs[column], runs["variant"]) if of == variant])
    return values


def plot(result, path):
    """Goodput over round-trip time, a dot for each run."""
    import matplotlib.pyplot as plt

    runs = result.runs.to_dict()
    goodput, delay = (by_variant(runs, column) for column in ("goodput_bits_per_second", "round_trip_mean_ms"))
    _, axes = plt.subplots()
    for variant in goodput:
        axes.plot(delay[variant], goodput[variant] / 1e6, "o", label=variant)
    axes.set(xlabel="mean round-trip time (ms)", ylabel="goodput (Mbit/s)")
    axes.legend()
    axes.figure.savefig(path)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--train", action="store_true", help="train the policy again first")
    arguments.add_argument("--plot", metavar="FILE", help="draw the runs into this file")
    chosen = arguments.parse_args()
    if chosen.train:
        began = time.monotonic()
        weights = train()
        print(f"trained in {time.monotonic() - began:.0f} s")
        stored = {"settings": SETTINGS, "features": FEATURES, "weights": [round(it, 4) for it in weights]}
        STORED.write_text(json.dumps(stored, indent=1) + "\n")
    result = compare()
    if chosen.plot:
        plot(result, chosen.plot)
