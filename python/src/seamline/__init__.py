"""Seamline shows how TCP behaves, and what helps it, when a host moves between networks.

>>> import seamline
>>> result = seamline.Scenario.bundled("quickstart").run(seeds=5, variants=["cubic", "newreno"])
>>> print(result)  # doctest: +SKIP
"""

from . import actions, errors
from ._seamline import VERSION as __version__
from ._seamline import engine
from .agents import Agent, Segment
from .classes import register
from .controls import Acked, CongestionControl, View
from .errors import Problem, RunError, ScenarioError, VersionMismatch
from .network import Network
from .parameters import parameter
from .result import Result, Table
from .scenario import Scenario, bundled, papers
from .schemes import HandoverNews, HandoverScheme
from .sweeping import sweep

__all__ = [
    "Acked",
    "Agent",
    "CongestionControl",
    "HandoverNews",
    "HandoverScheme",
    "Network",
    "Problem",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Segment",
    "Table",
    "VersionMismatch",
    "View",
    "__version__",
    "actions",
    "bundled",
    "engine",
    "errors",
    "papers",
    "parameter",
    "register",
    "sweep",
]
