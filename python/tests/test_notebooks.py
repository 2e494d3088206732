"""The notebooks run from the first cell to the last."""

import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
for needed in ("ipykernel", "matplotlib", "numpy", "polars", "distributed"):
    pytest.importorskip(needed)

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def outputs(notebook):
    """How many outputs each cell has, without progress."""
    shown = [
        [it for it in cell.get("outputs", ()) if it.get("name") != "stderr" and it.get("text", "x").strip()] for cell in notebook.cells
    ]
    return [len(it) for it in shown]


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.setenv("SEAMLINE_RUNS", "400")
    monkeypatch.setitem(os.environ, "MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = nbformat.read(path, as_version=4)
    stored = outputs(notebook)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    assert outputs(notebook) == stored, "run it again, and store it with its output"
