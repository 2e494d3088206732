"""Runs of seamline, and numbers that compare them with measured ones."""
import json
import os
import statistics
import subprocess
import tempfile

SEAMLINE = os.environ.get("SEAMLINE", "seamline")


def simulate(scenario, seed=1, capture=None, stack=None):
    """The record of one run of a scenario (text of TOML); `capture` is called with the path of the capture at the sender."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scenario.toml")
        with open(path, "w") as file:
            file.write(scenario)
        command = [SEAMLINE, "run", path, "--json", "--quiet", "--set", f"seeds=[{seed}]"]
        if stack:
            command += ["--stack", stack]
        if capture:
            command += ["--pcapng", os.path.join(folder, "captures")]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\n{done.stderr}\n{scenario}")
        run = json.loads(done.stdout)["cells"][0]["runs"][0]
        if not capture:
            return run
        names = os.listdir(os.path.join(folder, "captures"))
        return run, capture(os.path.join(folder, "captures", names[0]))


def quantile(values, share):
    """The value below which a share of the values is, interpolated."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def median(values):
    return quantile(values, 0.5)


def correlation(one, other):
    """Pearson's coefficient; None where one side does not vary."""
    try:
        return statistics.correlation(one, other)
    except statistics.StatisticsError:
        return None


def smooth(values, count):
    """Means of `count` values in a row."""
    return [statistics.fmean(values[at : at + count]) for at in range(0, len(values) - count + 1, count)]


def spread(values, form="{:.2f}"):
    """Median and 10-90 % range."""
    parts = [form.format(quantile(values, share)) for share in (0.5, 0.1, 0.9)]
    return f"{parts[0]} ({parts[1]} to {parts[2]})"


def table(heads, rows):
    """A table in Markdown; all columns but the first are numbers."""
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|--:" * (len(heads) - 1) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
