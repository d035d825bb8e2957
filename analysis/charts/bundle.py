# Writes Vega, Vega-Lite and Vega-Embed as one classic script to the file named, unless it is there already in these versions;
# then a line of JSON: what went wrong, if anything.
import json
import os
import sys

import vl_convert

VEGA_LITE = "6.4"  # as render.py


def write(file):
    first = (f"/* Vega {vl_convert.get_vega_version()}, Vega-Lite {VEGA_LITE}, Vega-Embed {vl_convert.get_vega_embed_version()};"
             " BSD 3-Clause, https://vega.github.io */\n")
    if os.path.exists(file):
        with open(file, encoding="utf-8") as there:
            if there.readline() == first:
                return
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file + ".tmp", "w", encoding="utf-8") as script:
        script.write(first + "(() => {\n" + vl_convert.javascript_bundle(vl_version=VEGA_LITE) + "\n})();\n")
    os.replace(file + ".tmp", file)


try:
    write(sys.argv[1])
    print(json.dumps({"failure": ""}))
except Exception as error:
    print(json.dumps({"failure": str(error).strip().split("\n")[0]}))
