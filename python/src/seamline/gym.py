"""An environment of gymnasium: one flow of a scenario, whose congestion control is the agent.

>>> import gymnasium, seamline.gym
>>> env = gymnasium.make("seamline/CongestionControl-v0", scenario="starlink")
>>> observation, info = env.reset(seed=1)

An episode is one run of the scenario with one seed. The native simulator runs the world from one decision to the next; no packet calls
Python. The same seed and the same actions give the same measurements on every computer.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, cast

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from . import _seamline
from .controls import Acked, CongestionControl, View
from .measured import FEATURES, HIGH, LOW, Measurements, Reward, aurora, features, log_power, orca
from .scenario import Scenario

__all__ = [
    "FEATURES",
    "CongestionControlEnv",
    "CongestionControlVectorEnv",
    "Measurements",
    "Policy",
    "aurora",
    "features",
    "log_power",
    "make_vec",
    "orca",
]

#: What an action changes.
Action = Literal["window", "rate"]

VARIANT = _seamline.register_environment()


def _prepared(scenario: Scenario | str | os.PathLike[str], flow: str | None) -> tuple[Scenario, str]:
    """The scenario with the agent in its flow."""
    if not isinstance(scenario, Scenario):
        is_file = isinstance(scenario, os.PathLike) or scenario.endswith(".toml")
        scenario = Scenario.from_file(scenario) if is_file else Scenario.bundled(os.fspath(scenario))
    if flow is None:
        flows = scenario.plan.flows
        if len(flows) != 1:
            raise ValueError(f"the scenario has the flows {', '.join(flows)}: say which is the agent's, flow=...")
        flow = flows[0]
    return scenario.set(f"flow.{flow}.variant", VARIANT), flow


class _Worlds:
    """Native worlds, with what both kinds of environment have in common."""

    def __init__(
        self,
        scenario: Scenario | str | os.PathLike[str],
        worlds: int,
        flow: str | None,
        action: Action,
        interval: float | None,
        round_trips: float | None,
        most_factor: float,
    ) -> None:
        if not most_factor > 1:
            raise ValueError("most_factor has to be more than 1")
        interval = _interval(interval, round_trips)
        self.scenario, self.flow = _prepared(scenario, flow)
        self.most_factor = most_factor
        self._native = _seamline.Environments(self.scenario.plan, self.flow, worlds, interval, round_trips, action)

    def advance(self, orders: list[tuple[int | None, float]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Advance each world to its next decision: measurements and standings."""
        numbers = np.frombuffer(self._native.advance(orders), dtype=np.float64)
        rows = numbers.reshape(len(orders), self._native.COLUMNS)
        return rows[:, :-1], rows[:, -1]

    def factor(self, action: float) -> float:
        """What an action from -1 to 1 multiplies by."""
        return _factor(self.most_factor, action)


def _interval(interval: float | None, round_trips: float | None) -> float | None:
    """Seconds between decisions, unless they are round-trip times apart."""
    return 0.1 if interval is None and round_trips is None else interval


def _factor(most: float, action: float) -> float:
    return float(most ** min(max(action, -1.0), 1.0))


#: Spaces of observations and of actions.
Space = gymnasium.Space[NDArray[np.float32]]


def _spaces() -> tuple[Space, Space]:
    observations = gymnasium.spaces.Box(LOW, HIGH, dtype=np.float32)
    actions = gymnasium.spaces.Box(-1.0, 1.0, shape=(1,), dtype=np.float32)
    return cast(Space, observations), cast(Space, actions)


class CongestionControlEnv(gymnasium.Env[NDArray[np.float32], NDArray[np.float32]]):
    """One flow of a scenario, whose congestion control is the agent; ``seamline/CongestionControl-v0``.

    *Observation*: the :data:`FEATURES` of the interval since the last decision. *Action*: a number from -1 to 1; window or pacing rate are
    multiplied by ``most_factor ** action``, with effect from the next acknowledgment on. Losses are repaired as by Linux; a timeout lets
    the window begin again from one segment, up to the one that was chosen. *Reward*: ``reward`` of the :class:`Measurements` of the
    interval. The episode terminates when a flow with a ``size`` has transferred it, and is truncated at the end of the scenario.
    ``info`` has the measurements by name.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        scenario: Scenario | str | os.PathLike[str],
        *,
        flow: str | None = None,
        action: Action = "window",
        interval: float | None = None,
        round_trips: float | None = None,
        most_factor: float = 2.0,
        reward: Reward = aurora,
        render_mode: None = None,
    ) -> None:
        """
        Args:
            scenario: A scenario of one grid cell, the name of a bundled one, or a file. The agent's flow needs RACK loss detection,
            which the default profile has.
            flow: The agent's flow; needed where the scenario has several.
            action: What the agent chooses: ``"window"``, sent as acknowledgments permit, or ``"rate"``, paced.
            interval: Seconds of virtual time from one decision to the next. Default: 0.1.
            round_trips: In place of ``interval``: smoothed round-trip times from one decision to the next.
            most_factor: The factor of action 1; action -1 divides by it.
            reward: A function of measurements, such as :func:`aurora`, :func:`orca` or :func:`log_power`.
            render_mode: There is none.
        """
        self._worlds = _Worlds(scenario, 1, flow, action, interval, round_trips, most_factor)
        self._reward = reward
        self.render_mode = render_mode
        self.observation_space, self.action_space = _spaces()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode. ``seed`` is the seed of the run; without one it is drawn."""
        super().reset(seed=seed)
        if seed is None:
            seed = _seed(self.np_random)
        it, _ = self._advance((seed, 1.0))
        return features(it), it._asdict()

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Decide, and run to the next decision."""
        factor = self._worlds.factor(float(np.asarray(action).reshape(-1)[0]))
        it, standing = self._advance((None, factor))
        return features(it), float(self._reward(it)), standing == 1, standing == 2, it._asdict()

    def _advance(self, order: tuple[int | None, float]) -> tuple[Measurements, float]:
        rows, standings = self._worlds.advance([order])
        return Measurements(*rows[0].tolist()), float(standings[0])


class CongestionControlVectorEnv(gymnasium.vector.VectorEnv[NDArray[np.float32], NDArray[np.float32], Any]):
    """The same with many worlds, which native threads advance at the same time. A world that has ended begins again in the next step, whose
    action it ignores (``AutoresetMode.NEXT_STEP``), with the next seed that it draws. ``info`` has an array for each measurement."""

    metadata: dict[str, Any] = {
        "render_modes": [],
        "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        scenario: Scenario | str | os.PathLike[str],
        num_envs: int = 1,
        *,
        flow: str | None = None,
        action: Action = "window",
        interval: float | None = None,
        round_trips: float | None = None,
        most_factor: float = 2.0,
        reward: Reward = aurora,
        render_mode: None = None,
    ) -> None:
        """The arguments are those of :class:`CongestionControlEnv`; ``reward`` gets and returns arrays."""
        self._worlds = _Worlds(scenario, num_envs, flow, action, interval, round_trips, most_factor)
        self._reward = reward
        self.render_mode = render_mode
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = _spaces()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ended = np.ones(num_envs, dtype=bool)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode in each world. A ``seed`` is that of the first world's run; those of the others count up from it."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is None or isinstance(seed, int):
            seeds = [None if seed is None else seed + place for place in range(self.num_envs)]
        else:
            seeds = list(seed)
        orders = [(_seed(self.np_random) if it is None else it, 1.0) for it in seeds]
        self._ended[:] = False
        rows, _ = self._worlds.advance(list(orders))
        it = Measurements(*rows.T)
        return features(it), it._asdict()

    def step(
        self, actions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Decide in each world, and run each to its next decision."""
        factors = [self._worlds.factor(float(it)) for it in np.asarray(actions).reshape(-1)]
        seeds = [_seed(self.np_random) if ended else None for ended in self._ended]
        rows, standings = self._worlds.advance(list(zip(seeds, factors)))
        it = Measurements(*rows.T)
        rewards = np.where(self._ended, 0.0, self._reward(it))
        terminated, truncated = standings == 1, standings == 2
        self._ended = terminated | truncated
        return features(it), rewards, terminated, truncated, it._asdict()


def _seed(random: np.random.Generator) -> int:
    return int(random.integers(2**32))


def make_vec(scenario: Scenario | str | os.PathLike[str], num_envs: int, **arguments: Any) -> CongestionControlVectorEnv:
    """Worlds of a scenario that native threads advance at the same time: :class:`CongestionControlVectorEnv`."""
    return CongestionControlVectorEnv(scenario, num_envs, **arguments)


class Policy(CongestionControl):
    """A trained policy as a congestion control of ordinary scenarios. A subclass has the method :meth:`act`, and the attributes that the
    environment of its training was made with. With the same seed it meets the same observations there as in the environment."""

    #: What the policy chooses.
    action: Action = "window"
    #: Seconds from one decision to the next.
    interval: float | None = None
    #: In place of that: smoothed round-trip times from one decision to the next.
    round_trips: float | None = None
    #: The factor of action 1.
    most_factor: float = 2.0

    def __init__(self) -> None:
        interval = _interval(self.interval, self.round_trips)
        self._pilot = _seamline.Pilot(interval, self.round_trips, self.action)

    def act(self, observation: NDArray[np.float32]) -> float:
        """The action for an observation, from -1 to 1."""
        raise NotImplementedError

    def on_rate_sample(self, sample: Acked, view: View) -> tuple[float, float | None]:
        """Decide where a decision was due, and count the acknowledgment."""
        self._decide(view)
        return self._pilot.acknowledged(sample, view)

    def on_loss(self, timeout: bool, view: View) -> float:
        """Losses change nothing, unless by a timeout."""
        self._decide(view)
        return self._pilot.lost(timeout, view)

    def _decide(self, view: View) -> None:
        while (ended := self._pilot.ended(view.now)) is not None:
            action = float(self.act(features(Measurements(*ended))))
            self._pilot.decide(_factor(self.most_factor, action))


gymnasium.register(
    id="seamline/CongestionControl-v0",
    entry_point="seamline.gym:CongestionControlEnv",
    vector_entry_point="seamline.gym:CongestionControlVectorEnv",
)
