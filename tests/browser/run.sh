#!/usr/bin/env bash
# tests/browser/run.sh TAILWAVE FOLDER: makes a report of recorded results in FOLDER and opens it in a headless Chromium.
# Exits with 77, which CTest calls skipped, where that cannot be done here, and says why.
set -euo pipefail
tailwave=$1
folder=$2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=.deps/browser/bin/python

skip() {
  echo "skipped: $*"
  exit 77
}

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  skip "there is no Chromium here (Debian: apt install chromium)"
"$chromium" --version >/dev/null 2>&1 || skip "$chromium does not start (Ubuntu's package only points to a snap)"
for feature in browser charts; do
  [ -x ".deps/$feature/bin/python" ] || skip "'cmake/setup.sh $feature' found no packages on PyPI, or was not run"
done

rm -rf "$folder"
mkdir -p "$folder"
# of one variant, as most pages are
"$python" -I -c 'import json, sys
results = json.load(open(sys.argv[1]))
results["trials"] = [trial for trial in results["trials"] if trial["variant"] == "nbody_parallel"]
json.dump(results, open(sys.argv[2], "w"))' results/h200/nbody/basic_block_size.json "$folder/basic_block_size.json"
"$python" -I tests/browser/hostile.py "$folder/basic_block_size.json" "$folder/hostile.json"
recorded=("$folder/basic_block_size.json" results/h200/nbody/{variants,residency,waves,residency.observed,waves.observed}.json
          "$folder/hostile.json")
"$tailwave" import "${recorded[@]}" --db "$folder/report.db" >"$folder/import.log"
"$tailwave" report --svg --db "$folder/report.db" --out "$folder/report"
[ -f "$folder/report/assets/vega.js" ] || skip "this tailwave was built without what draws charts in a browser"
"$tailwave" import "$folder/basic_block_size.json" --db "$folder/without_svg.db" >>"$folder/import.log"
"$tailwave" report --db "$folder/without_svg.db" --out "$folder/without_svg" --quiet
"$python" -I tests/browser/report_test.py "$(command -v "$chromium")" "$folder"
