# Writes Vega, Vega-Lite and Vega-Embed with their licences (vega.LICENSES.txt beside this file) as one classic script, compressed
# by gzip, to the file named: what draws charts in a browser, which the build puts into the program. The same versions give
# the same bytes.
import gzip
import os
import pathlib
import sys

import vl_convert

VEGA_LITE = "6.4"  # as render.py


def script():
    versions = f"Vega {vl_convert.get_vega_version()}, Vega-Lite {VEGA_LITE}, Vega-Embed {vl_convert.get_vega_embed_version()}"
    licences = pathlib.Path(sys.argv[0]).with_name("vega.LICENSES.txt").read_text(encoding="utf-8")
    return f"/*! {versions}\n\n{licences}*/\n(() => {{\n{vl_convert.javascript_bundle(vl_version=VEGA_LITE)}\n}})();\n"


file = pathlib.Path(sys.argv[1])
new = file.with_suffix(".new")
new.write_bytes(gzip.compress(script().encode("utf-8"), 9, mtime=0))
os.replace(new, file)
