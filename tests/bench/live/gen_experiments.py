"""Writes experiments/NAME/space.json from spaces.py, so that both tools have the same parameters, values and restrictions."""
import json, os
from spaces import SPACES

here = os.path.dirname(os.path.abspath(__file__))
for name, space in SPACES.items():
    spec = {"schema_version": 1, "name": "space", "system": name,
            "question": "Which configuration is the fastest?",
            "cases": [{"variant": "cuda", "parameters": space["parameters"]}],
            "constraints": space["restrictions"],
            "metric": {"name": "time", "goal": "min"}}
    if space.get("cpu"):
        spec["devices"] = {"cpu": {"problem": space["cpu"]}}
    path = os.path.join(here, "experiments", name, "space.json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        json.dump(spec, file, indent=2)
        file.write("\n")
