#!/usr/bin/env bash
# tests/bench/shards.sh TAILWAVE FOLDER [SHARDS] [TRIALS]: seconds on this machine, and of its processors, to merge the
# databases of SHARDS (100) shards with TRIALS (10000) trials each, which shards.py makes in FOLDER once (2 GB, and as much
# again for the merged one), to merge them again, to count what counts, to ask for the best and to report.
# Leaves with 1 where a trial is missing.
set -euo pipefail
tailwave=$(realpath "$1") folder=$2 shards=${3:-100} trials=${4:-10000}
"$(dirname "${BASH_SOURCE[0]}")/shards.py" "$folder" --shards "$shards" --trials "$trials"
all=$folder/all.db
rm -rf "$all"* "$folder/report"
files=()
for ((i = 1; i <= shards; ++i)); do files+=("$folder/shard$i.db"); done

TIMEFORMAT='%R s, of processors %U s'
step() { # WHAT COMMAND...
  printf '%-30s ' "$1:"
  { time "${@:2}" >"$folder/out" 2>"$folder/err" || { cat "$folder/err" >&2; exit 1; }; } 2>&1
}
step "merge $shards databases" "$tailwave" merge "${files[@]}" --into "$all"
step 'merge them again' "$tailwave" merge "${files[@]}" --into "$all"
step 'trials that count' "$tailwave" query --db "$all" --sql \
  "SELECT count(*) FROM current_trial WHERE system = 'made' AND experiment = 'large'"
step 'query best' "$tailwave" query best --experiment made/large --db "$all"
step 'report' "$tailwave" report --experiment made/large --db "$all" --out "$folder/report"
found=$("$tailwave" query --db "$all" --format csv --sql 'SELECT count(*) FROM trial' | tail -n 1)
echo "$found of $((shards * trials)) trials, $(stat -c %s "$all") bytes"
[[ $found == $((shards * trials)) ]]
