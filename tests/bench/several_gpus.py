#!/usr/bin/env python3
"""How much faster several GPUs measure an experiment (docs/several_gpus.md): several_gpus.py TAILWAVE SPEC [--filter FILTER] [--keep FOLDER].

Measures it on all GPUs once, so that everything is compiled and what is expected is kept, and then on 1, 2, 4, ... and on
all, a new database for each (in FOLDER: COUNT.db). Says seconds of the command, seconds between the run's first and last result, configurations
a second of these, and both times beside those of one GPU. Leaves with 1 where a run fails, or has measured another number
of configurations.
"""
import argparse
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

RESULTS = """
SELECT count(DISTINCT configuration_id), (julianday(max(finished_at)) - julianday(min(finished_at))) * 86400 FROM trial"""


def run(arguments, gpus, database):
    """Seconds, configurations, and seconds between the first and the last result."""
    command = [arguments.tailwave, "run", arguments.spec, "--db", database, "--device", ",".join(f"cuda:{i}" for i in range(gpus))]
    begin = time.monotonic()
    done = subprocess.run(command + (["--filter", arguments.filter] if arguments.filter else []), capture_output=True, text=True)
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}:\n{done.stderr[-2000:]}")
    configurations, within = sqlite3.connect(database).execute(RESULTS).fetchone()
    return seconds, configurations, within


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tailwave")
    parser.add_argument("spec")
    parser.add_argument("--filter")
    parser.add_argument("--keep", metavar="FOLDER", type=pathlib.Path, help="leave the databases there")
    arguments = parser.parse_args()
    listed = json.loads(subprocess.run([arguments.tailwave, "list", "devices", "--json"], capture_output=True, check=True).stdout)
    gpus = sum(device["device"].startswith("cuda:") for device in listed)
    if gpus == 0:
        sys.exit("no GPU here")
    with tempfile.TemporaryDirectory() as folder:
        work = arguments.keep or pathlib.Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        seconds, expected, _ = run(arguments, gpus, work / "first.db")
        print(f"at first, with compiling, on {gpus}: {seconds:.1f} s")
        print(f"{'GPUs':>4}{'configurations':>16}{'s':>8}{'in the run':>12}{'a second':>10}{'faster':>8}{'in the run':>12}")
        one = None
        for count in [2**i for i in range(gpus.bit_length()) if 2**i < gpus] + [gpus]:
            seconds, configurations, within = run(arguments, count, work / f"{count}.db")
            one = one or (seconds, within)
            print(f"{count:4}{configurations:16}{seconds:8.1f}{within:12.1f}{configurations / within:10.1f}"
                  f"{one[0] / seconds:8.2f}{one[1] / within:12.2f}", flush=True)
            if configurations != expected:
                sys.exit(f"{configurations} configurations, not {expected} as at first")


main()
