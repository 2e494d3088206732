"""Pictures of results, as axes of matplotlib. Lines differ in style as well as in colour."""

from __future__ import annotations

from collections import defaultdict
from itertools import cycle
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .result import Result

STYLES = ["-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 3))]

LABELS = {
    "congestion_window_segments": "Congestion window (segments)",
    "slow_start_threshold_segments": "Slow start threshold (segments)",
    "smoothed_round_trip_ms": "Smoothed round-trip time (ms)",
    "retransmission_timeout_ms": "Retransmission timeout (ms)",
    "bytes_in_flight": "Bytes in flight (B)",
}


def goodput(result: Result, ax: Axes | None = None) -> Axes:
    """Goodput of each cell, with 95 % intervals."""
    ax = _axes(ax)
    table: dict[str, list[Any]] = result.outcomes.to_dict()
    flows = len(set(table["flow"]))
    for place in range(len(result.outcomes)):
        mean, low, high = (table[f"goodput_{it}_bits_per_second"][place] for it in ("mean", "low", "high"))
        ax.barh(place, mean / 1e6, height=0.6, color="0.75", edgecolor="0.2")
        if low is not None:
            ax.plot([low / 1e6, high / 1e6], [place, place], color="black", marker="|", markersize=10)
    names = [f"{cell}, {flow}" if flows > 1 else cell for cell, flow in zip(table["cell_name"], table["flow"])]
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlabel("Goodput (Mbit/s); lines are 95 % intervals")
    return ax


def series(result: Result, column: str = "congestion_window_segments", ax: Axes | None = None) -> Axes:
    """A column of the senders over time."""
    if column not in LABELS:
        raise ValueError(f'there is no column "{column}" over time; available: {", ".join(LABELS)}')
    table: dict[str, list[Any]] = result.series.to_dict()
    ax = _lines(_named(table, "flow", "time_s", column), ax)
    ax.set_xlabel("Time (s)")
    ax.set_ylabel(LABELS[column])
    _bands(result, ax)
    return ax


def queues(result: Result, link: str | None = None, ax: Axes | None = None) -> Axes:
    """What waits in a queue over time, in each cell; by default in the one that becomes longest."""
    table: dict[str, list[Any]] = result.queues.to_dict()
    links = sorted(set(table["link"]))
    if link is None:
        link = max(zip(table["packets"], table["link"]), default=(0, ""))[1]
    elif link not in links:
        raise ValueError(f'there is no queue "{link}"; available: {", ".join(links)}')
    rows = [place for place, it in enumerate(table["link"]) if it == link]
    table = {name: [values[place] for place in rows] for name, values in table.items()}
    ax = _lines(_named(table, "link", "time_s", "packets"), ax)
    ax.set_xlabel("Time (s)")
    ax.set_ylabel(f"Queue of {link} (packets)")
    _bands(result, ax)
    return ax


def recovery(result: Result, ax: Axes | None = None) -> Axes:
    """Share of handovers that have recovered, against the time since the handover. Lines end below 100 % where some never recovered."""
    table: dict[str, list[Any]] = result.handovers.to_dict()
    times: dict[str, list[float]] = defaultdict(list)
    for cell, time in zip(table["cell_name"], table["recovery_ms"]):
        times[cell].append(float("inf") if time is None else time)
    ax = _axes(ax)
    for (cell, values), style in zip(times.items(), cycle(STYLES)):
        done = sorted(it for it in values if it != float("inf"))
        shares = [100 * (place + 1) / len(values) for place in range(len(done))]
        ax.step([0.0, *done], [0.0, *shares], where="post", linestyle=style, label=f"{cell} (n = {len(values)})")
    ax.set_xlabel("Time after the handover (ms)")
    ax.set_ylabel("Handovers recovered (%)")
    ax.set_ylim(0, 102)
    _legend(ax)
    return ax


def _axes(ax: Axes | None) -> Axes:
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(layout="constrained")
    return ax


def _named(table: dict[str, list[Any]], part: str, x: str, y: str) -> dict[str, tuple[list[float], list[float]]]:
    """Two columns, by the names of cell and part, as far as those differ."""
    parts, cells = len(set(table[part])), len(set(table["cell_name"]))
    lines: dict[str, tuple[list[float], list[float]]] = {}
    for cell, it, time, value in zip(table["cell_name"], table[part], table[x], table[y]):
        name = it if cells == 1 else f"{cell}, {it}" if parts > 1 else cell
        xs, ys = lines.setdefault(name, ([], []))
        xs.append(time)
        ys.append(float("nan") if value is None else value)
    return lines


def _lines(lines: dict[str, tuple[list[float], list[float]]], ax: Axes | None) -> Axes:
    ax = _axes(ax)
    for (name, (x, y)), style in zip(lines.items(), cycle(STYLES)):
        ax.plot(x, y, drawstyle="steps-post", linestyle=style, linewidth=1, label=name)
    _legend(ax)
    return ax


def _bands(result: Result, ax: Axes) -> None:
    """The interruptions of the first seed, in grey."""
    table: dict[str, list[Any]] = result.handovers.to_dict()
    first = min(table["seed"], default=None)
    rows = zip(table["seed"], table["start_s"], table["interruption_ms"])
    bands = {(start, length) for seed, start, length in rows if seed == first and length}
    for place, (start, length) in enumerate(sorted(bands)):
        label = "Interruption" if place == 0 else None
        ax.axvspan(start, start + length / 1e3, color="0.85", zorder=0, label=label)
    if bands:
        _legend(ax)


def _legend(ax: Axes) -> None:
    handles, _ = ax.get_legend_handles_labels()
    if handles:
        ax.legend(fontsize="small")
