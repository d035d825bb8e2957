"""table.py OUT_DIR [SECONDS]                 prints what live.sh's searches found
   table.py --best NAME OUT_DIR BEST.json      writes the experiment that measures the best three of each search once more

How fast a search was: seconds until the first evaluation whose cost, AS THE TOOL ITSELF MEASURED IT, is at most 1.05 times what the best
known configuration costs as measured by that same tool. Best known: the fastest of out/best_NAME.db, where tailwave measured the best
three of every search of both tools in one run. What it costs by a tool: the median over all of that tool's searches (Kernel Tuner's
strategies together) that evaluated it; where none did (marked *), its time in best_NAME.db times the median, over the configurations of
best_NAME.db that the tool evaluated, of the tool's time over that in best_NAME.db. Without best_NAME.db: the least that the tool saw.
"by one instrument": seconds until the first evaluation of a configuration that best_NAME.db has within 5 % of the best, however the tool
timed it (configurations that were in no search's best three are not in it). Regret: of what each search would have answered (least cost by
its own measurement within SECONDS), by best_NAME.db. Evaluations after SECONDS do not count.

Clocks. tailwave: search_step.seconds, from the beginning of the search; in it: the reference's compilation and run with REF=cold (with
REF=warm, see how.txt, its results were in the otherwise empty cache and are only read), making inputs, starting compile processes, compiling (in parallel), verifying. Not in it: start of the program, the context, listing the space and
planning launches. Kernel Tuner: from the data being on the device; in it: listing the space, the warm-up, compiling (one after another),
7 runs each. Not in it: Python, imports, the context, making and copying data. Nothing is verified there.
"""
import glob
import json
import math
import os
import re
import sqlite3
import statistics
import sys
from collections import defaultdict


def key_of(config):
    return tuple(sorted((k, int(v)) for k, v in config.items()))


def read_tailwave(path):
    """[(seconds, config, cost in ms or None)] in order; the cost of a time is in ns there"""
    db = sqlite3.connect(path)
    try:
        rows = db.execute("SELECT seconds, parameters, cost FROM search_step JOIN configuration ON configuration.id = configuration_id "
                          "WHERE run_id = (SELECT max(run_id) FROM search) ORDER BY step").fetchall()
    finally:
        db.close()
    return [(seconds, json.loads(p), None if cost is None else cost * 1e-6) for seconds, p, cost in rows]


def read_kernel_tuner(path):
    with open(path) as file:
        return [(r["seconds"], r["config"], r["time_ms"]) for r in json.load(file)]


def read_searches(out):
    """name -> tool/strategy -> seed -> evaluations"""
    searches = defaultdict(lambda: defaultdict(dict))
    for path in sorted(glob.glob(os.path.join(out, "tw_*.db")) + glob.glob(os.path.join(out, "kt_*.json"))):
        file = os.path.basename(path)
        tw = re.fullmatch(r"tw_([a-z0-9]+)_(\d+)\.db", file)
        kt = re.fullmatch(r"kt_([a-z0-9]+)_(\w+)_(\d+)\.json", file)
        try:
            if tw:
                steps = read_tailwave(path)
                searches[tw[1]]["tailwave"][int(tw[2])] = steps
            elif kt:
                steps = read_kernel_tuner(path)
                searches[kt[1]]["kernel_tuner " + kt[2]][int(kt[3])] = steps
            else:
                continue
            if not steps:
                print(f"{file}: no evaluation", file=sys.stderr)
        except Exception as error:
            print(f"{file}: left out: {error}", file=sys.stderr)
    return searches


def best_three(steps, limit):
    seen = {}
    for seconds, config, cost in steps:
        if cost is not None and seconds <= limit:
            key = key_of(config)
            seen[key] = min(cost, seen.get(key, math.inf))
    return sorted(seen, key=seen.get)[:3]


def read_best(path):
    """config -> ms, as tailwave measured all of them in one run; a configuration with the machine code of another has that one's time"""
    if not os.path.exists(path):
        return {}
    try:
        db = sqlite3.connect(path)
        rows = db.execute("""
            SELECT configuration.parameters, trial_time.median_ns, trial.id, trial.outcome
            FROM trial JOIN configuration ON configuration.id = trial.configuration_id JOIN run ON run.id = trial.run_id
            LEFT JOIN identical_trial ON identical_trial.trial_id = trial.id
            LEFT JOIN trial_time ON trial_time.trial_id = coalesce(identical_trial.measured_trial_id, trial.id)
            WHERE trial.regime IS NULL AND configuration.variant = 'cuda' ORDER BY trial.id""").fetchall()
        db.close()
    except Exception as error:
        print(f"{path}: left out: {error}", file=sys.stderr)
        return {}
    return {key_of(json.loads(p)): ns / 1e6 for p, ns, _, outcome in rows if ns is not None}


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    low, high = math.floor(at), math.ceil(at)
    if low == high or values[low] == values[high]:
        return values[low]
    return math.inf if math.isinf(values[high]) else values[low] + (at - low) * (values[high] - values[low])


def write_best(name, out, target):
    searches = read_searches(out)[name]
    limit = seconds_of(out)
    wanted = {}
    for tool, seeds in sorted(searches.items()):
        for steps in seeds.values():
            for key in best_three(steps, limit):
                wanted.setdefault(key, None)
    if not wanted:
        sys.exit(f"{name}: no search found anything")
    spec = {"schema_version": 1, "name": "best", "system": name,
            "question": "How fast are the best three of every search?",
            "cases": [{"variant": "cuda", "parameters": {k: [v] for k, v in key}} for key in wanted],
            "metric": {"name": "time", "goal": "min"},
            "measure": {"samples": 15, "max_samples": 60, "repetitions": 3, "time_cap_s": 0.5}}
    with open(os.path.join(os.path.dirname(os.path.abspath(target)), "space.json")) as file:
        devices = json.load(file).get("devices")
    if devices:
        spec["devices"] = devices
    with open(target, "w") as file:
        json.dump(spec, file, indent=1)
    print(f"{name}: {len(wanted)} configurations to be measured once more")


def seconds_of(out):
    """SECONDS of the searches, as Kernel Tuner's meta files or tailwave's databases have it"""
    found = []
    for path in glob.glob(os.path.join(out, "kt_*.meta.json")):
        try:
            with open(path) as file:
                found.append(float(json.load(file)["seconds"]))
        except Exception:
            pass
    for path in glob.glob(os.path.join(out, "tw_*.db")):
        try:
            db = sqlite3.connect(path)
            found += [float(s) for (s,) in db.execute("SELECT budget_seconds FROM search WHERE budget_seconds IS NOT NULL")]
            db.close()
        except Exception:
            pass
    if len(set(found)) > 1:
        print(f"searches of different lengths: {sorted(set(found))}", file=sys.stderr)
    return min(found) if found else math.inf


def show_seconds(s, limit):
    return f">{limit:g}" if math.isinf(s) else f"{s:.2f}"


def table(out, limit):
    for name, tools in sorted(read_searches(out).items()):
        best = read_best(os.path.join(out, f"best_{name}.db"))
        best_key = min(best, key=best.get) if best else None
        own = {"tailwave": defaultdict(list), "kernel_tuner": defaultdict(list)}
        for tool, seeds in tools.items():
            for steps in seeds.values():
                for seconds, config, cost in steps:
                    if cost is not None:
                        own[tool.split()[0]][key_of(config)].append(cost)
        print(f"\n{name}: ", end="")
        if best:
            print(f"best known {best[best_key] * 1e3:.2f} us (of {len(best)} measured once more): "
                  + ", ".join(f"{k}={v}" for k, v in best_key))
        else:
            print("nothing was measured once more; each tool by its own least cost")
        target = {}
        for tool, costs in own.items():
            if not costs:
                continue
            medians = {key: statistics.median(c) for key, c in costs.items()}
            common = [medians[key] / best[key] for key in best if key in medians]
            if best and best_key in medians:
                target[tool] = (medians[best_key], "")
            elif common:
                target[tool] = (best[best_key] * statistics.median(common), "*")
            else:
                target[tool] = (min(medians.values()), "+")
            ratio = f", its times are {statistics.median(common):.3f} of those measured once more" if common else ""
            print(f"  {tool}: the best known costs {target[tool][0] * 1e3:.2f} us{target[tool][1]} by its own measurement{ratio}")
        header = ["tool / strategy", "seeds", "reached", "seconds to 5 %: median", "[quartiles]", "by one instrument", "[quartiles]", "reached",
                  "evaluations", "failed", "regret: median", "[quartiles]"]
        rows = []
        for tool, seeds in sorted(tools.items(), key=lambda t: (t[0] != "tailwave", t[0])):
            reached, instrument, counts, failed, regrets = [], [], [], [], []
            for steps in seeds.values():
                steps = [s for s in steps if s[0] <= limit]
                counts.append(len(steps))
                failed.append(sum(cost is None for _, _, cost in steps))
                cost_of_best = target.get(tool.split()[0], (math.nan,))[0]
                reached.append(next((s for s, _, c in steps if c is not None and c <= 1.05 * cost_of_best), math.inf))
                instrument.append(next((s for s, config, c in steps if c is not None and best
                                        and best.get(key_of(config), math.inf) <= 1.05 * best[best_key]), math.inf))
                answer = best_three(steps, limit)[:1]
                if answer and answer[0] in best:
                    regrets.append(best[answer[0]] / best[best_key] - 1)
                elif answer and not best:
                    cost = min(c for s, config, c in steps if c is not None and key_of(config) == answer[0])
                    regrets.append(cost / cost_of_best - 1)
                else:
                    regrets.append(math.inf)  # no answer, or one that could not be measured once more
            if not counts:
                continue

            def both(values):
                return f"[{show_seconds(quantile(values, 0.25), limit)}, {show_seconds(quantile(values, 0.75), limit)}]"

            def percent(value):
                return "none" if math.isinf(value) else f"{100 * value:.1f} %"

            rows.append([tool, str(len(counts)), str(sum(not math.isinf(s) for s in reached)),
                         show_seconds(quantile(reached, 0.5), limit), both(reached),
                         show_seconds(quantile(instrument, 0.5), limit), both(instrument), str(sum(not math.isinf(s) for s in instrument)),
                         f"{statistics.median(counts):g}", f"{statistics.median(failed):g}", percent(quantile(regrets, 0.5)),
                         f"[{percent(quantile(regrets, 0.25))}, {percent(quantile(regrets, 0.75))}]"])
        widths = [max(len(r[i]) for r in [header] + rows) for i in range(len(header))]
        for row in [header] + rows:
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    crashed, early = [], []
    for path in sorted(glob.glob(os.path.join(out, "kt_*.meta.json"))):
        try:
            with open(path) as file:
                meta = json.load(file)
            if meta.get("status") == "done" and meta["whole_seconds"] - (meta.get("startup_seconds") or 0) < 0.95 * meta["seconds"]:
                early.append(f"{os.path.basename(path)[:-len('.json.meta.json')]} ({meta['whole_seconds']:.1f} s, {meta.get('visits')} visits)")
            if meta.get("status") != "done":
                crashed.append(f"{os.path.basename(path)[:-len('.json.meta.json')]}: {meta.get('status')} {meta.get('error', '').strip()[:160]}")
        except Exception:
            pass
    unfinished = [os.path.basename(p) for p in sorted(glob.glob(os.path.join(out, "tw_*.db"))) if not os.path.exists(p + ".done")]
    if crashed or unfinished:
        print("\nnot ended as they should (what they had found until then is counted):\n  " + "\n  ".join(crashed + unfinished))
    if early:
        print("\nKernel Tuner ended these by itself, before their time (maxiter of the strategy, or as many visits as the space has):\n  "
              + ", ".join(early))
    print("\n" + __doc__[__doc__.index("How fast"):].rstrip())


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "--best":
        write_best(*sys.argv[2:])
    elif len(sys.argv) in (2, 3):
        table(sys.argv[1], float(sys.argv[2]) if len(sys.argv) == 3 else seconds_of(sys.argv[1]))
    else:
        sys.exit(__doc__)
