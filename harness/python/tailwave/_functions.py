"""What `tailwave query` adds to SQL and Python's sqlite3 lacks: median(x), quantile(x, f), median_low(x), median_high(x)."""

from __future__ import annotations

import math
import sqlite3
from typing import Any, Callable, List, Optional, Tuple


def quantile(samples: List[float], fraction: float) -> float:
    """Linear between order statistics (Hyndman & Fan 1996, type 7)."""
    order = sorted(samples)
    position = fraction * (len(order) - 1)
    below = int(position)
    above = min(below + 1, len(order) - 1)
    return order[below] + (position - below) * (order[above] - order[below])


def median_interval(samples: List[float], level: float = 0.95) -> Tuple[float, float]:
    """By binomial order statistics (Conover, Practical Nonparametric Statistics, 3.2). Of fewer than 6 samples, which cannot
    reach 95 %, their range."""
    order = sorted(samples)
    count = len(order)
    outside, tail = 0, 0.0
    for following in range(count):
        if 2 * (following + 1) >= count:
            break
        # in logarithms, so that many samples do not underflow
        tail += math.exp(
            math.lgamma(count + 1)
            - math.lgamma(following + 1)
            - math.lgamma(count - following + 1)
            - count * math.log(2.0)
        )
        if 1 - 2 * tail < level:
            break
        outside = following
    return order[outside], order[count - 1 - outside]


def _aggregate(result: Callable[[List[float], float], float]) -> Any:
    """Of what is not NULL; without any it is NULL."""

    class Aggregate:
        def __init__(self) -> None:
            self.samples: List[float] = []
            self.fraction = 0.5

        def step(self, sample: Optional[float], fraction: float = 0.5) -> None:
            self.fraction = fraction
            if sample is not None:
                self.samples.append(sample)

        def finalize(self) -> Optional[float]:
            return result(self.samples, self.fraction) if self.samples else None

    return Aggregate


def add_functions(connection: sqlite3.Connection) -> None:
    connection.create_aggregate("median", 1, _aggregate(quantile))
    connection.create_aggregate("median_low", 1, _aggregate(lambda samples, _: median_interval(samples)[0]))
    connection.create_aggregate("median_high", 1, _aggregate(lambda samples, _: median_interval(samples)[1]))
    connection.create_aggregate("quantile", 2, _aggregate(quantile))
