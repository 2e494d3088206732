"""Agents of your own, as classes."""

from __future__ import annotations

from collections.abc import Sequence

from ._seamline import Segment
from .actions import AgentAction

__all__ = ["Agent", "Segment"]


class Agent:
    """A performance-enhancing proxy (RFC 3135) at one end of a wireless link. Each connection has an instance of its own.

    Every segment of the connection passes it. Scenarios name it in ``agent.NAME.kind``. It runs in simulations only.
    """

    #: The name in scenarios; that of the class in lower case unless the class sets it.
    name: str

    def on_segment(self, segment: Segment) -> Sequence[AgentAction] | None:
        """A segment of the connection. It is forwarded unless an action is :data:`seamline.actions.DROP`."""
        raise NotImplementedError

    def on_wake(self, now: float) -> Sequence[AgentAction] | None:
        """The time of :func:`seamline.actions.wake_after` has come. Optional."""
        raise NotImplementedError
