#!/usr/bin/env bash
# tests/bench/regimes.sh TAILWAVE [DEVICE]: does the winner hold? Three experiments whose answers are known on a GPU, since
# their kernels are made for it, with the answers that tailwave gives and whether they are as expected:
#
#   nbody/regimes      holds in all: the work is arithmetic, whatever the caches hold
#   walk/caches        does not hold in all for some ROUNDS: a table in L2 is faster than computing a step, a table in memory
#                      is slower; where a step takes so little, or so long, to compute that it is the same in both, it holds
#   power_sum/inputs   does not hold for zeros: leaving them out costs where there are none, and saves nearly all where there
#                      is nothing else
#
# On the CPU device only that the answers come is looked at. Leaves with 1 where one is not as expected.
set -euo pipefail
tailwave=$(realpath "$1") device=${2:-auto}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
database=$folder/regimes.db
failed=0

expect() { # WHAT EXPECTED FOUND
  if [ "$2" = "$3" ]; then
    echo "as expected: $1: $3"
  else
    echo "NOT AS EXPECTED: $1: $3, expected $2"
    failed=1
  fi
}

first_cell() { # SQL
  "$tailwave" query --db "$database" --format csv --sql "$1" | tail -n +2 | tr -d '"'
}

for experiment in experiments/nbody/regimes tests/bench/systems/experiments/walk/caches \
    tests/bench/systems/experiments/power_sum/inputs; do
  "$tailwave" run "$experiment.json" --device "$device" --db "$database" 2>"$folder/log" ||
    { cat "$folder/log" >&2; exit 1; }
  grep -E '(hot|cold|batched|graph|zeros): ' "$folder/log" | grep -vE ' [0-9.]+ [num]?s$' || true
done
echo
"$tailwave" query regimes --db "$database" --format csv >"$folder/regimes.csv"
answers() { # EXPERIMENT: of its problems, each once
  python3 - "$folder/regimes.csv" "$1" <<'END'
import csv, sys
with open(sys.argv[1]) as file:
    rows = [row for row in csv.DictReader(file) if row["experiment"] == sys.argv[2]]
answers = {row["problem"]: row["answer"] for row in rows}
print(", ".join(sorted(set(answers.values()))))
END
}
verdict() { # EXPERIMENT REGIME: of the winner there
  python3 - "$folder/regimes.csv" "$1" "$2" <<'END'
import csv, sys
with open(sys.argv[1]) as file:
    print(", ".join(row["verdict"] for row in csv.DictReader(file)
                    if row["experiment"] == sys.argv[2] and row["regime"] == sys.argv[3]))
END
}
if [ "$(first_cell "SELECT kind FROM device JOIN run ON run.device_id = device.id LIMIT 1")" = cpu ]; then
  echo "on the CPU device: $(answers nbody/regimes); $(answers walk/caches); $(answers power_sum/inputs)"
  exit 0
fi
expect 'nbody/regimes' 'holds' "$(answers nbody/regimes)"
# Of the hot winners, a table is clearly slower somewhere in the cold.
lost=$(first_cell "
  SELECT count(*) > 0 FROM regime_trial AS hot JOIN regime_trial AS cold USING (run_id, configuration_id)
    JOIN trial_time AS hot_time ON hot_time.trial_id = hot.trial_id
    JOIN trial_time AS cold_time ON cold_time.trial_id = cold.trial_id
  WHERE hot.system = 'walk' AND hot.regime = 'hot' AND cold.regime = 'cold' AND hot.place = 1 AND hot.variant = 'table'
    AND cold_time.median_ns > 1.05 * (
      SELECT min(median_ns) FROM regime_trial AS other JOIN trial_time USING (trial_id)
      WHERE other.run_id = hot.run_id AND other.problem = hot.problem AND other.regime = 'cold' AND other.variant = 'computed')")
expect 'walk/caches, a table that wins hot and loses cold' '1' "$lost"
expect 'walk/caches, some problem of which the answer is that' 'yes' \
  "$(case "$(answers walk/caches)" in *'does not hold'*) echo yes ;; *) echo no ;; esac)"
expect 'power_sum/inputs' 'does not hold' "$(answers power_sum/inputs)"
expect 'power_sum/inputs, its winner among zeros' 'slower' "$(verdict power_sum/inputs zeros)"
exit $failed
