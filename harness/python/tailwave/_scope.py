"""Which experiments and which device a question is about: one device at a time, unless all are asked for."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple

KINDS = ("cuda", "cpu", "recorded")


class ResultsError(Exception):
    """A question that cannot be answered, or a file that is no database of tailwave; the text says what to do."""

    __module__ = "tailwave.results"  # where it is to be had


@dataclass(frozen=True)
class Ran:
    """An experiment that a device ran or counted."""

    system: str
    experiment: str
    device: str
    kind: str

    @property
    def name(self) -> str:
        return f"{self.system}/{self.experiment}"


@dataclass(frozen=True)
class Scope:
    """What a query is bound to; None: not restricted."""

    system: Optional[str]
    experiment: Optional[str]
    device: Optional[str]
    kind: Optional[str]

    def condition(self, device: str, kind: str) -> Tuple[str, Dict[str, Optional[str]]]:
        """For a WHERE, with the names of the columns of device and kind, and the values of its parameters."""
        columns = {"system": "system", "experiment": "experiment", device: "device", kind: "kind"}
        values = {key: getattr(self, key) for key in columns.values()}
        return " AND ".join(f"{column} = :{key}" for column, key in columns.items() if values[key]) or "1", values


def _plain(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


def _nearest(wanted: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(wanted, names, 1)
    return f"did you mean '{near[0]}'?" if near else "there are: " + ", ".join(sorted(names))


def _of_experiment(file: str, all_ran: List[Ran], experiment: Optional[str], system: Optional[str]) -> List[Ran]:
    ran = [one for one in all_ran if system in (None, one.system)]
    if not ran:
        what = "it has no results" if system is None else f"nothing of system '{system}'"
        hint = f"\n  {_nearest(system, list({one.system for one in all_ran}))}" if system and all_ran else ""
        raise ResultsError(f"{file}: {what}{hint}")
    meant = [one for one in ran if experiment in (None, one.experiment, one.name)]
    if not meant:
        assert experiment is not None
        names = {one.name if "/" in experiment else one.experiment for one in ran}
        raise ResultsError(f"{file}: nothing of experiment '{experiment}'\n  {_nearest(experiment, list(names))}")
    return meant


def _of_device(file: str, ran: List[Ran], device: str) -> Tuple[Optional[str], Optional[str]]:
    names = sorted({one.device for one in ran})
    if device == "all":
        return None, None
    if device in names:
        return device, None
    if device in KINDS:
        if device not in {one.kind for one in ran}:
            raise ResultsError(
                f"{file}: nothing of a device of kind '{device}'\n  it has results of: {', '.join(names)}"
            )
        return None, device
    meant = [name for name in names if _plain(device) and _plain(device) in _plain(name)]
    if not meant:
        raise ResultsError(f"{file}: no device '{device}'\n  it has results of: {', '.join(names)}")
    if len(meant) > 1:
        raise ResultsError(f"{file}: several devices are called '{device}'\n  name one of them: {', '.join(meant)}")
    return meant[0], None


def _one_system(file: str, ran: List[Ran], experiment: Optional[str], scope: Scope) -> Scope:
    """ResultsError where an experiment's name alone is that of several systems there: theirs are not mixed."""
    meant = {one.name for one in ran if scope.device in (None, one.device) and scope.kind in (None, one.kind)}
    if experiment is not None and len(meant) > 1:
        raise ResultsError(
            f"{file}: several systems have an experiment '{experiment}'\n"
            f"  experiment= names one of {', '.join(sorted(meant))}"
        )
    return scope


def scope_of(
    file: str, all_ran: List[Ran], experiment: Optional[str], system: Optional[str], device: Optional[str]
) -> Scope:
    """ResultsError where there is no such experiment or device, or several devices or systems and none is named."""
    ran = _of_experiment(file, all_ran, experiment, system)
    if experiment is not None and "/" in experiment:
        system, experiment = ran[0].system, ran[0].experiment
    if device is not None:
        name, kind = _of_device(file, ran, device)
        return _one_system(file, ran, experiment, Scope(system, experiment, name, kind))
    devices = sorted({one.device for one in ran})
    if len(devices) > 1:
        raise ResultsError(
            f"{file}: several devices have results of this, and times of different devices are not mixed unasked\n"
            f"  device= names one of them, or 'all': {', '.join(devices)}"
        )
    return _one_system(file, ran, experiment, Scope(system, experiment, devices[0], None))
