"""tailwave.plots on recorded results. Started by run.sh in the folder that results_test.py leaves."""

import importlib.util
import json
import os
import sqlite3
import subprocess
import unittest
from pathlib import Path
from typing import Any, Dict, List

import results_test
import tailwave.plots as plots
import tailwave.results
from tailwave.results import ResultsError

SOURCE = Path(os.environ["TAILWAVE_SOURCE_DIR"])
CHARTS = Path(os.environ.get("TAILWAVE_CHARTS", SOURCE / ".deps/charts/bin/python"))
DRAW = """
import json, sys, vl_convert
print(json.dumps([vl_convert.vegalite_to_svg(spec) for spec in json.load(sys.stdin)]))
"""


def rows_of(spec: Dict[str, Any], layer: int = -1) -> List[Dict[str, Any]]:
    """Of the whole spec, or of a layer that has its own."""
    data = spec["data"] if layer < 0 else spec["layer"][layer]["data"]
    return list(data["values"])


class PlotsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.db: Any = tailwave.results.open("results/tailwave.db", frame="rows")
        self.addCleanup(self.db.close)

    def all_specs(self, as_dict: bool = True) -> List[Any]:
        return [
            plots.ladder(self.db, "nbody/variants", device="h200", as_dict=as_dict),
            plots.parameter(self.db, "nbody/basic_block_size", "BLOCK_SIZE", as_dict=as_dict),
            plots.scaling(self.db, "nbody/scaling", as_dict=as_dict),
            plots.ranked(self.db, "nbody/basic_block_size", limit=12, as_dict=as_dict),
            plots.roofline(self.db, "nbody/variants", device="h200", as_dict=as_dict),
        ]

    def test_a_ladder_has_the_speedups_of_the_query(self) -> None:
        says = self.db.query("speedup", experiment="nbody/variants", device="h200")
        wanted = {row["configuration"]: row["speedup"] for row in says if row["kind"] == "cuda"}
        spec = plots.ladder(self.db, "nbody/variants", device="h200", as_dict=True)
        steps = rows_of(spec)
        self.assertEqual({row["configuration"] for row in steps}, set(wanted))
        for row in steps:
            self.assertAlmostEqual(row["speedup"], wanted[row["configuration"]], places=9)
        self.assertEqual(
            [(row["name"], row["text"]) for row in steps[:3]],
            [
                ("basic", "1×"),
                ("shared BLOCK_STRIDE=4", "16.6×  (16.6× the one above)"),
                ("shared BLOCK_STRIDE=32", "28.2×  (1.7× the one above)"),
            ],
        )
        self.assertIn("not shown, as nothing compares it with the rest: cpu", spec["title"]["subtitle"])
        over_shared = rows_of(plots.ladder(self.db, "variants", device="h200", baseline="shared", as_dict=True))
        self.assertAlmostEqual({row["name"]: row["speedup"] for row in over_shared}["shared BLOCK_STRIDE=32"], 1)

    def test_what_is_unverified_is_marked(self) -> None:
        steps = rows_of(plots.ladder(self.db, "variants", device="some", as_dict=True))
        marked = [(row["name"], row["verified"]) for row in steps if row["text"].endswith(", unverified")]
        self.assertEqual(marked, [("basic", "unverified")])
        self.assertEqual(sum(row["verified"] == "verified" for row in steps), len(steps) - 1)

    def test_a_parameter_is_shown_with_intervals_beside_what_was_published(self) -> None:
        spec = plots.parameter(self.db, "nbody/basic_block_size", "BLOCK_SIZE", as_dict=True)
        trials = {row["configuration"]: row for row in self.db.trials("nbody/basic_block_size") if row["value"]}
        rows = rows_of(spec)
        self.assertEqual({row["configuration"] for row in rows}, set(trials))
        for row in rows:
            mine = trials[row["configuration"]]
            self.assertEqual((row["x"], row["value"]), (mine["BLOCK_SIZE"], mine["value"]))
            self.assertTrue(row["low"] <= row["value"] <= row["high"])
        published = {row["x"]: row["value"] for row in rows_of(spec, 3)}
        self.assertEqual((len(published), published[1024], published.get(1025)), (15, 20.092e9, None))
        self.assertIn("not shown, as known to be wrong: 1 of the published values", spec["title"]["subtitle"])
        by_name = plots.parameter(self.db, "variants", "THIRD_LAW", device="h200", as_dict=True)
        self.assertEqual(by_name["encoding"]["x"]["type"], "nominal")
        self.assertNotIn("line", [layer["mark"]["type"] for layer in by_name["layer"]])

    def test_scaling_stays_below_its_limit(self) -> None:
        spec = plots.scaling(self.db, "nbody/scaling", as_dict=True)
        rows, limits = rows_of(spec), {row["x"]: row["value"] for row in rows_of(spec, 3)}
        self.assertEqual(sorted(limits), [1024 * 2**step for step in range(9)])
        self.assertEqual(len(rows), 3 * 9)
        self.assertTrue(all(0 < row["value"] < limits[row["x"]] for row in rows))

    def test_ranks_and_verdicts_are_those_of_best(self) -> None:
        best = self.db.best("nbody/basic_block_size", limit=12)
        rows = rows_of(plots.ranked(self.db, "nbody/basic_block_size", limit=12, as_dict=True))
        self.assertEqual(
            [(row["configuration"], row["place"], row["verdict"]) for row in rows],
            [(row["configuration"], row["place"], row["verdict"]) for row in best],
        )
        self.assertEqual(rows[0]["verdict"], "best")
        with sqlite3.connect("few.db") as few, sqlite3.connect("results/tailwave.db") as all_of_them:
            all_of_them.backup(few)
            few.execute("DELETE FROM sample WHERE position > 2")
        few.close()
        with tailwave.results.open("few.db", frame="rows") as db:
            spec = plots.ranked(db, "nbody/basic_block_size", as_dict=True)
        unclear = sum(row["verdict"] == "unclear" for row in rows_of(spec))
        self.assertGreater(unclear, 0)
        self.assertIn(
            f"unclear, as the samples do not show whether they are worse: {unclear}", spec["title"]["subtitle"]
        )

    def test_launches_are_below_their_roof(self) -> None:
        spec = plots.roofline(self.db, "nbody/variants", device="h200", as_dict=True)
        roofs, launches = rows_of(spec, 0), rows_of(spec)
        self.assertGreater(len(launches), 3)
        for launch in launches:
            highest = max(r["attained_flop_per_s"] for r in roofs if r["precision"] == launch["precision"])
            self.assertLess(launch["attained_flop_per_s"], highest)
        self.assertLess(min(r["intensity"] for r in roofs), min(launch["intensity"] for launch in launches))

    def test_a_chart_asks_for_what_it_cannot_choose(self) -> None:
        for says, draw in (
            ("several devices have results", lambda: plots.ladder(self.db, "nbody/variants")),
            ("a chart is of one device: device= names", lambda: plots.ladder(self.db, "variants", device="all")),
            ("a chart is of one problem: problem= names one of N: 1024, ", lambda: plots.ladder(self.db, "scaling")),
            ("no result of the problem N=7", lambda: plots.ladder(self.db, "scaling", problem={"N": 7})),
            (
                "no correct configuration of variant 'base'\n  there are: basic, ",
                lambda: plots.ladder(self.db, "variants", device="h200", baseline="base"),
            ),
            (
                "no configuration has 'BLOK'\n  there are: BLOCK_SIZE",
                lambda: plots.parameter(self.db, "basic_block_size", "BLOK"),
            ),
            ("no flop and bytes of 'scaling' were counted", lambda: plots.roofline(self.db, "scaling")),
        ):
            with self.assertRaises(ResultsError) as raised:
                draw()
            self.assertIn(says, str(raised.exception))
        self.assertEqual(len(rows_of(plots.ladder(self.db, "scaling", problem={"N": 4096}, as_dict=True))), 5)

    def test_a_chart_is_of_one_experiment_that_has_values(self) -> None:
        names = [f"{system}/residency.{kind}" for system in ("nbody", "plasma") for kind in ("json", "observed.json")]
        results_test.import_recorded(Path("second.db"), *(str(results_test.RECORDED.parent / name) for name in names))
        with sqlite3.connect("second.db") as changed:
            changed.execute(
                "UPDATE trial SET work = '{}' WHERE (SELECT system FROM run WHERE run.id = run_id) = 'nbody'"
            )
        changed.close()
        with tailwave.results.open("second.db", frame="rows") as second:
            for draw in (plots.ladder, plots.roofline):
                with self.assertRaisesRegex(ResultsError, "experiment= names one of nbody/residency, plasma/residency"):
                    draw(second, "residency")
            with self.assertRaisesRegex(ResultsError, "no configuration of 'nbody/residency' has a value there"):
                plots.ladder(second, "nbody/residency")
            # What has no value has no place either.
            trials: Any = second.trials("nbody/residency")
            self.assertEqual({(row["value"], row["place"]) for row in trials}, {(None, None)})

    @unittest.skipUnless(CHARTS.exists(), f"there is no {CHARTS} with vl-convert-python")
    def test_all_of_them_draw(self) -> None:
        said = subprocess.run(
            [str(CHARTS), "-c", DRAW], input=json.dumps(self.all_specs()), stdout=subprocess.PIPE, check=True, text=True
        ).stdout
        for svg, word in zip(json.loads(said), ("47.4×", "published, a100", "shared", "place among", "flop / s")):
            self.assertTrue(word in svg, word)

    @unittest.skipIf(importlib.util.find_spec("altair") is None, "there is no package altair")
    def test_altair_takes_them(self) -> None:
        import altair

        for chart in self.all_specs(as_dict=False):
            self.assertIsInstance(chart, altair.LayerChart)
            self.assertGreater(len(chart.to_dict()["layer"]), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
