"""Scenarios: the network, the flows and the questions of an experiment."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, overload

from . import _seamline
from ._command import program
from ._toml import to_toml
from .classes import NAMED, register
from .controls import CongestionControl
from .progress import Bar, Progress
from .result import Result

__all__ = ["Scenario", "bundled", "papers"]

#: Cells of which a result keeps the first run over time, unless ``over_time`` says otherwise.
CELLS_OVER_TIME = 12


@dataclass(frozen=True)
class Scenario:
    """A scenario with its settings. It is immutable: :meth:`set` and :meth:`vary` return a new one.

    Every scenario file of the command works here, and every ``--set`` of the command is a :meth:`set`.
    """

    #: The file in messages. Relative paths of the scenario start from its directory.
    name: str
    #: The text of the scenario, in TOML.
    text: str
    #: What replaces keys of the text: ``key=value``, as for ``--set``.
    settings: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[type[Scenario], tuple[str, str, tuple[str, ...]]]:
        # Without the plan, which is computed again.
        return Scenario, (self.name, self.text, self.settings)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Scenario:
        """Read a file that ``seamline init`` has written, or any other scenario."""
        return cls(os.fspath(path), Path(path).read_text(encoding="utf-8"))

    @classmethod
    def from_toml(cls, text: str, name: str = "scenario.toml") -> Scenario:
        """Use a text. Relative paths in it start from the directory of ``name``."""
        return cls(name, text)

    @classmethod
    def bundled(cls, name: str) -> Scenario:
        """Use a scenario that comes with Seamline; :func:`bundled` lists their names."""
        for known, _, text in _seamline.bundled():
            if known == name:
                return cls(f"{name}.toml", text)
        raise ValueError(f'there is no bundled scenario "{name}"; available: {", ".join(bundled())}')

    @classmethod
    def of_paper(cls, letter: str, name: str) -> Scenario:
        """Use the scenario of a figure or table of one of the reproduced papers, such as ``("E", "fig3")``; :func:`papers` lists them.
        ``seamline paper E`` runs them all, and judges what the paper claims."""
        scenarios = {(known, it): text for known, _, it, text in _seamline.papers()}
        text = scenarios.get((letter.upper(), name))
        if text is None:
            known = ", ".join(f"{letter} {it}" for letter, it in scenarios)
            raise ValueError(f'there is no scenario "{name}" of paper {letter}; available: {known}')
        return cls(f"{letter.upper()}-{name}.toml", text)

    @overload
    def set(self, key: str, value: Any, /) -> Scenario: ...
    @overload
    def set(self, settings: Mapping[str, Any], /) -> Scenario: ...
    def set(self, key: str | Mapping[str, Any], value: Any = None, /) -> Scenario:
        """Set a key, such as ``"link.radio.down.rate"``, to a value: text with its unit (``"20 Mbit/s"``), a number, a truth value, a
        list, a dictionary, or a class of :class:`~seamline.CongestionControl`. A dictionary sets several keys."""
        entries = key.items() if isinstance(key, Mapping) else [(key, value)]
        settings = tuple(f"{name}={_value(it)}" for name, it in entries)
        return Scenario(self.name, self.text, self.settings + settings)

    def vary(self, key: str, values: Iterable[Any]) -> Scenario:
        """Run the scenario with each of these values of a key. Two keys that vary give a grid."""
        return self.set(f"grid.{key}", list(values))

    def check(self) -> None:
        """Check everything without running it.

        Raises:
            ScenarioError: with all errors of the scenario, each with its line and its fix.
        """
        self.plan  # noqa: B018

    @cached_property
    def plan(self) -> _seamline.Plan:
        """The scenario, checked. It is computed once for each :class:`Scenario`."""
        with suppress(FileNotFoundError):  # only kernels in virtual time need it
            _seamline.serve_guests_by(program())
        return _seamline.Plan(self.name, self.text, list(self.settings))

    def run(
        self,
        seeds: int | Sequence[int] | None = None,
        variants: Iterable[str | type[CongestionControl]] | None = None,
        *,
        stack: str | None = None,
        jobs: int = 0,
        over_time: bool | int = True,
        progress: Progress = None,
    ) -> Result:
        """Run every cell of the grid with every seed.

        Args:
            seeds: How many seeds (1, 2, ... n), or a list of seeds, instead of those of the scenario.
            variants: TCP variants to compare, by name or as classes, for a scenario with one flow.
            stack: The TCP of all flows that name none, such as ``"linux-6.12"`` for a kernel that ``seamline kernel build 6.12`` has
                built. It runs in virtual time.
            jobs: How many runs at a time; 0 for all processors.
            over_time: Of how many cells to record the first run over time, for :attr:`Result.series`, :attr:`Result.queues`,
                :attr:`Result.packets` and :meth:`Result.show`. ``True`` is 12, ``False`` is none and about twice as fast.
            progress: Whether to show progress; or a function of finished and all runs. ``None`` shows it on terminals and in notebooks.

        Raises:
            ScenarioError: The scenario has errors.
            RunError: A run could not be completed.
            KeyboardInterrupt: Ctrl-C, or a notebook's "interrupt": within a second.
        """
        scenario = self.with_options(seeds, variants, stack)
        plan = scenario.plan
        cells = CELLS_OVER_TIME if over_time is True else int(over_time)
        with Bar(plan.runs, progress) as bar:
            return Result(plan.run(jobs, cells, scenario.command, bar.at))

    def with_options(
        self,
        seeds: int | Sequence[int] | None = None,
        variants: Iterable[str | type[CongestionControl]] | None = None,
        stack: str | None = None,
    ) -> Scenario:
        """The scenario that :meth:`run` runs with these arguments."""
        scenario = self
        if stack is not None:
            scenario = scenario.set("stack", stack)
        if variants is not None:
            names = list(variants)
            flows = scenario.plan.flows
            if len(flows) != 1:
                raise ValueError(
                    f'the scenario has {len(flows)} flows: vary one of them, for example .vary("flow.{flows[0]}.variant", {names!r})'
                )
            scenario = scenario.vary(f"flow.{flows[0]}.variant", names)
        if seeds is not None:
            scenario = scenario.set("seeds", seeds if isinstance(seeds, int) else list(seeds))
        return scenario

    @property
    def command(self) -> str:
        """The command that does the same as :meth:`run`."""
        settings = [f"--set {shlex.quote(it)}" for it in self.settings]
        return " ".join(["seamline run", shlex.quote(self.name), *settings])


def bundled() -> dict[str, str]:
    """The names of the scenarios that come with Seamline, and what each shows."""
    return {name: summary for name, summary, _ in _seamline.bundled()}


def papers() -> dict[str, tuple[str, list[str]]]:
    """The reproduced papers by their letters: subject, and names of scenarios for :meth:`Scenario.of_paper`."""
    found: dict[str, tuple[str, list[str]]] = {}
    for letter, subject, name, _ in _seamline.papers():
        found.setdefault(letter, (subject, []))[1].append(name)
    return found


def _value(value: Any) -> str:
    return to_toml(_with_names(value))


def _with_names(value: Any) -> Any:
    """Classes by their names, also within lists."""
    if isinstance(value, type) and issubclass(value, NAMED):
        return register(value).name
    if isinstance(value, (list, tuple)):
        return [_with_names(it) for it in value]
    return value
