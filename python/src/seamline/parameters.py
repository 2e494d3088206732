"""Parameters of classes that scenarios may name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

__all__ = ["Parameter", "parameter"]


@dataclass(frozen=True)
class Parameter:
    """A number that scenarios may set; made by :func:`parameter`."""

    default: float
    low: float
    high: float
    about: str


def parameter(default: float, *, low: float = -1e300, high: float = 1e300, about: str = "A parameter") -> float:
    """A parameter of a class, as an attribute of the class. Scenarios set it in the table of the flow or the agent that has the name of the
    class (``flow.NAME.CONTROL.PARAMETER``), from ``low`` to ``high``. Instances have its value as an attribute."""
    return cast(float, Parameter(default, low, high, about))
