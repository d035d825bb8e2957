"""What the charts of tailwave.plots have in common: rows of one device, words, and pieces of Vega-Lite."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from tailwave._frames import Cell
from tailwave.results import Results, ResultsError, Table

Record = Dict[str, Any]
Spec = Dict[str, Any]

# Of the reports' charts.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#555555"]
_TARGETS = (
    "cuda",
    "program",
    "reporting_program",
    "host",
)  # of which an experiment's first is compared, and no other with it


def style() -> Spec:
    """analysis/charts/style.json, which the package has beside its modules."""
    installed = Path(__file__).with_name("style.json")
    file = installed if installed.exists() else Path(__file__).resolve().parents[3] / "analysis/charts/style.json"
    found: Spec = json.loads(file.read_text())
    return found


def as_chart(spec: Spec, as_dict: bool) -> Any:
    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "config": style(), **spec}
    if as_dict or importlib.util.find_spec("altair") is None:
        return whole
    import altair

    return altair.Chart.from_dict(whole)


def records(table: Table) -> List[Record]:
    """Rows with parameters and problem as dicts."""
    names, rows = table
    found = [dict(zip(names, row)) for row in rows]
    return [
        {**row, "parameters": json.loads(str(row["parameters"])), "problem": json.loads(str(row["problem"]))}
        for row in found
    ]


def require_one_each(rows: Sequence[Record], device: str) -> None:
    """Of one experiment and one device, whose column is called `device`."""
    for what, column in (("experiment", "experiment"), ("device", device)):
        names = sorted({str(row[column]) for row in rows})
        if len(names) > 1:
            raise ResultsError(f"a chart is of one {what}: {what}= names one of {', '.join(names)}")


def words(values: Mapping[str, Cell]) -> str:
    return ", ".join(
        f"{name}={str(value).lower() if isinstance(value, bool) else str(value)}" for name, value in values.items()
    )


def _position(value: Any) -> Tuple[bool, Any]:
    """Numbers by their value, before all else."""
    return (False, value) if isinstance(value, (int, float)) else (True, str(value))


def of_one_problem(rows: List[Record], problem: Optional[Mapping[str, Cell]], axis: Optional[str]) -> List[Record]:
    """Rows whose problem has these quantities; all others but `axis` have to be the same in all of them."""
    meant = [row for row in rows if all(row["problem"].get(name) == value for name, value in (problem or {}).items())]
    there = {
        name: sorted({row["problem"].get(name) for row in meant}, key=_position)
        for row in meant
        for name in row["problem"]
    }
    several = {name: values for name, values in there.items() if len(values) > 1 and name != axis}
    if not meant and rows:
        raise ResultsError(f"no result of the problem {words(problem or {})}")
    if several:
        choices = "; ".join(f"{name}: {', '.join(map(str, values))}" for name, values in several.items())
        raise ResultsError(f"a chart is of one problem: problem= names one of {choices}")
    return meant


class Compared:
    """The correct configurations of an experiment on a device that may be compared with one another."""

    def __init__(
        self,
        results: Results[Any],
        experiment: str,
        system: Optional[str],
        device: Optional[str],
        problem: Optional[Mapping[str, Cell]] = None,
        axis: Optional[str] = None,
    ) -> None:
        self.scope = results.scope(experiment, system, device)
        found = records(results.trial_rows(experiment, system, device))
        require_one_each(found, "run_device")
        timed = of_one_problem([row for row in found if row["value"] is not None], problem, axis)
        if not timed:
            raise ResultsError(f"{results.file}: no configuration of '{experiment}' has a value there")
        target = next(target for target in _TARGETS if any(row["target"] == target for row in timed))
        self.rows = [row for row in timed if row["target"] == target]
        self.others = sorted({row["variant"] for row in timed if row["target"] != target})
        self.metric, self.maximise = str(self.rows[0]["metric"]), bool(self.rows[0]["maximise"])
        self.axis = axis

    def better(self, row: Record, than: Record) -> float:
        """How many times as good."""
        ratio = row["value"] / than["value"]
        return float(ratio if self.maximise else 1 / ratio)

    def ordered(self, rows: Optional[List[Record]] = None) -> List[Record]:
        """The worst first."""
        return sorted(self.rows if rows is None else rows, key=lambda row: row["value"], reverse=not self.maximise)

    def best_by(self, keys: Sequence[Any]) -> List[Record]:
        """The best of those with the same key."""
        best: Dict[Any, Tuple[Record, Any]] = {}
        for row, key in zip(self.rows, keys):
            if key not in best or self.better(row, best[key][0]) > 1:
                best[key] = (row, key)
        return [row for row, _ in best.values()]

    def titles(self, *said: str) -> Spec:
        row = self.rows[0]
        problem = words({name: value for name, value in row["problem"].items() if name != self.axis})
        subtitle = [
            part for part in (f"{row['run_device']}; {problem}" if problem else str(row["run_device"]), *said) if part
        ]
        if self.others:
            subtitle.append(f"not shown, as nothing compares it with the rest: {', '.join(self.others)}")
        return {"text": str(row["experiment"]), "subtitle": subtitle}

    def value_channel(self, **scale: Any) -> Spec:
        title = "time of an execution (s)" if self.metric == "time" else self.metric.replace("_", " ")
        return number("value", title, **scale)

    def names(self, rows: List[Record]) -> List[str]:
        """Variant and what varies among the rows of a variant."""
        labels = []
        for row in rows:
            alike = [other["parameters"] for other in rows if other["variant"] == row["variant"]]
            varying = {
                name: value for name, value in row["parameters"].items() if any(one.get(name) != value for one in alike)
            }
            labels.append(f"{row['variant']} {words(varying)}".strip())
        return labels


def datum(row: Record, **more: Any) -> Record:
    """What every chart shows of a configuration under the mouse."""
    shown = {
        "configuration": row["configuration"],
        "variant": row["variant"],
        "value": row["value"],
        "low": row["value_low"],
        "high": row["value_high"],
        "verified": "unverified" if row["unverified"] else "verified",
    }
    return {**shown, **more}


def tooltip(*fields: str) -> List[Spec]:
    return [{"field": field} for field in ("configuration", *fields, "verified")]


def open_if_unverified() -> Spec:
    """Marks of what was not verified are hollow."""
    return {"condition": {"test": "datum.verified === 'unverified'", "value": 0.0}, "value": 1.0}


def number(field: str, title: str, **scale: Any) -> Spec:
    """A channel of numbers, with SI prefixes on its axis."""
    return {"field": field, "type": "quantitative", "scale": scale, "axis": {"title": title, "format": "~s"}}


def name_of(field: str, **options: Any) -> Spec:
    return {"field": field, "type": "nominal", **options}


def layer(mark: Spec, rows: Optional[List[Record]] = None, **encoding: Any) -> Spec:
    return {"mark": mark, "encoding": encoding, **({} if rows is None else {"data": {"values": rows}})}


def whole(titles: Spec, rows: List[Record], size: Tuple[int, Any], x: Spec, y: Spec, layers: List[Spec]) -> Spec:
    """All of a spec; layers without rows of their own have `rows`."""
    shape = {"title": titles, "data": {"values": rows}, "width": size[0], "height": size[1]}
    return {**shape, "encoding": {"x": x, "y": y}, "layer": layers}
