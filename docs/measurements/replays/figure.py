"""Draws goodput over seconds of LeoReplayer's runs, and all ratios: python3 figure.py FOLDER; writes SVG files next to itself."""
import math
import os
import sys
import tempfile

import leoreplayer
from captures import Flow, per_interval
from runs import quantile, simulate

HERE = os.path.dirname(os.path.abspath(__file__))
STYLE = """<style>
@media (prefers-color-scheme: dark) {
  .paper { fill: #171d26; } text { fill: #b8c1ce; } text.title { fill: #eef2f7; } .axis { stroke: #dfe6ef; } .grid { stroke: #263040; }
  .band { fill: #1d3550; } .s0 { stroke: #5aa9f0; } .s1 { stroke: #ff8a5c; } .dot0 { fill: #5aa9f0; } .dot1 { fill: #171d26; stroke: #ff8a5c; }
}
</style>"""


class Picture:
    """SVG, with a background and a title."""

    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            f"aria-label=\"{title}\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"12\">",
            f"<title>{title}</title>",
            STYLE,
            f'<rect class="paper" width="{width}" height="{height}" fill="#ffffff"/>',
        ]
        self.text(12, 22, title, "start", 'class="title" font-size="15" font-weight="bold"')

    def text(self, x, y, words, anchor="middle", more=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#1f2430" {more}>{words}</text>')

    def line(self, points, kind, color, width=2, more=""):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline class="{kind}" points="{path}" fill="none" stroke="{color}" stroke-width="{width}" {more}/>')

    def area(self, points):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polygon class="band" points="{path}" fill="#d7e6f5"/>')

    def dot(self, x, y, filled):
        kind = 'class="dot0" fill="#1f6fb5"' if filled else 'class="dot1" fill="#ffffff" stroke="#c9541f" stroke-width="2"'
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" {kind}/>')

    def write(self, name):
        with open(os.path.join(HERE, name), "w") as file:
            file.write("\n".join(self.parts) + "\n</svg>\n")


def seconds(data):
    """Goodput per second: measured, and the 10-90 % range of the seeds."""
    picture = Picture(900, 345, "Linux CUBIC over LeoReplayer's path, and the simulated range")
    top = 45.0
    with tempfile.TemporaryDirectory() as scratch:
        for place, run in enumerate(leoreplayer.RUNS):
            it = leoreplayer.Measured(os.path.abspath(os.path.join(data, "leoreplayer-cubic")), run)
            scenario = it.scenario(scratch)
            sims = [per_interval(simulate(scenario, seed, Flow)[1].progress(), it.length) for seed in leoreplayer.SEEDS]
            left, right, bottom, high = 60 + place * 440, 440 + place * 440, 280, 50
            x = lambda at: left + (right - left) * at / it.length
            y = lambda rate: bottom - (bottom - high) * min(rate, top) / top
            axes(picture, it, x, y, top, left, right, bottom)
            middle = [at + 0.5 for at in range(it.length)]
            low = [quantile([sim[at] for sim in sims], 0.1) for at in range(it.length)]
            most = [quantile([sim[at] for sim in sims], 0.9) for at in range(it.length)]
            picture.area([(x(at), y(v)) for at, v in zip(middle, most)] + [(x(at), y(v)) for at, v in reversed(list(zip(middle, low)))])
            half = [quantile([sim[at] for sim in sims], 0.5) for at in range(it.length)]
            picture.line([(x(at), y(v)) for at, v in zip(middle, half)], "s0", "#1f6fb5", 2, 'stroke-dasharray="5 3"')
            picture.line([(x(at), y(v)) for at, v in zip(middle, it.goodput)], "s1", "#c9541f", 2.5)
    picture.line([(300, 332), (330, 332)], "s1", "#c9541f", 2.5)
    picture.text(336, 336, "measured", "start")
    picture.line([(430, 332), (460, 332)], "s0", "#1f6fb5", 2, 'stroke-dasharray="5 3"')
    picture.text(466, 336, "simulated, median and 10-90 % of 30 seeds", "start")
    picture.write("seconds.svg")


def axes(picture, it, x, y, top, left, right, bottom):
    for rate in range(0, int(top) + 1, 10):
        picture.line([(left, y(rate)), (right, y(rate))], "grid", "#e3e7ec", 1)
        picture.text(left - 6, y(rate) + 4, rate, "end")
    for at in range(it.length + 1):
        picture.text(x(at), bottom + 16, at)
    picture.line([(left, y(top)), (left, bottom), (right, bottom)], "axis", "#1f2430", 1)
    picture.text((left + right) / 2, bottom + 32 - 2, f"time (s), run {it.name}")
    picture.text(left, y(top) - 4, "goodput (Mbit/s)", "start")


def ratios(path):
    """All ratios: lines of `name;kind;median;low;high`, where kind is exact, predicted or fitted."""
    rows = [line.strip().split(";") for line in open(path) if line.strip()]
    picture = Picture(900, 118 + 26 * len(rows), "Goodput of the replay as a share of the measured one")
    left, right, top, bottom = 380, 870, 50, 50 + 26 * len(rows)
    x = lambda ratio: left + (right - left) * (math.log10(ratio) - math.log10(0.2)) / (math.log10(10) - math.log10(0.2))
    for tick in (0.2, 0.5, 1, 2, 5, 10):
        picture.line([(x(tick), top), (x(tick), bottom)], "axis" if tick == 1 else "grid", "#1f2430" if tick == 1 else "#e3e7ec", 1)
        picture.text(x(tick), bottom + 16, tick)
    for place, (name, kind, middle, low, high) in enumerate(rows):
        y = top + 13 + 26 * place
        picture.text(left - 10, y + 4, name, "end")
        fitted = kind == "fitted"
        picture.line([(x(float(low)), y), (x(float(high)), y)], "s1" if fitted else "s0", "#c9541f" if fitted else "#1f6fb5", 3)
        picture.dot(x(float(middle)), y, not fitted)
    picture.dot(left + 20, bottom + 54, True)
    picture.text((left + right) / 2, bottom + 34, "goodput, replay / measured (logarithmic)")
    picture.text(left + 30, bottom + 58, "predicted", "start")
    picture.dot(left + 120, bottom + 54, False)
    picture.text(left + 130, bottom + 58, "the measured rate was the capacity (circular)", "start")
    picture.write("ratios.svg")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    seconds(sys.argv[1])
    ratios(os.path.join(HERE, "ratios.txt"))
