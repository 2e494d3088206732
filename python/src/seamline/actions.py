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

#: Offer a window of zero from now on. What is under way is still taken.
CLOSE_WINDOW = "close-window"
#: Offer the true window again.
OPEN_WINDOW = "open-window"
#: Keep acknowledgments back that nothing else carries.
HOLD_ACKNOWLEDGMENTS = "hold-acknowledgments"
#: Send what was kept back, and one of now.
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
#: What is outstanding was lost, and not to congestion: send it again as the window allows, and reset timer and back-off.
GO_BACK = "go-back"


def acknowledge(times: int = 1, mark: str | None = None) -> Action:
    """Send the last acknowledgment again, so often, with this mark."""
    return ("acknowledge", times, mark)


def mark(mark: str, segments: int = 1) -> Action:
    """Put a mark on the next segments sent, whatever they are."""
    return ("mark", mark, segments)


def set_window(window: float, threshold: float | None = None) -> Action:
    """Replace the congestion window, and the slow start threshold if it is given, in segments."""
    return ("set-window", window if threshold is None else (window, threshold))


def renew_path(round_trip: float | None = None) -> Action:
    """The path is another one, with this round-trip time in seconds if it is known: what is outstanding gives no samples."""
    return ("renew-path", round_trip)


def expect_losses(seconds: float) -> Action:
    """For so long, losses are likely those of a disruption that was announced."""
    return ("expect-losses", seconds)


def wake_after(seconds: float | None) -> Action:
    """Call again after this time, in place of any earlier wish; ``None`` takes it back. A scheme gets the event ``wake``, an agent the
    call of ``on_wake``."""
    return ("wake-after", seconds)


#: An action of an agent.
AgentAction = Action

#: Do not forward the segment. (An acknowledgment with a handover mark is forwarded all the same.)
DROP = "drop"


def keep(key: int) -> AgentAction:
    """Keep a copy of the segment under this number, such as its position. Only segments from the wired side are kept."""
    return ("keep", key)


def send(key: int) -> AgentAction:
    """Send what was kept under this number over the wireless side again."""
    return ("send", key)


def forget_before(key: int) -> AgentAction:
    """Forget everything that was kept under lower numbers."""
    return ("forget-before", key)
