"""Is advice right about what it has not seen? Public spaces are imported with most of their configurations left out.

advice_heldout.py TAILWAVE FILE... [--part set-aside|seen|all] [--known 200 0.2 0.5] [--jobs 1]. A FILE is a cachefile
of Kernel Tuner, results of KTT (both may be .gz), or a file that foreign_data.py wrote, which has a space for each
device. A space is set aside where the SHA-256 of its name begins with an even digit; none of these is to be looked at
while advice is being changed. Of each space so many configurations, or such a share, are imported; then `tailwave query
advice` is asked about the fastest fifth of them and about the best, and what it says of configurations that were left
out is compared with what was measured there. Nothing but the standard library is needed. Prints Markdown.

right: advised changes that were faster; of those to a configuration that the space does not have or that failed, which
count as wrong in `right of all`, `elsewhere` says how many there were. systems: spaces of one device at one share; those
that count have some configuration left out, one value away from one of the fastest fifth, that is 5 % faster.
"""

import argparse
import concurrent.futures
import csv
import gzip
import hashlib
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

FAILED = 1e10  # older cachefiles write 1e20 for a configuration that did not run


def number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def of_cachefile(name, document):
    keys = document["tune_params_keys"]
    entries = {}
    for entry in document["cache"].values():
        time = entry.get("time")
        works = isinstance(time, (int, float)) and time < FAILED
        entries[tuple(entry[key] for key in keys)] = {"time": time, "times": entry.get("times", [])} if works else None
    return [(name, keys, entries)]


def of_ktt(name, document):
    entries, keys = {}, []
    for result in document["Results"]:
        keys = [one["Name"] for one in result["Configuration"]]
        point = tuple(one["Value"] for one in result["Configuration"])
        works = result["Status"] == "Ok"
        entries[point] = {"time": result["ComputationResults"][0]["Duration"] / 1000} if works else None
    return [(name, keys, entries)]


def of_foreign_data(name, document):
    spaces = []
    for device, times in document["times"].items():
        entries = {tuple(map(number, key.split(","))): {"time": time} for key, time in times.items()}
        keys = [f"p{i}" for i in range(len(next(iter(entries))))]
        spaces.append((f"{name} {device}", keys, entries))
    return spaces


def spaces_of(file):
    text = file.read_bytes()
    document = json.loads(gzip.decompress(text) if file.suffix == ".gz" else text)
    name = file.name.removesuffix(".gz").removesuffix(".json")
    if "cache" in document:
        return of_cachefile(name, document)
    if "Results" in document:
        return of_ktt(name, document)
    if "times" in document:
        return of_foreign_data(name, document)
    sys.exit(f"{file}: neither a cachefile, nor results of KTT, nor a file of foreign_data.py")


def is_set_aside(name):
    return int(hashlib.sha256(name.encode()).hexdigest()[0], 16) % 2 == 0


def write_known(file, keys, known):
    cache = {}
    for point, entry in known.items():
        row = dict(zip(keys, point))
        row |= {k: v for k, v in entry.items() if v} if entry else {"time": "RuntimeFailedConfig"}
        cache[",".join(map(str, point))] = row
    values = {key: sorted({point[i] for point in known}, key=str) for i, key in enumerate(keys)}
    file.write_text(json.dumps({"device_name": "GPU", "kernel_name": "kernel", "problem_size": "", "objective": "time",
                                "tune_params_keys": keys, "tune_params": values, "cache": cache}))


def ask(tailwave, database, *more):
    command = [tailwave, "query", "advice", "--db", database, "--format", "csv", *more]
    answer = subprocess.run(command, capture_output=True, text=True)
    if answer.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {answer.stderr}")
    return list(csv.DictReader(io.StringIO(answer.stdout)))


def judged(rows, keys, entries):
    """Of what was advised about configurations left out: right, wrong, and those of which nothing was measured."""
    right = wrong = elsewhere = 0
    sources = {}
    for row in rows:
        if row["source"] == "measured":
            continue
        named = dict(part.split(":", 1) for part in row["configuration"].split("/") if ":" in part)
        own = tuple(number(named[key]) for key in keys)
        changed = tuple(number(row["new_value"]) if key == row["parameter"] else value for key, value in zip(keys, own))
        sources[row["source"]] = sources.get(row["source"], 0) + 1
        if not entries.get(changed):
            elsewhere += 1
        elif entries[changed]["time"] < entries[own]["time"]:
            right += 1
        else:
            wrong += 1
    return right, wrong, elsewhere


def may_gain(keys, entries, known):
    """Whether some configuration left out, one value away from one of the fastest fifth, is 5 % faster."""
    timed = sorted((point for point in known if entries[point]), key=lambda point: entries[point]["time"])
    values = [sorted({point[i] for point in known}, key=str) for i in range(len(keys))]
    for point in timed[:max(5, len(timed) // 5)]:
        for i, choices in enumerate(values):
            for value in choices:
                end = point[:i] + (value,) + point[i + 1:]
                if end not in known and entries.get(end) and entries[end]["time"] * 1.05 <= entries[point]["time"]:
                    return True
    return False


def study(tailwave, name, keys, entries, share):
    points = sorted(entries, key=str)
    count = int(share) if share > 1 else int(share * len(points))
    known = random.Random(f"{name} {share}").sample(points, min(count, len(points)))
    with tempfile.TemporaryDirectory() as folder:
        file, database = pathlib.Path(folder) / "known.json", pathlib.Path(folder) / "known.db"
        write_known(file, keys, {point: entries[point] for point in known})
        subprocess.run([tailwave, "import", file, "--db", database], check=True, capture_output=True)
        fifth = judged(ask(tailwave, database, "--set", "configuration=all"), keys, entries)
        best = judged(ask(tailwave, database), keys, entries)
    return {"space": name, "of": len(points), "share": share, "known": len(known), "fifth": fifth, "best": best,
            "may_gain": may_gain(keys, entries, set(known))}


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tailwave", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--part", choices=["set-aside", "seen", "all"], default="set-aside")
    parser.add_argument("--known", nargs="+", type=float, default=[200, 0.2, 0.5])
    parser.add_argument("--most", type=int, default=20000, help="configurations of a space; others are dropped")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    tasks = []
    for file in arguments.files:
        for name, keys, entries in spaces_of(file):
            if arguments.part != "all" and is_set_aside(name) != (arguments.part == "set-aside"):
                continue
            if len(entries) > arguments.most:
                kept = random.Random(name).sample(sorted(entries, key=str), arguments.most)
                entries = {point: entries[point] for point in kept}
            tasks += [(name, keys, entries, share) for share in arguments.known
                      if len(entries) > 2 * (share if share > 1 else 20)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda task: study(arguments.tailwave.resolve(), *task), tasks))
    print("| space | configurations | known | advised | right | elsewhere | from the best | right "
          "| a neighbour gains 5 % |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for row in rows:
        (right, wrong, elsewhere), (best_right, best_wrong, _) = row["fifth"], row["best"]
        print(f"| {row['space']} | {row['of']} | {row['known']} | {right + wrong} | {percent(right, right + wrong)} "
              f"| {elsewhere} | {best_right + best_wrong} | {best_right} | {'yes' if row['may_gain'] else 'no'} |")
    print("\n| known | systems | where a neighbour gains 5 % | speaks in | advised | right | right of all "
          "| from the best | right |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for share in [*arguments.known, None]:
        of = [row for row in rows if share in (None, row["share"])]
        right, wrong, elsewhere = (sum(row["fifth"][i] for row in of) for i in range(3))
        best_right, best_wrong, _ = (sum(row["best"][i] for row in of) for i in range(3))
        gaining = [row for row in of if row["may_gain"]]
        speaking = sum(sum(row["fifth"]) > 0 for row in gaining)
        label = "all" if share is None else f"{share:.0%}" if share <= 1 else f"{share:.0f}"
        print(f"| {label} | {len(of)} | {len(gaining)} | {speaking} | {right + wrong} "
              f"| {percent(right, right + wrong)} | {percent(right, right + wrong + elsewhere)} | {best_right + best_wrong} "
              f"| {percent(best_right, best_right + best_wrong)} |")


if __name__ == "__main__":
    main()
