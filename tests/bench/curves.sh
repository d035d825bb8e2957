#!/usr/bin/env bash
# tests/bench/curves.sh TAILWAVE [DEVICE]: how near the wave models come on kernels that they were not made on
# (tests/bench/systems): rows of loads in one and two dimensions, through shared memory, grid-stride, persistent and in
# clusters; streams of 64 MiB in one and three; a stencil, a transpose, small products of matrices, a histogram, sums of
# powers. Each launch's grid is cut to many sizes; a row a launch: grids held out, the error of `selected` on them in percent
# (median, 95th percentile, worst), then of those above one wave. Last the same of all. A launch that cannot be cut is named
# with the reason.
set -euo pipefail
tailwave=$(realpath "$1") device=${2:-auto}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
systems=tests/bench/systems/experiments
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

curve() { # EXPERIMENT [FILTER]
  "$tailwave" curve "$systems/$1" ${2:+--filter "$2"} --device "$device" --db "$folder/db" --quiet >"$folder/log" 2>&1 ||
    cat "$folder/log"
}
curve rows/kinds.json SHAPE=1
curve rows/kinds.json SHAPE=4
curve rows/clusters.json
curve streams/shapes.json
curve stencil7/grid_256.json BLOCK_X=32,BLOCK_Y=8,BLOCK_Z=1
curve transpose/matrix_4096.json TILE=32,PADDING=1,ROWS=8
curve small_matmul/batch_16384.json BLOCK_X=16,BLOCK_Y=8,TILE_K=16
curve histogram/values_64m.json BLOCK_SIZE=256,ITEMS=16,COPIES=4
curve power_sum/inputs.json

errors="
  SELECT CASE WHEN :each THEN configuration.name || ' ' || kernel ELSE 'all' END AS launch,
    count(DISTINCT curve_id) AS curves, count(*) AS grids,
    round(median(100 * abs(relative_error)), 2) AS median, round(quantile(100 * abs(relative_error), 0.95), 2) AS p95,
    round(max(100 * abs(relative_error)), 2) AS worst, count(*) FILTER (WHERE waves > 1) AS above,
    round(median(100 * abs(relative_error)) FILTER (WHERE waves > 1), 2) AS median_above,
    round(quantile(100 * abs(relative_error), 0.95) FILTER (WHERE waves > 1), 2) AS p95_above
  FROM grid_error JOIN grid_curve ON grid_curve.id = curve_id JOIN configuration ON configuration.id = configuration_id
  WHERE model = 'selected'"
"$tailwave" query --db "$folder/db" --sql "${errors//:each/1} GROUP BY configuration.name, kernel ORDER BY configuration.name"
"$tailwave" query --db "$folder/db" --sql "${errors//:each/0}"
