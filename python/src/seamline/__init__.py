"""Seamline shows how TCP behaves, and what helps it, when a host moves between base stations, Wi-Fi, cellular networks, satellites or trains.

>>> import seamline
>>> result = seamline.Scenario.bundled("quickstart").run(seeds=5, variants=["cubic", "newreno"])
>>> print(result)  # doctest: +SKIP
"""

from . import errors
from ._seamline import VERSION as __version__
from ._seamline import engine
from .controls import Acked, CongestionControl, View, parameter, register
from .errors import Problem, RunError, ScenarioError, VersionMismatch
from .result import Result, Table
from .scenario import Scenario, bundled
from .sweeping import sweep

__all__ = [
    "Acked",
    "CongestionControl",
    "Problem",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Table",
    "VersionMismatch",
    "View",
    "__version__",
    "bundled",
    "engine",
    "errors",
    "parameter",
    "register",
    "sweep",
]
