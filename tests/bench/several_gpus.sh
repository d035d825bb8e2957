#!/usr/bin/env bash
# tests/bench/several_gpus.sh TAILWAVE SPEC [FILTER]: how much faster several GPUs measure an experiment, as in
# docs/several_gpus.md. Compiles everything first, which `run` then finds, and measures it on 1, 2, 4, ... GPUs and on all, a
# new database for each: seconds of the command, seconds between the run's first and last result, configurations a second
# of these. FILTER is that of `run` and `plan`.
# Leaves with 1 where one of the runs fails, or has measured another number of configurations.
set -euo pipefail
tailwave=$(realpath "$1") spec=$2
options=(${3:+--filter "$3"})
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gpus=$(nvidia-smi --query-gpu=index --format=csv,noheader | wc -l)
counts=()
for ((n = 1; n < gpus; n *= 2)); do counts+=("$n"); done
counts+=("$gpus")

now() { date +%s.%N; }
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
begin=$(now)
"$tailwave" plan "$spec" --target "sm_$capability" "${options[@]}" >"$work/plan" 2>&1 || { tail -n 5 "$work/plan" >&2; exit 1; }
echo "compiled in $(awk -v a="$begin" -v b="$(now)" 'BEGIN { printf "%.1f", b - a }') s"

printf '%-6s%16s%10s%14s%14s%10s%10s\n' GPUs configurations s 'in the run, s' 'a second' faster 'in the run'
for n in "${counts[@]}"; do
  devices=$(seq -s , -f 'cuda:%g' 0 $((n - 1)))
  begin=$(now)
  "$tailwave" run "$spec" --device "$devices" --db "$work/$n.db" "${options[@]}" >"$work/run" 2>&1 || { tail -n 5 "$work/run" >&2; exit 1; }
  end=$(now)
  row=$("$tailwave" query --db "$work/$n.db" --format csv --sql "
    SELECT count(*), (julianday(max(finished_at)) - julianday(min(finished_at))) * 86400 FROM trial" | tail -n 1)
  configurations=$("$tailwave" query --db "$work/$n.db" --format csv --sql \
    'SELECT count(DISTINCT configuration_id) FROM trial' | tail -n 1)
  awk -v n="$n" -v configurations="$configurations" -v whole="$(awk -v a="$begin" -v b="$end" 'BEGIN { print b - a }')" \
    -v within="${row#*,}" -v first="$work/first" 'BEGIN {
      if ((getline line < first) > 0) split(line, of); else { of[1] = whole; of[2] = within; print whole, within > first }
      printf "%-6d%16d%10.1f%14.1f%14.1f%10.2f%10.2f\n", n, configurations, whole, within, configurations / within,
        of[1] / whole, of[2] / within }'
  [[ ${expected:=$configurations} == "$configurations" ]] || { echo "$configurations configurations, not $expected" >&2; exit 1; }
done
