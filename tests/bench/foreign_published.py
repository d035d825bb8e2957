"""Predictions for the GPUs of published studies, from recorded results, beside what the studies measured.

foreign_published.py TAILWAVE DB SOURCE: DB has the recorded results (make report), SOURCE is the GPU that they are of.
Needs NVRTC. A published figure is of its authors' own program and timing, so that this compares more than devices.
Prints a line a study: figures, median |ln(predicted / published)|, and how many were in the 80 % and the 95 % interval.
"""

import csv
import io
import math
import statistics
import subprocess
import sys

GPUS = {"a100", "v100", "gtx1060", "gt630"}


def table(*command):
    found = subprocess.run([*command, "--format", "csv"], capture_output=True, text=True, check=False)
    return list(csv.DictReader(io.StringIO(found.stdout)))


def main():
    tailwave, database, source = sys.argv[1:4]
    studies = {}
    for row in table(tailwave, "query", "published", "--db", database, "--device", source):
        if row["kind"] == "cuda" and row["ratio"] and not row["invalid"] and row["published_device"] in GPUS:
            studies.setdefault((row["experiment"], row["published_device"]), []).append(row)
    errors = {}
    for (experiment, target), figures in studies.items():
        plan = table(tailwave, "plan", f"experiments/{experiment}.json", "--from", source, "--target", target,
                     "--db", database)
        predicted = {row["configuration"]: row for row in plan if row["predicted_us"]}
        for figure in figures:
            row = predicted.get(figure["configuration"])
            if row is None:
                continue
            ours, theirs = float(figure["our_value"]), float(figure["published_value"])
            truth = theirs / ours if figure["quantity"] == "time" else ours / theirs
            error = math.log(truth * float(row["source_us"]) / float(row["predicted_us"]))
            spread = math.log(float(row["high_80_us"]) / float(row["predicted_us"])) / 1.2816
            errors.setdefault((experiment.split("/")[0], target), []).append((error, spread))
    for (system, target), found in errors.items():
        held = [sum(abs(error) <= z * spread for error, spread in found) for z in (1.2816, 1.96)]
        off = statistics.median(abs(error) for error, _ in found)
        print(f"{system} on {target}: {len(found)} figures, off by {off:.2f} in the median, "
              f"{held[0]} in the 80 % interval, {held[1]} in the 95 % one")


if __name__ == "__main__":
    main()
