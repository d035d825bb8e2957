"""What a tool has read of a run, held against what the database says."""

import json
import subprocess


def best_of(database):
    """The best kernel of nbody/variants, a row of `tailwave query best --json`."""
    rows = json.loads(subprocess.check_output(
        ["tailwave", "query", "best", "--experiment", "nbody/variants", "--db", database, "--json"]))
    return next(row for row in rows if row["verdict"].startswith("best"))


def check_figures(figures, database):
    """figures: by name as tailwave calls them, numbers as such; any of those below may be missing."""
    best = best_of(database)
    stored = {
        "time": 1000 * best["median_us"],
        "time_low": 1000 * best["low_us"],
        "time_high": 1000 * best["high_us"],
        "samples": best["samples"],
        "metric.interactions_per_second": best["value"],
        "winner": best["configuration"],
        "failed": 0,
    }
    held = [name for name in figures if name in stored]
    assert {"time", "winner"} & set(held), figures
    for name in held:
        read, known = figures[name], stored[name]
        # one is divided by 1000 on its way, the other multiplied
        near = read == known if isinstance(known, str) else abs(read - known) <= 1e-9 * abs(known)
        assert near, f"{name}: read {read}, stored {known}"
    print("read and stored alike:", ", ".join(held))
