"""Congestion controls of your own, as classes."""

from __future__ import annotations

from ._seamline import Acked, View

__all__ = ["Acked", "CongestionControl", "View"]

#: A window: segments, or a pair of window and slow start threshold in segments, or ``None`` for no change.
Window = float | tuple[float, float] | None


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
        a window, or a pair of a window and a pacing rate in bytes per second. :meth:`on_ack` is not called then. It needs RACK loss
        detection (``profile = "linux-6.12"``). Optional."""
