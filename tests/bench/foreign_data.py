"""Fetches the public measurements of foreign_sources.json and writes each space as one small JSON file.

foreign_data.py OUT [--clone NAME=FOLDER ...]. Repositories are cloned at the commit that foreign_sources.json names, or
read from a clone that is there already (--clone benchmark_hub=/path). Every file's SHA-256 has to be the one noted.
Nothing but the standard library and git is needed. A space becomes

  {"space": "convolution 2023", "kernel": "convolution", "role": "training",
   "times": {"rtx3090": {"2,32,15,...": 7.5}},                      median, milliseconds
   "launches": {"rtx3090": {"...": [blocks, threads, registers, shared bytes]}},   where they were recorded
   "uses": {"rtx2080ti": {"...": {"FP32": 0.38, "issue": 0.35}}}}   where counters were: shares of what there is

with the configurations that ran on each device. KTT's counters are percentages of a peak; of shared memory a 7.5
reaches at most half of it (harness/occupancy/device_limits.h), so they are doubled there.
"""

import argparse
import csv
import gzip
import hashlib
import io
import json
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FAILED = 1e19  # older cachefiles write 1e20 for a configuration that did not run

# The metric of each limit, and what its percentage is to be multiplied by.
METRICS = {
    "DRAM": ("dram__throughput.avg.pct_of_peak_sustained_elapsed", 0.01),
    "L2": ("lts__t_sectors.avg.pct_of_peak_sustained_elapsed", 0.01),
    "shared memory": ("l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed", 0.02),
    "issue": ("smsp__issue_active.avg.pct_of_peak_sustained_active", 0.01),
    "FP32": ("smsp__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", 0.01),
    "FP64": ("smsp__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active", 0.01),
    "special functions": ("smsp__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", 0.01),
}


class Repositories:
    def __init__(self, sources, clones, folder):
        self.sources, self.clones, self.folder = sources, dict(clones), folder

    def clone_of(self, name):
        if name not in self.clones:
            source = self.sources[name]
            target = self.folder / f"{name}.git"
            if not target.exists():
                print(f"cloning {source['url']}", file=sys.stderr)
                clone = ["git", "clone", "--quiet", "--bare", "--filter=blob:none", source["url"], target]
                subprocess.run(clone, check=True)
            self.clones[name] = target
        return self.clones[name]

    def read(self, name, path, sha256):
        commit = self.sources[name]["commit"]
        show = ["git", "-C", str(self.clone_of(name)), "show", f"{commit}:{path}"]
        found = subprocess.run(show, check=True, capture_output=True).stdout
        if hashlib.sha256(found).hexdigest() != sha256:
            sys.exit(f"{name}: {path}: its SHA-256 is not the one that foreign_sources.json has")
        return gzip.decompress(found) if path.endswith(".gz") else found


def cachefile_times(text):
    """Of a Kernel Tuner cachefile: median of the samples, or the time where it has no samples."""
    cache = json.loads(text)["cache"]
    times = {}
    for key, entry in cache.items():
        time = entry.get("time")
        if isinstance(time, (int, float)) and time < FAILED:
            samples = entry.get("times")
            times[key] = statistics.median(samples) if samples else time
    return times


def medians(runs):
    """Of the same configurations in several runs."""
    return {key: statistics.median(run[key] for run in runs) for key in runs[0] if all(key in run for run in runs)}


def ktt_results(text):
    times, launches, uses = {}, {}, {}
    for result in json.loads(text)["Results"]:
        if result["Status"] != "Ok":
            continue
        key = ",".join(str(parameter["Value"]) for parameter in result["Configuration"])
        kernel = result["ComputationResults"][0]
        times[key] = kernel["Duration"] / 1000
        sizes = [kernel[name] for name in ("GlobalSize", "LocalSize")]
        resources = kernel["CompilationData"]
        launches[key] = [size["X"] * size["Y"] * size["Z"] for size in sizes] + [
            resources["RegistersCount"], resources["LocalMemorySize"]]
        counters = {one["Name"]: one["Value"] for one in kernel.get("ProfilingData", {}).get("Counters", [])}
        if counters:
            uses[key] = {limit: round(counters[metric] * factor, 5) for limit, (metric, factor) in METRICS.items()}
    return times, launches, uses


def micro_times(text):
    """Of each kernel, by what its launch was given."""
    kernels = {}
    for row in csv.DictReader(io.StringIO(text)):
        numbers = [int(row.get(column) or 0) for column in ("N", "rows", "cols", "block", "grid_blocks", "iters")]
        if row["kernel"] == "atomic_hotspot" and numbers[-1] == 0:
            numbers[-1] = 50  # what the tables that lack the column used
        kernels.setdefault(row["kernel"], {}).setdefault(",".join(map(str, numbers)), []).append(float(row["mean_ms"]))
    return {kernel: {key: statistics.median(values) for key, values in rows.items()}
            for kernel, rows in kernels.items()}


def spaces_of(source, repositories):
    by_device = {}
    for file in source["files"]:
        text = repositories.read(source["repository"], file["path"], file["sha256"]).decode()
        by_device.setdefault(file["device"], []).append(text)
    about = {name: source[name] for name in ("space", "kernel", "role") if name in source}
    if source["format"] == "kernel-tuner":
        times = {device: medians([cachefile_times(text) for text in texts]) for device, texts in by_device.items()}
        return [about | {"times": times}]
    if source["format"] == "ktt":
        parts = {device: ktt_results(texts[0]) for device, texts in by_device.items()}
        return [about | {name: {device: part[i] for device, part in parts.items() if part[i]}
                         for i, name in enumerate(("times", "launches", "uses"))}]
    tables = {device: micro_times(texts[0]) for device, texts in by_device.items()}
    return [{"space": f"{source['space']} {kernel}", "kernel": kernel, "role": role,
             "times": {device: table[kernel] for device, table in tables.items() if kernel in table}}
            for role, kernels in source["kernels"].items() for kernel in kernels]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--clone", action="append", default=[], metavar="NAME=FOLDER")
    arguments = parser.parse_args()
    sources = json.loads((HERE / "foreign_sources.json").read_text())
    arguments.out.mkdir(parents=True, exist_ok=True)
    clones = [one.split("=", 1) for one in arguments.clone]
    repositories = Repositories(sources["repositories"], clones, arguments.out)
    for source in sources["spaces"]:
        for space in spaces_of(source, repositories):
            (arguments.out / f"{space['space'].replace(' ', '_')}.json").write_text(json.dumps(space))


if __name__ == "__main__":
    main()
