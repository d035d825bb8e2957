#!/usr/bin/env bash
# tests/bench/counters_against_ncu.sh TAILWAVE DEVICE OUT: are tailwave's counters those of Nsight Compute, and do they
# leave its times alone? Counts the 14 kernels of tests/bench/systems/experiments/counted, each with 4096 elements and
# with 64 MiB, by `tailwave counters` and by `ncu` (where it is on the PATH) in the same run, and compares counter by
# counter: counts have to agree within 2 %, what is a ratio or takes time within 5 %. DRAM and L2 depend on what was in
# L2 before, which the two do not share; they are shown and not judged. Then it times experiments/nbody/variants.json
# without and with --counters, in turns. Everything goes to OUT, a folder; what matters is printed. About four minutes
# on an H200. Beside the program, tests/bench/counters_smoke is run first, if it was built:
#   cmake --build BUILD --target counters_smoke
set -uo pipefail
tailwave=$(realpath "$1") device=$2
mkdir -p "$3"
out=$(realpath "$3")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
project=$PWD
spec=tests/bench/systems/experiments/counted/kinds.json
database=$out/counted.db
failed=0

say() { printf '\n== %s\n' "$*"; }
query() { "$tailwave" query --db "$database" --format "${2:-table}" --sql "$1"; }
# The command's output goes to OUT/NAME.log; its end is printed, all of it where it failed.
log() { # NAME SECONDS COMMAND...
  local name=$1 seconds=$2 begun=$SECONDS status
  shift 2
  timeout "$seconds" "$@" >"$out/$name.log" 2>&1
  status=$?
  printf '%s: status %s, %s s (%s.log)\n' "$name" "$status" $((SECONDS - begun)) "$name"
  if [ $status != 0 ]; then tail -n 25 "$out/$name.log"; fi
  return $status
}

say machine
{ nvidia-smi 2>/dev/null || true; cat /proc/driver/nvidia/params 2>/dev/null | grep -i profil || true; "$tailwave" --version; id
  ncu --version 2>/dev/null || echo 'no ncu'; } | tee "$out/machine.log" | grep -iE 'nvidia-smi|profil|cupti|tailwave|uid|^version|no ncu'

smoke=$(dirname "$tailwave")/tests/bench/counters_smoke
say 'CUPTI alone'
if [ -x "$smoke" ]; then
  log smoke 90 "$smoke" "${device#cuda:}"
  grep -vE ' ok \(|^  launch|^  pass' "$out/smoke.log" | head -n 130
else
  echo "not built: $smoke"
fi

say 'tailwave counters'
log run 120 "$tailwave" run "$spec" --device "$device" --db "$database" --fresh
log counters 180 "$tailwave" counters "$spec" --device "$device" --db "$database" || failed=1
head -n 12 "$out/counters.log"
log quick 60 "$tailwave" counters "$spec" --device "$device" --db "$out/quick.db" --quick --filter variant=copy
log chosen 60 "$tailwave" counters "$spec" --device "$device" --db "$out/quick.db" --filter variant=fp32 \
  --metrics sm__throughput.avg.pct_of_peak_sustained_elapsed,sm__warps_active.avg.pct_of_peak_sustained_active
tail -n 12 "$out/chosen.log"
say 'what cannot be'
query "SELECT configuration.name, metric, value, doubt FROM counter_value
  JOIN counter_run ON counter_run.id = counter_run_id JOIN configuration ON configuration.id = configuration_id
  WHERE doubt IS NOT NULL LIMIT 40"
query "SELECT configuration, unit, 100 * share AS percent, light.doubt FROM counter_speed_of_light AS light
  JOIN counter_launch USING (counter_run_id, position) WHERE light.doubt IS NOT NULL LIMIT 40"
say 'known by construction'
query "SELECT configuration, precision, flop, flop / json_extract(problem, '\$.N') AS flop_an_element,
    CASE WHEN configuration LIKE '%/fp%' THEN iif(flop / json_extract(problem, '\$.N') BETWEEN
      iif(precision = 'fp64', 127, 511) AND iif(precision = 'fp64', 131, 517), 'ok', 'WRONG') END AS verdict
  FROM counter_roofline JOIN counter_launch USING (counter_run_id, position)
  WHERE (configuration LIKE '%/fp32/%' AND precision = 'fp32') OR (configuration LIKE '%/fp64/%' AND precision = 'fp64')"
query "SELECT configuration, sectors_per_load, bank_conflict_share, local_bytes, threads_per_instruction, l2_bytes,
    dram_bytes, occupancy, counted.duration_ns / counted.time_ns AS counted_over_timed
  FROM counter_launch AS counted WHERE json_extract(problem, '\$.N') > 4096"
"$tailwave" query speed_of_light --db "$database" --format csv >"$out/speed_of_light.csv"
"$tailwave" query stalls --db "$database" --format csv >"$out/stalls.csv"
"$tailwave" query roofline --db "$database" --format csv >"$out/roofline.csv"
"$tailwave" query counters --db "$database" --format csv >"$out/counters.csv"

if command -v ncu >/dev/null; then
  metrics=$(query "SELECT group_concat(metric) FROM (SELECT DISTINCT metric FROM counter_value WHERE metric NOT LIKE
    '%peak_sustained')" csv | tail -n 1 | tr -d '"')
  for name in kernel application; do
    say "ncu, $name replay"
    # The profiler runs each kernel alone, behind which a held stream would wait, and is outside of any sandbox.
    TAILWAVE_STREAM_HOLD=off TAILWAVE_SANDBOX=off log "ncu_$name" 200 ncu --target-processes all --csv --page raw \
      --print-units base --clock-control none --cache-control none --replay-mode "$name" \
      --kernel-name 'regex:^counted_' --metrics "$metrics" \
      "$tailwave" run "$spec" --device "$device" --db "$out/ncu_$name.db" --fresh --seed 1
    if [ "$name" = kernel ]; then
      log import 60 "$tailwave" import --format ncu --experiment counted/kinds --db "$database" "$out/ncu_$name.log"
      cat "$out/import.log"
    fi
  done
  say 'counter by counter: tailwave, ncu (kernel replay), difference'
  # What is small beside what the launch does may differ by a few.
  cat >"$out/compare.sql" <<'SQL'
WITH
  value AS (
    SELECT configuration_id, method, metric, value FROM counter_value
      JOIN counter_run ON counter_run.id = counter_run_id),
  pair AS (
    SELECT configuration.name, problem ->> 'N' AS n, ours.metric, ours.value AS ours, theirs.value AS theirs,
      CASE
        WHEN ours.metric LIKE '%cycles%' OR ours.metric LIKE '%time%' OR ours.metric LIKE '%stalled%'
          OR ours.metric LIKE '%warps_active%' THEN 'ratio'
        WHEN ours.metric LIKE 'dram%' OR ours.metric LIKE 'lts%' OR ours.metric LIKE '%lookup_hit%' THEN 'cache'
        ELSE 'count' END AS kind,
      (SELECT max(value) FROM value AS whole WHERE whole.configuration_id = ours.configuration_id AND whole.method = 'ncu'
         AND whole.metric = CASE WHEN ours.metric LIKE '%stalled%' THEN 'sm__warps_active.sum'
           WHEN ours.metric LIKE '%sass_thread%' THEN 'smsp__sass_thread_inst_executed_op_memory_pred_on.sum'
           ELSE 'smsp__inst_executed.sum' END) AS whole
    FROM value AS ours JOIN value AS theirs USING (configuration_id, metric)
      JOIN configuration ON configuration.id = configuration_id
    WHERE ours.method = 'range_profiler' AND theirs.method = 'ncu'),
  compared AS (
    SELECT *, 100 * abs(ours - theirs) / max(abs(theirs), CASE kind WHEN 'cache' THEN 1e4 ELSE 0.02 * whole END, 1) AS percent
    FROM pair)
SELECT * FROM (
  SELECT *, CASE WHEN kind = 'cache' THEN 'shown' WHEN percent <= iif(kind = 'count', 2, 5) THEN 'ok' ELSE 'DIFFERS' END
    AS verdict
  FROM compared)
SQL
  query "SELECT kind, n, verdict, count(*) AS counters, round(max(percent), 2) AS most_percent
    FROM ($(cat "$out/compare.sql")) GROUP BY 1, 2, 3"
  query "SELECT name, metric, ours, theirs, round(percent, 2) AS percent, verdict FROM ($(cat "$out/compare.sql"))
    WHERE verdict = 'DIFFERS' ORDER BY percent DESC LIMIT 60"
  query "SELECT metric, kind, n, count(*) AS kernels, round(max(percent), 2) AS most_percent, sum(verdict = 'DIFFERS') AS differ
    FROM ($(cat "$out/compare.sql")) GROUP BY metric, n ORDER BY kind, metric, n"
  query "SELECT name, n, metric, kind, ours, theirs, percent, verdict FROM ($(cat "$out/compare.sql")) ORDER BY name, metric" \
    csv >"$out/compared.csv"
  [ "$(query "SELECT count(*) FROM ($(cat "$out/compare.sql")) WHERE verdict = 'DIFFERS'" csv | tail -n 1)" = 0 ] || failed=1
else
  say 'no ncu on the PATH: nothing to compare with'
fi

say 'times without and with --counters, in turns (us)'
for turn in without1 with1 with2 without2; do
  counters=()
  if [[ $turn == with[12] ]]; then counters=(--counters --counters-most 100); fi
  log "$turn" 60 "$tailwave" run experiments/nbody/variants.json --device "$device" --db "$out/$turn.db" --fresh "${counters[@]}"
  "$tailwave" query --db "$out/$turn.db" --format csv --sql "SELECT configuration.name, median_ns / 1000 FROM trial_time
    JOIN trial ON trial.id = trial_id JOIN configuration ON configuration.id = configuration_id
    WHERE kind = 'cuda' ORDER BY 1" | tail -n +2 >"$out/$turn.csv"
done
printf '%-70s %9s %9s %9s %9s %8s\n' configuration without with with without 'with/out'
paste -d, "$out"/{without1,with1,with2,without2}.csv | awk -F, '{
  ratio = 100 * (($4 + $6) / ($2 + $8) - 1)
  printf "%-70s %9.3f %9.3f %9.3f %9.3f %+7.2f %%\n", $1, $2, $4, $6, $8, ratio }'
log stalls_of_with1 30 "$tailwave" query stalls --db "$out/with1.db" --limit 3
head -n 24 "$out/stalls_of_with1.log"

say "everything is in $out (project $project)"
exit $failed
