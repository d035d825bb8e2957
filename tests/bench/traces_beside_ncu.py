"""python3 traces_beside_ncu.py TRACES.csv NCU.csv: traced launches beside what Nsight Compute counted of them."""

import csv
import io
import re
import statistics
import sys


def numbers(text):
    return tuple(int(number) for number in re.findall(r"\d+", text))


def counted(file):
    """(kernel, grid, block) -> metric -> values of its launches."""
    lines = [line for line in open(file, encoding="utf-8", errors="replace") if line.startswith('"')]
    found = {}
    for row in csv.DictReader(io.StringIO("".join(lines))):
        if not row.get("Metric Value"):
            continue
        key = (re.split(r"[(<]", row["Kernel Name"])[0], numbers(row["Grid Size"]), numbers(row["Block Size"]))
        value = float(row["Metric Value"].replace(",", ""))
        found.setdefault(key, {}).setdefault(row["Metric Name"], []).append(value)
    return found


def main():
    counters = counted(sys.argv[2])
    for row in csv.DictReader(open(sys.argv[1], encoding="utf-8")):
        whole = lambda name: int(float(row[name]))
        grid = tuple(whole("grid_" + axis) for axis in "xyz")
        block = tuple(whole("block_" + axis) for axis in "xyz")
        warps = (block[0] * block[1] * block[2] + 31) // 32
        metrics = counters.get((row["kernel"], grid, block))
        text = f"{row['configuration'].split('/', 1)[1][:46]:46} {row['kernel'][:10]:10} 1/{whole('noted_one_in'):<4}"
        text += f" {float(row['ratio']):6.3f} busy {float(row['utilisation']):.3f}"
        if metrics:
            slots = whole("sms") * whole("blocks_per_sm") * warps
            active, running = (
                statistics.median(a / (slots * c) for a, c in zip(metrics["sm__warps_active.sum"], metrics[cycles]))
                for cycles in ("sm__cycles_elapsed.max", "sm__cycles_active.max")
            )
            us = statistics.median(metrics["gpu__time_duration.sum"]) / 1000
            points = [100 * (float(row["utilisation"]) - share) for share in (active, running)]
            text += f" ncu {active:.3f} diff {points[0]:+6.1f} {points[1]:+6.1f} us {float(row['duration_ns']) / 1000:8.1f} {us:8.1f}"
        else:
            text += " ncu ?"
        shares = [float(row[part]) for part in ("ramp", "early_warps", "hand_over", "tail")]
        text += " ramp %.3f early %.3f hand %.3f tail %.3f" % tuple(shares)
        print(text, row["cause"], "| doubtful: " + row["doubtful"] if row["doubtful"] else "",
              "| disturbed: " + row["disturbed"] if row["disturbed"] else "")


main()
