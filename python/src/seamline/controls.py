"""Congestion controls of your own, as classes."""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from . import _seamline
from ._seamline import Acked, View

__all__ = ["Acked", "CongestionControl", "View", "parameter", "register"]

#: A window: segments, or a pair of window and slow start threshold in segments, or ``None`` for no change.
Window = float | tuple[float, float] | None

OPTIONAL = ("observe", "on_path_change", "on_window_replaced", "on_rate_sample")


@dataclass(frozen=True)
class Parameter:
    """A number that scenarios may set; made by :func:`parameter`."""

    default: float
    low: float
    high: float
    about: str


def parameter(default: float, *, low: float = -1e300, high: float = 1e300, about: str = "A parameter") -> float:
    """A parameter of a :class:`CongestionControl`, as an attribute of the class. Scenarios set it as
    ``flow.NAME.CONTROL.PARAMETER``, from ``low`` to ``high``; instances have its value as an attribute."""
    return cast(float, Parameter(default, low, high, about))


class CongestionControl:
    """How much may be in flight. Every connection has an instance of its own.

    A method gets the acknowledgment and a :class:`View` of what the sender knows, and returns a window in segments: a number, a pair
    with the slow start threshold, or ``None`` for no change. Take the time from ``view.now`` and draw no random numbers, so that
    runs give the same results every time.
    """

    #: The name in scenarios; that of the class in lower case unless the class sets it.
    name: str

    def on_ack(self, acked: Acked, view: View) -> Window:
        """The window may grow for this acknowledgment."""
        raise NotImplementedError

    def on_loss(self, timeout: bool, view: View) -> Window:
        """A loss was found: from acknowledgments, or by a timeout."""
        raise NotImplementedError

    def observe(self, acked: Acked, view: View) -> None:
        """Every acknowledgment, before recovery reads it: for estimates of bandwidth and delay. Optional."""

    def on_path_change(self, round_trip: float | None, view: View) -> Window:
        """A handover scheme reports a new path, with its round-trip time in seconds if that is known. Optional."""

    def on_window_replaced(self) -> None:
        """Recovery or a handover scheme has set the window. Optional."""

    def on_rate_sample(self, sample: Acked, view: View) -> Window | tuple[Window, float | None]:
        """Every acknowledgment, after losses are known. A class that has this method decides on the window alone, and may pace: it returns
        a window, or a pair of a window and a pacing rate in bytes per second. :meth:`on_ack` is not called then. It needs the recovery
        ``rack`` (``profile = "linux-6.12"``). Optional."""


C = TypeVar("C", bound=type[CongestionControl])


def register(cls: C) -> C:
    """Make a class usable by its name in scenarios. A class of the same name is replaced, so that a notebook's cell can be run again.
    Passing the class itself to ``variants`` or :meth:`Scenario.set` does the same. It is also a decorator."""
    if "name" not in cls.__dict__:
        cls.name = cls.__name__.lower()
    methods = [it for it in OPTIONAL if getattr(cls, it) is not getattr(CongestionControl, it)]
    if "on_rate_sample" not in methods:
        methods += ["on_ack", "on_loss"]
        for needed in ("on_ack", "on_loss"):
            if getattr(cls, needed) is getattr(CongestionControl, needed):
                raise TypeError(f"{cls.__name__} has no method {needed}")
    summary = (inspect.getdoc(cls) or "a class of Python").splitlines()[0]
    keys = [(name, it.about, it.low, it.high, it.default) for name, it in parameters(cls).items()]
    _seamline.register_control(cls.name, summary, cls, keys, _version(cls), methods)
    return cls


def parameters(cls: type[CongestionControl]) -> dict[str, Parameter]:
    """The parameters of a class and of those it derives from."""
    attributes: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        attributes.update(vars(base))
    return {name: it for name, it in attributes.items() if isinstance(it, Parameter)}


def _version(cls: type[CongestionControl]) -> str:
    """What results depend on: the source of the class and of those it derives from. Kept with the class, since a worker that gets the class
    over a network has no source."""
    known = cls.__dict__.get("__seamline_version__")
    if known is not None:
        return cast(str, known)
    texts = [_source(it) for it in cls.__mro__ if it not in (CongestionControl, object)]
    version = hashlib.blake2b("\0".join(texts).encode(), digest_size=16).hexdigest()
    cls.__seamline_version__ = version  # type: ignore[attr-defined]
    return version


def _source(cls: type) -> str:
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):  # typed at a prompt: the code of its methods
        codes = (getattr(it, "__code__", None) for it in vars(cls).values())
        return repr([(it.co_code, it.co_consts, it.co_names) if it else None for it in codes])
