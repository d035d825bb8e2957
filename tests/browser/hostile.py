# hostile.py FROM TO: recorded results with markup in every text that a report shows.
import json
import sys

MARKUP = "</script><script>window.injected = 1</script><img src=x onerror='window.injected = 1'>"


def hostile(results):
    results["experiment"] = "hostile"
    for run in results["runs"]:
        run.update(question=f"Is {MARKUP} text?", host=MARKUP, driver=MARKUP)
    for trial in results["trials"]:
        trial["variant"] = f"basic {MARKUP}"
        trial["parameters"]["NAME"] = MARKUP
        trial["key"] = f"{trial['key']}0"
        for launch in trial["launches"]:
            launch.update(kernel=MARKUP, limiter=MARKUP)
    results["trials"][-1]["detail"] = MARKUP
    return results


with open(sys.argv[1], encoding="utf-8") as source, open(sys.argv[2], "w", encoding="utf-8") as target:
    json.dump(hostile(json.load(source)), target)
