"""What `make bench-search` is made of, without a network: fetch_spaces.sh, the choice of search_table.py, and the score that
search_kernel_tuner.py computes."""

import gzip
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from search_kernel_tuner import Space as Cachefile
from search_kernel_tuner import add_rows, known_rows, search_space, COLUMNS
from search_spaces import listed_spaces
from search_table import (Result, Setting, Space, chosen_without, device_of, kernel_of, kernel_tuner_results, read_settings,
                          result_of_choice)

HERE = pathlib.Path(__file__).resolve().parent
TAILWAVE = os.environ["TAILWAVE"]
CONTENT = b"a space"


class FetchTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "from" / "a b").mkdir(parents=True)
        (self.folder / "from" / "a b" / "one.json.gz").write_bytes(CONTENT)
        self.file = self.folder / "to" / "copy-one.json.gz"

    def fetch(self, sha256=hashlib.sha256(CONTENT).hexdigest(), path="a%20b/one.json.gz", address="from"):
        spaces = self.folder / "spaces.txt"
        spaces.write_text(f"# name ...\ncopy-one\tcopy\tone\t{sha256}\t{path}\n")
        environment = os.environ | {"TAILWAVE_SPACES_URL": f"file://{self.folder}/{address}"}
        return subprocess.run([HERE / "fetch_spaces.sh", self.folder / "to", spaces], env=environment, capture_output=True,
                              text=True, check=False)

    def test_fetches_what_is_missing_or_damaged_and_keeps_the_rest(self):
        self.assertIn("1 public spaces", self.fetch().stdout)
        self.assertEqual(self.file.read_bytes(), CONTENT)
        self.assertIn(", 0 of them fetched now", self.fetch(address="nowhere").stdout)
        self.file.write_bytes(b"cut off")
        self.assertIn(", 1 of them fetched now", self.fetch().stdout)
        self.assertEqual(self.file.read_bytes(), CONTENT)

    def test_refuses_another_content(self):
        run = self.fetch(sha256="0" * 64)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertEqual(len(run.stderr.splitlines()), 1)
        self.assertIn("copy-one: the SHA-256 of file://", run.stderr)
        self.assertEqual(list((self.folder / "to").iterdir()), [])

    def test_says_what_cannot_be_fetched(self):
        run = self.fetch(path="two.json.gz")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, "copy-one: file://.*/two.json.gz cannot be fetched: curl: ")
        self.assertIn("\nfetch_spaces: TAILWAVE_SPACES_URL=file:///FOLDER takes a copy", run.stderr)

    def test_lists_each_space_once(self):
        spaces = listed_spaces()
        self.assertGreaterEqual(len(spaces), 30)
        for of in (lambda space: space.name, lambda space: space.sha256, lambda space: space.path):
            self.assertEqual(len({of(space) for space in spaces}), len(spaces))


def space(kernel, device):
    return Space(f"{kernel}-{device}", kernel, device, True)


class ChoiceTest(unittest.TestCase):
    # `lucky` is the best in the mean over all, by what it does on copy alone.
    LUCKY, STEADY = Setting("lucky"), Setting("steady", ("share=0.5",))
    RESULTS = {
        LUCKY: Result({space("copy", "a"): 0.9, space("copy", "b"): 0.9, space("sort", "a"): 0.3, space("scan", "b"): 0.3}),
        STEADY: Result({space("copy", "a"): 0.1, space("copy", "b"): 0.1, space("sort", "a"): 0.4, space("scan", "b"): 0.4}),
    }

    def test_what_is_left_out_has_no_say(self):
        chosen = chosen_without(self.RESULTS, kernel_of)
        self.assertEqual(chosen, {"copy": self.STEADY, "sort": self.LUCKY, "scan": self.LUCKY})
        scores = result_of_choice(self.RESULTS, chosen, kernel_of).scores
        self.assertEqual(list(scores.values()), [0.1, 0.1, 0.3, 0.3])
        self.assertEqual(chosen_without(self.RESULTS, device_of), {"a": self.LUCKY, "b": self.LUCKY})

    def test_a_kernel_on_many_devices_counts_once(self):
        scores = {space("copy", str(device)): 1.0 for device in range(9)} | {space("sort", "a"): 0.0, space("scan", "a"): 0.0}
        other = dict.fromkeys(scores, 0.0) | {space("sort", "a"): 0.9, space("scan", "a"): 0.9}
        chosen = chosen_without({self.LUCKY: Result(scores), self.STEADY: Result(other)}, kernel_of)
        self.assertEqual(chosen, {"copy": self.STEADY, "sort": self.LUCKY, "scan": self.LUCKY})

    def test_of_equal_settings_the_first(self):
        scores = self.RESULTS[self.LUCKY]
        self.assertEqual(chosen_without({self.STEADY: scores, self.LUCKY: scores}, kernel_of)["copy"], self.STEADY)

    def test_a_single_kernel_leaves_nothing_to_choose_by(self):
        with self.assertRaisesRegex(SystemExit, "nothing to choose from without 'copy'"):
            chosen_without({self.LUCKY: Result({space("copy", "a"): 1.0})}, kernel_of)

    def test_reads_settings(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "settings.txt"
            file.write_text("# about\nlucky\n\nsteady share=0.5\n")
            self.assertEqual(read_settings(file), [self.LUCKY, self.STEADY])
            file.write_text("# about\n")
            with self.assertRaisesRegex(SystemExit, "settings.txt: no setting to choose from"):
                read_settings(file)


    def test_settings_to_choose_from_are_strategies_with_their_options(self):
        listed = json.loads(subprocess.run([TAILWAVE, "list", "strategies", "--json"], check=True, capture_output=True).stdout)
        known = {(row["strategy"], row["option"]) for row in listed}
        for setting in read_settings(HERE / "search_settings.txt"):
            self.assertIn((setting.strategy, None), known)
            for option in setting.options:
                self.assertIn((setting.strategy, option.split("=")[0]), known)


class TableTest(unittest.TestCase):
    def table(self, database):
        return subprocess.run([HERE / "search_table.py", TAILWAVE, database, "spaces"], capture_output=True, text=True, check=False)

    def test_needs_all_public_spaces(self):
        with tempfile.TemporaryDirectory() as folder:
            database = pathlib.Path(folder) / "spaces.db"
            run = self.table(database)
            self.assertEqual((run.returncode, run.stderr), (1, f"{database} is not there; 'make bench-search' makes it\n"))
            recorded = HERE.parents[1] / "results" / "h200" / "plasma" / "block_size.json"
            subprocess.run([TAILWAVE, "import", recorded, "--db", database, "--quiet"], check=True)
            run = self.table(database)
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"lacks {len(listed_spaces())} of the public spaces, such as convolution-RTX_2080_Ti;", run.stderr)

    def test_results_of_kernel_tuner_are_those_of_the_same_seeds(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "kernel_tuner.tsv"
            add_rows(file, [COLUMNS, ("pso", "copy-a", 1, 0.25, 0.5, ""), ("pso", "copy-a", 2, 0.75, 0, ""),
                            ("pso", "copy-a", 3, 9, 9, ""), ("pso", "sort-a", 1, 1, 1, ""),
                            ("skopt", "copy-a", 1, "", "", "no module")])
            self.assertEqual(len(known_rows(file)), 5)
            found, failures = kernel_tuner_results(file, [space("copy", "a")], seeds=2)
        self.assertEqual(found, {"pso": Result({space("copy", "a"): 0.5}, by_time={space("copy", "a"): 0.25})})
        self.assertEqual(failures, {"skopt": {"no module": ["copy-a"]}})


class ScoreTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.file = pathlib.Path(holder.name) / "space.json.gz"

    def cachefile(self, costs, seconds=None):
        entries = {str(i): {"BLOCK": i, "time": cost} for i, cost in enumerate(costs)}
        for i, taken in enumerate(seconds or []):
            entries[str(i)] |= {"compile_time": 750 * taken, "benchmark_time": 250 * taken, "verification_time": 0}
        self.file.write_bytes(gzip.compress(json.dumps({"cache": entries}).encode()))
        return Cachefile(self.file)

    def test_budgets_have_to_be_those_of_the_same_space(self):
        self.cachefile([3, 1, "RuntimeFailedConfig", 2])
        with self.assertRaisesRegex(SystemExit, "one: tailwave's budget is 5, computed here 4"):
            search_space("one", self.file, 5, {}, 1, "out")

    def test_baseline_of_four(self):
        # The lowest of t draws of 1, 2, 3 and one that fails, which counts as 3: (1 + 2 + 3 + 3) / 4 of one draw.
        for actual, expected in zip(self.cachefile([3, 1, "RuntimeFailedConfig", 2]).baseline, [9 / 4, 5 / 3, 5 / 4, 1]):
            self.assertAlmostEqual(actual, expected)

    def test_score_of_a_search(self):
        found = self.cachefile([3, 1, "RuntimeFailedConfig", 2])
        self.assertEqual(found.score(["1"]), (1 + 1 + 1 + 0) / 4)
        # The failed one counts as the worst: (9/4 - 3) / (9/4 - 1); the optimum last; where the baseline is the optimum, 0.
        terms = [(9 / 4 - 3) / (5 / 4), (5 / 3 - 3) / (2 / 3), (5 / 4 - 2) / (1 / 4), 0]
        self.assertAlmostEqual(found.score(["2", "0", "3", "1"]), sum(terms) / 4)
        self.assertAlmostEqual(found.score(["2", "0", "3"]), (sum(terms) - 1) / 4)

    def test_score_by_time_is_of_what_is_known_then(self):
        found = self.cachefile([3, 1, "RuntimeFailedConfig", 2], seconds=[0.5, 2, 1, 0.5])  # 1 s in the mean
        # Known after 1, 2, 3 and 4 s.
        terms = [(9 / 4 - 2) / (5 / 4), (5 / 3 - 2) / (2 / 3), 1, 0]
        self.assertAlmostEqual(found.score_by_time(["0", "3", "1"]), sum(terms) / 4)
        self.assertTrue(found.has_time_left(["0", "3", "1"]))
        self.assertFalse(found.has_time_left(["0", "3", "1", "2"]))

    def test_rows_of_other_columns_are_refused(self):
        file = self.file.with_name("old.tsv")
        file.write_text("strategy\tspace\tseed\tscore\tfailure\n")
        with self.assertRaisesRegex(SystemExit, "old.tsv has other columns than strategy, .*; remove it"):
            known_rows(file)


if __name__ == "__main__":
    unittest.main()
