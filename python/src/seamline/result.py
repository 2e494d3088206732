"""Results: tables, the verdict, pictures and the report."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _seamline
from ._seamline import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Result", "Table"]


@dataclass(frozen=True)
class Page:
    """A page that notebooks show."""

    #: The HTML.
    text: str
    #: Its height in pixels.
    height: int

    def _repr_html_(self) -> str:
        page = html.escape(self.text, quote=True)
        style = f"width:100%;height:{self.height}px;border:0"
        return f'<iframe srcdoc="{page}" style="{style}" title="Seamline report"></iframe>'


class Result:
    """The results of all runs of a scenario.

    The tables are columns in the format of Arrow, which data frames read without copying::

        polars.DataFrame(result.runs)
        pyarrow.table(result.handovers).to_pandas()
        runs = result.runs; duckdb.sql("SELECT variant, avg(goodput_bits_per_second) FROM runs GROUP BY variant")

    Names of columns end in their unit, and the metadata of each field has it as ``unit``.
    """

    def __init__(self, native: _seamline.Results) -> None:
        self._native = native

    @property
    def runs(self) -> Table:
        """A row for each flow of each run: goodput, retransmissions, timeouts, round-trip times, completion."""
        return self.table("runs")

    @property
    def handovers(self) -> Table:
        """A row for each handover that a flow met: interruption, first data, recovery, lost packets."""
        return self.table("handovers")

    @property
    def links(self) -> Table:
        """A row for each direction of each link of each run: packets delivered, dropped, ECN-marked and lost."""
        return self.table("links")

    @property
    def outcomes(self) -> Table:
        """A row for each flow of each cell over all seeds: means with 95 % intervals, and the factor relative to the baseline."""
        return self.table("outcomes")

    @property
    def series(self) -> Table:
        """The senders over time: congestion window, threshold, round-trip time, timeout, bytes in flight. Of the first run of each cell."""
        return self.table("senders")

    @property
    def queues(self) -> Table:
        """The queues over time, in packets. Of the first run of each cell."""
        return self.table("queues")

    @property
    def packets(self) -> Table:
        """A row for each segment sent, with its position in the stream. Of the first run of each cell."""
        return self.table("segments")

    def table(self, name: str) -> Table:
        """A table by its name; :meth:`tables` lists those that have rows."""
        return self._native.table(name)

    def tables(self) -> list[str]:
        """The names of the tables that have rows."""
        return self._native.tables()

    @property
    def verdict(self) -> list[str]:
        """The comparison in sentences, the most important first."""
        return self._native.verdict

    @property
    def warnings(self) -> list[str]:
        """What to know before believing it, each with its fix."""
        return self._native.warnings

    def to_json(self) -> dict[str, Any]:
        """The whole result with its provenance, as ``seamline run --format json`` prints it."""
        document: dict[str, Any] = json.loads(self._native.json())
        return document

    def report(self, place: str | os.PathLike[str]) -> Path:
        """Write the interactive report: only the page if the path ends in ``.html``, otherwise a directory with all data. Returns the path
        of the page."""
        return Path(self._native.write(place))

    def show(self, height: int = 800) -> Page:
        """The interactive report within a notebook, so many pixels high."""
        return Page(self._native.html(), height)

    def plot_goodput(self, ax: Axes | None = None) -> Axes:
        """Goodput of each cell, with 95 % intervals, as axes of matplotlib."""
        from . import plots

        return plots.goodput(self, ax)

    def plot_series(self, column: str = "congestion_window_segments", ax: Axes | None = None) -> Axes:
        """A column of :attr:`series` over time, one line for each cell and flow."""
        from . import plots

        return plots.series(self, column, ax)

    def plot_queues(self, link: str | None = None, ax: Axes | None = None) -> Axes:
        """What waits in the queue of a link (such as ``"air/down"``) over time, one line for each cell; by default in the queue that
        becomes longest."""
        from . import plots

        return plots.queues(self, link, ax)

    def plot_recovery(self, ax: Axes | None = None) -> Axes:
        """Share of handovers that have recovered, against the time since the handover; one line for each cell."""
        from . import plots

        return plots.recovery(self, ax)

    def __str__(self) -> str:
        return self._native.text

    def __repr__(self) -> str:
        return f"<seamline.Result: {len(self.outcomes)} outcomes of {len(self.runs)} runs>\n{self}"

    def _repr_html_(self) -> str:
        outcomes = self.outcomes.to_dict()
        sentences = "".join(f"<p>{html.escape(it)}</p>" for it in self.verdict)
        warnings = "".join(f"<p><b>warning:</b> {html.escape(it)}</p>" for it in self.warnings)
        head = "<tr><th>Cell</th><th>Flow</th><th>Goodput</th><th>95 % interval</th><th>Relative to the baseline</th></tr>"
        rows = "".join(_row(outcomes, place) for place in range(len(self.outcomes)))
        return f"{sentences}<table>{head}{rows}</table>{warnings}"


def _row(outcomes: dict[str, list[Any]], place: int) -> str:
    def value(column: str) -> Any:
        return outcomes[column][place]

    def rate(column: str) -> str:
        number = value(column)
        return "–" if number is None else f"{number / 1e6:.3g}"

    factor = "–" if value("factor") is None else f"{value('factor'):.3f}"
    interval = f"{rate('goodput_low_bits_per_second')} to {rate('goodput_high_bits_per_second')} Mbit/s"
    cells = [value("cell_name"), value("flow"), f"{rate('goodput_mean_bits_per_second')} Mbit/s", interval, factor]
    return "<tr>" + "".join(f"<td>{html.escape(str(it))}</td>" for it in cells) + "</tr>"
