#!/usr/bin/env bash
# tests/bench/real_sizes.sh TAILWAVE [DEVICE] [SYSTEM/EXPERIMENT ...]: configurations a second over the experiments
# of tests/bench/systems, whose buffers are as large as people's: 64 MiB to 1 GiB. Every configuration is verified
# before and among its 7 samples, first with an empty artifact cache and then with the one it filled. The time is the
# run's own total (table run_phase), from the enumeration to the last trial stored, without opening the device.
#
# Where python3 has kernel_tuner and cupy, Kernel Tuner measures the same configurations of stencil7 and transpose,
# with an empty cache of CuPy's and 7 iterations each, once with a comparison with NumPy's answer and once without.
# Its time is that of tune_kernel(). A ratio says how many times as many configurations a second tailwave has, its
# cache empty as well.
set -euo pipefail
tailwave=$(realpath "$1") device=${2:-auto}
shift $(($# > 2 ? 2 : $#))
cd "$(dirname "${BASH_SOURCE[0]}")"
bench=$PWD
cd ../..
experiments=("$@")
if [ $# = 0 ]; then
  experiments=(stencil7/grid_256 transpose/matrix_4096 histogram/values_64m small_matmul/batch_16384
               stencil7/grid_1024 transpose/matrix_16384)
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tab=$'\t'

row() { # EXPERIMENT WHO CONFIGURATIONS SECONDS PER_SECOND RATIO DETAILS
  printf '%-26s %-34s %14s %9s %9s %7s  %s\n' "$@"
}

# Prints the row of one run; its rate is left in `rate`, whether it was a GPU's in `kind`.
tailwave_round() { # EXPERIMENT NAME
  local database=$folder/round.db fields
  rm -f "$database"*
  TAILWAVE_CACHE=$folder/cache "$tailwave" run "$bench/systems/experiments/$1.json" \
    --device "$device" --db "$database" >/dev/null 2>"$folder/log" || { cat "$folder/log" >&2; exit 1; }
  fields=$("$tailwave" query --db "$database" --format csv --sql "
    SELECT device.kind || '|' || (SELECT count(*) FROM trial) || '|' || printf('%.3f', total.seconds) || '|' ||
      printf('%.1f', (SELECT count(*) FROM trial) / total.seconds) || '|' ||
      (SELECT group_concat(number || ' ' || outcome, ' ') FROM
        (SELECT outcome, count(*) AS number FROM trial GROUP BY outcome ORDER BY number DESC)) || ': ' ||
      (SELECT group_concat(phase || ' ' || printf('%.3f', seconds), ' ') FROM run_phase WHERE phase <> 'total')
    FROM run JOIN device ON device.id = run.device_id JOIN run_phase AS total ON total.run_id = run.id
    WHERE phase = 'total'" | tail -n 1)
  local configurations seconds details
  IFS='|' read -r kind configurations seconds rate details <<<"${fields//\"/}"
  row "$1" "tailwave, $2" "$configurations" "$seconds" "$rate" '' "$details"
}

kernel_tuner_round() { # EXPERIMENT NAME TAILWAVE'S_RATE OPTION...
  local experiment=$1 name=$2 beside=$3 fields version configurations timed seconds details index=${device#cuda:}
  shift 3
  [[ $index =~ ^[0-9]+$ ]] || index=0
  rm -rf "$folder/kernel_tuner"
  mkdir -p "$folder/kernel_tuner"
  # Kernel Tuner leaves the source of a kernel that failed where it was started.
  if ! fields=$(cd "$folder/kernel_tuner" && CUPY_CACHE_DIR=$PWD/cupy CUDA_CACHE_PATH=$PWD/driver \
      timeout 400 python3 "$bench/kernel_tuner_rate.py" "$bench/systems/experiments/$experiment.json" \
      --device "$index" "$@" 2>"$folder/log"); then
    row "$experiment" "Kernel Tuner, $name" - - - '' "failed: $(grep -v '^ *$' "$folder/log" | tail -n 1)"
    return
  fi
  IFS=$tab read -r version configurations timed seconds details <<<"$(tail -n 1 <<<"$fields")"
  row "$experiment" "Kernel Tuner $version, $name" "$configurations" "$seconds" \
    "$(awk "BEGIN { printf \"%.1f\", $configurations / $seconds }")" \
    "$(awk "BEGIN { printf \"%.1f\", $beside * $seconds / $configurations }")" "$timed timed: $details"
}

has_kernel_tuner=false
if python3 -c 'import sys; from importlib.util import find_spec
sys.exit(not (find_spec("kernel_tuner") and find_spec("cupy")))' 2>/dev/null; then has_kernel_tuner=true; fi

row experiment what configurations seconds a_second ratio 'outcomes: seconds of each phase'
for experiment in "${experiments[@]}"; do
  tailwave_round "$experiment" 'empty cache'
  empty_cache_rate=$rate
  tailwave_round "$experiment" 'warm cache'
  if $has_kernel_tuner && [[ $kind != cpu && $experiment =~ ^(stencil7|transpose)/ ]]; then
    # Where a configuration takes it seconds, some stand for all.
    most=()
    if [[ $experiment =~ (grid_1024|matrix_16384)$ ]]; then most=(--most 12); fi
    kernel_tuner_round "$experiment" 'with answer' "$empty_cache_rate" --answer "${most[@]}"
    kernel_tuner_round "$experiment" 'unverified' "$empty_cache_rate" "${most[@]}"
  fi
  rm -rf "$folder/cache"
done
$has_kernel_tuner || echo 'kernel_tuner not installed (or cupy), so there is no rate beside these'
if [ "$kind" = cpu ]; then echo 'on the CPU device problems are smaller and configurations fewer (devices.cpu)'; fi
