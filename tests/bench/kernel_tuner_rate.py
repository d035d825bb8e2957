"""Configurations a second of Kernel Tuner over an experiment of tests/bench/systems, beside tailwave's: real_sizes.sh.

kernel_tuner_rate.py SPEC [--answer] [--device N]. The kernel, the values of its parameters, the constraints and the
number of samples are those of the experiment, which is read here; with --answer the result of each configuration is
compared with NumPy's before it is timed. Prints one line: the version, configurations, those with a time, the seconds
of tune_kernel() alone, by a process that has its CUDA context, its inputs and the answer already, and its parts.
"""

import argparse
import contextlib
import importlib.metadata
import json
import os
import pathlib
import sys
import time

import numpy

# Of each system: which quantities of the problem the grid covers, and by which parameters they are divided; the
# parameters that are the block's sizes; the shape of the kernel's input and what it has to make of it.
SYSTEMS = {
    "stencil7": {
        "covers": ["NX", "NY", "NZ"],
        "divided_by": [["BLOCK_X"], ["BLOCK_Y"], ["BLOCK_Z", "DEPTH"]],
        "block": ["BLOCK_X", "BLOCK_Y", "BLOCK_Z"],
        "shape": lambda problem: (problem["NZ"], problem["NY"], problem["NX"]),
        "answer": lambda field: diffused(field),
    },
    "transpose": {
        "covers": ["N", "N"],
        "divided_by": [["TILE"], ["TILE"]],
        "block": ["TILE", "ROWS"],
        "shape": lambda problem: (problem["N"], problem["N"]),
        "answer": lambda matrix: numpy.ascontiguousarray(matrix.T),
    },
}


def diffused(field):
    """One step of systems/kernel_templates/stencil7, a plane at a time in float64."""
    result = field.copy()
    inside = slice(1, -1)
    for z in range(1, field.shape[0] - 1):
        below, plane, above = field[z - 1 : z + 2].astype(numpy.float64)
        neighbours = plane[inside, :-2] + plane[inside, 2:] + plane[:-2, inside] + plane[2:, inside]
        neighbours += below[inside, inside] + above[inside, inside]
        result[z, inside, inside] = 0.4 * plane[inside, inside] + 0.1 * neighbours
    return result


def read_experiment(path):
    """What an experiment of one variant with one launch says, with the manifest's defaults where it says nothing."""
    experiment = json.loads(path.read_text())
    folder = path.resolve().parents[2] / "kernel_templates" / experiment["system"]
    system = json.loads((folder / "system.json").read_text())
    (case,) = experiment["cases"]
    variant = system["variants"][case["variant"]]
    (launch,) = variant["launches"]
    given = case.get("parameters", {})
    return {
        "system": experiment["system"],
        "kernel": launch["kernel"],
        "source": (folder / variant["source"]).read_text(),
        "problem": {name: experiment.get("problem", {}).get(name, [quantity["default"]])[0]
                    for name, quantity in system["problem"].items()},
        "parameters": {name: given.get(name, [default]) for name, default in variant["parameters"].items()},
        "constraints": experiment.get("constraints", []),
        "samples": experiment["measure"]["samples"],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("spec", type=pathlib.Path)
    parser.add_argument("--answer", action="store_true")
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--most", type=int, help="only so many configurations, drawn at random")
    options = parser.parse_args()
    space = read_experiment(options.spec)
    system = SYSTEMS[space["system"]]
    problem = space["problem"]

    source = numpy.random.default_rng(7).random(system["shape"](problem), dtype=numpy.float32)
    result = numpy.zeros(source.size, dtype=numpy.float32)
    answer = None
    if options.answer:
        answer = [None, system["answer"](source).ravel()] + [None] * len(problem)
    arguments = [source.ravel(), result] + [numpy.int32(value) for value in problem.values()]

    import cupy
    import kernel_tuner
    cupy.cuda.Device(options.device).use()
    cupy.zeros(1).sum().item()

    divisors = dict(zip(["grid_div_x", "grid_div_y", "grid_div_z"], system["divided_by"]))
    drawn = {"strategy": "random_sample", "strategy_options": {"max_fevals": options.most}} if options.most else {}
    begin = time.perf_counter()
    # Standard output is for this program's line.
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        results, _ = kernel_tuner.tune_kernel(
            space["kernel"], space["source"], tuple(problem[name] for name in system["covers"]), arguments,
            space["parameters"], restrictions=space["constraints"], block_size_names=list(system["block"]),
            answer=answer, atol=1e-6, iterations=space["samples"], lang="cupy", device=options.device,
            compiler_options=["--std=c++17"], quiet=True, **drawn, **divisors)
    seconds = time.perf_counter() - begin

    timed = sum(1 for entry in results if entry and "__error__" not in entry)
    parts = {name: sum(entry.get(name, 0) for entry in results if entry) / 1000
             for name in ("compile_time", "verification_time", "benchmark_time")}
    print(importlib.metadata.version("kernel_tuner"), len(results), timed, f"{seconds:.3f}",
          " ".join(f"{name.removesuffix('_time')} {value:.3f}" for name, value in parts.items()), sep="\t")


if __name__ == "__main__":
    sys.exit(main())
