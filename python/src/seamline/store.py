"""Stored runs: a directory, or any place that fsspec reaches, of files that never change.

A file holds the lines of some finished runs and is named after its content (BLAKE2). Two workers that compute the same runs write the same
file, and a file that is cut off does not have the content that its name says.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

SUFFIX = ".jsonl"


class Store(Protocol):
    """Where files of runs are kept."""

    def read(self) -> Iterator[tuple[str, bytes]]:
        """Every file: its name and its content."""

    def write(self, name: str, content: bytes) -> None:
        """Keep a file, whole or not at all."""


class Directory:
    """A directory of this machine, or one that several machines share."""

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._path = path

    def read(self) -> Iterator[tuple[str, bytes]]:
        for path in sorted(self._path.glob(f"*{SUFFIX}")):
            yield path.name, path.read_bytes()

    def write(self, name: str, content: bytes) -> None:
        handle, unfinished = tempfile.mkstemp(dir=self._path, prefix=".unfinished-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, self._path / name)
        except BaseException:
            os.unlink(unfinished)
            raise


class Remote:
    """A place that fsspec reaches, such as ``s3://bucket/sweep``."""

    def __init__(self, url: str) -> None:
        import fsspec

        self._files: Any
        self._files, self._path = fsspec.core.url_to_fs(url)
        self._files.makedirs(self._path, exist_ok=True)

    def read(self) -> Iterator[tuple[str, bytes]]:
        for path in sorted(self._files.glob(f"{self._path}/*{SUFFIX}")):
            yield path.rsplit("/", 1)[-1], self._files.cat_file(path)

    def write(self, name: str, content: bytes) -> None:
        self._files.pipe_file(f"{self._path}/{name}", content)


def open_store(place: str | os.PathLike[str]) -> Store:
    """A URL with ``://`` is for fsspec; everything else is a directory."""
    text = os.fspath(place)
    return Remote(text) if "://" in text else Directory(Path(text))


def name_of(content: bytes) -> str:
    """The name of a file with this content."""
    return hashlib.blake2b(content, digest_size=16).hexdigest() + SUFFIX


def put(store: Store, lines: Iterable[bytes]) -> None:
    """Keep the lines of runs."""
    content = b"".join(lines)
    store.write(name_of(content), content)


def lines_of(store: Store) -> Iterator[bytes]:
    """The lines of all files that are whole."""
    for name, content in store.read():
        if name == name_of(content):
            yield from content.splitlines(keepends=True)
        else:
            warnings.warn(f"{name} is damaged, and its runs are run again: delete it", stacklevel=3)
