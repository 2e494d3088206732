"""What can go wrong, as exceptions."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Problem", "RunError", "ScenarioError", "VersionMismatch"]


@dataclass(frozen=True)
class Problem:
    """One error of a scenario."""

    #: The stable code of the error, which ``seamline explain CODE`` describes.
    code: str
    #: What is wrong.
    message: str
    #: How to fix it; may be empty.
    fix: str
    #: The file, or ``--set`` for a setting.
    file: str
    #: The line, from 1.
    line: int
    #: The character of the line, from 1.
    column: int
    #: What is wrong with the marked place; may be empty.
    label: str


class ScenarioError(ValueError):
    """A scenario has errors. All of them are in :attr:`problems`, in the order of the text."""

    def __init__(self, text: str, problems: list[Problem]) -> None:
        super().__init__(text, problems)
        #: All errors: at least one.
        self.problems = problems

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def code(self) -> str:
        """The code of the first error."""
        return self.problems[0].code

    @property
    def line(self) -> int:
        """The line of the first error."""
        return self.problems[0].line

    @property
    def fix(self) -> str:
        """The fix of the first error."""
        return self.problems[0].fix


class RunError(RuntimeError):
    """A run could not be completed. In a sweep, the message starts with the cell and the seed."""


class VersionMismatch(RunError):
    """A worker has another version of Seamline than the program that asked it, so that results would differ."""
