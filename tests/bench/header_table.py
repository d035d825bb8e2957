#!/usr/bin/env python3
"""How good the choices of an exported header are at sizes that it has never seen.

  tests/bench/header_table.py TAILWAVE MEASURED HELD_OUT [--experiment nbody/header_sizes]
      [--held-out nbody/header_sizes_held_out] [--device NAME]
  tests/bench/header_table.py TAILWAVE MEASURED [--experiment nbody/header_sizes] [--device NAME]

MEASURED and HELD_OUT are databases, or results as `tailwave export` writes them (JSON); both may be one database. The header
is exported from the experiment in MEASURED, compiled by g++ with a program that prints what choose() and best() say of
each size of the held-out experiment in HELD_OUT, and what they take is looked up there. For the default, the nearest
measured size (best()) and choose() it prints the worst ratio of the time to the default's, and the median and the worst share of
the best: the least time of all over that of the choice. Times are medians; a choice that was not measured there is counted apart.
Without HELD_OUT each measured size is left out in turn: the header knows the others. So a rule can be tried without
looking at what it is judged by.
"""

import argparse
import json
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HELD_OUT_TIMES = """
WITH trials AS MATERIALIZED (
  SELECT trial_id, variant, parameters, problem, run_device FROM current_trial
  WHERE experiment = ? AND system = ? AND outcome = 'correct' AND device = run_device)
SELECT variant, parameters, problem, run_device, compute_capability, sms, time_ns
FROM trials CROSS JOIN sample USING (trial_id)
  JOIN (SELECT DISTINCT name, compute_capability, sms FROM device WHERE kind <> 'recorded') AS device ON device.name = run_device
WHERE dropped IS NULL"""


def fail(message):
    sys.exit(f"header_table.py: {message}")


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        fail(f"{' '.join(map(str, command))}\n{result.stderr}")
    return result.stdout


def as_database(tailwave, file, folder):
    """The file itself, or a database of the results that it has."""
    if not Path(file).exists():
        fail(f"{file}: there is no such file")
    if Path(file).suffix not in (".json", ".gz"):
        return str(Path(file).resolve())
    database = Path(folder) / (Path(file).name + ".db")
    run([tailwave, "import", file, "--db", str(database), "--quiet"])
    return str(database)


def identifier(name):
    return re.sub(r"\W", "_", name)


def name_of(variant, values):
    """As the program below prints it. A parameter that a variant lacks is 0, false or empty there."""
    shown = {identifier(key): value for key, value in values.items()}
    said = {key: f"{float(value):.9g}" if isinstance(value, (bool, int, float)) else value for key, value in shown.items()}
    return variant + "".join(f" {key}={value}" for key, value in sorted(said.items()) if value not in ("0", ""))


def load_times(database, experiment, device):
    """{problem as JSON: {configuration: median ns}} and the device, of a held-out experiment."""
    system, name = experiment.split("/")
    connection = sqlite3.connect(f"file:{Path(database).resolve()}?mode=ro", uri=True)
    samples, devices = {}, set()
    for variant, parameters, problem, run_device, capability, sms, time in connection.execute(HELD_OUT_TIMES, (name, system)):
        if device not in ("", run_device):
            continue
        devices.add((run_device, capability, sms))
        own = name_of(variant, json.loads(parameters))
        samples.setdefault(problem, {}).setdefault(own, []).append(time)
    if not devices:
        fail(f"{database}: no times of {experiment}{' on ' + device if device else ''}")
    if len(devices) > 1:
        fail(f"{database}: several devices have run {experiment}, name one with --device: "
             + ", ".join(sorted(one[0] for one in devices)))
    medians = {problem: {own: statistics.median(times) for own, times in of.items()} for problem, of in samples.items()}
    return medians, devices.pop()


def members(header, struct):
    """[(type, name)] of a struct of the header."""
    body = re.search(rf"struct {struct} {{\n(.*?)\n}};", header, re.DOTALL).group(1)
    return re.findall(r"^  (bool|std::int64_t|double|std::string_view) (\w+)", body, re.MULTILINE)


PRINT = """
void print(const Configuration& one) {
  std::printf("%.*s", static_cast<int>(one.variant.size()), one.variant.data());
  MEMBERS
}
"""


def program(header_file, problems, device):
    header = Path(header_file).read_text()
    namespace = re.search(r"namespace (tailwave_wisdom::\w+)", header).group(1)
    if "choose(" not in header.replace("No choose()", ""):
        fail("the header has no choose(): the database does not know the manifest's defaults")
    prints = []
    for kind, member in sorted(members(header, "Configuration"), key=lambda one: one[1]):
        if member == "variant":
            continue
        if kind == "std::string_view":
            prints.append(f'if (!one.{member}.empty()) std::printf(" {member}=%.*s", '
                          f"static_cast<int>(one.{member}.size()), one.{member}.data());")
        else:
            prints.append(f'if (one.{member} != 0) std::printf(" {member}=%.9g", static_cast<double>(one.{member}));')
    calls = []
    for problem in problems:
        sets = " ".join(f"problem.{identifier(key)} = {json.dumps(value)};" for key, value in json.loads(problem).items())
        calls.append(f"  {{ Problem problem; {sets} show(problem); }}")
    name, capability, sms = json.dumps(device[0]), device[1], device[2]
    return (f'#include <cstdio>\n#include "{header_file}"\nusing namespace {namespace};\n'
            + PRINT.replace("MEMBERS", "\n  ".join(prints))
            + f"void show(const Problem& problem) {{\n"
            f"  print(default_configuration); std::puts(\"\");\n"
            f"  print(best({name}, {capability}, {sms}, problem).configuration); std::puts(\"\");\n"
            f"  print(choose({name}, problem).configuration); std::puts(\"\");\n}}\n"
            "int main() {\n" + "\n".join(calls) + "\n}\n")


def choices(tailwave, database, experiment, problems, device, folder):
    """[(default, nearest, chosen)] for each problem, as the header says."""
    header = Path(folder) / "header.h"
    # Where the manifests are, which tell waves of other sizes.
    run([tailwave, "export", "--experiment", experiment, "--format", "header", "--db", database, "--out", str(header)],
        cwd=Path(__file__).resolve().parents[2])
    source = Path(folder) / "choices.cpp"
    source.write_text(program(header, problems, device))
    run(["g++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(Path(folder) / "choices")])
    lines = run([str(Path(folder) / "choices")]).splitlines()
    return list(zip(lines[0::3], lines[1::3], lines[2::3]))


def choices_left_out(tailwave, database, experiment, problems, device, folder):
    """The same, of each problem as if it had not been measured."""
    taken = []
    for problem in problems:
        others = Path(folder) / "others.db"
        shutil.copy(database, others)
        connection = sqlite3.connect(others)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("DELETE FROM trial WHERE configuration_id IN (SELECT id FROM configuration WHERE problem = ?)", (problem,))
        connection.commit()
        connection.close()
        taken += choices(tailwave, others, experiment, [problem], device, folder)
    return taken


def row(rule, taken, standard, times):
    """Of one rule: what it takes at each size."""
    to_default, share, unknown, slower = [], [], 0, 0
    for own, other, of in zip(taken, standard, times):
        if own not in of or other not in of:
            unknown += 1
            continue
        to_default.append(of[own] / of[other])
        share.append(min(of.values()) / of[own])
        slower += of[own] > 1.02 * of[other]
    if not share:
        fail(f"{rule}: nothing of what the header takes was measured at the held-out sizes")
    defaults = sum(own == other for own, other in zip(taken, standard))
    return (f"| {rule} | {max(to_default):.3f} | {slower} | {statistics.median(share):.3f} | {min(share):.3f} | "
            f"{sum(one < 0.95 for one in share)} | {defaults} | {unknown} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tailwave")
    parser.add_argument("measured")
    parser.add_argument("held_out", nargs="?")
    parser.add_argument("--experiment", default="nbody/header_sizes")
    parser.add_argument("--held-out", dest="other", default="nbody/header_sizes_held_out")
    parser.add_argument("--device", default="", help="where several have run the held-out experiment")
    options = parser.parse_args()
    options.tailwave = str(Path(options.tailwave).resolve())
    with tempfile.TemporaryDirectory() as folder:
        measured = as_database(options.tailwave, options.measured, folder)
        held_out = as_database(options.tailwave, options.held_out, folder) if options.held_out else measured
        judged_by = options.other if options.held_out else options.experiment
        times, device = load_times(held_out, judged_by, options.device)
        problems = sorted(times)
        choose = choices if options.held_out else choices_left_out
        taken = choose(options.tailwave, measured, options.experiment, problems, device, folder)
    standard = [one[0] for one in taken]
    of = [times[problem] for problem in problems]
    left_out = "" if options.held_out else ", each without the size in question"
    print(f"{len(problems)} sizes of {judged_by} on {device[0]}; header of {options.experiment}{left_out}\n")
    print("| rule | worst time / default's | slower by over 2 % | share of the best: median | worst | below 95 % | default taken | not measured |")
    print("|---|---|---|---|---|---|---|---|")
    for number, rule in enumerate(("the default", "nearest measured size", "choose()")):
        print(row(rule, [one[number] for one in taken], standard, of))


main()
