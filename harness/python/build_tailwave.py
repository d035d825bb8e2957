"""Builds the wheel of the package (PEP 517, 427) with Python's own library, so that `pip install .` needs nothing else.

setuptools would have to be fetched: pip builds in an environment that has nothing of what is installed.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Optional

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]


def _section(name: str) -> str:
    """The text of a section of pyproject.toml; tomllib came with Python 3.11."""
    text = (_ROOT / "pyproject.toml").read_text()
    return text.split(f"[{name}]\n", 1)[1].split("\n[", 1)[0]


def _project() -> Dict[str, str]:
    """The texts of [project], and the version, which is the program's."""
    texts = dict(re.findall(r'^([a-z-]+) = "(.*)"$', _section("project"), re.MULTILINE))
    found = re.search(r"project\(tailwave VERSION ([0-9.]+)", (_ROOT / "CMakeLists.txt").read_text())
    if found is None:
        raise ValueError("CMakeLists.txt: has no version of tailwave")
    return {**texts, "version": found.group(1)}


def _extras() -> str:
    """[project.optional-dependencies] as lines of METADATA."""
    lines: List[str] = []
    for extra, packages in re.findall(
        r"^([a-z]+) = \[(.*)\]$", _section("project.optional-dependencies"), re.MULTILINE
    ):
        lines.append(f"Provides-Extra: {extra}\n")
        lines += [f'Requires-Dist: {package}; extra == "{extra}"\n' for package in re.findall(r'"([^"]*)"', packages)]
    return "".join(lines)


def _record(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def build_wheel(
    wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None
) -> str:
    project = _project()
    name, version = project["name"], project["version"]
    info = f"{name}-{version}.dist-info"
    files: Dict[str, bytes] = {}
    for path in sorted((_HERE / name).iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            files[f"{name}/{path.name}"] = path.read_bytes()
    files[f"{name}/style.json"] = (_ROOT / "analysis/charts/style.json").read_bytes()  # of charts, as in reports
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {project['description']}\n"
        f"Requires-Python: {project['requires-python']}\nLicense: Apache-2.0\n" + _extras()
    ).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: tailwave\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    records: List[str] = [_record(file, content) for file, content in files.items()]
    files[f"{info}/RECORD"] = "".join([*records, f"{info}/RECORD,,\n"]).encode()
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files.items():
            archive.writestr(file, content)
    return wheel
