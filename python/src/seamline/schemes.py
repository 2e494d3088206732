"""Handover schemes of your own, as classes."""

from __future__ import annotations

from collections.abc import Sequence

from ._seamline import HandoverNews, View
from .actions import Action

__all__ = ["HandoverNews", "HandoverScheme"]


class HandoverScheme:
    """What TCP does about a move. Each end of a connection has an instance of its own.

    At the end that moves it hears what the link layer reports; at the other end it hears the marks of the first. Scenarios name it in
    ``flow.NAME.handover``.
    """

    #: The name in scenarios; that of the class in lower case unless the class sets it.
    name: str
    #: The marks on which it acts: ``handover``, ``will-handover``, ``handover-cancelled``, ``new-link``, ``made-before-break``. Without
    #: any, only the end that moves needs the scheme.
    marks: tuple[str, ...] = ()

    def on(self, event: HandoverNews, view: View) -> Sequence[Action] | None:
        """Something happened. The actions are carried out in order; :mod:`seamline.actions` lists them."""
        raise NotImplementedError
