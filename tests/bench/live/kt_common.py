"""What the three kt_NAME.py have in common: one search by Kernel Tuner 1.5.0 with CuPy, every evaluation written down as it ends.

usage: kt_NAME.py STRATEGY SECONDS SEED OUTFILE

OUTFILE            [{"seconds": s, "config": {...}, "time_ms": ms or null}, ...], distinct evaluations in order; rewritten after each
                   one, so that it is whole up to then whenever the process ends. Configurations that the strategy asks for again come
                   from Kernel Tuner's cache at no cost and are left out.
OUTFILE.meta.json  what else is to be known (status, start-up, all visits, ...); written at the beginning and at the end

The clock: 0 is when the runner's constructor has returned in tune_kernel, that is, CUDA's context is there and the data is on the device.
Not in it: Python's start, imports, making the data, the context, the copies. In it: listing the space (Kernel Tuner does that next;
`space_seconds` of the meta file), the warm-up (Kernel Tuner compiles and runs the first configuration twice), every compilation (NVRTC
by CuPy, one after another; CuPy's cache folder is a fresh one each time, see live.sh), 7 runs of each, the strategy.

time_limit: Kernel Tuner takes tune_kernel's start-up (context, copies, listing) off the limit and looks at the rest between evaluations
(TuningBudget). Here the budget is set anew when it is made, so that it ends SECONDS after this clock's 0. What is under way then is ended.

seed: tune_kernel's own `seed` reaches pymoo's strategies alone; genetic_algorithm and firefly draw from `random` and `numpy.random`, which
are seeded here.

No answer is given: NOTHING IS VERIFIED here (tailwave verifies every configuration, in the time that counts).

Compiler: only --std=c++17 (tailwave's default; Kernel Tuner's is c++11), no fast math in either tool. CuPy adds what it always does
(--gpu-architecture=sm_90 or compute_90 for an H100, -DCUPY_..., its include folders, and -ftz=true only if asked for, which it is not);
tailwave compiles for sm_90a by its own NVRTC, which may be another release than CuPy's. Macros: both prepend #define NAME value to the same
file; Kernel Tuner adds kernel_tuner, grid_size_x/y/z and block_size_z, which no kernel here names.
"""
import json
import os
import random
import sys
import time
from datetime import datetime, timezone

HERE = os.path.dirname(os.path.abspath(__file__))


def write(path, what):
    with open(path + ".part", "w") as file:
        json.dump(what, file)
    os.replace(path + ".part", path)


def main(name, make_arguments, problem_size, grid_div_x, grid_div_y=None):
    strategy, seconds, seed, out = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), os.path.abspath(sys.argv[4])
    import kernel_tuner
    import kernel_tuner.runners.sequential as sequential
    import kernel_tuner.util as util
    import numpy
    from spaces import SPACES

    version = getattr(kernel_tuner, "__version__", None)
    if version is None:
        from importlib.metadata import version as version_of
        version = version_of("kernel_tuner")
    meta = {"system": name, "strategy": strategy, "seconds": seconds, "seed": seed, "kernel_tuner": version, "status": "running"}
    write(out, [])
    write(out + ".meta.json", meta)

    space = SPACES[name]
    records = []
    zero = {}

    # Where the clock starts: the runner is made, with the device and the data on it.
    init = sequential.SequentialRunner.__init__

    def timed_init(self, *args, **kwargs):
        init(self, *args, **kwargs)
        self.dev.synchronize() if hasattr(self.dev, "synchronize") else self.dev.dev.synchronize()
        zero["clock"] = time.perf_counter()
        zero["utc"] = datetime.now(timezone.utc)

    sequential.SequentialRunner.__init__ = timed_init

    # The budget: until SECONDS after that.
    budget_class = util.TuningBudget

    def budget(time_limit=None, max_fevals=None):
        since = time.perf_counter() - zero["clock"]
        meta["space_seconds"] = since
        meta["time_limit_left_by_kernel_tuner"] = time_limit
        return budget_class(max(0.001, seconds - since), max_fevals)

    util.TuningBudget = budget

    # Called once for every configuration that was compiled, whatever became of it.
    store_cache = sequential.store_cache

    def noting_store_cache(key, params, *args):
        at = time.perf_counter() - zero["clock"]
        failed = "__error__" in params or not isinstance(params.get("time"), (int, float, numpy.floating))
        records.append({"seconds": at,
                        "config": {k: int(params[k]) for k in space["parameters"]},
                        "time_ms": None if failed else float(params["time"]),
                        "compile_ms": float(params.get("compile_time") or 0),
                        "error": str(params["__error__"]) if "__error__" in params else None})
        write(out, records)
        return store_cache(key, params, *args)

    sequential.store_cache = noting_store_cache

    random.seed(seed)
    numpy.random.seed(seed)
    arguments = make_arguments(numpy.random.default_rng(1))  # the same data for every seed, as in tailwave's fills in kind
    cache = out + ".kt_cache.json"
    for old in (cache,):
        if os.path.exists(old):
            os.remove(old)
    started = time.perf_counter()
    try:
        results, _ = kernel_tuner.tune_kernel(
            name, os.path.join(HERE, "kernel_templates", name, name + ".cu"), problem_size, arguments, space["parameters"],
            grid_div_x=grid_div_x, grid_div_y=grid_div_y, restrictions=space["restrictions"], lang="CUPY",
            compiler_options=["--std=c++17"], iterations=7, cache=cache, verbose=False, quiet=True, device=0,
            strategy=strategy, strategy_options={"time_limit": seconds})
        meta["status"] = "done"
        meta["visits"] = len(results)
        # The results have wall-clock times of their own: of the first visit of each configuration, beside ours.
        first = {}
        for r in results:
            if r and "timestamp" in r:
                first.setdefault(tuple(r[k] for k in space["parameters"]), r["timestamp"])
        off = [abs((datetime.fromisoformat(first[tuple(one["config"].values())]) - zero["utc"]).total_seconds() - one["seconds"])
               for one in records if tuple(one["config"].values()) in first]
        meta["clock_differs_from_timestamps_by_s"] = max(off) if off else None
    except BaseException as error:  # what there is counts all the same
        import traceback
        meta["status"] = "crashed"
        meta["error"] = "".join(traceback.format_exception_only(type(error), error))[-2000:]
        traceback.print_exc()
    meta["startup_seconds"] = zero["clock"] - started if zero else None
    meta["whole_seconds"] = time.perf_counter() - started
    meta["evaluations"] = len(records)
    write(out, records)
    write(out + ".meta.json", meta)
    if os.path.exists(cache):
        os.remove(cache)
    print(f"{name} {strategy} seed {seed}: {meta['status']}, {len(records)} evaluations in {meta['whole_seconds']:.1f} s, best "
          f"{min((r['time_ms'] for r in records if r['time_ms'] is not None), default=None)} ms")
    sys.exit(0 if meta["status"] == "done" else 1)
