"""What a congestion control costs that is a class of Python: the time of runs, next to CUBIC, pair by pair.

python python/benches/classes.py
"""

from __future__ import annotations

import statistics
import time

import seamline


class Aimd(seamline.CongestionControl):
    """Additive increase by a step, multiplicative decrease by a factor."""

    increase = seamline.parameter(2.0, low=0.01, high=100)
    decrease = seamline.parameter(0.8, low=0.1, high=0.99)

    def on_ack(self, acked: seamline.Acked, view: seamline.View) -> float | None:
        if not view.congestion_limited:
            return None
        if view.window < view.threshold:
            return view.window + acked.segments
        return view.window + self.increase * acked.segments / view.window

    def on_loss(self, timeout: bool, view: seamline.View) -> tuple[float, float]:
        threshold = max(2.0, self.decrease * min(view.flight, view.effective_window))
        return (1.0 if timeout else threshold, threshold)


def main() -> None:
    base = seamline.Scenario.bundled("quickstart").set({"duration": "60 s", "link.radio.down.loss.probability": "0.02 %"})
    plans = {it: base.set("flow.main.variant", it).set("seeds", 1) for it in ("cubic", Aimd)}
    packets = plans[Aimd].run(over_time=False).links.to_dict()["delivered_packets"]
    ratios, extra = [], []
    for pair in range(11):
        order = list(plans) if pair % 2 else list(plans)[::-1]
        seconds = {}
        for it in order:
            began = time.perf_counter()
            for _ in range(5):
                plans[it].plan.lines([(0, 0)])
            seconds[it] = (time.perf_counter() - began) / 5
        ratios.append(seconds[Aimd] / seconds["cubic"])
        extra.append((seconds[Aimd] - seconds["cubic"]) / min(packets) * 1e6)
    print(f"time of a run: {statistics.median(ratios):.2f} times that with CUBIC ({min(ratios):.2f} to {max(ratios):.2f})")
    print(f"an acknowledgment: {statistics.median(extra):.2f} us more ({min(extra):.2f} to {max(extra):.2f})")


if __name__ == "__main__":
    main()
