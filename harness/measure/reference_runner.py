"""Calls the reference of a manifest: python3 reference_runner.py FOLDER.

FOLDER/plan.json says what to call, of which file, with which problem quantities and arrays. The arrays' elements are in
files of FOLDER, into which those of the results are written. What goes wrong is said in the last lines of the output: with
status 1 by the traceback of what was called, with WRONG by a line of this file's own.
"""
import importlib.util
import json
import os
import sys
import traceback

WRONG = 3


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


def write(numpy, name, wanted, array):
    if not isinstance(array, numpy.ndarray):
        refuse(f"'{name}' is a {type(array).__name__}, expected an array of NumPy")
    if array.dtype != numpy.dtype(wanted["type"]):
        refuse(f"'{name}' has the type {array.dtype}, expected {wanted['type']}: return it .astype('{wanted['type']}')")
    if array.size != wanted["count"]:
        refuse(f"'{name}' has the shape {array.shape}, which is {array.size} numbers, expected {wanted['count']}")
    numpy.ascontiguousarray(array).tofile(wanted["file"])


def main(folder):
    import numpy

    with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
        plan = json.load(file)
    arrays = {name: numpy.fromfile(one["file"], dtype=one["type"]) for name, one in plan["buffers"].items()}
    try:
        module = load(plan["source"])
        called = getattr(module, plan["function"], None)
        if not callable(called):
            refuse(f"'{os.path.basename(plan['source'])}' has no function '{plan['function']}'")
        returned = called(arrays, plan["quantities"])
    except Exception as error:
        traceback.print_exception(type(error), error, frames_of_others(error.__traceback__))
        sys.exit(1)
    if returned is not None and not isinstance(returned, dict):
        refuse(f"'{plan['function']}' returned a {type(returned).__name__}, expected arrays by the buffers' names, or nothing")
    arrays.update(returned or {})
    for name in plan["results"]:
        write(numpy, name, plan["buffers"][name], arrays[name])


if __name__ == "__main__":
    main(sys.argv[1])
