"""tailwave.results on recorded results. Started by run.sh in an empty folder; $TAILWAVE is the program."""

import doctest
import importlib.util
import json
import os
import re
import sqlite3
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock
from typing import Any, Dict, List

import tailwave.results
from tailwave._scope import Ran, scope_of
from tailwave.results import ResultsError

SOURCE = Path(os.environ["TAILWAVE_SOURCE_DIR"])
RECORDED = SOURCE / "results/h200/nbody"
DATABASE = Path("results/tailwave.db")
GPU, CPU = "NVIDIA H200", "Some CPU (2 cores)"


def tailwave_says(*arguments: str) -> str:
    return subprocess.run([os.environ["TAILWAVE"], *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout


def on_a_cpu(recorded: Dict[str, Any]) -> Dict[str, Any]:
    """The recorded variants as if the CPU device had run them a day later: one unverified, one wrong."""
    for device in recorded["devices"]:
        device.update(kind="cpu", name=CPU, uuid="")
    recorded["device"] = CPU
    for run in recorded["runs"]:
        run.update(started_at="2026-11-26T11:00:00Z", finished_at="2026-11-26T11:01:00Z")
    for minute, trial in enumerate(recorded["trials"]):
        trial["finished_at"] = f"2026-11-26T11:00:{minute:02d}.000Z"
    recorded["trials"][0]["unverified"] = "nothing is compared"
    wrong = recorded["trials"][2]
    wrong.update(
        outcome="wrong_result", detail="off by 2", samples={name: type(of)() for name, of in wrong["samples"].items()}
    )
    return recorded


def import_recorded(database: Path, *files: str) -> None:
    """Recorded results, by the names in results/h200/nbody, and others. From the repository, which has published values."""
    command = [os.environ["TAILWAVE"], "import", "--quiet", "--db", str(database.absolute())]
    subprocess.run([*command, *(str(RECORDED / file) for file in files)], check=True, cwd=SOURCE)


def make_database() -> None:
    cpu = Path("cpu.json").absolute()
    cpu.write_text(json.dumps(on_a_cpu(json.loads((RECORDED / "variants.json").read_text()))))
    import_recorded(
        DATABASE, str(cpu), "variants.json", "variants.observed.json", "scaling.json", "basic_block_size.json"
    )


def open_rows(**options: Any) -> "tailwave.results.Results[List[Dict[str, Any]]]":
    return tailwave.results.open(DATABASE, frame="rows", **options)  # type: ignore[return-value]


class ResultsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.db = open_rows()
        self.addCleanup(self.db.close)

    def refusal(self, *arguments: Any, **options: Any) -> str:
        with self.assertRaises(ResultsError) as raised:
            self.db.trials(*arguments, **options)
        return str(raised.exception)

    def test_trials_have_parameters_as_columns_and_the_numbers_of_the_program(self) -> None:
        trials = {row["configuration"]: row for row in self.db.trials("nbody/variants", device="h200")}
        self.assertEqual(len(trials), 6)
        best = json.loads(
            tailwave_says(
                "query", "best", "--experiment", "variants", "--device", GPU, "--limit", "9", "--format", "json"
            )
        )
        for row in best:
            mine = trials[row["configuration"]]
            for name, scale in (("median_us", 1e3), ("low_us", 1e3), ("high_us", 1e3), ("value", 1), ("samples", 1)):
                self.assertAlmostEqual(mine[name.replace("_us", "_ns")] / scale / row[name], 1, places=12)
            self.assertEqual(mine["place"], row["place"])
            self.assertTrue(mine["value_low"] <= mine["value"] <= mine["value_high"])
        tuned = trials[best[0]["configuration"]]
        self.assertEqual(
            (tuned["variant"], tuned["BLOCK_SIZE"], tuned["THIRD_LAW"], tuned["DT"], tuned["N"]),
            ("tuned", 128, True, 0.01, 4096),
        )
        self.assertEqual((tuned["target"], tuned["registers"] > 0, tuned["blocks_per_sm"]), ("cuda", True, 5))
        self.assertAlmostEqual(tuned["value"], 4096**2 / (tuned["median_ns"] / 1e9), delta=1)

    def test_a_host_variant_is_marked_and_has_no_place_among_kernels(self) -> None:
        host = [row for row in self.db.trials("nbody/variants", device=GPU) if row["target"] == "host"]
        self.assertEqual(
            [(row["variant"], row["kind"], row["run_device"], row["place"]) for row in host],
            [("cpu", "cpu", GPU, None)],
        )

    def test_devices_are_not_mixed_unasked(self) -> None:
        self.assertIn(
            "several devices have results of this, and times of different devices are not mixed unasked\n  device= "
            f"names one of them, or 'all': {GPU}, {CPU}",
            self.refusal("nbody/variants"),
        )
        everywhere = self.db.trials("nbody/variants", device="all")
        self.assertEqual(
            {(row["run_device"], row["kind"]) for row in everywhere}, {(GPU, "cuda"), (GPU, "cpu"), (CPU, "cpu")}
        )
        self.assertEqual({row["run_device"] for row in self.db.trials("variants", device="cpu")}, {CPU})
        self.assertEqual({row["run_device"] for row in self.db.trials("scaling")}, {GPU})
        with self.assertRaisesRegex(ResultsError, "several devices"):
            self.db.best()

    def test_experiments_of_one_name_are_not_mixed(self) -> None:
        ran = [Ran(system, "variants", GPU, "cuda") for system in ("nbody", "plasma")]
        for device in (None, GPU, "all"):
            with self.assertRaises(ResultsError) as raised:
                scope_of("db", ran, "variants", None, device)
            self.assertEqual(
                str(raised.exception),
                "db: several systems have an experiment 'variants'\n"
                "  experiment= names one of nbody/variants, plasma/variants",
            )
        self.assertEqual(scope_of("db", ran, "variants", "plasma", GPU).system, "plasma")
        self.assertEqual(scope_of("db", ran, "plasma/variants", None, None).system, "plasma")

    def test_what_is_unverified_or_failed_is_marked(self) -> None:
        rows = self.db.trials("variants", device="some")
        self.assertEqual([row["unverified"] for row in rows if row["unverified"]], ["nothing is compared"])
        self.assertEqual(
            [
                (row["outcome"], row["median_ns"], row["value"], row["place"], row["detail"])
                for row in rows
                if row["outcome"] != "correct"
            ],
            [("wrong_result", None, None, None, "off by 2")],
        )
        self.assertIn("nothing is compared", {row["unverified"] for row in self.db.samples("variants", device="some")})
        self.assertIn("unverified", "".join(row["verdict"] for row in self.db.best("variants", device="some", limit=9)))

    def test_samples(self) -> None:
        samples = self.db.samples("variants", device="h200")
        self.assertEqual(len(samples), 120)
        tuned = [row["time_ns"] for row in samples if row["variant"] == "tuned" and row["THIRD_LAW"]]
        self.assertEqual(len(tuned), 20)
        self.assertTrue(all(8000 < time < 10000 for time in tuned), tuned)
        self.assertEqual({row["dropped"] for row in samples}, {None})

    def test_counters(self) -> None:
        counters = self.db.counters("nbody/variants", device="h200")
        self.assertGreater(len(counters), 3)
        self.assertTrue(all(row["instructions"] > 0 and row["hardest_unit"] for row in counters))
        self.assertIn(128, {row["BLOCK_SIZE"] for row in counters})
        self.assertEqual(self.db.counters("scaling"), [])

    def test_best_is_what_the_program_says(self) -> None:
        best, host = self.db.best("nbody/variants", device="h200")
        self.assertEqual((best["place"], best["verdict"], best["variant"], best["SPLIT"]), (1, "best", "tuned", 32))
        self.assertEqual((host["place"], host["verdict"]), (None, "reference"))
        self.assertEqual(len(self.db.best("nbody/variants", device="h200", limit=3, margin=0.5)), 4)

    def test_named_queries_and_sql(self) -> None:
        fastest = self.db.query("speedup", experiment="nbody/variants", device="h200", baseline="basic")[0]
        self.assertAlmostEqual(fastest["speedup"], 47.44, places=2)
        with self.assertRaisesRegex(ResultsError, "there is no query 'bset'"):
            self.db.query("bset")
        with self.assertRaisesRegex(ResultsError, "it has no parameter 'margn'"):
            self.db.query("best", margn=0.1)
        text = (
            "SELECT median(time_ns) AS median, median_low(time_ns) AS low, median_high(time_ns) AS high, "
            "quantile(time_ns, 0.9) AS late, median(NULL) AS none FROM sample WHERE trial_id % 7 = :rest"
        )
        says = json.loads(tailwave_says("query", "--sql", text, "--set", "rest=3", "--format", "json"))
        self.assertEqual(self.db.sql(text, {"rest": 3}), says)
        self.assertEqual(self.db.sql("SELECT ? AS one", [1]), [{"one": 1}])
        with self.assertRaisesRegex(ResultsError, 'results/tailwave.db: near "SELCT": syntax error'):
            self.db.sql("SELCT 1")
        with self.assertRaisesRegex(ResultsError, "readonly database"):
            self.db.sql("DELETE FROM sample")

    def test_experiments(self) -> None:
        rows = [
            (row["experiment"], row["run_device"], row["configurations"], row["correct"])
            for row in self.db.experiments()
        ]
        self.assertIn(("nbody/variants", GPU, 6, 6), rows)
        self.assertIn(("nbody/variants", CPU, 6, 5), rows)

    def test_names_that_mean_nothing_are_refused_with_those_there_are(self) -> None:
        self.assertEqual(
            self.refusal("nbody/varaints"),
            "results/tailwave.db: nothing of experiment 'nbody/varaints'\n  did you mean 'nbody/variants'?",
        )
        self.assertIn("\n  there are: basic_block_size, scaling, variants", self.refusal("zebra"))
        self.assertIn("nothing of system 'nbdy'\n  did you mean 'nbody'?", self.refusal(system="nbdy"))
        self.assertIn(f"no device 'a100'\n  it has results of: {GPU}", self.refusal("scaling", device="a100"))
        self.assertIn(
            f"nothing of a device of kind 'cpu'\n  it has results of: {GPU}", self.refusal("scaling", device="cpu")
        )
        self.assertIn(
            f"several devices are called '2'\n  name one of them: {GPU}, {CPU}", self.refusal("variants", device="2")
        )

    def test_what_cannot_be_opened_says_why(self) -> None:
        with self.assertRaisesRegex(
            ResultsError, "none.db: there is no such database\n  'tailwave run SPEC --db none.db'"
        ):
            open_rows_of("none.db")
        Path("text.db").write_text(
            "no database, and long enough that SQLite takes a look at its first hundred bytes" * 9
        )
        with self.assertRaisesRegex(ResultsError, "text.db: cannot be read: file is not a database"):
            open_rows_of("text.db")
        for name, statements, why in (
            ("other", "CREATE TABLE t(x)", "is no database of tailwave"),
            (
                "newer",
                "CREATE TABLE trial(x); CREATE VIEW current_trial AS SELECT 1; " "PRAGMA user_version = 99",
                "its schema has version 99",
            ),
        ):
            with sqlite3.connect(f"{name}.db") as other:
                other.executescript(statements)
            other.close()
            with self.assertRaisesRegex(ResultsError, f"{name}.db: {why}"):
                open_rows_of(f"{name}.db")
        with mock.patch(
            "sqlite3.connect", side_effect=sqlite3.OperationalError("attempt to write a readonly database")
        ):
            with self.assertRaisesRegex(ResultsError, "readonly database\n  copy it into a folder that may be written"):
                open_rows()
        with mock.patch("sqlite3.sqlite_version_info", (3, 37, 2)):
            with self.assertRaisesRegex(ResultsError, "databases of tailwave need 3.40 or later"):
                open_rows()
        with self.assertRaisesRegex(ResultsError, "the program 'no-such-program' is not there"):
            open_rows(program="no-such-program").best("scaling")
        with self.assertRaisesRegex(ValueError, "frame='list': there are pandas, polars, rows, columns"):
            tailwave.results.open(DATABASE, frame="list")  # type: ignore[call-overload]

    def test_a_parameter_that_is_called_like_a_column_gets_a_line_below(self) -> None:
        with sqlite3.connect("named.db") as copy, sqlite3.connect(DATABASE) as original:
            original.backup(copy)
            copy.execute("""UPDATE configuration SET parameters = '{"samples":4,"n":1}' WHERE variant = 'basic'""")
        copy.close()
        original.close()
        with open_rows_of("named.db") as db:
            rows = [row for row in db.trials("nbody/variants", device="h200") if row["variant"] == "basic"]
        self.assertEqual([(row["samples"], row["samples_"], row["n"]) for row in rows], [(20, 4, 1)])

    def test_the_schema_and_the_version_are_the_programs(self) -> None:
        self.assertEqual(self.db.sql("PRAGMA user_version"), [{"user_version": tailwave.results.SCHEMA_VERSION}])
        metadata = next(Path(tailwave.__file__).parents[1].glob("*.dist-info/METADATA")).read_text()
        version = next(line for line in metadata.splitlines() if line.startswith("Version: "))[9:]
        self.assertRegex(tailwave_says("--version"), rf"^tailwave {re.escape(version)}(\+|\s)")
        self.assertIn("Provides-Extra: pandas\nRequires-Dist: pandas>=", metadata)


def open_rows_of(file: str) -> "tailwave.results.Results[List[Dict[str, Any]]]":
    return tailwave.results.open(file, frame="rows")  # type: ignore[return-value]


def needs(package: str) -> Any:
    return unittest.skipIf(importlib.util.find_spec(package) is None, f"there is no package {package}")


class PageTest(unittest.TestCase):
    @needs("pandas")
    def test_the_examples_of_the_page_say_what_it_shows(self) -> None:
        Path("page/results").mkdir(parents=True)
        page = Path("page/results/tailwave.db")
        import_recorded(page, "variants.json", "variants.observed.json", "tuning.json", "scaling.json")
        before = Path.cwd()
        os.chdir("page")
        self.addCleanup(os.chdir, before)
        text = (SOURCE / "docs/notebooks.md").read_text().replace("\n```\n", "\n\n")
        examples = doctest.DocTestParser().get_doctest(text, {}, "docs/notebooks.md", "docs/notebooks.md", 0)
        result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples)
        self.assertEqual(result.failed, 0)
        self.assertGreater(result.attempted, 9)


class FramesTest(unittest.TestCase):
    def test_columns(self) -> None:
        with tailwave.results.open(DATABASE, frame="columns") as db:
            trials = db.trials("nbody/variants", device="h200")
            self.assertEqual(sorted(map(str, trials["BLOCK_STRIDE"])), ["32", "4", "None", "None", "None", "None"])
            self.assertEqual(db.counters("scaling")["ipc"], [])

    def test_what_has_no_rows_has_its_columns(self) -> None:
        import_recorded(Path("timeless.db"), "scaling.json")
        with sqlite3.connect("timeless.db") as changed:
            changed.execute("DELETE FROM sample")
        changed.close()
        with tailwave.results.open("timeless.db", frame="columns") as db:
            best, drift = db.best("scaling"), db.query("drift")
        self.assertEqual((best["median_us"], best["variant"], best["verdict"]), ([], [], []))
        self.assertEqual(drift["sm_clock_mhz"], [])

    def test_rows_are_what_there_is_without_packages(self) -> None:
        code = (
            "import importlib.util, tailwave.results\nimportlib.util.find_spec = lambda name: None\n"
            "print(tailwave.results.open().sql('SELECT 1 AS one'))\n"
            "try: tailwave.results.open(frame='pandas')\nexcept ImportError as error: print(error)"
        )
        said = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, text=True).stdout
        self.assertEqual(said, "[{'one': 1}]\npandas is not installed: pip install '.[pandas]', or frame='rows'\n")

    @needs("pandas")
    def test_pandas(self) -> None:
        with tailwave.results.open(DATABASE, frame="pandas") as db:
            trials = db.trials("nbody/variants", device="h200").set_index("configuration")
            self.assertEqual(str(trials.BLOCK_STRIDE.dtype), "Int64")
            self.assertEqual(str(trials.THIRD_LAW.dtype), "boolean")
            self.assertEqual(str(trials.median_ns.dtype), "float64")
            self.assertEqual(trials[trials.kind == "cuda"].value.idxmax(), trials.index[trials.place == 1][0])
            self.assertIn("instructions", db.counters("scaling").columns)

    @needs("polars")
    def test_polars(self) -> None:
        import polars

        with tailwave.results.open(DATABASE, frame="polars") as db:
            trials = db.trials(device="h200", system="nbody")
            self.assertEqual(trials["BLOCK_STRIDE"].dtype, polars.Int64)
            self.assertEqual(trials["THIRD_LAW"].dtype, polars.Boolean)
            best = trials.filter(polars.col("experiment") == "nbody/variants", polars.col("place") == 1)
            self.assertEqual(best["variant"].to_list(), ["tuned"])
            mixed = db.sql("SELECT 1 AS x UNION ALL SELECT 'a' UNION ALL SELECT NULL")
            self.assertEqual(sorted(map(str, mixed["x"].to_list())), ["1", "None", "a"])
            self.assertEqual(db.sql("SELECT 1 AS x UNION ALL SELECT 2.5")["x"].to_list(), [1.0, 2.5])

    @needs("mypy")
    def test_the_package_is_typed(self) -> None:
        package = Path(tailwave.__file__).parent
        checked = subprocess.run(
            [sys.executable, "-m", "mypy", "--config-file", str(SOURCE / "pyproject.toml"), str(package)],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(checked.returncode, 0, checked.stdout)


if __name__ == "__main__":
    make_database()
    unittest.main(verbosity=2)
