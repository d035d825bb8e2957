#!/usr/bin/env bash
# tests/bench/throughput.sh TAILWAVE [DEVICE] [ROUNDS]: configurations a second over experiments/nbody/throughput.json, every
# one verified before and among its 7 samples, once with an empty artifact cache and then with the one it filled. The time
# is the run's own total (table run_phase): from the enumeration to the last trial stored, without opening the device.
set -euo pipefail
tailwave=$1 device=${2:-auto} rounds=${3:-3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

round() { # CACHE NAME
  TAILWAVE_CACHE=$1 "$tailwave" run experiments/nbody/throughput.json --device "$device" --db "$folder/$2.db" \
    >/dev/null 2>"$folder/log" || { cat "$folder/log" >&2; exit 1; }
  "$tailwave" query --db "$folder/$2.db" --format csv --sql "
    SELECT device.name, (SELECT count(*) FROM trial) AS configurations,
      (SELECT count(*) FROM trial WHERE outcome = 'correct') AS measured,
      printf('%.3f', total.seconds) AS seconds, printf('%.0f', (SELECT count(*) FROM trial) / total.seconds) AS per_second,
      (SELECT group_concat(phase || ' ' || printf('%.3f', seconds), ', ') FROM run_phase WHERE phase <> 'total') AS phases
    FROM run JOIN device ON device.id = run.device_id JOIN run_phase AS total ON total.run_id = run.id
    WHERE phase = 'total'" | tail -n 1 | sed "s/^/$2: /"
}

for ((i = 1; i <= rounds; ++i)); do
  round "$folder/cache$i" "empty cache $i"
  round "$folder/cache$i" "warm cache $i"
done
