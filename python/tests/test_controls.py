"""Congestion controls that are classes."""

import pytest

import seamline

QUICK = seamline.Scenario.bundled("quickstart").set("duration", "10 s")


class Halving(seamline.CongestionControl):
    """NewReno's arithmetic, in Python."""

    increase = seamline.parameter(1.0, low=0.1, high=10, about="Segments per round-trip time")

    def on_ack(self, acked, view):
        segments = acked.delivered // view.segment_size
        window = view.window
        if window < view.threshold:
            return window + min(segments, 1)
        return window + self.increase / window

    def on_loss(self, timeout, view):
        half = max(view.in_flight / 2, 2.0)
        return (1.0 if timeout else half, half)


def goodput(result):
    return result.runs.to_dict()["goodput_bits_per_second"]


def test_a_class_is_a_variant_like_others():
    result = QUICK.run(seeds=2, variants=["newreno", Halving])
    assert result.runs.to_dict()["variant"] == ["newreno"] * 2 + ["halving"] * 2
    reno, mine = goodput(result)[:2], goodput(result)[2:]
    assert all(0.7 < a / b < 1.3 for a, b in zip(mine, reno)), "the same arithmetic, another recovery"


def test_parameters_are_keys_with_bounds():
    result = QUICK.set("flow.main.variant", Halving).vary("flow.main.halving.increase", [0.5, 4]).run(seeds=1)
    slow, fast = goodput(result)
    assert fast > 1.2 * slow
    with pytest.raises(seamline.ScenarioError, match="between 0.1 and 10"):
        QUICK.set("flow.main.variant", Halving).set("flow.main.halving.increase", 11).check()


def test_results_are_the_same_on_one_and_two_processors():
    scenario = QUICK.set("flow.main.variant", Halving)
    assert scenario.run(seeds=4, jobs=1).to_json() == scenario.run(seeds=4, jobs=2).to_json()


def test_another_class_of_the_name_replaces_the_first_and_its_identity():
    def make(step):
        class Stepping(Halving):
            name = "stepping"
            about = step

            def on_ack(self, acked, view):
                return view.window + step / view.window

        Stepping.__seamline_version__ = str(step)
        return Stepping

    identities, rates = [], []
    for step in (0.5, 8.0):
        scenario = QUICK.set("flow.main.variant", make(step))
        identities.append(scenario.plan.identity)
        rates.append(goodput(scenario.run(seeds=1))[0])
    assert identities[0] != identities[1] and rates[1] > 1.2 * rates[0]


def test_an_exception_ends_the_run_and_is_the_one_that_was_raised():
    class Broken(Halving):
        def on_ack(self, acked, view):
            raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        QUICK.run(seeds=2, variants=[Broken])
    assert goodput(QUICK.run(seeds=1))[0] > 0, "the next run is not affected"


@pytest.mark.parametrize("answer", ["fast", float("nan"), -1.0, (1.0, 2.0, 3.0)])
def test_what_is_not_a_window_is_refused(answer):
    class Wrong(Halving):
        def on_ack(self, acked, view):
            return answer

    with pytest.raises(ValueError, match="window"):
        QUICK.run(seeds=1, variants=[Wrong])


def test_names_that_are_taken_and_methods_that_lack_are_refused():
    class Cubic(Halving):
        pass

    with pytest.raises(ValueError, match='the name "cubic" is taken'):
        seamline.register(Cubic)

    class Half(seamline.CongestionControl):
        def on_ack(self, acked, view):
            return None

    with pytest.raises(TypeError, match="on_loss"):
        seamline.register(Half)


class Paced(seamline.CongestionControl):
    """Sends at a fixed rate."""

    rate = seamline.parameter(3e6, low=1e3, high=1e9, about="Bits per second")

    def on_rate_sample(self, sample, view):
        assert sample.rate is None or sample.rate > 0
        return 1000.0, self.rate / 8


def test_a_class_may_pace():
    scenario = QUICK.set("flow.main.profile", "linux-6.12").set("link.radio.down.loss.probability", "0 %")
    scenario = scenario.set("flow.main.variant", Paced).set("warm_up", "2 s")
    (rate,) = goodput(scenario.run(seeds=1))
    assert 2.7e6 < rate < 3.0e6, "three Mbit/s with headers"
    with pytest.raises(seamline.ScenarioError, match="needs the recovery rack"):
        seamline.Scenario.from_toml(WITHOUT_RECORDS).check()


WITHOUT_RECORDS = """
duration = "1 s"
nodes = ["a", "b"]
link = [{ name = "wire", from = "a", to = "b", rate = "1 Mbit/s", one_way_delay = "1 ms" }]
flow = [{ name = "main", from = "a", to = "b", congestion_control = "paced", recovery = "sack" }]
"""
