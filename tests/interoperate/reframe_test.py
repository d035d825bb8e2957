"""reframe_test.py EXAMPLES: ReFrame runs its example, and reads what tailwave has stored."""

import json
import os
import pathlib
import subprocess
import sys

import stored

environment = dict(os.environ, RFM_PREFIX=os.getcwd(), RFM_REPORT_FILE=f"{os.getcwd()}/report.json",
                   RFM_KEEP_STAGE_FILES="y")
reframe = ["reframe", "-c", f"{sys.argv[1]}/nbody_reframe.py", "--performance-report"]


def run(*arguments):
    return subprocess.run([*reframe, "-r", *arguments], env=environment, text=True, capture_output=True)


done = run()
assert done.returncode == 0, done.stdout + done.stderr
with open("report.json", encoding="utf-8") as report:
    case, = json.load(report)["runs"][-1]["testcases"]
values = {name.split(":")[-1]: value for name, value in case["perfvalues"].items()}
read = {"time": values["time"][0],
        "metric.interactions_per_second": values["interactions_per_second"][0]}
assert values["times_baseline"][0] >= 0.99, values
database, = pathlib.Path("stage").rglob("nbody.db")
stored.check_figures(read, str(database))

# what tailwave refuses is a test that fails
refused = run("-S", "nbody_variants.device=cuda:77")
assert refused.returncode == 1, refused.stdout + refused.stderr
