"""python3 run_with_cupy.py EXPERIMENT.json [K=V,...]: runs the configurations of a simple experiment by CuPy alone, each
launch plan three times, and prints a line for each configuration. What a profiler is started on that does not follow the
processes of tailwave; plans with loops, streams or conditions are beyond it. Where $CACHE names a cache of tailwave
($TAILWAVE_CACHE), the machine code is taken from there, so that both run the same: of kernels that lie in it in one
version alone. Needs cupy and numpy."""

import itertools
import json
import os
import pathlib
import sys

import cupy
import numpy

TYPES = {"float32": numpy.float32, "float64": numpy.float64, "int32": numpy.int32, "uint32": numpy.uint32,
         "int": numpy.int32, "float": numpy.float32, "double": numpy.float64}
FUNCTIONS = {"ceil_div": lambda a, b: -(-a // b), "min": min, "max": max, "true": True, "false": False, "__builtins__": {}}


def value(expression, scope):
    return eval(expression, dict(FUNCTIONS), scope) if isinstance(expression, str) else expression


def triple(sizes, scope):
    sizes = sizes if isinstance(sizes, list) else [sizes]
    return tuple(int(value(size, scope)) for size in sizes) + (1,) * (3 - len(sizes))


def filled(buffer, count):
    fill, kind = buffer.get("fill", {"kind": "zero"}), TYPES[buffer["type"]]
    if fill["kind"] == "uniform":
        random = numpy.random.default_rng(fill.get("seed", 0))
        return cupy.asarray(random.uniform(fill["low"], fill["high"], count).astype(kind))
    return cupy.full(count, fill.get("value", 0), dtype=kind)


def configurations(experiment, system):
    defaults = {name: quantity["default"] for name, quantity in system["problem"].items()}
    problem = experiment.get("problem", {})
    for case in experiment["cases"]:
        variant = system["variants"][case["variant"]]
        parameters = {name: [given] for name, given in variant.get("parameters", {}).items()}
        parameters.update({name: given if isinstance(given, list) else [given]
                           for name, given in case.get("parameters", {}).items()})
        names = list(problem) + list(parameters)
        for values in itertools.product(*problem.values(), *parameters.values()):
            scope = {**defaults, **dict(zip(names, values))}
            if all(value(rule, scope) for rule in experiment.get("constraints", [])):
                yield case["variant"], variant, {name: scope[name] for name in parameters}, scope


def cached(kernels):
    """The file of machine code in $CACHE that has these kernels, and their symbols there."""
    found = {}
    for record in pathlib.Path(os.environ["CACHE"]).glob("artifacts/*/*/record.json"):
        entry = json.loads(record.read_text())
        if entry["kind"] == "cubin" and all(kernel in entry["symbols"] for kernel in kernels):
            found[entry["code_hash"]] = record.parent / "artifact.cubin", entry["symbols"]
    if len(found) != 1:
        sys.exit(f"run_with_cupy: $CACHE has {len(found)} versions of {', '.join(kernels)}")
    return found.popitem()[1]


def load(folder, variant, parameters):
    """A function that gives each kernel."""
    if "CACHE" in os.environ:
        file, symbols = cached([launch["kernel"] for launch in variant["launches"]])
        module = cupy.RawModule(path=str(file))
        return lambda kernel: module.get_function(symbols[kernel])
    defines = [f"-D{name}={int(v) if isinstance(v, bool) else v}" for name, v in parameters.items()]
    module = cupy.RawModule(code=(folder / variant["source"]).read_text(), backend="nvrtc",
                            options=("--std=c++17", f"-I{folder}", *defines))
    return module.get_function


def run(folder, system, variant, parameters, scope):
    function = load(folder, variant, parameters)
    buffers = {name: filled(buffer, int(value(buffer["count"], scope))) for name, buffer in system["buffers"].items()}
    for _ in range(3):
        for launch in variant["launches"]:
            arguments = []
            for argument in launch["args"]:
                if isinstance(argument, dict):
                    arguments.append(TYPES[argument["type"]](value(argument["value"], scope)))
                elif argument in buffers:
                    arguments.append(buffers[argument])
                else:
                    kind = system["problem"].get(argument, {"type": "int"})["type"]
                    arguments.append(TYPES[kind](value(argument, scope)))
            for name, buffer in buffers.items():
                if system["buffers"][name].get("fill", {}).get("kind") == "zero":
                    buffer[...] = 0
            kernel = function(launch["kernel"])
            shared = int(value(launch.get("dynamic_shared_bytes", 0), scope))
            if shared > 48 * 1024:
                kernel.max_dynamic_shared_size_bytes = shared
            kernel(triple(launch["grid"], scope), triple(launch["block"], scope), tuple(arguments), shared_mem=shared)
    cupy.cuda.runtime.deviceSynchronize()


def main():
    spec = pathlib.Path(sys.argv[1]).resolve()
    wanted = dict(pair.split("=") for pair in sys.argv[2].split(",")) if len(sys.argv) > 2 else {}
    experiment = json.loads(spec.read_text())
    folder = spec.parents[2] / "kernel_templates" / experiment["system"]
    system = json.loads((folder / "system.json").read_text())
    for name, variant, parameters, scope in configurations(experiment, system):
        if all(str({**scope, "variant": name}.get(key)) == text for key, text in wanted.items()):
            print(name, parameters, flush=True)
            run(folder, system, variant, parameters, scope)


main()
