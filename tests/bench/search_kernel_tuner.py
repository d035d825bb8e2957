"""Scores of Kernel Tuner's strategies on public spaces, in its simulation mode: a part of `make bench-search`.

search_kernel_tuner.py SPACES BUDGETS OUT [--seeds N] [--limit SECONDS] [--most-budget N] [--strategies A,B] [--jobs N]

SPACES is the folder that fetch_spaces.sh filled, BUDGETS what `tailwave simulate --json` printed about them, whose budgets are
taken. OUT gets a row for each search: strategy, space, seed, score by evaluations and by recorded seconds, and why there is none.
What OUT has already is not run again. The score is computed here, from the configurations in the order in which Kernel Tuner evaluated them, as
docs/searching.md defines it and harness/search/replay.cpp computes it. Kernel Tuner has to be importable; it is told the
configurations that a space has, in place of the constraints that it would find them by.
"""

import argparse
import concurrent.futures
import contextlib
import csv
import gzip
import io
import json
import multiprocessing
import os
import pathlib
import random
import signal
import sys
import tempfile
import warnings

from search_spaces import listed_spaces

FAILED = 1e19  # older cachefiles write 1e20 for a configuration that did not run
COLUMNS = ("strategy", "space", "seed", "score", "score_by_time", "failure")
PHASES_MS = ("compile_time", "verification_time", "benchmark_time")
NOT_SEARCHES = {"brute_force"}


class Timeout(BaseException):
    """Not an Exception, so that no strategy takes it for a failure of its own."""


class Space:
    """A cachefile: costs by configuration, None where it did not run, and what scores need of them."""

    def __init__(self, file):
        with gzip.open(file, "rt") as text:
            self.document = json.load(text)
        self.costs = {key: cost_of(entry) for key, entry in self.document["cache"].items()}
        ran = sorted(cost for cost in self.costs.values() if cost is not None)
        self.optimum, self.worst = ran[0], ran[-1]
        median = (ran[(len(ran) - 1) // 2] + ran[len(ran) // 2]) / 2
        self.baseline = baseline_of(ran + [self.worst] * (len(self.costs) - len(ran)),
                                    self.optimum + 0.05 * (median - self.optimum))
        # What is not known of one that failed took no time.
        self.seconds = {key: sum(entry.get(phase) or 0 for phase in PHASES_MS) / 1e3
                        for key, entry in self.document["cache"].items()}
        self.mean_seconds = sum(self.seconds.values()) / len(self.seconds)

    def score(self, keys):
        """Of a search that evaluated these configurations, none twice, in this order."""
        best, lowest = [], self.worst
        for key in keys[:len(self.baseline)]:
            cost = self.costs[key]
            if cost is not None:
                lowest = min(lowest, cost)
            best.append(lowest)
        best += [lowest] * (len(self.baseline) - len(best))
        return self.mean_of_terms(best)

    def score_by_time(self, keys):
        """The same over the seconds that the budget takes in the mean: what is known when t such evaluations have ended."""
        best, lowest, now, following = [], self.worst, 0.0, 0
        for moment in range(1, len(self.baseline) + 1):
            while following < len(keys) and now + self.seconds[keys[following]] <= moment * self.mean_seconds:
                now += self.seconds[keys[following]]
                cost = self.costs[keys[following]]
                if cost is not None:
                    lowest = min(lowest, cost)
                following += 1
            best.append(lowest)
        return self.mean_of_terms(best)

    def has_time_left(self, keys):
        return sum(self.seconds[key] for key in keys) < len(self.baseline) * self.mean_seconds

    def mean_of_terms(self, best):
        return sum(term(base, found, self.optimum) for base, found in zip(self.baseline, best)) / len(best)

    def minimal_cachefile(self, folder):
        """What Kernel Tuner needs of it, which it reads before each search."""
        names = self.document["tune_params_keys"]
        entries = {}
        for key, entry in self.document["cache"].items():
            cost = self.costs[key]
            entries[key] = {name: entry[name] for name in names} | {
                "time": "RuntimeFailedConfig" if cost is None else cost,
                "compile_time": 0, "verification_time": 0, "benchmark_time": 0}
        header = {name: self.document[name] for name in ("kernel_name", "problem_size", "tune_params_keys", "tune_params")}
        file = pathlib.Path(folder) / "space.json"
        file.write_text(json.dumps(header | {"device_name": "recorded", "cache": entries}))
        return file


def cost_of(entry):
    time = entry.get("time")
    return float(time) if isinstance(time, (int, float)) and time < FAILED else None


def baseline_of(costs, target):
    """The expected lowest of 1, 2, ... draws without replacement from costs, which ascend, until it is at most target."""
    baseline = []
    while not baseline or (baseline[-1] > target and len(baseline) < len(costs)):
        draws, expected, none_lower = len(baseline) + 1, 0.0, 1.0
        for i in range(len(costs) - draws + 1):
            following = none_lower * (len(costs) - i - draws) / (len(costs) - i)
            expected += costs[i] * (none_lower - following)
            none_lower = following
            if none_lower < 1e-15:
                break
        baseline.append(expected)
    return baseline


def term(base, found, optimum):
    if base > optimum:
        return (base - found) / (base - optimum)
    return 0.0 if found <= base else -1.0


class Noted(set):
    """The configurations that were evaluated, in their order."""

    def __init__(self):
        super().__init__()
        self.order = []

    def add(self, key):
        self.order.append(key)
        super().add(key)


def evaluated_by(strategy, space, cachefile, budget, seed):
    """The configurations in the order in which a search of Kernel Tuner's evaluated them."""
    import numpy
    from kernel_tuner import interface
    from kernel_tuner.runners.simulation import SimulationRunner
    from kernel_tuner.searchspace import Searchspace

    noted = Noted()
    prepare = SimulationRunner.__init__

    def prepare_and_note(self, *arguments, **named):
        prepare(self, *arguments, **named)
        self.visited_results = noted

    names = space.document["tune_params_keys"]
    whole = {"tune_params": space.document["tune_params"],
             "cache": {key: {name: entry[name] for name in names} for key, entry in space.document["cache"].items()}}
    construct = interface.Searchspace
    random.seed(seed)
    numpy.random.seed(seed)
    SimulationRunner.__init__ = prepare_and_note
    interface.Searchspace = lambda *_, **__: Searchspace(None, None, None, from_cache=whole)
    try:
        interface.tune_kernel(
            space.document["kernel_name"], f"__global__ void {space.document['kernel_name']}() {{}}",
            space.document["problem_size"], [], space.document["tune_params"], lang="CUDA", quiet=True,
            simulation_mode=True, cache=str(cachefile), strategy=strategy, strategy_options={"max_fevals": budget})
    finally:
        SimulationRunner.__init__, interface.Searchspace = prepare, construct
    return noted.order


@contextlib.contextmanager
def time_limit(seconds):
    """Of processor time, so that a busy machine ends no search."""
    def stop(*_):
        raise Timeout
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


@contextlib.contextmanager
def silence():
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield


def search(strategy, space, cachefile, budget, seed, limit):
    """(score, score_by_time, failure), the last one or the others empty."""
    try:
        with silence(), time_limit(limit):
            keys = evaluated_by(strategy, space, cachefile, budget, seed)
    except Timeout:
        return "", "", f"no end within {limit} s of processor time"
    except Exception as error:  # whatever a strategy throws
        return "", "", " ".join(f"{type(error).__name__}: {error}".split())[:200]
    if not keys:
        return "", "", "nothing evaluated"
    longer = gone_on(strategy, space, cachefile, keys, seed, limit)
    return f"{space.score(keys):.6f}", f"{space.score_by_time(longer):.6f}", ""


def gone_on(strategy, space, cachefile, keys, seed, limit):
    """What a search evaluates that may go on until the seconds of the budget are spent, at least as far as one can see."""
    evaluations = len(space.baseline)
    while space.has_time_left(keys) and len(keys) >= evaluations and evaluations < len(space.costs):
        evaluations = min(2 * evaluations, len(space.costs))
        try:
            with silence(), time_limit(limit):
                keys = evaluated_by(strategy, space, cachefile, evaluations, seed) or keys
        except (Timeout, Exception):  # it did not fail within its budget
            break
    return keys


def search_space(name, file, budget, wanted, limit, out):
    """Adds a space's rows to OUT. wanted: strategy -> seeds. After one that fails, a strategy's other seeds are left out."""
    space = Space(file)
    if len(space.baseline) != budget:
        sys.exit(f"{name}: tailwave's budget is {budget}, computed here {len(space.baseline)}: these are not the same space")
    with tempfile.TemporaryDirectory() as folder:
        cachefile = space.minimal_cachefile(folder)
        for strategy, seeds in wanted.items():
            rows = []
            for seed in seeds:
                rows.append((strategy, name, seed, *search(strategy, space, cachefile, budget, seed, limit)))
                if rows[-1][-1]:
                    break
            add_rows(out, rows)


def add_rows(out, rows):
    """In one write, since several processes add theirs."""
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows(rows)
    with open(out, "a", newline="") as file:
        file.write(text.getvalue())


def known_rows(file):
    if not file.exists():
        return {}
    with open(file, newline="") as text:
        if tuple(next(csv.reader(text, delimiter="\t"), ())) != COLUMNS:
            sys.exit(f"{file} has other columns than {', '.join(COLUMNS)}; remove it")
        text.seek(0)
        return {(row["strategy"], row["space"], int(row["seed"])): row for row in csv.DictReader(text, delimiter="\t")}


def budgets_of(file):
    return {row["space"].split("/", 1)[1]: row["budget"] for row in json.loads(file.read_text()) if row["spaces"] == 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spaces", type=pathlib.Path)
    parser.add_argument("budgets", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--limit", type=int, default=120, help="seconds of processor time of one search")
    parser.add_argument("--most-budget", type=int, default=0, help="leave out spaces with a larger one; 0: none")
    parser.add_argument("--strategies", default="", help="names, separated by commas; none: all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # processes are as many as cores
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from kernel_tuner.interface import strategy_map
    except ImportError as error:
        sys.exit(f"Kernel Tuner cannot be imported ({error}); 'pip install --target .deps/kernel_tuner kernel_tuner==1.5.0' "
                 "puts it where it is looked for")
    strategies = options.strategies.split(",") if options.strategies else [
        name for name in strategy_map if name not in NOT_SEARCHES]
    budgets, known = budgets_of(options.budgets), known_rows(options.out)
    tasks = []
    for space in listed_spaces():
        budget = budgets.get(space.name)
        if budget is None or (options.most_budget and budget > options.most_budget):
            print(f"{space.name}: left out ({'not simulated' if budget is None else f'its budget is {budget}'})", file=sys.stderr)
            continue
        wanted = {strategy: [seed for seed in range(1, options.seeds + 1) if (strategy, space.name, seed) not in known]
                  for strategy in strategies}
        failed = {row["strategy"] for row in known.values() if row["space"] == space.name and row["failure"]}
        wanted = {strategy: seeds for strategy, seeds in wanted.items() if seeds and strategy not in failed}
        if wanted:
            tasks.append((budget, space, wanted))
    tasks.sort(key=lambda task: task[0])
    if not options.out.exists():
        add_rows(options.out, [COLUMNS])
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        started = [pool.submit(search_space, space.name, space.file_in(options.spaces), budget, wanted, options.limit,
                               options.out) for budget, space, wanted in tasks]
        for task in concurrent.futures.as_completed(started):
            task.result()


if __name__ == "__main__":
    main()
