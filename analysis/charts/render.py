# Reads Vega-Lite specs, one a line, from the file named; writes a line of JSON for each: its SVG, or why there is none.
import json
import re
import sys

import vl_convert


def rounded(svg):
    """Coordinates to a hundredth of a pixel: a third of the bytes, the same picture. Text is left alone."""
    def shorter(number):
        return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
    return re.sub(r"<[^>]*>", lambda tag: re.sub(r"-?\d+\.\d{3,}(e-?\d+)?", shorter, tag[0]), svg)


def render(spec):
    try:
        # No spec may fetch anything.
        return {"svg": rounded(vl_convert.vegalite_to_svg(spec, vl_version="6.4", allowed_base_urls=[]))}
    except Exception as error:
        return {"failure": str(error).strip().split("\n")[0]}


with open(sys.argv[1], encoding="utf-8") as specs:
    for line in specs:
        print(json.dumps(render(line)), flush=True)
