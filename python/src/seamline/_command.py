"""The command of this package."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path


def program() -> Path:
    """The file of the command ``seamline`` that was installed with the library.

    Raises:
        FileNotFoundError: There is none, as in an editable installation that was not completed.
    """
    name = "seamline.exe" if os.name == "nt" else "seamline"
    schemes = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    for folder in schemes:
        path = Path(folder) / name
        if path.is_file():
            return path
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"the command {name} is not in {schemes[0]}: install the package again")
    return Path(found)
