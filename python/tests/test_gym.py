"""The environment for training congestion controls."""

import warnings

import pytest

np = pytest.importorskip("numpy")
gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

import seamline  # noqa: E402
from seamline import _seamline, gym  # noqa: E402

QUICK = seamline.Scenario.bundled("quickstart").set("duration", "10 s")
CLEAN = QUICK.set("link.radio.down.loss.probability", "0 %")


def episode(env, seed, act):
    """Observations and measurements of a whole episode, and how it ended."""
    observation, info = env.reset(seed=seed)
    observations, infos = [observation], [info]
    terminated = truncated = False
    while not (terminated or truncated):
        observation, _, terminated, truncated, info = env.step(np.array([act(observation)], dtype=np.float32))
        observations.append(observation)
        infos.append(info)
    return np.array(observations), infos, (terminated, truncated)


def careful(observation):
    """Keeps about a fifth of a round-trip time in the queue."""
    return 0.5 if observation[1] < 0.2 else -0.5


@pytest.mark.parametrize("action", ["window", "rate"])
def test_the_environment_passes_the_checks_of_gymnasium(action):
    env = gymnasium.make("seamline/CongestionControl-v0", scenario=QUICK, action=action)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


def test_measurements_have_the_names_of_the_native_side():
    assert list(gym.Measurements._fields) == _seamline.measurements()


@pytest.mark.parametrize("interval", [{"interval": 0.05}, {"round_trips": 2.0}])
def test_the_same_seed_and_actions_give_the_same_observations(interval):
    one, other = (gym.CongestionControlEnv(QUICK, **interval) for _ in range(2))
    first, infos, ended = episode(one, 7, careful)
    np.testing.assert_array_equal(first, episode(other, 7, careful)[0])
    np.testing.assert_array_equal(first, episode(one, 7, careful)[0])
    again = episode(one, 8, careful)[0]
    assert again.shape != first.shape or (again != first).any(), "other losses"
    assert ended == (False, True) and infos[-1]["time"] == 10


def test_decisions_are_due_at_their_times():
    _, infos, _ = episode(gym.CongestionControlEnv(QUICK, interval=0.25), 1, careful)
    assert [info["interval"] for info in infos[1:-1]] == pytest.approx([0.25] * (len(infos) - 2))
    _, infos, _ = episode(gym.CongestionControlEnv(QUICK, round_trips=2.0), 1, careful)
    expected = [2 * info["smoothed_round_trip"] for info in infos[:-2]]
    assert [info["interval"] for info in infos[1:-1]] == pytest.approx(expected, abs=1e-6)


def test_actions_set_the_window():
    env = gym.CongestionControlEnv(CLEAN, interval=0.2, most_factor=4)
    _, info = env.reset(seed=1)
    assert info["window"] == 10, "the initial window of Linux"
    for action, expected in [(0.5, 20), (0.0, 20), (-1.0, 5), (-1.0, 2)]:
        _, _, _, _, info = env.step(np.array([action], dtype=np.float32))
        assert info["window"] == expected
    for _ in range(5):
        _, _, _, _, info = env.step(np.array([-1.0], dtype=np.float32))
    assert info["throughput"] == pytest.approx(2 * 1448 * 8 / info["round_trip"], rel=0.11), "two segments a round-trip time"


def test_actions_set_the_rate():
    env = gym.CongestionControlEnv(CLEAN, interval=0.5, action="rate")
    _, info = env.reset(seed=1)
    rate = info["pacing_rate"]
    for action in (0.5, 0.5, 0.0, 0.0):
        _, _, _, _, info = env.step(np.array([action], dtype=np.float32))
    assert info["pacing_rate"] == pytest.approx(2 * rate)
    assert info["throughput"] == pytest.approx(2 * rate, rel=0.02), "below the rate of the link"
    assert info["lost"] == 0 and info["delivered"] == pytest.approx(info["sent"], abs=2)


def test_a_transfer_that_is_complete_terminates_the_episode():
    env = gym.CongestionControlEnv(CLEAN.set("flow.main.size", "1 MB"))
    _, infos, ended = episode(env, 1, careful)
    assert ended == (True, False)
    delivered = sum(info["delivered"] for info in infos) * infos[0]["segment_size"]
    assert 0.97e6 < delivered < 1.03e6
    assert 0.8 < infos[-1]["time"] < 4


def test_worlds_of_a_vector_are_those_of_single_environments():
    alone = gym.CongestionControlEnv(QUICK)
    expected = [episode(alone, seed, careful)[0] for seed in (5, 6, 7)]
    env = gymnasium.make_vec("seamline/CongestionControl-v0", num_envs=3, vectorization_mode="vector_entry_point", scenario=QUICK)
    observations, _ = env.reset(seed=5)
    for step in range(len(expected[0]) - 1):
        for world in range(3):
            np.testing.assert_array_equal(observations[world], expected[world][step])
        actions = np.array([[careful(it)] for it in observations], dtype=np.float32)
        observations, rewards, terminated, truncated, info = env.step(actions)
        assert env.observation_space.contains(observations) and rewards.shape == (3,)
    assert truncated.all() and not terminated.any()
    observations, rewards, _, truncated, info = env.step(actions)
    assert not truncated.any() and (rewards == 0).all() and (info["interval"] == 0).all(), "they begin again"


def test_a_policy_sees_in_a_run_what_it_saw_in_training():
    seen = []

    class Careful(gym.Policy):
        round_trips = 1.5

        def act(self, observation):
            seen.append(observation)
            return careful(observation)

    for action in ("window", "rate"):
        Careful.action = action
        Careful.__seamline_version__ = action
        scenario = seamline.Scenario.bundled("starlink").set("duration", "16 s").set("seeds", [4])
        scenario = scenario.set("flow.upload.variant", Careful)
        seen.clear()
        (goodput,) = scenario.set("warm_up", "0 s").run(jobs=1).runs.to_dict()["goodput_bits_per_second"]
        env = gym.CongestionControlEnv(scenario, action=action, round_trips=1.5)
        expected, infos, _ = episode(env, 4, careful)
        count = min(len(seen), len(expected)) - 1  # the class decides with the next acknowledgment, if one comes
        assert count > 100 and count >= len(expected) - 3
        np.testing.assert_array_equal(seen[:count], expected[:count])
        delivered = sum(info["delivered"] * info["segment_size"] for info in infos)
        assert goodput * 16 / 8 == pytest.approx(delivered, rel=0.02)


def test_rewards_are_those_of_the_papers():
    it = gym.Measurements(
        *[10.0, 0.1, 50.0, np.inf, 40.0, 1448.0, 0.05, 0.04, 0.06, 0.06, 1448 * 8 * 900.0],
        *[1448 * 8 * 1000.0, 1448 * 8 * 1000.0, 90.0, 10.0, 100.0, 0.0],
    )
    assert gym.aurora(it) == pytest.approx((10 * 900 - 60 - 2000 * 0.1) / 1000)
    assert gym.orca(it) == pytest.approx((0.9 - 5 * 0.1) * 1), "a queue within the margin costs nothing"
    assert gym.orca(it._replace(smoothed_round_trip=0.1)) == pytest.approx(0.4 * 0.5)
    assert gym.log_power(it) == pytest.approx(np.log(1448 * 8 * 900 / 1e6) - np.log(0.06))


def test_rewards_and_observations_take_arrays():
    env = gym.make_vec(QUICK, 2, reward=gym.orca)
    env.reset(seed=1)
    _, rewards, *_, info = env.step(np.ones((2, 1), dtype=np.float32))
    for world in range(2):
        one = gym.Measurements(*(float(info[name][world]) for name in gym.Measurements._fields))
        assert rewards[world] == pytest.approx(gym.orca(one))


def test_wrong_arguments_are_refused():
    grid = seamline.Scenario.bundled("quickstart").vary("link.radio.rate", ["1 Mbit/s", "2 Mbit/s"])
    with pytest.raises(ValueError, match="2\ntip: set one value"):
        gym.CongestionControlEnv(grid)
    with pytest.raises(seamline.ScenarioError):
        gym.CongestionControlEnv(QUICK, flow="other")
    with pytest.raises(ValueError, match="positive number"):
        gym.CongestionControlEnv(QUICK, interval=0.0)
    with pytest.raises(ValueError, match="positive number"):
        gym.CongestionControlEnv(QUICK, interval=0.1, round_trips=1.0)
    with pytest.raises(ValueError, match='"window" or "rate"'):
        gym.CongestionControlEnv(QUICK, action="both")
    with pytest.raises(ValueError, match="count = 1"):
        gym.CongestionControlEnv(QUICK.set("flow.main.count", 2))
    with pytest.raises(seamline.ScenarioError, match="rack"):
        gym.CongestionControlEnv(QUICK.set("flow.main.profile", "rfc"))
    with pytest.raises(ValueError, match="seamline.gym"):
        QUICK.run(seeds=1, variants=["gym"])


def test_an_exception_in_another_flow_is_raised_by_the_step():
    class Broken(seamline.CongestionControl):
        def on_ack(self, acked, view):
            raise ZeroDivisionError("on purpose")

        def on_loss(self, timeout, view):
            return None

    seamline.register(Broken)
    two = QUICK.text.replace("[grid]", '[[flow]]\nname = "other"\nfrom = "server"\nto = "laptop"\nvariant = "broken"\n[grid]')
    scenario = seamline.Scenario.from_toml(two)
    with pytest.raises(ValueError, match="main, other"):
        gym.CongestionControlEnv(scenario)
    for env in (gym.CongestionControlEnv(scenario, flow="main"), gym.make_vec(scenario, 2, flow="main")):
        for _ in range(2):
            with pytest.raises(ZeroDivisionError, match="on purpose"):
                env.reset(seed=1)
                env.step(np.zeros(env.action_space.shape, dtype=np.float32))
