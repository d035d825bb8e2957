#!/usr/bin/env bash
# tests/bench/counters_against_ncu.sh TAILWAVE DEVICE OUT: are tailwave's counters those of Nsight Compute, and do they
# leave its times alone? Three parts, each with a verdict a row, and "all within" or what is not at the end.
# 1. Known by construction: flop, bank conflicts, sectors a load, local memory of tests/bench/systems/experiments/counted.
# 2. The same 14 kernels, each with 4096 elements and with 64 MiB, counted by `tailwave counters`, and by `ncu` while
#    CuPy runs the very machine code (run_with_cupy.py; ncu does not follow the processes of a run). What counts has to
#    agree within 2 %, what is a ratio or takes time (cycles, stalls, active warps) within 5 %, or within a fiftieth of
#    the launch's instructions (of its warp cycles) where it is next to nothing. DRAM, L2 and hits depend on what was in
#    the caches before, which the two do not share, and peaks and durations on the clock: they are shown and not judged;
#    nor are cycles and stalls of launches of 16 blocks.
# 3. experiments/nbody/variants.json timed without, with, with and without --counters: within 2 %, or within what the two
#    runs of one kind differ by.
# Everything goes to OUT, a folder; what matters is printed. Needs ncu, and a python3 with cupy. About a minute.
set -uo pipefail
[ $# = 3 ] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
tailwave=$(realpath "$1") device=$2
mkdir -p "$3"
out=$(realpath "$3")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
spec=tests/bench/systems/experiments/counted/kinds.json
database=$out/counted.db
export TAILWAVE_CACHE=$out/cache
rm -rf "$database" "$TAILWAVE_CACHE" "$out"/*.csv
problems=()

say() { printf '\n== %s\n' "$*"; }
query() { "$tailwave" query --db "$database" --format "${2:-table}" --sql "$1"; }
number() { query "$1" csv | tail -n 1; }
# The command's output goes to OUT/NAME.log; its end is printed where it failed.
log() { # NAME SECONDS COMMAND...
  local name=$1 seconds=$2 begun=$SECONDS status
  shift 2
  timeout "$seconds" "$@" >"$out/$name.log" 2>&1
  status=$?
  printf '%s: status %s, %s s (%s.log)\n' "$name" "$status" $((SECONDS - begun)) "$name"
  [ $status = 0 ] || tail -n 25 "$out/$name.log"
  return $status
}
# A table of the query, and a problem for each of its rows whose verdict is not 'ok'.
judge() { # WHAT SQL
  query "$2"
  local wrong
  wrong=$(number "SELECT count(*) FROM ($2) WHERE verdict <> 'ok'")
  [ "$wrong" = 0 ] || problems+=("$1: $wrong of $(number "SELECT count(*) FROM ($2)")")
}
finish() {
  say "verdict (everything is in $out)"
  if [ ${#problems[@]} = 0 ]; then echo 'all within'; exit 0; fi
  printf 'not within: %s\n' "${problems[@]}"
  exit 1
}

say machine
{ nvidia-smi 2>/dev/null; grep -i profil /proc/driver/nvidia/params 2>/dev/null; "$tailwave" --version; id; ncu --version; } \
  >"$out/machine.log" 2>&1
grep -iE 'nvidia-smi|profil|cupti|tailwave|uid|^version|not found' "$out/machine.log"

say 'tailwave counters'
log counters 180 "$tailwave" counters "$spec" --device "$device" --db "$database" || problems+=('tailwave counters failed')
head -n 8 "$out/counters.log"
log quick 60 "$tailwave" counters "$spec" --device "$device" --db "$out/quick.db" --quick --filter variant=copy ||
  problems+=('--quick failed')
grep 'executions of each' "$out/quick.log"
log chosen 60 "$tailwave" counters "$spec" --device "$device" --db "$out/quick.db" --filter variant=fp32 \
  --metrics sm__throughput.avg.pct_of_peak_sustained_elapsed,sm__warps_active.avg.pct_of_peak_sustained_active ||
  problems+=('--metrics failed')
grep -E 'execution|pct' "$out/chosen.log"
passes=$(number "SELECT max(passes) FROM counter_run")
[ "${passes:-99}" -le 5 ] || problems+=("the default set takes $passes passes")
[ "$(number 'SELECT count(*) FROM counted_launch')" = 28 ] || problems+=('not all 28 launches were counted')

say 'values that cannot be'
judge 'values that cannot be' "SELECT configuration.name, metric, value, doubt, 'DOUBTED' AS verdict FROM counter_value
  JOIN counter_run ON counter_run.id = counter_run_id JOIN configuration ON configuration.id = configuration_id
  WHERE doubt IS NOT NULL
  UNION ALL SELECT configuration, unit, 100 * share, light.doubt, 'DOUBTED' FROM counter_speed_of_light AS light
  JOIN counter_launch USING (counter_run_id, position) WHERE light.doubt IS NOT NULL"

say 'known by construction'
judge 'known by construction' "WITH
  counted AS (SELECT *, problem ->> 'N' AS n FROM counter_launch WHERE age = 1),
  found (what, n, found, least, most) AS (
    SELECT variant || ': flop an element, ' || precision, n, flop / n, iif(precision = 'fp64', 127, 511),
      iif(precision = 'fp64', 131, 517)
    FROM counter_roofline JOIN counted USING (counter_run_id, position) WHERE variant = precision
    UNION ALL
    SELECT variant || ': sectors a load', n, sectors_per_load, 4, 4 FROM counted WHERE variant = 'copy'
    UNION ALL
    SELECT variant || ': sectors a load', n, sectors_per_load, 17, 19 FROM counted WHERE variant = 'gather'
    UNION ALL
    SELECT variant || ': share of bank conflicts', n, bank_conflict_share, iif(variant = 'tile', 0, 0.85),
      iif(variant = 'tile', 0.1, 1)
    FROM counted WHERE variant IN ('tile', 'conflicts')
    UNION ALL
    SELECT variant || ': bytes of local memory an element', n, local_bytes / n, iif(variant = 'local', 256, 0),
      iif(variant = 'local', 1e4, 0)
    FROM counted WHERE variant IN ('local', 'copy'))
  SELECT *, iif(found BETWEEN least AND most, 'ok', 'WRONG') AS verdict FROM found"
for name in speed_of_light stalls roofline counters; do
  "$tailwave" query "$name" --db "$database" --format csv >"$out/$name.csv" || problems+=("query $name failed")
done

say 'times of a worker beside the one that counts, and of a run without (us)'
log plain 60 "$tailwave" run "$spec" --device "$device" --db "$database" --fresh
judge 'times beside counting' "SELECT configuration.name, round(plain.median_ns / 1000, 2) AS alone,
    round(counter_run.time_ns / 1000, 2) AS beside, round(100 * (counter_run.time_ns / plain.median_ns - 1), 2) AS percent,
    iif(abs(counter_run.time_ns - plain.median_ns) <= max(0.05 * plain.median_ns, 500), 'ok', 'DIFFERS') AS verdict
  FROM counter_run JOIN configuration ON configuration.id = configuration_id
    JOIN current_trial USING (configuration_id) JOIN trial_time AS plain USING (trial_id)
  WHERE current_trial.experiment = 'kinds' AND run_kind = 'cuda' AND plain.kind = 'cuda'"

say 'Nsight Compute'
if ! command -v ncu >/dev/null; then problems+=('there is no ncu'); else
  metrics=$(number "SELECT group_concat(metric) FROM (SELECT DISTINCT metric FROM counter_value WHERE metric NOT LIKE
    '%peak_sustained')" | tr -d '"')
  CACHE=$TAILWAVE_CACHE log ncu 150 ncu --csv --page raw --print-units base --clock-control none --cache-control none \
    --kernel-name 'regex:^counted_' --metrics "$metrics" python3 "$here/run_with_cupy.py" "$spec" || problems+=('ncu failed')
  log import 60 "$tailwave" import --format ncu --experiment counted/kinds --db "$database" "$out/ncu.log" ||
    problems+=('the import failed')
  cat "$out/import.log"
fi
cat >"$out/compare.sql" <<'SQL'
  WITH
    value AS (
      SELECT configuration_id, method, metric, value FROM counter_value
        JOIN counter_run ON counter_run.id = counter_run_id),
    pair AS (
      SELECT variant, problem ->> 'N' AS n, ours.metric, ours.value AS ours, theirs.value AS theirs,
        CASE
          WHEN ours.metric LIKE 'dram%' OR ours.metric LIKE 'lts%' OR ours.metric LIKE '%lookup_hit%'
            OR ours.metric LIKE 'gpu\_\_time%' ESCAPE '\' THEN 'shown'
          WHEN problem ->> 'N' < 1000000 AND (ours.metric LIKE '%cycles%' OR ours.metric LIKE '%stalled%'
            OR ours.metric LIKE '%warps_active%') THEN 'shown'
          WHEN ours.metric LIKE '%cycles%' OR ours.metric LIKE '%stalled%' OR ours.metric LIKE '%warps_active%' THEN 'ratio'
          ELSE 'count' END AS kind,
        (SELECT max(value) FROM value AS whole
         WHERE whole.configuration_id = ours.configuration_id AND whole.method = 'ncu'
           AND whole.metric = CASE WHEN ours.metric LIKE '%stalled%' THEN 'sm__warps_active.sum'
             WHEN ours.metric LIKE '%sass_thread%' THEN 'smsp__sass_thread_inst_executed_op_memory_pred_on.sum'
             ELSE 'smsp__inst_executed.sum' END) AS whole
      FROM value AS ours JOIN value AS theirs USING (configuration_id, metric)
        JOIN configuration ON configuration.id = configuration_id
      WHERE ours.method = 'range_profiler' AND theirs.method = 'ncu'),
    compared AS (
      SELECT *, 100 * abs(ours - theirs) / max(abs(theirs), CASE kind WHEN 'shown' THEN 1 ELSE 0.02 * whole END, 1) AS percent
      FROM pair)
  SELECT variant, n, metric, kind, ours, theirs, round(percent, 2) AS percent,
    CASE WHEN kind = 'shown' OR percent <= iif(kind = 'count', 2, 5) THEN 'ok' ELSE 'DIFFERS' END AS verdict
  FROM compared
SQL
compared=$(cat "$out/compare.sql")
query "SELECT * FROM ($compared) ORDER BY variant, n, metric" csv >"$out/compared.csv"
echo 'a row for each counter: over all kernels, the largest difference'
query "SELECT kind, metric, n, count(*) AS kernels, max(percent) AS most_percent, sum(verdict = 'DIFFERS') AS differ
  FROM ($compared) GROUP BY metric, n ORDER BY kind, metric, n"
echo 'a row for each kernel: how many counters, and the largest difference of those that are judged'
query "SELECT variant, n, count(*) AS counters, max(iif(kind = 'count', percent, NULL)) AS counts_percent,
    max(iif(kind = 'ratio', percent, NULL)) AS ratios_percent, sum(verdict = 'DIFFERS') AS differ
  FROM ($compared) GROUP BY variant, n"
echo 'those that differ'
judge 'counters beside ncu' "SELECT * FROM ($compared) WHERE verdict <> 'ok' ORDER BY percent DESC"
[ "$(number "SELECT count(DISTINCT variant) FROM ($compared)")" = 14 ] || problems+=('not all 14 kernels were compared')

say 'times without and with --counters, in turns (us)'
for turn in without1 with1 with2 without2; do
  counters=()
  [[ $turn == without* ]] || counters=(--counters)
  log "$turn" 60 "$tailwave" run experiments/nbody/variants.json --device "$device" --db "$out/$turn.db" --fresh \
    "${counters[@]}" || problems+=("$turn failed")
  "$tailwave" query --db "$out/$turn.db" --format csv --sql "SELECT configuration.name, median_ns / 1000 FROM trial_time
    JOIN trial ON trial.id = trial_id JOIN configuration ON configuration.id = configuration_id
    WHERE kind = 'cuda' ORDER BY 1" | tail -n +2 >"$out/$turn.csv"
  rm -f "$out/$turn.db"
done
python3 - "$out"/{without1,with1,with2,without2}.csv <<'PY' | tee "$out/turns.log"
import csv, sys
turns = [dict((name, float(us)) for name, us in csv.reader(open(file))) for file in sys.argv[1:]]
print(f"{'configuration':70} {'without':>9} {'with':>9} {'with':>9} {'without':>9} {'with/out':>9}")
for name in sorted(turns[0]):
    one, two, three, four = (turn.get(name, float("nan")) for turn in turns)
    change = (two + three) / (one + four) - 1
    noise = max(abs(one / four - 1), abs(two / three - 1), 0.02)
    print(f"{name[:70]:70} {one:9.3f} {two:9.3f} {three:9.3f} {four:9.3f} {100 * change:+7.2f} % "
          + ("ok" if abs(change) <= noise else "DIFFERS"))
PY
grep -q ' ok$' "$out/turns.log" || problems+=('no times to compare')
! grep -q DIFFERS "$out/turns.log" || problems+=("times with --counters: $(grep -c DIFFERS "$out/turns.log")")
finish
