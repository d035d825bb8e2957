"""What the charts of tailwave.plots draw along an axis: best configurations, published values, limits and roofs."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Tuple

from tailwave._marks import COLOURS, Compared, Record, Spec, datum, layer, name_of, number, open_if_unverified, tooltip
from tailwave._queries import LIMITS, PUBLISHED
from tailwave.results import Results, ResultsError


def _of(row: Record, name: str) -> Any:
    return row["parameters"].get(name, row["problem"].get(name))


def along(compared: Compared, name: str) -> List[Record]:
    """The best configuration of each variant and value."""
    if all(_of(row, name) is None for row in compared.rows):
        there = sorted({one for row in compared.rows for one in (*row["parameters"], *row["problem"])})
        raise ResultsError(f"no configuration has '{name}'\n  there are: {', '.join(there)}")
    best = compared.best_by([(row["variant"], _of(row, name)) for row in compared.rows])
    return [datum(row, x=_of(row, name)) for row in best if _of(row, name) is not None]


def lines() -> List[Spec]:
    """A line, the intervals and the points of each variant."""
    colour = name_of("variant", scale={"range": COLOURS})
    point = {"type": "point", "filled": True, "size": 30, "opacity": 1}
    words = tooltip("x", "value", "low", "high")
    return [
        layer({"type": "line", "strokeWidth": 1.8}, color=colour),
        layer({"type": "rule", "strokeWidth": 1.5}, color=colour, y={"field": "low"}, y2={"field": "high"}),
        layer(point, color=colour, fillOpacity=open_if_unverified(), tooltip=words),
    ]


def positions(name: str, values: List[Any]) -> Spec:
    """The channel of x: logarithmic where numbers spread, names where some are none."""
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if len(numbers) < len(values):
        return name_of("x", axis={"title": name, "labelAngle": 0})
    spread = min(numbers) > 0 and max(numbers) >= 16 * min(numbers)
    channel = number("x", name, **({"type": "log", "base": 2, "nice": False} if spread else {"zero": False}))
    channel["axis"]["format"] = "~g"
    return channel


def published(results: Results[Any], compared: Compared, name: str) -> Tuple[List[Record], int]:
    """The study's values of the metric at a value of `name`, and how many others are known to be wrong."""
    names, rows = results.scoped_rows(PUBLISHED, ("run_device", "run_kind"), compared.scope)
    found = [(dict(zip(names, row)), json.loads(str(row[names.index("named")]))) for row in rows]
    there = [(row, named[name]) for row, named in found if row["quantity"] == compared.metric and name in named]
    shown = [
        {"x": at, "value": row["published_value"], "study": f"published, {row['published_device']!s}"}
        for row, at in there
        if row["invalid"] is None
    ]
    return shown, len(there) - len(shown)


def limits(results: Results[Any], compared: Compared, quantity: str) -> List[Record]:
    """What the device allows at most of the metric, a time or a rate, at each value that is known."""
    if compared.metric != "time" and not compared.metric.endswith("_per_second"):
        return []
    names, rows = results.scoped_rows(LIMITS, ("device", "kind"), compared.scope)
    known = {row[names.index("trial_id")]: dict(zip(names, row)) for row in rows}
    found = []
    for row in compared.best_by([_of(row, quantity) for row in compared.rows]):
        limit = known.get(row["trial_id"])
        if limit is not None:
            share = float(str(limit["share"]))
            value = row["value"] * share if compared.metric == "time" else row["value"] / share
            found.append({"x": _of(row, quantity), "value": value, "limit": limit["limit_name"]})
    return found


def roofs(rows: List[Record]) -> List[Record]:
    """For each precision the ceiling at the least and greatest intensity, and at the ridge between memory and compute."""
    low, high = min(row["intensity"] for row in rows) / 2, max(row["intensity"] for row in rows) * 2
    tallest: Dict[str, Record] = {}
    for row in rows:
        precision = row["precision"]
        if precision not in tallest or row["peak_flop_per_s"] > tallest[precision]["peak_flop_per_s"]:
            tallest[precision] = row
    found: List[Record] = []
    for precision, row in tallest.items():
        peak, bandwidth = row["peak_flop_per_s"], row["bandwidth_bytes_per_s"]
        for at in sorted({low, high, min(max(peak / bandwidth, low), high)}):
            attained = min(peak, at * bandwidth)
            found.append({"precision": precision, "intensity": at, "attained_flop_per_s": attained})
    return found
