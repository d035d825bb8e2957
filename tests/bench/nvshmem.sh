#!/usr/bin/env bash
# tests/bench/nvshmem.sh TAILWAVE [DEVICE]: jacobi on two GPUs by NVSHMEM (kernel_templates/jacobi/README.md). Exits with 1
# where an outcome is not the one to expect. NVSHMEM is looked for by Python where NVSHMEM_HOME does not name it.
#
# 1. What is found: GPUs, NVSHMEM, nvJitLink.
# 2. A small configuration on two GPUs. Where it fails, the same without a sandbox, with NVSHMEM's growing heap, and with its
#    words, to see why.
# 3. The study's whole loop on one and two GPUs: the repaired programs have to be correct, those as published wrong on two.
# 4. One iteration of 4194304 and of 2^26 points.
# 5. A processing element that dies: its configuration has crashed, with its number.
# 6. Who is left behind: processes, shared memory, sockets.
set -uo pipefail
tailwave=$(realpath "$1") device=${2:-cuda:0}
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TAILWAVE_CACHE=$folder/cache
: "${NVSHMEM_HOME:=$(python3 -c 'import nvidia.nvshmem as found; print(list(found.__path__)[0])' 2>/dev/null)}"
[ -n "$NVSHMEM_HOME" ] && export NVSHMEM_HOME
failed=0
say() { printf '== %s (%s s)\n' "$1" "$SECONDS"; }
fail() { printf 'NOT AS EXPECTED: %s\n' "$1"; failed=1; }
run() { # SECONDS FILTER NAME=VALUE...: in a database of the latest run's own kind
  local limit=$1 filter=$2
  shift 2
  env "$@" timeout -k 5 "$limit" "$tailwave" run experiments/jacobi/nvshmem.json --device "$device" --db "$database" \
    --quiet --filter "$filter" 2>&1 | cut -c 1-600 | tail -40
}
outcomes() { # of the database
  "$tailwave" query --db "$database" --sql "
    SELECT variant, parameters ->> 'GPUS' AS gpus, problem ->> 'N' AS n, problem ->> 'ITERATIONS' AS iterations, outcome,
      round(median_ns / 1000, 2) AS median_us, substr(detail, 1, 500) AS detail
    FROM current_trial LEFT JOIN trial_time USING (trial_id) ORDER BY iterations DESC, n, variant, gpus"
}
count() { # CONDITION: trials of the database
  "$tailwave" query --db "$database" --format csv --sql "SELECT count(*) FROM current_trial WHERE $1" | tail -1
}
left() { find /dev/shm /tmp -maxdepth 1 -name '*nvshmem*' 2>/dev/null | wc -l; }
left_before=$(left)

say "what is found"
"$tailwave" --version
"$tailwave" list devices 2>&1 | cut -c 1-160 | head -8
nvidia-smi topo -m 2>/dev/null | head -6

say "one configuration on two GPUs"
small='/nvshmem_repaired/.*GPUS:2/ITERATIONS:1/N:4194304/'
database=$folder/small.db
run 45 "$small"
outcomes
settings=()
if [ "$(count "outcome = 'correct'")" != 1 ]; then
  fail "the small configuration"
  for setting in TAILWAVE_SANDBOX=off NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME= "TAILWAVE_SANDBOX=off NVSHMEM_DISABLE_CUDA_VMM=0" \
    "TAILWAVE_SANDBOX=off NVSHMEM_DEBUG=INFO"; do
    say "the same with $setting"
    database=$folder/${setting//[^A-Z]/}.db
    # shellcheck disable=SC2086
    run 30 "$small" $setting
    outcomes
    "$tailwave" query kernel_output --db "$database" 2>&1 | cut -c 1-3000 | head -40
    # shellcheck disable=SC2206
    [ "$(count "outcome = 'correct'")" = 1 ] && settings=($setting) && break
  done
  [ ${#settings[@]} = 0 ] && say "done, status 1" && exit 1
fi

say "the loop of the study, and one iteration"
database=$folder/all.db
run 60 '/(nvshmem.*|multi_gpu)/.*GPUS:[12]/ITERATIONS:1000/N:4194304/' "${settings[@]}"
run 50 '/(nvshmem.*|multi_gpu|cub_block_reduce)/.*ITERATIONS:1/N:4194304/' "${settings[@]}"
run 50 '/(nvshmem_repaired|multi_gpu|cub_block_reduce)/.*ITERATIONS:1/N:67108864/' "${settings[@]}"
outcomes
unexpected=$(count "outcome <> CASE
    WHEN CAST(parameters ->> 'GPUS' AS INTEGER) > 2 THEN outcome
    WHEN variant LIKE '%as_published' AND parameters ->> 'GPUS' = 2 THEN 'wrong_result' ELSE 'correct' END")
[ "$unexpected" = 0 ] || fail "$unexpected outcomes"
"$tailwave" query phases --db "$database"
"$tailwave" query kernel_output --db "$database" 2>&1 | cut -c 1-600 | head -20

say "a processing element that dies"
database=$folder/death.db
run 40 '/nvshmem_atomic_repaired/.*GPUS:2/ITERATIONS:1/N:67108864/' "${settings[@]}" >"$folder/death" &
for _ in $(seq 100); do
  sleep 0.2
  # The newest one is the last processing element, once it has all of its threads.
  newest=$(pgrep -n -x tailwave || true)
  [ -n "$newest" ] && [ "$(find "/proc/$newest/task" -maxdepth 1 2>/dev/null | wc -l)" -gt 4 ] && sleep 3 && kill -SEGV "$newest" && break
done
wait
cat "$folder/death"
outcomes
[ "$(count "outcome = 'crashed' AND detail LIKE 'PE _: its process%'")" = 1 ] || echo "(no element was met while it worked)"

say "what is left behind"
[ "$(left)" = "$left_before" ] || { ls -d /dev/shm/*nvshmem* /tmp/*nvshmem* 2>/dev/null; fail "memory or sockets are left"; }
sleep 1
pgrep -xa tailwave && fail "processes are left"
say "done, status $failed"
exit $failed
