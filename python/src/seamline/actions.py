"""What handover schemes and agents of your own may do. A method returns a list of these, which are carried out in order."""

from __future__ import annotations

__all__ = [
    "CLOSE_WINDOW",
    "DROP",
    "FORGET_ROUND_TRIP",
    "FREEZE",
    "GO_BACK",
    "HALT_TIMER",
    "HOLD_ACKNOWLEDGMENTS",
    "OPEN_WINDOW",
    "PROBE",
    "RELEASE_ACKNOWLEDGMENTS",
    "SEND_ONE",
    "SLOW_START",
    "THAW",
    "Action",
    "AgentAction",
    "acknowledge",
    "expect_losses",
    "forget_before",
    "keep",
    "mark",
    "renew_path",
    "send",
    "set_window",
    "wake_after",
]

#: An action of a handover scheme.
Action = str | tuple[str, object] | tuple[str, object, object]

#: Advertise a zero window from now on. Segments in flight are still accepted.
CLOSE_WINDOW = "close-window"
#: Advertise the real receive window again.
OPEN_WINDOW = "open-window"
#: Hold back pure acknowledgments (those without data).
HOLD_ACKNOWLEDGMENTS = "hold-acknowledgments"
#: Send the acknowledgments that were held back, then one current acknowledgment.
RELEASE_ACKNOWLEDGMENTS = "release-acknowledgments"
#: Stop the timers of the sender, which keeps sending what its window allows.
HALT_TIMER = "halt-timer"
#: Send nothing, and stop all timers of the sender.
FREEZE = "freeze"
#: End :data:`FREEZE` and :data:`HALT_TIMER`.
THAW = "thaw"
#: Send one segment although the sender is frozen.
SEND_ONE = "send-one"
#: Send the first outstanding segment again although the sender is frozen, for the sake of its acknowledgment.
PROBE = "probe"
#: Forget what is known of the round-trip time, and with it the timeout and its back-off.
FORGET_ROUND_TRIP = "forget-round-trip"
#: Begin again from one segment, with the threshold that the congestion control sets after a timeout.
SLOW_START = "slow-start"
#: Treat all outstanding segments as lost, but not to congestion: retransmit them as the window allows, and reset the timer and its
#: back-off.
GO_BACK = "go-back"


def acknowledge(times: int = 1, mark: str | None = None) -> Action:
    """Send the last acknowledgment again ``times`` times, with this mark."""
    return ("acknowledge", times, mark)


def mark(mark: str, segments: int = 1) -> Action:
    """Put a mark on the next segments sent, whatever they are."""
    return ("mark", mark, segments)


def set_window(window: float, threshold: float | None = None) -> Action:
    """Replace the congestion window, and the slow start threshold if it is given, in segments."""
    return ("set-window", window if threshold is None else (window, threshold))


def renew_path(round_trip: float | None = None) -> Action:
    """The path has changed. ``round_trip`` is the new round-trip time in seconds, if known. Segments in flight give no samples."""
    return ("renew-path", round_trip)


def expect_losses(seconds: float) -> Action:
    """For this many seconds, treat losses as caused by the announced interruption."""
    return ("expect-losses", seconds)


def wake_after(seconds: float | None) -> Action:
    """Call again after this many seconds. This replaces an earlier request; ``None`` cancels it. A scheme gets the
    event ``wake``, an agent the call of ``on_wake``."""
    return ("wake-after", seconds)


#: An action of an agent.
AgentAction = Action

#: Do not forward the segment. (An acknowledgment with a handover mark is forwarded all the same.)
DROP = "drop"


def keep(key: int) -> AgentAction:
    """Keep a copy of the segment under this number, such as its position. Only segments from the wired side are kept."""
    return ("keep", key)


def send(key: int) -> AgentAction:
    """Retransmit over the wireless side what was kept under this number."""
    return ("send", key)


def forget_before(key: int) -> AgentAction:
    """Forget everything that was kept under lower numbers."""
    return ("forget-before", key)
