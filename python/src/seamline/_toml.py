"""Values of Python as TOML."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any


def to_toml(value: Any) -> str:
    """The value as TOML text, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        # A string of JSON is one of TOML.
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        entries = ", ".join(f"{_key(key)} = {to_toml(it)}" for key, it in value.items())
        return "{" + entries + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(to_toml(it) for it in value) + "]"
    if hasattr(value, "item"):  # a scalar of NumPy
        return to_toml(value.item())
    if hasattr(value, "tolist"):  # an array
        return to_toml(value.tolist())
    raise TypeError(f"a scenario cannot hold {value!r}: use text, numbers, truth values, lists and dictionaries")


def _key(key: Any) -> str:
    text = str(key)
    is_bare = bool(text) and text.isascii() and all(it.isalnum() or it in "-_" for it in text)
    return text if is_bare else json.dumps(text, ensure_ascii=False)
