"""What tests of sweeps share."""

import seamline
from seamline import store as stores

QUICK = seamline.Scenario.bundled("quickstart").set("duration", "5 s")
GRID = {"link.radio.down.loss.probability": ["0 %", "1 %"]}


def cells(result):
    """All records, without the first run's course over time, which sweeps do not keep."""
    cells = result.to_json()["cells"]
    for flow in (flow for cell in cells for run in cell["runs"] for flow in run["flows"]):
        flow.pop("intervals", None)
    return cells


def stored(folder):
    """The lines of runs in a store."""
    return sorted(stores.lines_of(stores.open_store(folder)))


def assert_one_is_within(seconds, took):
    """One of three attempts takes no longer: other programs may have the processor for a while."""
    attempts = []
    while not attempts or (min(attempts) >= seconds and len(attempts) < 3):
        attempts.append(took(len(attempts)))
    assert min(attempts) < seconds, attempts
