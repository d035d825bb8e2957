"""Calls the reference of a manifest: python3 reference_runner.py FOLDER.

FOLDER/plan.json says what to call, of which file, with which problem quantities and arrays, and which files that may read.
The arrays' elements are in files of FOLDER; those of the results are written to others. What goes wrong is said in the last
lines of the output: with status 1 by the traceback of what was called, with WRONG by a line of this file's own.
"""
import importlib.util
import json
import os
import site
import sys
import traceback

WRONG = 3
SYSTEM = ["/proc", "/sys", "/dev", "/etc", "/usr", "/lib", "/lib64"]


def refuse(text):
    print(text, flush=True)
    sys.exit(WRONG)


def frames_of_others(frames):
    while frames is not None:
        file = frames.tb_frame.f_code.co_filename
        if file != __file__ and "importlib" not in file:
            break
        frames = frames.tb_next
    return frames


def load(file):
    sys.path.insert(0, os.path.dirname(file))
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(file))[0], file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_below(file, folder):
    return file == folder or file.startswith(folder.rstrip("/") + "/")


def source_of(file):
    try:
        return importlib.util.source_from_cache(file)
    except (NotImplementedError, ValueError):
        return file


def can_be_read(file):
    try:
        with open(file, "rb"):
            return os.path.isfile(file)
    except OSError:
        return False


class Reads:
    """The files that the reference reads: expected results are known by those that the plan names, and by no others."""

    def __init__(self, plan, folder):
        self.project, self.named = plan["project"], set(plan["reads"])
        own = [folder, sys.prefix, sys.base_prefix, *sys.path, site.getusersitepackages(), *SYSTEM]
        self.installed = [os.path.realpath(one) for one in own if one]
        self.read, self.made = set(), set()

    def hear(self, event, arguments):
        if event not in ("open", "ctypes.dlopen"):
            return
        try:
            file = source_of(os.path.realpath(os.fsdecode(arguments[0])))
        except (OSError, TypeError, ValueError):
            return  # a descriptor, or no name of a file
        flags = (arguments[2] or 0) if event == "open" else os.O_RDONLY
        if flags & (os.O_TRUNC | os.O_EXCL):
            self.made.add(file)
        elif flags & (os.O_WRONLY | os.O_RDWR) != os.O_WRONLY and file not in self.made:
            self.read.add(file)

    def is_installed(self, file):
        def has(folder):
            has_project = is_below(self.project, folder) and is_below(file, self.project)
            return is_below(file, folder) and not has_project

        return any(has(folder) for folder in self.installed)

    def unnamed(self):
        modules = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
        files = self.read | {os.path.realpath(file) for file in modules if isinstance(file, str)}
        return sorted(file for file in files - self.named if not self.is_installed(file) and can_be_read(file))


def refuse_unnamed(reads):
    files = reads.unnamed()
    if not files:
        return
    file = files[0]
    if is_below(file, reads.project):
        refuse(f"it reads '{os.path.relpath(file, reads.project)}': name that in 'reads', beside 'python', so that a change of it is noticed")
    refuse(f"it reads '{file}', whose changes nobody would notice: have it beside the manifest, and name it in 'reads'")


def write(numpy, name, wanted, array):
    if not isinstance(array, numpy.ndarray):
        refuse(f"'{name}' is a {type(array).__name__}, expected an array of NumPy")
    if array.dtype != numpy.dtype(wanted["type"]):
        refuse(f"'{name}' has the type {array.dtype}, expected {wanted['type']}: return it .astype('{wanted['type']}')")
    if array.size != wanted["count"]:
        refuse(f"'{name}' has the shape {array.shape}, which is {array.size} numbers, expected {wanted['count']}")
    numpy.ascontiguousarray(array).tofile(wanted["result"])


def results_of(plan, arrays, returned):
    if returned is None:
        returned = arrays
    if not isinstance(returned, dict):
        refuse(f"'{plan['function']}' returned a {type(returned).__name__}, expected arrays by the buffers' names, or nothing")
    for name in returned:
        if name not in plan["buffers"]:
            refuse(f"'{plan['function']}' has a result '{name}', and there is no such buffer ({', '.join(plan['buffers'])})")
    for name in plan["results"]:
        if name not in returned:
            refuse(f"'{plan['function']}' has no result '{name}', which is compared")
    return returned


def main(folder):
    import numpy

    with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
        plan = json.load(file)
    arrays = {name: numpy.fromfile(one["file"], dtype=one["type"]) for name, one in plan["buffers"].items()}
    reads = Reads(plan, folder)
    sys.addaudithook(reads.hear)
    try:
        called = getattr(load(plan["source"]), plan["function"], None)
        returned = called(arrays, plan["quantities"]) if callable(called) else None
    except BaseException as error:  # sys.exit() too: it has made no results
        traceback.print_exception(type(error), error, frames_of_others(error.__traceback__))
        sys.exit(1)
    if not callable(called):
        refuse(f"'{os.path.basename(plan['source'])}' has no function '{plan['function']}'")
    refuse_unnamed(reads)
    results = results_of(plan, arrays, returned)
    for name in plan["results"]:
        write(numpy, name, plan["buffers"][name], results[name])


if __name__ == "__main__":
    main(sys.argv[1])
