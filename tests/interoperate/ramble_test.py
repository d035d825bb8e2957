"""ramble_test.py EXAMPLES: the application of Ramble, which is on no registry of packages, is read without it: its regular
expressions match a run's lines as Ramble's default analysis does (each line from its beginning, contexts before figures), and
give what tailwave has stored."""

import re
import subprocess
import sys
import types

import stored

figures, contexts, criteria, executables, defaults = {}, {}, {}, {}, {}
kit = types.ModuleType("ramble.appkit")
kit.ExecutableApplication = type("ExecutableApplication", (), {})
kit.tags = kit.workload = lambda *_, **__: None
kit.executable = lambda name, template, **_: executables.update({name: template})
kit.workload_variable = lambda name, default, **_: defaults.update({name: default})
kit.figure_of_merit_context = lambda name, **of: contexts.update({name: of})
kit.figure_of_merit = lambda name, **of: figures.update({name: of})
kit.success_criteria = lambda name, **of: criteria.update({name: of})
sys.modules["ramble"], sys.modules["ramble.appkit"] = types.ModuleType("ramble"), kit
application = {}
with open(f"{sys.argv[1]}/ramble/application.py", encoding="utf-8") as file:
    exec(compile(file.read(), file.name, "exec"), application)
assert application["TailwaveNbody"].name == "tailwave-nbody"

defaults.update(project=f"{sys.argv[1]}/../..", experiment_run_dir=".")
command = executables["run"].format(**defaults).split()
lines = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines(keepends=True)
read, place = {}, None
for line in lines:
    if found := re.match(contexts["problem"]["regex"], line):
        place = contexts["problem"]["output_format"].format(**found.groupdict())
    for name, figure in figures.items():
        assert figure["contexts"] == ["problem"], figure
        if found := re.match(figure["fom_regex"], line):
            read.setdefault(place, {})[name] = found.group(figure["group_name"])
for name, criterion in criteria.items():
    assert any(re.search(criterion["match"], line) for line in lines), name

(problem, best), (everything, whole) = sorted(read.items(), key=lambda item: item[0] == "all")
assert everything == "all" and problem.startswith("DT="), read
assert {*best, *whole} == {*figures}, (read, figures)
stored.check_figures({"time": float(best["Time"]), "time_low": float(best["Time, low"]),
                      "time_high": float(best["Time, high"]), "winner": best["Winner"],
                      "metric.interactions_per_second": float(best["Interactions"]),
                      "failed": int(whole["Failed"])}, "nbody.db")
