"""Progress of long work, on a terminal or in a notebook."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

#: What shows progress: ``True`` and ``False``, ``None`` for terminals and notebooks only, or a function that is called with the numbers of
#: finished and of all runs.
Progress = bool | Callable[[int, int], None] | None


class Bar(AbstractContextManager["Bar"]):
    """Shows how many of so many runs are finished."""

    def __init__(self, total: int, progress: Progress = None) -> None:
        self._total = total
        self._call = progress if callable(progress) else None
        self._bar: Any = None
        is_wanted = _is_interactive() if progress is None else bool(progress) and self._call is None
        if is_wanted and total > 1:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a notebook without ipywidgets shows text
                from tqdm.auto import tqdm
            # Short work shows nothing.
            self._bar = tqdm(total=total, unit="run", delay=0.5, leave=False)

    def at(self, finished: int) -> None:
        """So many runs are finished."""
        if self._call is not None:
            self._call(finished, self._total)
        if self._bar is not None:
            self._bar.update(finished - self._bar.n)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.close()


def _is_interactive() -> bool:
    return "ipykernel" in sys.modules or sys.stderr.isatty()
