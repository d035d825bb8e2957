#!/usr/bin/env bash
# tests/bench/give_up.sh TAILWAVE [DEVICE]: seconds that a run of four configurations takes, of which two are some 1,000 and
# 4,000 times slower than the best, where these are given up after an execution ("give_up": 10) and where never (0), and how
# they end. The best is measured before, since what comes first has nothing to be hopeless beside. Leaves with 1 where
# giving up takes more than a quarter of the time.
set -euo pipefail
tailwave=$(realpath "$1") device=${2:-auto}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$(dirname "${BASH_SOURCE[0]}")/systems" "$folder/systems"
experiment=$folder/systems/experiments/repeated/rounds.json

run() { # LIMIT [OPTION]...
  TAILWAVE_CACHE=$folder/cache "$tailwave" run "$experiment" --device "$device" --db "$folder/$1.db" "${@:2}" \
    >/dev/null 2>"$folder/log" || { cat "$folder/log" >&2; exit 1; }
}
cell() { # LIMIT SQL
  "$tailwave" query --db "$folder/$1.db" --format csv --sql "$2" | tail -n 1 | tr -d '"'
}

declare -A seconds
for limit in 0 10; do
  sed -i "s/\"give_up\": [0-9]*/\"give_up\": $limit/" "$experiment"
  run "$limit" --filter ROUNDS=1
  run "$limit"
  seconds[$limit]=$(cell "$limit" "SELECT sum(seconds) FROM run_phase WHERE phase IN ('load', 'verify', 'measure')
    AND run_id = (SELECT max(id) FROM run)")
  outcomes=$(cell "$limit" "SELECT group_concat(outcome, ' ') FROM current_trial")
  printf 'give_up %2d: %7.3f s on the device: %s\n' "$limit" "${seconds[$limit]}" "$outcomes"
done
awk -v given_up="${seconds[10]}" -v all="${seconds[0]}" 'BEGIN {
  printf "%.0f %% of the time\n", 100 * given_up / all; exit given_up > all / 4 }'
