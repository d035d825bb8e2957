"""Columns of cells as a frame of pandas or polars, or as plain lists and dicts."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Union

if TYPE_CHECKING:
    import pandas
    import polars

Cell = Union[None, bool, int, float, str, bytes]
Columns = Dict[str, List[Cell]]
Rows = List[Dict[str, Cell]]


def as_rows(columns: Columns) -> Rows:
    names = list(columns)
    return [dict(zip(names, cells)) for cells in zip(*columns.values())]


def as_columns(columns: Columns) -> Columns:
    return columns


def _cell_types(cells: List[Cell]) -> set[type]:
    return {type(cell) for cell in cells if cell is not None}


def as_pandas(columns: Columns) -> "pandas.DataFrame":
    """Whole numbers and truth values stay what they are beside missing ones (Int64, boolean), which pandas would make floats."""
    import pandas

    def series(cells: List[Cell]) -> Any:
        types = _cell_types(cells)
        if None in cells and types in ({int}, {bool}):
            return pandas.array(cells, dtype="Int64" if types == {int} else "boolean")  # type: ignore[call-overload,unused-ignore]
        return pandas.Series(cells, dtype=None if types else object)

    return pandas.DataFrame({name: series(cells) for name, cells in columns.items()})


def _text(cell: Cell) -> Optional[str]:
    if cell is None or isinstance(cell, str):
        return cell
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def as_polars(columns: Columns) -> "polars.DataFrame":
    """A column of polars has one type: where values are of several, as of a parameter that variants use differently, texts."""
    import polars

    def series(name: str, cells: List[Cell]) -> "polars.Series":
        types = _cell_types(cells)
        if types == {int, float}:
            return polars.Series(name, [cell if cell is None else float(cell) for cell in cells])
        return polars.Series(name, cells if len(types) <= 1 else [_text(cell) for cell in cells])

    return polars.DataFrame([series(name, cells) for name, cells in columns.items()])


MAKERS: Dict[str, Callable[[Columns], Any]] = {
    "pandas": as_pandas,
    "polars": as_polars,
    "rows": as_rows,
    "columns": as_columns,
}


def maker(frame: Optional[str]) -> Callable[[Columns], Any]:
    """Of that name; without one pandas if it is installed, else polars, else rows. ValueError, ImportError."""
    if frame is None:
        frame = next((name for name in ("pandas", "polars") if importlib.util.find_spec(name)), "rows")
    if frame not in MAKERS:
        raise ValueError(f"frame={frame!r}: there are {', '.join(MAKERS)}")
    if frame in ("pandas", "polars") and importlib.util.find_spec(frame) is None:
        raise ImportError(f"{frame} is not installed: pip install '.[{frame}]', or frame='rows'", name=frame)
    return MAKERS[frame]
