"""What a learning congestion control measures between decisions: what it observes of that, and how it is rewarded. Users find it in
:mod:`seamline.gym`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: A number, or an array with one for each world.
Values = Any


class Measurements(NamedTuple):
    """What was measured between two decisions, and the state at the end. Each field is a number; in a vector environment, an array of one
    number for each world."""

    #: Seconds since the start of the run.
    time: Values
    #: Seconds since the previous decision; 0 at the first.
    interval: Values
    #: Congestion window in segments.
    window: Values
    #: Pacing rate in bit/s; infinite if the agent chooses the window.
    pacing_rate: Values
    #: Segments in the network.
    in_flight: Values
    #: Payload of a full segment in bytes.
    segment_size: Values
    #: Smoothed round-trip time in seconds.
    smoothed_round_trip: Values
    #: The smallest round-trip time of the last five minutes in seconds.
    minimum_round_trip: Values
    #: Mean round-trip time of the interval in seconds; that of the previous one if there was no sample.
    round_trip: Values
    #: The same of the previous interval.
    previous_round_trip: Values
    #: Payload delivered in the interval, in bit/s.
    throughput: Values
    #: The largest throughput of the episode so far, in bit/s.
    most_throughput: Values
    #: The largest delivery rate that an acknowledgment of the interval has shown, in bit/s.
    delivery_rate: Values
    #: Segments delivered in the interval.
    delivered: Values
    #: Segments taken to be lost in the interval.
    lost: Values
    #: Segments sent in the interval, retransmissions included.
    sent: Values
    #: Retransmission timeouts in the interval.
    timeouts: Values

    @property
    def loss(self) -> Values:
        """The share of segments that were lost, from 0 to 1."""
        return _ratio(self.lost, self.lost + self.delivered)


def _ratio(part: Values, whole: Values) -> Values:
    """0 where there is nothing to divide by."""
    whole = np.asarray(whole, dtype=np.float64)
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)


#: The features of an observation, with their least and greatest values.
FEATURES: dict[str, tuple[float, float]] = {
    #: log2 of the window in segments, divided by 16.
    "window": (0.0, 1.5),
    #: Smoothed divided by minimum round-trip time, minus 1: the queueing delay in minimum round-trip times.
    "smoothed_round_trip": (0.0, 10.0),
    #: Mean round-trip time of the interval divided by the minimum, minus 1.
    "round_trip": (0.0, 10.0),
    #: By how much the mean round-trip time grew since the last interval, divided by the minimum.
    "round_trip_growth": (-10.0, 10.0),
    #: log10 of the minimum round-trip time in milliseconds, divided by 4.
    "minimum_round_trip": (-1.0, 2.0),
    #: Throughput of the interval divided by the largest of the episode.
    "throughput": (0.0, 1.0),
    #: Largest delivery rate of the interval divided by the largest throughput of the episode.
    "delivery_rate": (0.0, 10.0),
    #: Segments sent divided by segments delivered, minus 1 (Aurora's sending ratio).
    "sending": (-1.0, 10.0),
    #: Share of segments lost.
    "loss": (0.0, 1.0),
    #: Segments in flight divided by the window.
    "in_flight": (0.0, 2.0),
    #: The window divided by the estimated bandwidth-delay product (largest throughput times minimum round-trip time).
    "window_of_path": (0.0, 10.0),
    #: The interval in minimum round-trip times, divided by 10.
    "interval": (0.0, 10.0),
    #: Whether there was a timeout.
    "timeout": (0.0, 1.0),
}

LOW = np.array([low for low, _ in FEATURES.values()], dtype=np.float32)
HIGH = np.array([high for _, high in FEATURES.values()], dtype=np.float32)


def features(it: Measurements) -> NDArray[np.float32]:
    """The observation that stands for measurements: the :data:`FEATURES` in their order, clipped to their bounds. Of arrays it makes a
    matrix with a row for each world."""
    minimum = it.minimum_round_trip
    path = _ratio(it.most_throughput * minimum, 8 * it.segment_size)
    values = [
        np.log2(np.maximum(it.window, 1)) / 16,
        _ratio(it.smoothed_round_trip, minimum) - 1,
        _ratio(it.round_trip, minimum) - 1,
        _ratio(it.round_trip - it.previous_round_trip, minimum),
        np.log10(np.maximum(minimum, 1e-7) * 1e3) / 4,
        _ratio(it.throughput, it.most_throughput),
        _ratio(it.delivery_rate, it.most_throughput),
        _ratio(it.sent, it.delivered) - 1,
        it.loss,
        _ratio(it.in_flight, it.window),
        _ratio(it.window, path),
        _ratio(it.interval, minimum) / 10,
        np.minimum(it.timeouts, 1),
    ]
    clipped: NDArray[np.float64] = np.clip(np.stack(values, axis=-1), LOW, HIGH)
    return clipped.astype(np.float32)


#: A reward of measurements: a number, or an array in a vector environment.
Reward = Callable[[Measurements], Values]


def aurora(it: Measurements) -> Values:
    """The reward of Aurora (Jay et al., "A deep reinforcement learning perspective on Internet congestion control", ICML 2019): 10 x
    throughput - 1000 x latency - 2000 x loss, in packets per second, seconds, and the share of packets; divided by 1000, as in the
    authors' code."""
    packets = _ratio(it.throughput, 8 * it.segment_size)
    return (10 * packets - 1000 * it.round_trip - 2000 * it.loss) / 1000


def orca(it: Measurements, *, losses: float = 5.0, margin: float = 1.25) -> Values:
    """The reward of Orca (Abbasloo et al., "Classic meets modern: a pragmatic learning-based congestion control for the Internet", SIGCOMM
    2020): (throughput - 5 x rate of losses) divided by the largest throughput so far, times 1.25 x minimum divided by smoothed
    round-trip time, at most
    1."""
    lost = _ratio(it.lost * 8 * it.segment_size, it.interval)
    delay = np.minimum(1, _ratio(margin * it.minimum_round_trip, it.smoothed_round_trip))
    return _ratio(it.throughput - losses * lost, it.most_throughput) * delay


def log_power(it: Measurements, *, delay: float = 1.0) -> Values:
    """The objective of Remy (Winstein and Balakrishnan, "TCP ex Machina", SIGCOMM 2013): ln(throughput in Mbit/s) - ``delay`` x
    ln(round-trip time in seconds). A throughput below 1 kbit/s counts as that."""
    return np.log(np.maximum(it.throughput, 1e3) / 1e6) - delay * np.log(np.maximum(it.round_trip, 1e-6))
