"""The public spaces of spaces.txt, for the scripts of `make bench-search`."""

import pathlib
from typing import NamedTuple

LIST = pathlib.Path(__file__).resolve().parent / "spaces.txt"


class ListedSpace(NamedTuple):
    name: str  # of the file and, after the system's name and a '/', of the experiment that it is imported as
    kernel: str
    device: str
    sha256: str
    path: str  # in the repository

    def file_in(self, folder):
        return pathlib.Path(folder) / f"{self.name}.json.gz"


def listed_spaces():
    lines = [line for line in LIST.read_text().splitlines() if not line.startswith("#")]
    return [ListedSpace(*line.split("\t")) for line in lines]
