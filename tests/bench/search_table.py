#!/usr/bin/env python3
"""The table of search strategies on recorded spaces: `make bench-search`. docs/searching.md says what is in it.

search_table.py TAILWAVE DATABASE SPACES [--seeds N] [--settings FILE] [--kernel-tuner FILE]

DATABASE has the public spaces of spaces.txt, imported from the folder SPACES, and the recorded results of results/. FILE
keeps the scores of Kernel Tuner's strategies, which search_kernel_tuner.py adds where it can be imported.
"""

import argparse
import csv
import importlib.util
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
from typing import NamedTuple

from search_spaces import listed_spaces

HERE = pathlib.Path(__file__).resolve().parent
FEWEST_POINTS = 30  # of the project's own spaces: a budget of a handful of evaluations says nothing


class Space(NamedTuple):
    name: str
    kernel: str
    device: str
    public: bool


class Setting(NamedTuple):
    strategy: str
    options: tuple = ()  # "NAME=NUMBER"

    def __str__(self):
        return " ".join((self.strategy,) + self.options)


class Result(NamedTuple):
    scores: dict  # Space -> mean over the seeds
    seconds: float = 0
    by_time: dict = {}  # Space -> the same by recorded seconds, where there are any


def read_settings(file):
    lines = [line.split() for line in file.read_text().splitlines() if not line.startswith("#")]
    settings = [Setting(words[0], tuple(words[1:])) for words in lines if words]
    if not settings:
        sys.exit(f"{file}: no setting to choose from; each line is a strategy and its options, NAME=NUMBER")
    return settings


# --- choosing ------------------------------------------------------------------------------------------------


def grouped_mean(scores, group):
    """The mean over groups of each one's mean, so that a kernel counts as much on two devices as on ten."""
    groups = {}
    for space, score in scores.items():
        groups.setdefault(group(space), []).append(score)
    return statistics.fmean(statistics.fmean(values) for values in groups.values())


def chosen_without(results, group):
    """By group: the setting that is best in the mean over all others; the first one of those that are equal.

    results: setting -> Result, all of the same spaces, in at least two groups."""
    spaces = list(next(iter(results.values())).scores)
    names = list(dict.fromkeys(group(space) for space in spaces))
    if len(names) < 2:
        sys.exit(f"nothing to choose from without '{names[0]}': there are no other spaces")
    def mean_without(name, result):
        return grouped_mean({space: score for space, score in result.scores.items() if group(space) != name}, group)
    return {name: max(results, key=lambda setting: mean_without(name, results[setting])) for name in names}


def result_of_choice(results, chosen, group):
    """What is reported where each space was searched by what was chosen without its group."""
    spaces = next(iter(results.values())).scores
    by_time = {space: results[chosen[group(space)]].by_time.get(space) for space in spaces}
    return Result({space: results[chosen[group(space)]].scores[space] for space in spaces},
                  by_time={space: score for space, score in by_time.items() if score is not None})


# --- simulating ----------------------------------------------------------------------------------------------


class Simulator:
    def __init__(self, tailwave, database, seeds):
        self.tailwave, self.database, self.seeds = tailwave, database, seeds
        if not database.exists():
            sys.exit(f"{database} is not there; 'make bench-search' makes it")
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            self.experiments = ["/".join(row) for row in connection.execute("SELECT DISTINCT system, experiment FROM run")]

    def rows(self, arguments, seeds=None):
        """Of `tailwave simulate`, without the lines about all spaces."""
        command = [self.tailwave, "simulate", *self.experiments, "--db", self.database, "--json", "--quiet",
                   "--seeds", str(seeds or self.seeds), *arguments]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if run.returncode:
            sys.exit(f"'tailwave simulate {' '.join(arguments)}' failed with {run.returncode}")
        return [row for row in json.loads(run.stdout) if row["device"] is not None]

    def find_spaces(self, budgets):
        """(name, device) in the rows -> Space, of those that count; others are not simulated again. Writes their budgets."""
        rows = self.rows(["--strategy", "random"], seeds=1)
        listed = {space.name: space for space in listed_spaces()}
        self.known = {}
        for row in rows:
            system, name = row["space"].split("/", 1)
            if name in listed:
                space = Space(name, listed[name].kernel, listed[name].device, True)
            elif row["points"] >= FEWEST_POINTS:
                space = Space(row["space"], system, row["device"], False)
            else:
                continue
            self.known[row["space"], row["device"]] = space
        missing = listed.keys() - {space.name for space in self.known.values()}
        if missing:
            sys.exit(f"{self.database} lacks {len(missing)} of the public spaces, such as {min(missing)}; remove it, and "
                     "'make bench-search' imports them again")
        self.experiments = list(dict.fromkeys(name.split(" ")[0] for name, _ in self.known))
        budgets.write_text(json.dumps([row for row in rows if (row["space"], row["device"]) in self.known]))

    def results(self, arguments):
        """strategy -> Result"""
        found = {}
        for row in self.rows(arguments):
            space = self.known.get((row["space"], row["device"]))
            if space:
                scores, seconds, by_time = found.get(row["strategy"], Result({}))
                if row["score_by_time"] is not None:
                    by_time = by_time | {space: row["score_by_time"]}
                found[row["strategy"]] = Result(scores | {space: row["score"]}, seconds + row["seconds"], by_time)
        return found

    def result(self, setting):
        options = [word for option in setting.options for word in ("--option", option)]
        return self.results(["--strategy", setting.strategy, *options])[setting.strategy]


# --- Kernel Tuner --------------------------------------------------------------------------------------------


def kernel_tuner_path():
    """Where it can be imported from: '' for Python's own path, None for nowhere."""
    if importlib.util.find_spec("kernel_tuner"):
        return ""
    folder = HERE.parents[1] / ".deps" / "kernel_tuner"
    return str(folder) if (folder / "kernel_tuner").is_dir() else None


def run_kernel_tuner(options, budgets):
    path = kernel_tuner_path()
    if path is None:
        say("Kernel Tuner is not here, so only what earlier runs scored stands below; "
            "'pip install --target .deps/kernel_tuner kernel_tuner==1.5.0' puts it where it is looked for")
        return
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (path, os.environ.get("PYTHONPATH"))))}
    run = subprocess.run([sys.executable, HERE / "search_kernel_tuner.py", options.spaces, budgets, options.kernel_tuner,
                          "--seeds", str(options.seeds)], env=environment, check=False)
    if run.returncode:
        sys.exit(f"search_kernel_tuner.py failed with {run.returncode}")


def kernel_tuner_results(file, spaces, seeds):
    """(strategy -> Result, strategy -> failures): of searches with these seeds; of a space at least one has to have ended."""
    by_name = {space.name: space for space in spaces if space.public}
    scores, by_time, failures = {}, {}, {}
    with open(file, newline="") as text:
        for row in csv.DictReader(text, delimiter="\t"):
            space = by_name.get(row["space"])
            if space is None or int(row["seed"]) > seeds:
                continue
            if row["failure"]:
                failures.setdefault(row["strategy"], {}).setdefault(row["failure"], []).append(space.name)
            else:
                scores.setdefault(row["strategy"], {}).setdefault(space, []).append(float(row["score"]))
                by_time.setdefault(row["strategy"], {}).setdefault(space, []).append(float(row["score_by_time"]))
    def means(of_spaces):
        return {space: statistics.fmean(values) for space, values in of_spaces.items()}
    return {strategy: Result(means(of_spaces), by_time=means(by_time[strategy]))
            for strategy, of_spaces in scores.items()}, failures


# --- printing ------------------------------------------------------------------------------------------------


def say(text=""):
    print(text, flush=True)


def number(value):
    return "" if value is None else f"{value:.2f}"


def print_table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for line in lines:
        say("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")


def row_of(name, result, kernels, seconds):
    by_kernel = {}
    for space, score in result.scores.items():
        by_kernel.setdefault(space.kernel, []).append(score)
    worst = min(result.scores, key=result.scores.get)
    return [str(name), *(number(statistics.fmean(by_kernel[kernel]) if kernel in by_kernel else None) for kernel in kernels),
            number(statistics.fmean(result.scores.values())), f"{number(result.scores[worst])} {worst.name}",
            number(statistics.fmean(result.by_time.values()) if result.by_time else None), seconds]


def part(result, of):
    return Result({space: score for space, score in result.scores.items() if of(space)}, result.seconds,
                  {space: score for space, score in result.by_time.items() if of(space)})


def print_results(results, choices, of):
    """One table: every setting, best first, and below them what the choices give."""
    parts = [(name, part(result, of)) for name, result in results.items()]
    spaces = parts[0][1].scores
    kernels = list(dict.fromkeys(space.kernel for space in spaces))
    parts.sort(key=lambda one: -statistics.fmean(one[1].scores.values()))
    rows = [row_of(name, result, kernels, f"{result.seconds:.0f}") for name, result in parts]
    rows += [row_of(name, part(result, of), kernels, "") for name, result in choices.items()]
    print_table(["strategy", *kernels, "mean", "worst space", "mean by time", "seconds"], rows)


def print_choices(results, chosen, group, of_what):
    rows = []
    for name, setting in chosen.items():
        scores = [score for space, score in results[setting].scores.items() if group(space) == name]
        rows.append([name, str(setting), number(statistics.fmean(scores)), str(len(scores))])
    print_table([f"{of_what} left out", "chosen without it", "score on it", "spaces"], rows)


def print_kernel_tuner(found, failures, ours):
    kernels = list(dict.fromkeys(space.kernel for space in ours.scores if space.public))
    rows = []
    for strategy, result in sorted(found.items(), key=lambda one: -statistics.fmean(one[1].scores.values())):
        there = statistics.fmean(ours.scores[space] for space in result.scores)
        rows.append([*row_of(strategy, result, kernels, str(len(result.scores))), number(there)])
    print_table(["Kernel Tuner's strategy", *kernels, "mean", "worst space", "mean by time", "spaces", "chosen without the kernel, there"], rows)
    for strategy, reasons in failures.items():
        for reason, names in reasons.items():
            say(f"\n{strategy}: {reason} ({len(names)} spaces, such as {names[0]})")


def kernel_of(space):
    return space.kernel


def device_of(space):
    return space.device


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tailwave", type=pathlib.Path)
    parser.add_argument("database", type=pathlib.Path)
    parser.add_argument("spaces", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--settings", type=pathlib.Path, default=HERE / "search_settings.txt")
    parser.add_argument("--kernel-tuner", type=pathlib.Path, default=None, help="default: kernel_tuner.tsv beside DATABASE")
    options = parser.parse_args()
    options.kernel_tuner = options.kernel_tuner or options.database.with_name("kernel_tuner.tsv")
    settings = read_settings(options.settings)
    budgets = options.database.with_name("search_budgets.json")

    simulator = Simulator(options.tailwave, options.database, options.seeds)
    simulator.find_spaces(budgets)
    results = {Setting(name): result for name, result in simulator.results(["--strategy", "all"]).items()}
    for setting in settings:
        if setting not in results:
            results[setting] = simulator.result(setting)
    candidates = {setting: results[setting] for setting in settings}
    chosen = {what: chosen_without(candidates, group) for what, group in (("kernel", kernel_of), ("device", device_of))}
    choices = {f"chosen without the {what}": result_of_choice(candidates, chosen[what], group)
               for what, group in (("kernel", kernel_of), ("device", device_of))}

    say(f"Scores of {options.seeds} seeds. Public spaces:\n")
    print_results(results, choices, lambda space: space.public)
    say("\nThe project's own spaces:\n")
    print_results(results, choices, lambda space: not space.public)
    for what, group in (("kernel", kernel_of), ("device", device_of)):
        say()
        print_choices(candidates, chosen[what], group, what)
    say()
    run_kernel_tuner(options, budgets)
    if options.kernel_tuner.exists():
        print_kernel_tuner(*kernel_tuner_results(options.kernel_tuner, simulator.known.values(), options.seeds),
                           choices["chosen without the kernel"])


if __name__ == "__main__":
    main()
