"""Enumerates the spaces of spaces.json with python-constraint2: beside space_bench's enumerate_space."""

import importlib.metadata
import json
import pathlib
import time

from constraint import Problem


def solutions(space):
    problem = Problem()
    for name, values in space["parameters"]:
        problem.addVariable(name, values)
    for text in space["constraints"]:
        problem.addConstraint(text)
    return len(problem.getSolutionsAsListDict(validate=False)[0])


for space in json.loads(pathlib.Path(__file__).with_name("spaces.json").read_text()):
    seconds = []
    for _ in range(3):
        start = time.process_time()
        found = solutions(space)
        seconds.append(time.process_time() - start)
    assert found == space["valid"], (space["name"], found)
    print(f"python-constraint2 {importlib.metadata.version('python-constraint2')}: {space['name']}: "
          f"{1e3 * min(seconds):.0f} ms, valid={found}, valid_per_second={found / min(seconds):.4g}", flush=True)
