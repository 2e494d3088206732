"""The build backend of the package: maturin, with the command `seamline` in the same wheel."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import maturin

HERE = Path(__file__).resolve().parent
SCRIPTS = HERE / "target" / "data" / "scripts"

get_requires_for_build_wheel = maturin.get_requires_for_build_wheel
get_requires_for_build_editable = maturin.get_requires_for_build_editable


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    SCRIPTS.mkdir(parents=True, exist_ok=True)  # maturin asks for it
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _build_command(config_settings)
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _build_command(config_settings)
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def _build_command(config_settings):
    """Compile the command with the crates that the library is made of, and put it where maturin takes scripts from."""
    # What maturin is told about the profile holds for the command, too.
    arguments = shlex.split((config_settings or {}).get("build-args", "--profile release"))
    profile = arguments[arguments.index("--profile") + 1] if "--profile" in arguments else "release"
    workspace = HERE.parent
    target = Path(os.environ.get("CARGO_TARGET_DIR", workspace / "target"))
    # Selecting both gives both the same dependencies, so that they are compiled once.
    subprocess.run(
        ["cargo", "build", "--profile", profile, "--locked", "--package", "seamline", "--package", "seamline-py"],
        cwd=workspace,
        check=True,
    )
    name = "seamline.exe" if os.name == "nt" else "seamline"
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    shutil.copy2(target / ("debug" if profile == "dev" else profile) / name, SCRIPTS / name)
