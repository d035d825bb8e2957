"""Kernels that Triton compiled, as variants of a system for tailwave.

    from tailwave.from_triton import add_variants
    kernel = triton.compile(...)             # or what add[grid](...) returns, or a folder of Triton's cache
    add_variants("kernel_templates/add/system.json", "triton", [(kernel, {"BLOCK": 1024})],
                 args=["x", "y", "out", "N"], grid="ceil_div(N, BLOCK)")

or, from Triton's cache folders:

    python3 -m tailwave.from_triton kernel_templates/add/system.json --name triton --args x,y,out,N \\
        --grid 'ceil_div(N, BLOCK)' ~/.triton/cache/A4J7...:BLOCK=1024

Each kernel becomes a variant of the manifest, which has problem, buffers and reference already: its machine code beside the
manifest in triton/, one launch of 32 * num_warps threads with Triton's shared memory, the arguments named by `args` with
the types that the kernel's PTX has, and nulls for the scratch memory that Triton's own launcher passes. `args` are the
parameters that are left in the compiled kernel: no constexpr, and none that Triton made a constant (integers that were 1).
Needs no Triton, unless it is handed an object of it. Docs: docs/kernels.md.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

# Types of PTX's parameters as the manifest calls them; a pointer is a buffer, or a null.
_SCALARS = {"u8": "uint8", "s8": "int8", "b8": "uint8", "u16": "uint16", "s16": "int16", "u32": "int32", "s32": "int32",
            "b32": "int32", "u64": "int64", "s64": "int64", "b64": "int64", "f32": "float32", "f64": "float64"}
_MOST_SCRATCH = 2  # pointers at the end: global scratch memory, and that of a profiler (Triton 3.0 to 3.9)


class TritonError(Exception):
    """A kernel that cannot be a variant, and why."""


@dataclass(frozen=True)
class CompiledKernel:
    """What a variant needs of a compiled kernel."""

    metadata: Dict[str, Any]
    ptx: str
    cubin: bytes
    constants: Dict[str, Any]  # constexprs by name, as far as they are known


def _of_folder(folder: Path) -> CompiledKernel:
    found = [file for file in sorted(folder.glob("*.json")) if not file.name.startswith("__grp__")]
    if len(found) != 1:
        raise TritonError(f"{folder}: has {len(found)} kernels, expected the folder of one in Triton's cache")
    ptx, cubin = found[0].with_suffix(".ptx"), found[0].with_suffix(".cubin")
    for file in (ptx, cubin):
        if not file.exists():
            raise TritonError(f"{file}: not there; Triton leaves it beside {found[0].name} for a CUDA target")
    return CompiledKernel(json.loads(found[0].read_text()), ptx.read_text(), cubin.read_bytes(), {})


def _of_object(kernel: Any) -> CompiledKernel:
    metadata = kernel.metadata
    names = list(kernel.src.fn.arg_names)
    constants = {names[path[0] if isinstance(path, tuple) else path]: value
                 for path, value in dict(getattr(kernel.src, "constants", {})).items()}
    return CompiledKernel(metadata._asdict() if hasattr(metadata, "_asdict") else dict(metadata), kernel.asm["ptx"],
                          bytes(kernel.asm["cubin"]), constants)


def read_kernel(kernel: Any) -> CompiledKernel:
    """Of a folder in Triton's cache, or of an object that Triton returned."""
    if isinstance(kernel, CompiledKernel):
        return kernel
    return _of_folder(Path(kernel)) if isinstance(kernel, (str, Path)) else _of_object(kernel)


def ptx_parameters(ptx: str, name: str) -> List[str]:
    """The parameters of an entry: "pointer", or a scalar type of the manifest."""
    entry = re.search(r"\.entry\s+" + re.escape(name) + r"\s*\(([^)]*)\)", ptx)
    if entry is None:
        raise TritonError(f"kernel '{name}' is not in its PTX")
    types = []
    for text in filter(None, (line.strip() for line in entry.group(1).split(","))):
        words = text.split()
        if "[" in words[-1]:
            raise TritonError(f"kernel '{name}' takes a struct ({text}): a tensor descriptor is made by Triton's launcher alone")
        kind = words[1].lstrip(".")
        if ".ptr" not in words and kind not in _SCALARS:
            raise TritonError(f"kernel '{name}' takes a parameter that has no type in a manifest: {text}")
        types.append("pointer" if ".ptr" in words else _SCALARS[kind])
    return types


def _arguments(kernel: CompiledKernel, args: Sequence[str], buffers: Iterable[str]) -> List[Any]:
    name, known = kernel.metadata["name"], set(buffers)
    types = ptx_parameters(kernel.ptx, name)
    extra = types[len(args):]
    if len(types) < len(args) or len(extra) > _MOST_SCRATCH or set(extra) - {"pointer"}:
        raise TritonError(f"kernel '{name}' has the parameters {', '.join(types)}, of which at most {_MOST_SCRATCH} pointers at "
                          f"the end are Triton's own; 'args' names {len(args)}. What Triton made a constant is no parameter")
    arguments: List[Any] = []
    for own, kind in zip(args, types):
        if (kind == "pointer") != (own in known):
            raise TritonError(f"kernel '{name}': '{own}' is {'a' if own in known else 'no'} buffer of the manifest, and the "
                              f"parameter is {'a pointer' if kind == 'pointer' else 'of type ' + kind}")
        arguments.append(own if kind == "pointer" else {"value": own, "type": kind})
    return arguments + [{"value": 0, "type": "uint64"}] * len(extra)


def _require_launchable(metadata: Dict[str, Any]) -> None:
    name = metadata["name"]
    if metadata.get("num_ctas", 1) != 1:
        raise TritonError(f"kernel '{name}' runs in clusters of {metadata['num_ctas']} blocks, whose launches are not written here")
    for scratch in ("global_scratch_size", "profile_scratch_size"):
        if metadata.get(scratch, 0):
            raise TritonError(f"kernel '{name}' needs {metadata[scratch]} bytes of scratch memory ({scratch}), which Triton's "
                              "launcher allocates")


def variant_of(kernel: Any, source: str, args: Sequence[str], grid: Union[str, Sequence[Any]], buffers: Iterable[str],
               parameters: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
    """The variant, as the manifest has it, of a kernel whose machine code is the file `source`."""
    compiled = read_kernel(kernel)
    metadata = compiled.metadata
    _require_launchable(metadata)
    launch: Dict[str, Any] = {"kernel": metadata["name"], "grid": grid, "block": 32 * metadata["num_warps"]}
    if metadata.get("shared", 0):
        launch["dynamic_shared_bytes"] = metadata["shared"]
    if metadata.get("launch_cooperative_grid"):
        launch["cooperative"] = True
    launch["args"] = _arguments(compiled, args, buffers)
    return {
        "target": "cuda",
        "source": source,
        "description": f"by Triton {metadata.get('triton_version', '')}".strip(),
        "parameters": {**_plain(compiled.constants), **(parameters or {}), "NUM_WARPS": metadata["num_warps"],
                       "NUM_STAGES": metadata.get("num_stages", 1)},
        "launches": [launch],
    }


def _plain(values: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in values.items() if isinstance(value, (bool, int, float, str))}


def _variant_name(name: str, parameters: Dict[str, Any]) -> str:
    words = [name] + [f"{key}{value}" for key, value in parameters.items()]
    return re.sub(r"[^A-Za-z0-9_-]", "-", "_".join(words))


def add_variants(manifest: Union[str, Path], name: str, kernels: Iterable[Tuple[Any, Optional[Dict[str, Any]]]],
                 args: Sequence[str], grid: Union[str, Sequence[Any]]) -> List[str]:
    """Adds a variant for each (kernel, parameters) to a manifest, in place of those of that name that it added before.

    `parameters` are the values by which a kernel differs (its constexprs; those of an object are known). `grid` is as in a
    manifest, and may name them. Returns the names of the variants. Raises TritonError, and leaves the manifest as it is.
    """
    path = Path(manifest)
    system = json.loads(path.read_text())
    made: Dict[str, Tuple[Dict[str, Any], bytes]] = {}
    for kernel, parameters in kernels:
        compiled = read_kernel(kernel)
        variant = variant_of(compiled, "", args, grid, system.get("buffers", {}), parameters)
        full_name = _variant_name(name, variant["parameters"])
        if full_name in made:
            raise TritonError(f"two kernels would be the variant '{full_name}': say by which parameters they differ")
        variant["source"] = f"triton/{full_name}.cubin"
        made[full_name] = (variant, compiled.cubin)
    kept = {key: one for key, one in system.get("variants", {}).items()
            if not str(one.get("source", "")).startswith(f"triton/{name}_")}
    for file in (path.parent / "triton").glob(f"{name}_*.cubin"):
        file.unlink()
    for full_name, (variant, cubin) in made.items():
        file = path.parent / variant["source"]
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(cubin)
        kept[full_name] = variant
    system["variants"] = kept
    path.write_text(json.dumps(system, indent=2) + "\n")
    return list(made)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _kernel_word(word: str) -> Tuple[str, Dict[str, Any]]:
    folder, _, rest = word.partition(":")
    parameters = {}
    for part in filter(None, rest.split(",")):
        key, separator, text = part.partition("=")
        if not separator:
            raise TritonError(f"'{part}' in '{word}' is no NAME=VALUE")
        parameters[key] = _value(text)
    return folder, parameters


def main(words: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m tailwave.from_triton", description="Adds Triton's kernels to a system's "
                                     "manifest, each as a variant.")
    parser.add_argument("manifest", help="kernel_templates/NAME/system.json, with problem, buffers and reference")
    parser.add_argument("kernels", nargs="+", metavar="FOLDER[:NAME=VALUE,...]",
                        help="a folder of Triton's cache, and the constexprs that it was compiled with")
    parser.add_argument("--name", default="triton", help="what the variants' names begin with")
    parser.add_argument("--args", required=True, help="buffers and expressions in the order of the kernel's parameters: x,y,N")
    parser.add_argument("--grid", required=True, help="blocks, an expression, or two or three with ';' between")
    options = parser.parse_args(words)
    grid = [_value(part.strip()) for part in options.grid.split(";")]
    try:
        names = add_variants(options.manifest, options.name, [_kernel_word(word) for word in options.kernels],
                             [word.strip() for word in re.split(r",(?![^(]*\))", options.args)], grid if len(grid) > 1 else grid[0])
    except (TritonError, OSError, json.JSONDecodeError) as error:
        print(f"from_triton: {error}", file=sys.stderr)
        return 1
    for name in names:
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
