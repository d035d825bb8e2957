#!/usr/bin/env bash
# tests/bench/traces.sh TAILWAVE [DEVICE] [EXPERIMENT[:FILTER] ...]: whether traces say what the hardware counts. Each
# configuration is traced, and Nsight Compute counts the same kernels run by CuPy, without replaying any
# (sm__warps_active.sum and sm__cycles_elapsed.max fit into one pass). A row a launch: busy by the trace and by
# counters, converted to the slots of the launch, sm__warps_active.sum / (SMs x blocks an SM x warps a block x
# sm__cycles_elapsed.max); their difference in points, and that with sm__cycles_active.max in place of elapsed, which leaves
# out what comes before the first block and behind the last, as a trace does; what tracing changed. Last how many launches
# are within 3 points and how many configurations within 3 %. Needs ncu, and a python3 with cupy.
set -euo pipefail
tailwave=$(realpath "$1") device=${2:-cuda:0}
shift $(($# > 2 ? 2 : $#))
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
systems=tests/bench/systems/experiments
experiments=("$@")
if [ $# = 0 ]; then
  for shape in 0 1 2 3 4; do experiments+=("$systems/rows/kinds.json:SHAPE=$shape"); done
  experiments+=("$systems/rows/clusters.json" "$systems/streams/shapes.json" "$systems/stencil7/grid_256.json:BLOCK_X=32,BLOCK_Y=8"
                "$systems/transpose/matrix_4096.json:TILE=32,PADDING=1")
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for which in "${experiments[@]}"; do
  spec=${which%%:*} filter=()
  [ "$spec" = "$which" ] || filter=(--filter "${which#*:}")
  rm -f "$folder"/db*
  "$tailwave" trace "$spec" "${filter[@]}" --device "$device" --db "$folder/db" >"$folder/trace.log" 2>&1 ||
    { cat "$folder/trace.log"; continue; }
  timeout 120 ncu --clock-control none --cache-control none --csv --print-units base \
    --metrics sm__warps_active.sum,sm__cycles_elapsed.max,sm__cycles_active.max,gpu__time_duration.sum \
    python3 "$here/run_with_cupy.py" "$spec" "${filter[@]:1}" >"$folder/ncu.csv" 2>"$folder/ncu.log" || true
  "$tailwave" query --db "$folder/db" --format csv --sql "
    SELECT configuration.name AS configuration, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z,
      trace_launch.sms AS sms, trace_launch.blocks_per_sm AS blocks_per_sm, noted_one_in, trace_idle.duration_ns AS duration_ns,
      utilisation, ramp, early_warps, hand_over, quantisation + drain + sm_imbalance + block_variance AS tail, cause,
      traced_time_ns / plain_time_ns AS ratio, coalesce(doubtful, '') AS doubtful, coalesce(disturbed, '') AS disturbed
    FROM trace_idle JOIN trace_launch USING (trace_id, position) JOIN trace ON trace.id = trace_id
      JOIN configuration ON configuration.id = configuration_id ORDER BY configuration.name, position" >"$folder/traces.csv"
  python3 "$here/traces_beside_ncu.py" "$folder/traces.csv" "$folder/ncu.csv" | tee -a "$folder/rows" || tail -n 3 "$folder/ncu.log"; grep -h -m3 "ERROR" "$folder"/ncu.csv "$folder"/ncu.log || true
done
echo
awk '{ for (i = 1; i < NF; ++i) if ($i == "diff") { n++; if ($(i + 1) <= 3 && $(i + 1) >= -3) near++; else if (/doubtful/) told++
         if ($(i + 2) <= 3 && $(i + 2) >= -3) running++ }
       rows++; if (/disturbed/) disturbed++ }
     END { printf "%d of %d launches within 3 points of elapsed cycles (%d of the others doubtful), %d of active ones; %d of %d rows disturbed\n",
             near, n, told, running, disturbed, rows }' "$folder/rows"
