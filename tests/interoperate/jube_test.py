"""jube_test.py EXAMPLES: JUBE runs its example, and reads what tailwave has stored."""

import csv
import os
import pathlib
import subprocess
import sys

import stored

subprocess.run(["jube", "run", f"{sys.argv[1]}/nbody.jube.xml", "-o", "nbody_jube"], check=True)
table = subprocess.check_output(["jube", "result", "nbody_jube", "-a"], text=True)
lines = [line for line in table.splitlines() if "," in line]
header, row = list(csv.reader(lines[-2:]))
read = dict(zip((name.split("[")[0] for name in header), row))
print(read)
assert read["device"] == "cpu", read
assert read["measured_on"], read
database, = pathlib.Path("nbody_jube").rglob("nbody.db")
numbers = {"time": "time", "time_low": "time_low", "time_high": "time_high", "failed": "failed",
           "rate": "metric.interactions_per_second"}
figures = {figure: float(read[column]) for column, figure in numbers.items()}
figures["winner"] = read["winner"]
assert int(read["correct"]) >= 2 and float(read["seconds"]) > 0, read
stored.check_figures(figures, str(database))

# a command that fails is a step that fails
failing = pathlib.Path("failing").absolute()
failing.mkdir()
(failing / "tailwave").write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
(failing / "tailwave").chmod(0o755)
failed = subprocess.run(["jube", "run", "-e", f"{sys.argv[1]}/nbody.jube.xml", "-o", "failed"],
                        env=dict(os.environ, PATH=f"{failing}:{os.environ['PATH']}"))
assert failed.returncode != 0
