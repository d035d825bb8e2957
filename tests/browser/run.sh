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
"$python" -I tests/browser/hostile.py results/h200/nbody/basic_block_size.json "$folder/hostile.json"
recorded=(results/h200/nbody/{basic_block_size,variants,residency,waves,residency.observed,waves.observed}.json
          "$folder/hostile.json")
"$tailwave" import "${recorded[@]}" --db "$folder/report.db" >"$folder/import.log"
"$tailwave" report --db "$folder/report.db" --out "$folder/report"
"$python" -I tests/browser/report_test.py "$(command -v "$chromium")" "$folder"
