#!/usr/bin/env python3
"""A search strategy by Optuna's tree-structured Parzen estimator; needs `pip install optuna`.

    tailwave tune experiments/nbody/tuning.json --strategy 'external:python3 experiments/search/optuna_search.py'

docs/searching.md, "Your own search", explains the lines.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict

import optuna
from optuna.distributions import CategoricalDistribution
from optuna.trial import Trial, TrialState


def key(configuration: dict) -> str:
    return json.dumps(configuration, sort_keys=True)


class Searching:
    def __init__(self, space: dict) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=space["seed"]))
        self.choices = {one["name"]: CategoricalDistribution(one["values"]) for one in space["parameters"]}
        # Without a cost, by configuration: one may be asked for again while it is measured.
        self.open: dict[str, list[Trial]] = defaultdict(list)

    def ask(self) -> dict:
        trial = self.study.ask(self.choices)
        self.open[key(trial.params)].append(trial)
        return trial.params

    def tell(self, configuration: dict, cost: float | None) -> None:
        for trial in self.open.pop(key(configuration), []):
            if cost is None:
                self.study.tell(trial, state=TrialState.FAIL)
            else:
                self.study.tell(trial, cost)


for line in sys.stdin:
    message = json.loads(line)
    if "space" in message:
        search = Searching(message["space"])
    elif "ask" in message:
        print(json.dumps([search.ask() for _ in range(message["ask"])]), flush=True)
    elif "tell" in message:
        search.tell(message["tell"], message["cost"])
    elif "refused" in message:
        search.tell(message["refused"], None)
    elif "done" in message:
        break
