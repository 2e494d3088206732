"""Classes that scenarios may name: parameters, versions and registration."""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from . import _seamline
from .agents import Agent
from .controls import CongestionControl
from .parameters import Parameter
from .schemes import HandoverScheme

__all__ = ["NAMED", "Named", "register"]

#: What may be named in a scenario by its class.
Named = type[CongestionControl] | type[HandoverScheme] | type[Agent]
NAMED = (CongestionControl, HandoverScheme, Agent)

C = TypeVar("C", bound=type)


@dataclass(frozen=True)
class _Methods:
    needed: tuple[str, ...]
    optional: tuple[str, ...]


METHODS: dict[type, _Methods] = {
    CongestionControl: _Methods(("on_ack", "on_loss"), ("observe", "on_path_change", "on_window_replaced", "on_rate_sample")),
    HandoverScheme: _Methods(("on",), ()),
    Agent: _Methods(("on_segment",), ("on_wake",)),
}


def register(cls: C) -> C:
    """Make a class usable by its name in scenarios: a :class:`~seamline.CongestionControl` as a variant, a
    :class:`~seamline.HandoverScheme` as ``flow.NAME.handover``, an :class:`~seamline.Agent` as ``agent.NAME.kind``.

    A class of the same name is replaced, so that a notebook's cell can be run again. Passing the class itself to
    :meth:`~seamline.Scenario.set`, ``vary`` or ``variants`` does the same. It is also a decorator.
    """
    base = next((it for it in NAMED if issubclass(cls, it)), None)
    if base is None:
        raise TypeError(f"{cls.__name__} derives from none of {', '.join(it.__name__ for it in NAMED)}")
    if "name" not in cls.__dict__:
        cls.name = cls.__name__.lower()  # type: ignore[attr-defined]
    definition = (
        cls.name,  # type: ignore[attr-defined]
        (inspect.getdoc(cls) or "a class of Python").splitlines()[0],
        cls,
        [(name, it.about, it.low, it.high, it.default) for name, it in parameters(cls).items()],
        version(cls),
        _methods(cls, base),
    )
    if base is CongestionControl:
        _seamline.register_control(definition)
    elif base is HandoverScheme:
        _seamline.register_scheme(definition, set(cls.marks))  # type: ignore[attr-defined]
    else:
        _seamline.register_agent(definition)
    return cls


def parameters(cls: type) -> dict[str, Parameter]:
    """The parameters of a class and of those it derives from."""
    attributes: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        attributes.update(vars(base))
    return {name: it for name, it in attributes.items() if isinstance(it, Parameter)}


def version(cls: type) -> str:
    """What results depend on: the source of the class and of those it derives from. Kept with the class, since a worker that gets the class
    over a network has no source."""
    known = cls.__dict__.get("__seamline_version__")
    if known is not None:
        return cast(str, known)
    texts = [_source(it) for it in cls.__mro__ if it not in (*NAMED, object)]
    found = hashlib.blake2b("\0".join(texts).encode(), digest_size=16).hexdigest()
    cls.__seamline_version__ = found  # type: ignore[attr-defined]
    return found


def _methods(cls: type, base: type) -> set[str]:
    """The methods that a class has of its own or from those it derives from."""
    needed, optional = METHODS[base].needed, METHODS[base].optional
    methods = {it for it in (*needed, *optional) if getattr(cls, it) is not getattr(base, it)}
    if "on_rate_sample" not in methods:
        for it in needed:
            if it not in methods:
                raise TypeError(f"{cls.__name__} has no method {it}")
    return methods


def _source(cls: type) -> str:
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):  # typed at a prompt: the code of its methods
        codes = (getattr(it, "__code__", None) for it in vars(cls).values())
        return repr([(it.co_code, it.co_consts, it.co_names) if it else None for it in codes])
