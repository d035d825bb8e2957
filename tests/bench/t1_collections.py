#!/usr/bin/env python3
"""What becomes of each T1 file of the public collections, as a table.

tests/bench/t1_collections.py TAILWAVE FOLDER... [--device DEVICE] [--budget N] [--side FOLDER] [--only TEXT] [--messages]

Each FOLDER is a clone: github.com/AutoTuningAssociation/benchmark_hub, NTNU-HPC-Lab/BAT, HiPerCoRe/KTT and
KernelTuner/kernel_tuner are those that docs/t1.md is about. Of each JSON file that has T1's keys, or those of its drafts,
three things are done, in a copy of its folder:

  check   tailwave check: ok with its warnings, or what is wrong, with the line
  plan    tailwave plan --target h100 of three configurations: their outcomes
  run     with --device: tailwave tune by random search of N configurations (8): their outcomes

A file of --side FOLDER (tests/bench/t1) that is called like the JSON file's path in its clone is put beside it before: what
T1 cannot say. With --messages all that check says of a file stands below the table.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KEYS = re.compile(r'"(ConfigurationSpace|configuration_space|KernelSpecification|kernelSpecification|function_specification)"')
HERE = pathlib.Path(__file__).resolve().parent


def t1_files(folder):
    """Files with T1's keys that are no JSON schema; some are no JSON either."""
    for path in sorted(folder.rglob("*.json")):
        text = path.read_text(errors="replace") if path.stat().st_size < 1 << 20 else ""
        if KEYS.search(text) and '"$schema"' not in text:
            yield path


def counted(words):
    """correct 3, compile_error 1"""
    totals = {}
    for word in words:
        totals[word] = totals.get(word, 0) + 1
    return ", ".join(f"{word} {count}" for word, count in totals.items())


class Tailwave:
    def __init__(self, program, folder, seconds):
        self.program, self.folder, self.seconds = program, folder, seconds

    def ask(self, *words):
        """The result as JSON, or None, and the first line of what was said of errors."""
        try:
            done = subprocess.run([self.program, *words, "--json", "--quiet"], cwd=self.folder, capture_output=True, text=True,
                                  timeout=self.seconds)
        except subprocess.TimeoutExpired:
            return None, f"not done after {self.seconds} s"
        errors = [line for line in done.stderr.splitlines() if line.strip()]
        try:
            result = json.loads(done.stdout)
        except ValueError:
            result = None
        return result, "" if done.returncode == 0 else next((line for line in errors if "warning" not in line), "failed")


def diagnostics_text(diagnostics):
    return [f"{each.get('place', '')}: {each['cause']}" + (f" ({each['hint']})" if each.get("hint") else "")
            for each in diagnostics]


def look_at(tailwave, name, options):
    row = {"configurations": "", "plan": "", "run": ""}
    result, error = tailwave.ask("check", name)
    if result is None:
        return {**row, "check": error}, []
    problems = result["problems"]
    if problems:
        said = diagnostics_text(problems)
        more = f" and {len(said) - 1} more" if len(said) > 1 else ""
        return {**row, "check": said[0] + more}, said
    checked = result["files"][0]
    warnings = checked["warnings"]
    at_least = "" if checked["configurations_are"] == "all" else checked["configurations_are"] + " "
    row["configurations"] = at_least + str(checked["configurations"])
    row["check"] = f"ok, {len(warnings)} warnings" if warnings else "ok"
    planned, error = tailwave.ask("plan", name, "--target", "h100", "--sample", "3")
    launches = planned["plans"][0]["launches"] if planned else []
    obstacles = sorted({launch["obstacle"] for launch in launches if launch["obstacle"]})
    row["plan"] = "; ".join([counted(launch["outcome"] for launch in launches) or error, *obstacles])
    if options.device:
        found, error = tailwave.ask("tune", name, "--device", options.device, "--strategy", "random", "--budget",
                                    str(options.budget), "--db", "t1.db", "--no-regimes")
        outcomes = found["searches"][0]["outcomes"] if found else {}
        row["run"] = "; ".join(
            filter(None, [", ".join(f"{word} {count}" for word, count in outcomes.items()), error]))
    return row, diagnostics_text(warnings)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tailwave", type=pathlib.Path)
    parser.add_argument("folder", nargs="+", type=pathlib.Path)
    parser.add_argument("--device", default="")
    parser.add_argument("--budget", type=int, default=8)
    parser.add_argument("--side", type=pathlib.Path, default=HERE / "t1")
    parser.add_argument("--only", default="", help="files whose path has this text")
    parser.add_argument("--messages", action="store_true")
    parser.add_argument("--seconds", type=int, default=600, help="that one command may take")
    options = parser.parse_args()
    program = str(options.tailwave.resolve())
    messages = []
    print("| file | configurations | check | plan | run |\n|---|---|---|---|---|")
    for folder in options.folder:
        for path in t1_files(folder):
            shown = f"{folder.name}/{path.relative_to(folder)}"
            if options.only not in shown:
                continue
            with tempfile.TemporaryDirectory() as work:
                copy = pathlib.Path(work) / path.parent.name
                shutil.copytree(path.parent, copy, symlinks=True)
                beside = options.side / shown
                for side in beside.parent.glob(beside.stem + ".tailwave.*") if beside.parent.is_dir() else []:
                    shutil.copy(side, copy)
                row, said = look_at(Tailwave(program, copy, options.seconds), path.name, options)
            cells = [shown, row["configurations"], row["check"], row["plan"], row["run"]]
            print("| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |", flush=True)
            messages += [f"\n{shown}", *("  " + line for line in said)] if said else []
    if options.messages:
        print("\n".join(messages))


if __name__ == "__main__":
    sys.exit(main())
