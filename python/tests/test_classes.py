"""Handover schemes and agents that are classes, next to built-in ones that do the same."""

import pytest

import seamline
from seamline import actions

TRAIN = seamline.Scenario.bundled("handover").set({"duration": "40 s", "seeds": 3})


class Repeating(seamline.HandoverScheme):
    """TR-ACKs: three acknowledgments when the link is up again."""

    times = seamline.parameter(3, low=0, high=10, about="Acknowledgments")

    def on(self, event, view):
        return [actions.acknowledge(int(self.times))] if event.kind == "link-up" else None


class Announcing(seamline.HandoverScheme):
    """The mover says that it has moved, and the sender goes on with its window, as with EHN."""

    marks = ("handover",)

    def on(self, event, view):
        if event.kind == "link-up":
            return [actions.acknowledge(1, mark="handover")]
        if event.kind == "marked" and event.mark == "handover":
            return [actions.THAW, actions.FORGET_ROUND_TRIP, actions.GO_BACK]


class Local(seamline.Agent):
    """Snoop's idea: keep data, and send again what duplicate acknowledgments ask for."""

    patience = seamline.parameter(0.03, low=0.01, high=10, about="Seconds without news after which the first segment is sent again")

    def __init__(self):
        self.kept, self.repaired, self.since, self.waits = set(), None, 0.0, False

    def on_segment(self, segment):
        if segment.from_wired and segment.length:
            self.kept.add(segment.start)
            return [actions.keep(segment.start), *self.wait(restart=False)]
        missing = segment.acknowledged
        if segment.from_wired or missing is None or segment.opens_or_ends:
            return None
        self.kept = {it for it in self.kept if it >= missing}
        if segment.duplicate and missing in self.kept:
            if self.repaired != missing:
                self.repaired, self.since = missing, segment.now
                return [actions.DROP, actions.send(missing), *self.wait()]
            # The repair is on its way; if it takes long, the sender shall know.
            return [actions.DROP] if segment.now - self.since < self.patience else None
        return [actions.forget_before(missing), *self.wait()]

    def on_wake(self, now):
        self.waits = False
        return [actions.send(min(self.kept)), *self.wait()] if self.kept else None

    def wait(self, restart=True):
        if self.waits and not restart:
            return []
        self.waits = bool(self.kept)
        return [actions.wake_after(self.patience if self.kept else None)]


def rates(result, seeds=3):
    return [result.runs.to_dict()["goodput_bits_per_second"][at : at + seeds] for at in range(0, len(result.runs), seeds)]


def plain(scenario):
    return scenario.set({"agent.station.kind": "none", "flow.download.handover": "none"})


def test_a_scheme_does_what_the_built_in_one_does():
    none, built_in, own = rates(plain(TRAIN).vary("flow.download.handover", ["none", "tr-acks", Repeating]).run(over_time=False))
    assert own == built_in != none
    quiet = plain(TRAIN).set({"flow.download.handover": Repeating, "flow.download.repeating.times": 0}).run(over_time=False)
    assert rates(quiet)[0] == none, "no acknowledgment repeated"


def test_a_scheme_with_marks_reaches_the_other_end():
    none, ehn, own = rates(plain(TRAIN).vary("flow.download.handover", ["none", "ehn", Announcing]).run(over_time=False))
    assert own != none
    assert all(0.8 < a / b < 1.2 for a, b in zip(own, ehn))


def test_an_agent_repairs_losses():
    # Three seeds are too few: the ratio of own to Snoop's goodput is from 1.0 to 1.4 then, and about 1.2 with twenty.
    agents = plain(TRAIN).set({"seeds": 12}).vary("agent.station.kind", ["none", "snoop", Local])
    none, snoop, own = rates(agents.run(over_time=False), seeds=12)
    assert sum(own) > 2 * sum(none)
    assert 0.7 < sum(own) / sum(snoop) < 1.4, "about as much as Snoop gains"


def test_classes_belong_to_the_identity_of_cells():
    identity = plain(TRAIN).set("agent.station.kind", Local).plan.identity

    class Other(Local):
        name = "local"

    assert plain(TRAIN).set("agent.station.kind", Other).plan.identity != identity


@pytest.mark.parametrize("answer", [["jump"], [("keep", "x")], [("set-window", -1)], 5])
def test_what_is_not_an_action_is_refused(answer):
    class Odd(seamline.HandoverScheme):
        def on(self, event, view):
            return answer

    class Strange(seamline.Agent):
        def on_segment(self, segment):
            return answer

    with pytest.raises((ValueError, TypeError)):
        plain(TRAIN).set("flow.download.handover", Odd).run()
    with pytest.raises((ValueError, TypeError)):
        plain(TRAIN).set("agent.station.kind", Strange).run()


def test_unknown_marks_and_other_classes_are_refused():
    class Marked(Announcing):
        marks = ("hello",)

    with pytest.raises(ValueError, match="will-handover"):
        seamline.register(Marked)
    with pytest.raises(TypeError, match="HandoverScheme"):
        seamline.register(dict)


def test_agents_forward_what_they_do_not_answer_for():
    class Looking(seamline.Agent):
        def on_segment(self, segment):
            assert segment.end - segment.start >= segment.length

    none, looking = rates(plain(TRAIN).vary("agent.station.kind", ["none", Looking]).run(over_time=False))
    assert none == looking
