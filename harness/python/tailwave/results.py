"""The results in a database of tailwave, for notebooks: as frames of pandas or polars, or as plain dicts.

    import tailwave.results
    db = tailwave.results.open("results/tailwave.db")
    db.trials(experiment="nbody/variants", device="h200")      # a row a configuration
    db.best(experiment="nbody/variants", device="h200")        # the best, and what is tied with it
    db.query("why", experiment="nbody/variants", device="h200")
    db.sql("SELECT outcome, count(*) AS trials FROM trial GROUP BY outcome")

The file is opened for reading alone. Columns are called as in the database, with their units (docs/schema.md); each parameter
and problem quantity is a column of its own. What failed is a row without a time, and `unverified` says why nothing tells
whether a row's results are right. Docs: docs/notebooks.md.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Generic,
    List,
    Literal,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    overload,
)

from tailwave._frames import Cell, Columns, Rows, maker
from tailwave._functions import add_functions
from tailwave._queries import COUNTERS, EXPERIMENTS, RAN, SAMPLES, TRIALS
from tailwave._scope import Ran, ResultsError, Scope, scope_of

if TYPE_CHECKING:
    import pandas
    import polars

__all__ = ["Results", "ResultsError", "SCHEMA_VERSION", "open"]

SCHEMA_VERSION = 1  # `PRAGMA user_version` of the newest database that can be read
_OLDEST_SQLITE = (3, 40)

Frame = TypeVar("Frame")
File = Union[str, "os.PathLike[str]"]
Values = Union[Sequence[Cell], Mapping[str, Cell]]


@overload
def open(
    database: File = ..., *, frame: Literal["pandas"], program: Optional[str] = ...
) -> "Results[pandas.DataFrame]": ...
@overload
def open(
    database: File = ..., *, frame: Literal["polars"], program: Optional[str] = ...
) -> "Results[polars.DataFrame]": ...
@overload
def open(database: File = ..., *, frame: Literal["rows"], program: Optional[str] = ...) -> "Results[Rows]": ...
@overload
def open(database: File = ..., *, frame: Literal["columns"], program: Optional[str] = ...) -> "Results[Columns]": ...
@overload
def open(database: File = ..., *, frame: None = ..., program: Optional[str] = ...) -> "Results[Any]": ...


def open(
    database: File = "results/tailwave.db", *, frame: Optional[str] = None, program: Optional[str] = None
) -> "Results[Any]":
    """Opens a database for reading.

    frame: "pandas", "polars", "rows" (a list of dicts) or "columns" (a dict of lists); without it pandas if that is installed,
    else polars, else rows. program: the tailwave that answers named queries, looked up in $TAILWAVE, then on the PATH.
    Raises ResultsError for what is no such database, ImportError for a frame that is not installed.
    """
    return Results(Path(database), maker(frame), program)


def _connect(file: Path) -> sqlite3.Connection:
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise ResultsError(f"this Python has SQLite {sqlite3.sqlite_version}; databases of tailwave need 3.40 or later")
    if not file.is_file():
        raise ResultsError(f"{file}: there is no such database\n  'tailwave run SPEC --db {file}' would make it")
    try:
        connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        known = connection.execute(
            "SELECT count(*) FROM sqlite_schema WHERE name IN ('trial', 'current_trial')"
        ).fetchone()[0]
    except sqlite3.Error as error:
        hint = (
            "\n  copy it into a folder that may be written: SQLite has files beside it"
            if "readonly" in str(error)
            else ""
        )
        raise ResultsError(f"{file}: cannot be read: {error}{hint}") from error
    if known != 2 or not 1 <= version <= SCHEMA_VERSION:
        connection.close()
        why = f"its schema has version {version}, and this package reads version {SCHEMA_VERSION}"
        raise ResultsError(f"{file}: {'is no database of tailwave' if known != 2 else why}")
    add_functions(connection)
    return connection


def _spread(names: Sequence[str], rows: List[Tuple[Cell, ...]]) -> Columns:
    """Columns, with those of JSON that are called parameters and problem as one for each name in them, in their place.

    One that is called like another column gets the suffix "_", as in `tailwave export --format csv`.
    """
    columns: Columns = {}
    for position, name in enumerate(names):
        cells = [row[position] for row in rows]
        if name not in ("parameters", "problem"):
            columns[name] = cells
            continue
        values = [json.loads(str(cell)) for cell in cells]
        for key in sorted({key for value in values for key in value}):
            columns[key + "_" if key in names else key] = [value.get(key) for value in values]
    return columns


def _settings(parameters: Mapping[str, Cell]) -> List[str]:
    """As options of `tailwave query`."""
    words: List[str] = []
    for name, value in parameters.items():
        if value is None:
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        own = name in ("experiment", "system", "device", "limit")
        words += [f"--{name}", text] if own else ["--set", f"{name}={text}"]
    return words


class Results(Generic[Frame]):
    """An open database. Each method gives a frame of the kind that open() was asked for.

    experiment: "nbody/variants", or "variants" where one system has it. device: a name, a part of one ("h200"), "cuda" or "cpu"
    for all of a kind, or "all". Without it there has to be one device alone: times of several are never mixed unasked. A host
    variant that a GPU's run measured beside its kernels is among its rows, with `kind` cpu, and has no place among kernels.
    """

    def __init__(self, file: Path, make: Any, program: Optional[str]) -> None:
        self.file = file
        self._make = make
        self._program = program
        self._connection = _connect(file)

    def __enter__(self) -> "Results[Frame]":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def experiments(self) -> Frame:
        """What there is: a row an experiment and device, with its question, how many of its configurations are correct, and
        when it was run last."""
        return self._frame(*self._rows(EXPERIMENTS, {}))

    def trials(
        self, experiment: Optional[str] = None, *, system: Optional[str] = None, device: Optional[str] = None
    ) -> Frame:
        """The result that counts of each configuration (view current_trial), failures included, with its time, its value by the
        experiment's metric (in SI units; docs/schema.md, trial_rate), 95 % intervals of both, its place, and resources,
        occupancy and waves of its main launch."""
        return self._frame(*self.trial_rows(experiment, system, device))

    def trial_rows(self, experiment: Optional[str], system: Optional[str], device: Optional[str]) -> "Table":
        return self._scoped(TRIALS, ("run_device", "run_kind"), experiment, system, device)

    def samples(
        self, experiment: Optional[str] = None, *, system: Optional[str] = None, device: Optional[str] = None
    ) -> Frame:
        """Every timed sample of these trials. `dropped` says why one does not count: leave those out before you average."""
        return self._frame(*self._scoped(SAMPLES, ("run_device", "run_kind"), experiment, system, device))

    def counters(
        self, experiment: Optional[str] = None, *, system: Optional[str] = None, device: Optional[str] = None
    ) -> Frame:
        """What hardware counters said of each launch of a configuration, when it was counted last (view counter_summary)."""
        return self._frame(*self._scoped(COUNTERS, ("device", "kind"), experiment, system, device))

    def best(
        self,
        experiment: Optional[str] = None,
        *,
        system: Optional[str] = None,
        device: Optional[str] = None,
        limit: Optional[int] = None,
        margin: Optional[float] = None,
    ) -> Frame:
        """`tailwave query best`: the best of each problem and all that is tied with it, or the best `limit`, with their
        verdicts. The columns of parameters and problem are added."""
        return self._frame(*self.best_rows(experiment, system, device, limit, margin))

    def best_rows(
        self,
        experiment: Optional[str],
        system: Optional[str],
        device: Optional[str],
        limit: Optional[int] = None,
        margin: Optional[float] = None,
    ) -> "Table":
        scope = self.scope(experiment, system, device)
        names, rows = self.asked(
            "best",
            {
                "experiment": scope.experiment,
                "system": scope.system,
                "device": scope.device or scope.kind,
                "limit": limit,
                "margin": margin,
            },
        )
        named = {
            name: rest
            for name, *rest in self._connection.execute("SELECT name, variant, parameters, problem FROM configuration")
        }
        at = names.index("configuration") + 1
        return (
            [*names[:at], "variant", "parameters", "problem", *names[at:]],
            [
                (*cells[:at], *named[row["configuration"]], *cells[at:])
                for row in rows
                for cells in [tuple(row.values())]
            ],
        )

    def query(self, name: str, **parameters: Cell) -> Frame:
        """A named query, by the program: `tailwave query` without a name says which there are and what parameters they take,
        of which all take experiment, system and device. Unlike the others it tells devices apart by columns alone."""
        names, rows = self.asked(name, parameters)
        made: Frame = self._make({key: [row[key] for row in rows] for key in names})
        return made

    def sql(self, text: str, parameters: Values = ()) -> Frame:
        """One SELECT, whose parameters are `?` or `:name`. Besides SQLite's own functions there are median(x), median_low(x),
        median_high(x) (its 95 % interval) and quantile(x, f)."""
        names, rows = self._rows(text, parameters)
        made: Frame = self._make({name: [row[at] for row in rows] for at, name in enumerate(names)})
        return made

    def scope(self, experiment: Optional[str], system: Optional[str], device: Optional[str]) -> Scope:
        """What these words mean here. ResultsError where they mean nothing, or several devices."""
        ran = [Ran(*(str(cell) for cell in row)) for row in self._rows(RAN, {})[1]]
        return scope_of(str(self.file), ran, experiment, system, device)

    def scoped_rows(self, text: str, columns: Tuple[str, str], scope: Scope) -> "Table":
        """A query with {scope} in its text, where `columns` are called device and kind."""
        condition, values = scope.condition(*columns)
        return self._rows(text.replace("{scope}", condition), values)

    def _scoped(
        self,
        text: str,
        columns: Tuple[str, str],
        experiment: Optional[str],
        system: Optional[str],
        device: Optional[str],
    ) -> "Table":
        return self.scoped_rows(text, columns, self.scope(experiment, system, device))

    def _frame(self, names: List[str], rows: List[Tuple[Cell, ...]]) -> Frame:
        made: Frame = self._make(_spread(names, rows))
        return made

    def _rows(self, text: str, parameters: Values) -> "Table":
        try:
            cursor = self._connection.execute(text, parameters)
            return [column[0] for column in cursor.description or ()], cursor.fetchall()
        except sqlite3.Error as error:
            raise ResultsError(f"{self.file}: {error}") from error

    def asked(self, name: str, parameters: Mapping[str, Cell]) -> Tuple[List[str], List[Dict[str, Any]]]:
        """Names of the columns, and rows, of a named query."""
        rows: List[Dict[str, Any]] = json.loads(self._answer(name, parameters, "json"))
        if rows:
            return list(rows[0]), rows
        return next(csv.reader([self._answer(name, parameters, "csv")])), []  # JSON without rows has no names

    def _answer(self, name: str, parameters: Mapping[str, Cell], form: str) -> str:
        wanted = self._program or os.environ.get("TAILWAVE") or "tailwave"
        program = shutil.which(wanted)
        if program is None:
            raise ResultsError(
                f"the program '{wanted}' is not there, and named queries are its own: name it with program= or $TAILWAVE"
            )
        command = [
            program,
            "query",
            name,
            "--db",
            str(self.file),
            "--format",
            form,
            "--quiet",
            *_settings(parameters),
        ]
        answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if answer.returncode != 0:
            raise ResultsError(
                answer.stderr.decode(errors="replace").strip() or f"{program}: ended with status {answer.returncode}"
            )
        return answer.stdout.decode(errors="replace")


Table = Tuple[List[str], List[Tuple[Cell, ...]]]  # names of columns, and rows
