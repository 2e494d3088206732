"""Scenarios: what goes in, and what is wrong with it."""

import json
import pickle
import shlex
import subprocess
from pathlib import Path

import pytest

import seamline
from seamline._command import program
from seamline._toml import to_toml

QUICK = seamline.Scenario.bundled("quickstart").set("duration", "5 s")


def test_values_are_written_as_toml():
    assert to_toml("20 Mbit/s") == '"20 Mbit/s"'
    assert to_toml('a "b" \\ é') == '"a \\"b\\" \\\\ é"'
    assert to_toml([1, 2.5, True, "x"]) == '[1, 2.5, true, "x"]'
    assert to_toml({"discipline": "codel", "two words": 1}) == '{discipline = "codel", "two words" = 1}'
    assert to_toml(Path("a/b")) == '"a/b"'
    with pytest.raises(TypeError, match="a scenario cannot hold"):
        to_toml(object())


def test_a_scenario_does_not_change():
    other = QUICK.set("link.radio.rate", "1 Mbit/s")
    assert QUICK.settings != other.settings
    assert other.set({"seeds": 2, "duration": "2 s"}).plan.duration_s == 2.0


def test_errors_have_code_line_and_fix(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('duration = "5 s"\nnodes = ["a", "b"]\nlink = [{ name = "wire", from = "a", to = "b", rat = "1 Mbit/s" }]\n')
    with pytest.raises(seamline.ScenarioError) as caught:
        seamline.Scenario.from_file(path).check()
    error = caught.value
    rate = error.problems[-1]
    assert rate.line == 3 and rate.column > 1 and rate.code == "SL002" and "rate" in rate.fix
    assert error.line == 1 and error.code == "SL003", "of the first error"
    assert {problem.file for problem in error.problems} == {str(path)}
    assert len(error.problems) >= 2, "all errors at once"
    assert "bad.toml:3" in str(error)
    assert pickle.loads(pickle.dumps(error)).problems == error.problems


def test_an_error_of_a_setting_names_it():
    with pytest.raises(seamline.ScenarioError) as caught:
        QUICK.set("link.radio.rate", "1 parsec").check()
    assert caught.value.problems[0].file == "--set" and caught.value.line == 1


def test_unknown_names_list_what_there_is():
    with pytest.raises(ValueError, match="quickstart"):
        seamline.Scenario.bundled("quickstrat")


def test_variants_of_several_flows_need_a_name():
    with pytest.raises(ValueError, match="vary one of them"):
        QUICK.set("flow", TWO_FLOWS).run(variants=["cubic"])


TWO_FLOWS = [
    {"name": "main", "from": "server", "to": "laptop"},
    {"name": "other", "from": "server", "to": "laptop", "variant": "sack"},
]


def test_every_bundled_scenario_can_be_read():
    for name in seamline.bundled():
        scenario = seamline.Scenario.bundled(name)
        try:
            scenario.check()
        except seamline.ScenarioError as error:
            assert name in ("leoem", "mahimahi", "delay-series", "recording"), error  # they ask for a recording


def test_every_scenario_of_a_paper_can_be_read():
    names = [(letter, name) for letter, (_, names) in seamline.papers().items() for name in names]
    assert len(names) > 20
    for letter, name in names:
        seamline.Scenario.of_paper(letter, name).check()
    with pytest.raises(ValueError, match="E fig3"):
        seamline.Scenario.of_paper("E", "fig99")


def test_the_command_does_the_same(tmp_path):
    """The command of the wheel and the library give the same result, byte for byte."""
    path = tmp_path / "quick.toml"
    path.write_text(QUICK.text)
    scenario = seamline.Scenario.from_file(path).set("duration", "5 s").set("seeds", 2)
    words = shlex.split(scenario.command)[1:]
    done = subprocess.run([program(), *words, "--format", "json", "--quiet"], check=True, capture_output=True)
    assert json.loads(done.stdout)["cells"] == scenario.run(over_time=False).to_json()["cells"]
