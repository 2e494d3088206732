"""Results: tables in other programs, pictures and pages."""

import math

import pytest

import seamline

TRAIN = seamline.Scenario.bundled("handover").set("duration", "30 s")


@pytest.fixture(scope="module")
def result():
    return TRAIN.run(seeds=2)


def test_every_table_is_read_by_every_data_frame(result):
    duckdb, pandas, polars, pyarrow = (pytest.importorskip(it) for it in ("duckdb", "pandas", "polars", "pyarrow"))
    assert {"runs", "handovers", "links", "outcomes", "senders", "queues", "segments"} <= set(result.tables())
    for name in result.tables():
        table = result.table(name)
        columns = table.to_dict()
        assert len(table) > 0 and all(len(values) == len(table) for values in columns.values())
        arrow = pyarrow.table(table)
        assert arrow.column_names == table.columns == list(polars.DataFrame(table).columns)
        assert arrow.to_pydict() == columns
        assert len(arrow.to_pandas()) == len(table)
        assert duckdb.sql("SELECT count(*) FROM arrow").fetchall() == [(len(table),)]
    frame = pandas.DataFrame(result.runs.to_dict())
    assert (frame["goodput_bits_per_second"] > 0).any()


def test_units_are_in_the_metadata(result):
    pyarrow = pytest.importorskip("pyarrow")
    schema = pyarrow.schema(result.runs)
    assert schema.field("goodput_bits_per_second").metadata == {b"unit": b"bit/s"}
    assert pyarrow.schema(result.series).field("smoothed_round_trip_ms").metadata == {b"unit": b"ms"}
    assert result.packets.units == {"time_s": "s", "position_bytes": "B", "length_bytes": "B"}


def test_tables_survive_their_result():
    table = TRAIN.run(seeds=1, over_time=False).runs
    pyarrow = pytest.importorskip("pyarrow")
    first = pyarrow.table(table)
    del table
    assert first.num_rows > 0


def test_nothing_over_time_unless_asked_for():
    result = TRAIN.run(seeds=1, over_time=False)
    assert len(result.series) == 0 and len(result.packets) == 0 and "senders" not in result.tables()
    assert len(set(TRAIN.run(seeds=1, over_time=1).series.to_dict()["cell"])) == 1


def test_the_same_seed_gives_the_same_result(result):
    again = TRAIN.run(seeds=2, jobs=1)
    assert again.to_json() == result.to_json()
    assert again.packets.to_dict() == result.packets.to_dict()


def test_pages(result, tmp_path):
    page = result.report(tmp_path / "page.html")
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert (result.report(tmp_path / "folder").parent / "runs.parquet").exists()
    assert "iframe" in result.show()._repr_html_()
    assert "<table>" in result._repr_html_()
    with pytest.raises(OSError):
        result.report("/proc/none/page.html")


def test_pictures_have_labels(result):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    goodput, series, queues, recovery = (
        result.plot_goodput(),
        result.plot_series(),
        result.plot_queues(),
        result.plot_recovery(),
    )
    assert "Mbit/s" in goodput.get_xlabel()
    for ax in (series, queues, recovery):
        assert "(" in ax.get_xlabel() and "(" in ax.get_ylabel()
        styles = {str(line.get_linestyle()) for line in ax.get_lines()}
        assert len(styles) >= min(len(ax.get_lines()), 4), "lines differ without colour"
    with pytest.raises(ValueError, match="wifi/down"):
        result.plot_queues("wifi/sideways")
    with pytest.raises(ValueError, match="bytes_in_flight"):
        result.plot_series("speed")
    values = [value for line in recovery.get_lines() for value in line.get_ydata()]
    assert all(0 <= value <= 100 for value in values) and not any(math.isnan(value) for value in values)


def test_progress_reaches_all_runs():
    seen = []
    TRAIN.run(seeds=3, over_time=False, progress=lambda done, all: seen.append((done, all)))
    assert seen[-1][0] == seen[-1][1] >= 3
    assert seen == sorted(seen)
