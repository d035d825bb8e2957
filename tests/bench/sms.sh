#!/usr/bin/env bash
# tests/bench/sms.sh TAILWAVE [DEVICE]: what a GPU does with some of its SMs (docs/waves.md, "On some of the SMs"). Exits
# with 1 where blocks left the SMs that were granted, or where the waves that were predicted are not those that were
# traced.
#
# 1. n-body on five numbers of SMs (experiments/nbody/sms.json): asked, granted, used by the traced blocks, waves as
#    predicted and as traced, time.
# 2. The same on some of the SMs as a device of their own (run --sms): beside the launch that asks for as many.
# 3. Time against SMs (curve --sms) of a kernel bound by arithmetic, one bound by memory (64 MiB), and one of 1.94 waves.
set -euo pipefail
tailwave=$(realpath "$1") device=${2:-auto}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
database=$folder/sms.db
ask() { "$tailwave" query --db "$database" --sql "$1"; }
on_device() { # COMMAND ARGUMENT...
  "$tailwave" "$@" --device "$device" --db "$database" --quiet
}

echo "== n-body on five numbers of SMs"
on_device run experiments/nbody/sms.json >/dev/null
on_device trace experiments/nbody/sms.json >/dev/null
ask "
  SELECT parameters ->> 'SMS' AS asked, launch.sms_granted AS granted, used_sms, round(launch.waves, 4) AS waves,
    round(predicted_waves, 4) AS predicted, round(observed_waves, 4) AS traced, max_residency AS blocks_an_sm,
    round(median_ns / 1000, 2) AS median_us, coalesce(disturbed, '') AS disturbed
  FROM current_trial
    JOIN trial_time USING (trial_id)
    JOIN launch ON launch.trial_id = current_trial.trial_id AND launch.position = 0
    JOIN trace ON trace.configuration_id = current_trial.configuration_id
    JOIN trace_waves ON trace_waves.trace_id = trace.id AND trace_waves.position = 0
  ORDER BY trace_waves.sms"
ask "SELECT parameters ->> 'SMS' AS asked, outcome, detail FROM current_trial WHERE outcome <> 'correct'"

echo
echo "== some of the SMs as a device of their own"
for sms in 30 64; do
  on_device run experiments/nbody/sms.json --filter SMS=0 --sms $sms >/dev/null || echo "not on $sms SMs"
done
ask "
  SELECT run_device, parameters ->> 'SMS' AS asked, trial_waves.sms, round(waves, 4) AS waves,
    round(median_ns / 1000, 2) AS median_us
  FROM current_trial JOIN trial_time USING (trial_id) JOIN trial_waves USING (trial_id)
  ORDER BY trial_waves.sms, run_device"

echo
echo "== time against SMs"
curve() { # TITLE SPEC FILTER
  echo "-- $1"
  on_device curve "$2" --filter "$3" --sms || true
}
curve 'bound by arithmetic' experiments/nbody/residency.json variant=shared,BLOCK_SIZE=128,BLOCK_STRIDE=32
curve 'bound by memory, two buffers of 64 MiB' tests/bench/systems/experiments/stencil7/grid_256.json \
  variant=columns,BLOCK_X=64,BLOCK_Y=4,BLOCK_Z=1,DEPTH=4,UNROLL=1
curve '1.94 waves of short blocks' experiments/nbody/waves.json N=8192

echo
wrong=$("$tailwave" query --db "$database" --format csv --sql "
  SELECT count(*) AS n
  FROM trace_waves JOIN trace ON trace.id = trace_id JOIN device ON device.id = device_id
  WHERE kind = 'cuda' AND (used_sms > trace_waves.sms OR (
    blocks >= trace_waves.sms * predicted_blocks_per_sm AND abs(predicted_waves - observed_waves) > 1e-9))" | tail -n 1)
echo "traces whose blocks left their SMs, or whose waves are not those predicted: $wrong"
[ "$wrong" = 0 ]
