"""Charts of the results in a database of tailwave: altair.Chart where Altair is installed, else Vega-Lite specs as dicts.

    import tailwave.results, tailwave.plots
    db = tailwave.results.open("results/tailwave.db")
    tailwave.plots.ladder(db, "nbody/variants", device="h200")

A chart is of one experiment, one device and (but for what its axis shows) one problem; where there are several, it asks
to name one: ResultsError. What nothing compares with kernels, as a host variant beside them, is left out and named in
the subtitle; what is unverified is hollow and says so. Values are in SI units, or in that of the metric. `as_dict` gives
the Vega-Lite spec in any case. Docs: docs/notebooks.md.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from tailwave._frames import Cell
from tailwave._marks import (
    COLOURS,
    Compared,
    Record,
    as_chart,
    datum,
    layer,
    name_of,
    number,
    of_one_problem,
    open_if_unverified,
    records,
    require_one_each,
    tooltip,
    whole,
)
from tailwave._queries import ROOFLINE
from tailwave._series import along, limits, lines, positions, published, roofs
from tailwave.results import Results, ResultsError

__all__ = ["ladder", "parameter", "ranked", "roofline", "scaling"]

Problem = Optional[Mapping[str, Cell]]
_MOST_STEPS = 20


def ladder(
    results: Results[Any],
    experiment: str,
    *,
    system: Optional[str] = None,
    device: Optional[str] = None,
    problem: Problem = None,
    baseline: Optional[str] = None,
    as_dict: bool = False,
) -> Any:
    """What each step gains: how many times as good as the baseline (of `tailwave query speedup`, asked of the program), or
    as the best one of the variant `baseline`, each is, and as the one before it. Of more than 20 configurations the
    baseline and the best of each variant."""
    compared = Compared(results, experiment, system, device, problem)
    steps = compared.ordered()
    named = [row for row in steps if baseline in (None, row["variant"])]
    if not named:
        there = ", ".join(sorted({row["variant"] for row in steps}))
        raise ResultsError(f"no correct configuration of variant '{baseline}'\n  there are: {there}")
    base = named[-1] if baseline else _baseline(results, steps)
    if len(steps) > _MOST_STEPS:
        best = compared.best_by([row["variant"] for row in compared.rows])
        steps = compared.ordered(best if base in best else [base, *best])
    rows = []
    for row, before, name in zip(steps, [None, *steps], compared.names(steps)):
        text = f"{compared.better(row, base):.3g}×"
        text += f"  ({compared.better(row, before):.3g}× the one above)" if before else ""
        text += ", unverified" if row["unverified"] else ""
        rows.append(datum(row, name=name, speedup=compared.better(row, base), text=text))
    bars = layer(
        {"type": "bar", "color": COLOURS[0], "stroke": COLOURS[0]},
        fillOpacity=open_if_unverified(),
        tooltip=tooltip("speedup", "value", "low", "high"),
    )
    texts = layer({"type": "text", "align": "left", "dx": 5}, text={"field": "text"})
    x = number("speedup", "times as good as the baseline")
    y = name_of("name", sort=None, axis={"title": None, "labelLimit": 400})
    titles = compared.titles(f"baseline: {base['configuration']}")
    return as_chart(whole(titles, rows, (420, {"step": 28}), x, y, [bars, texts]), as_dict)


def _baseline(results: Results[Any], steps: Sequence[Record]) -> Record:
    """Of these the one that the program's answers have as the baseline."""
    best = steps[-1]
    _, rows = results.asked("speedup", {"experiment": best["experiment"], "device": best["run_device"]})
    over = {row["configuration"]: row["baseline"] for row in rows}
    found = [row for row in steps if row["configuration"] == over.get(best["configuration"])]
    if not found:
        raise ResultsError(f"'tailwave query speedup' has no baseline of {best['configuration']}")
    return found[0]


def parameter(
    results: Results[Any],
    experiment: str,
    name: str,
    *,
    system: Optional[str] = None,
    device: Optional[str] = None,
    problem: Problem = None,
    as_dict: bool = False,
) -> Any:
    """A line for each variant: the best configuration for each value of a parameter or problem quantity, with its 95 %
    interval, beside the published values of the study."""
    compared = Compared(results, experiment, system, device, problem, name)
    rows = along(compared, name)
    shown, wrong = published(results, compared, name)
    x = positions(name, [row["x"] for row in [*rows, *shown]])
    layers = lines() if x["type"] == "quantitative" else lines()[1:]
    if shown:
        words = [{"field": "study"}, {"field": "x", "title": name}, {"field": "value"}]
        diamond = {"type": "point", "shape": "diamond", "size": 45}
        layers.append(layer(diamond, shown, color=name_of("study"), tooltip=words))
    titles = compared.titles(f"not shown, as known to be wrong: {wrong} of the published values" if wrong else "")
    return as_chart(whole(titles, rows, (560, 300), x, compared.value_channel(), layers), as_dict)


def scaling(
    results: Results[Any],
    experiment: str,
    quantity: str = "N",
    *,
    system: Optional[str] = None,
    device: Optional[str] = None,
    problem: Problem = None,
    as_dict: bool = False,
) -> Any:
    """A line for each variant over a problem quantity, on logarithmic axes, and the tightest limit of the device for the
    best configuration (view trial_limit), where it is known, as a dashed one."""
    compared = Compared(results, experiment, system, device, problem, quantity)
    rows, bounds = along(compared, quantity), limits(results, compared, quantity)
    layers = lines()
    if bounds:
        words = [{"field": "limit"}, {"field": "x", "title": quantity}, {"field": "value"}]
        layers.append(layer({"type": "line", "strokeDash": [5, 4], "color": "#777777"}, bounds, tooltip=words))
    names = ", ".join(sorted({row["limit"] for row in bounds}))
    titles = compared.titles(f"dashed: the limit {names}" if names else "")
    x, y = number("x", quantity, type="log", nice=False), compared.value_channel(type="log")
    return as_chart(whole(titles, rows, (560, 320), x, y, layers), as_dict)


def ranked(
    results: Results[Any],
    experiment: str,
    *,
    system: Optional[str] = None,
    device: Optional[str] = None,
    problem: Problem = None,
    limit: int = 40,
    margin: Optional[float] = None,
    as_dict: bool = False,
) -> Any:
    """The best `limit` configurations in their order, with 95 % intervals and in the colour of their verdict: which
    cannot be told from the best (`tailwave query best`, asked of the program)."""
    compared = Compared(results, experiment, system, device, problem)
    first = compared.rows[0]
    answered = records(results.best_rows(first["experiment"], None, first["run_device"], limit, margin))
    verdicts = {one["configuration"]: str(one["verdict"]).split(",")[0] for one in answered}
    best = [row for row in reversed(compared.ordered()) if row["configuration"] in verdicts]
    rows = [datum(row, place=row["place"], verdict=verdicts[row["configuration"]]) for row in best]
    scale = {"domain": ["best", "tied", "unclear", "slower"], "range": [COLOURS[1], COLOURS[0], COLOURS[4], "#aaaaaa"]}
    colour = name_of("verdict", scale=scale, legend={"title": "beside the best"})
    low = {"field": "low", "type": "quantitative"}
    bars = layer({"type": "rule", "strokeWidth": 1.5}, color=colour, x=low, x2={"field": "high"})
    dots = layer(
        {"type": "point", "filled": True, "size": 45, "opacity": 1},
        color=colour,
        fillOpacity=open_if_unverified(),
        tooltip=tooltip("place", "verdict", "value", "low", "high"),
    )
    x = compared.value_channel(zero=False)
    y = number("place", f"place among {first['of_ranked']}", reverse=True, zero=False, nice=False, padding=8)
    y["axis"].update(format="d", tickMinStep=1)
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ("tied", "unclear")}
    unclear = f"unclear, as the samples do not show whether they are worse: {counts['unclear']}"
    titles = compared.titles(f"tied with the best: {counts['tied']}", unclear if counts["unclear"] else "")
    return as_chart(whole(titles, rows, (460, max(120, 9 * len(rows))), x, y, [bars, dots]), as_dict)


def roofline(
    results: Results[Any],
    experiment: str,
    *,
    system: Optional[str] = None,
    device: Optional[str] = None,
    problem: Problem = None,
    as_dict: bool = False,
) -> Any:
    """Counted launches in the roofline of the device (view counter_roofline), for each precision in which they computed."""
    scope = results.scope(experiment, system, device)
    counted = records(results.scoped_rows(ROOFLINE, ("device", "kind"), scope))
    require_one_each(counted, "device")
    found = of_one_problem(counted, problem, None)
    shown = [row for row in found if row["intensity"] is not None]
    if not shown:
        raise ResultsError(
            f"{results.file}: no flop and bytes of '{experiment}' were counted\n  'tailwave counters' does it"
        )
    names = ("configuration", "variant", "kernel", "precision", "intensity", "attained_flop_per_s", "share", "doubt")
    points = [{name: row[name] for name in names} for row in shown]
    colour = name_of("variant", scale={"range": COLOURS})
    words = [{"field": name} for name in names]
    dots = layer({"type": "point", "size": 50}, color=colour, shape=name_of("precision"), tooltip=words)
    kind = name_of("precision")
    lids = layer({"type": "line", "color": "#777777"}, roofs(shown), detail=kind, tooltip=[kind])
    said = {
        "without bytes of DRAM, not shown": len(found) - len(shown),
        "doubtful, as the mouse says": sum(row["doubt"] is not None for row in shown),
    }
    subtitle = [str(shown[0]["device"]), *(f"{count} {what}" for what, count in said.items() if count)]
    x = number("intensity", "flop for each byte of DRAM", type="log")
    y = number("attained_flop_per_s", "flop / s", type="log")
    titles = {"text": str(shown[0]["experiment"]), "subtitle": subtitle}
    return as_chart(whole(titles, points, (560, 320), x, y, [lids, dots]), as_dict)
