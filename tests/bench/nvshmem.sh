#!/usr/bin/env bash
# tests/bench/nvshmem.sh TAILWAVE [DEVICE]: jacobi on several GPUs by NVSHMEM (kernel_templates/jacobi/README.md). Exits with 1
# where an outcome is not the one to expect.
#
# 1. What is found: GPUs, NVSHMEM, nvJitLink.
# 2. The study's whole loop on 1 and 2 GPUs: the repaired programs have to be correct, those as published wrong on 2.
# 3. One iteration of 4194304 and of 2^26 points.
# 4. Who is left behind: processes, shared memory, sockets.
set -uo pipefail
tailwave=$(realpath "$1") device=${2:-cuda:0}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TAILWAVE_CACHE=$folder/cache
database=$folder/nvshmem.db
failed=0
count_left() { # of shared memory and sockets
  find /dev/shm /tmp -maxdepth 1 -name '*nvshmem*' 2>/dev/null | wc -l
}
left_before=$(count_left)
say() { printf '== %s (%s s)\n' "$1" "$SECONDS"; }

say "what is found"
"$tailwave" --version
"$tailwave" list devices 2>&1 | head -8

say "the loop of the study"
"$tailwave" run experiments/jacobi/nvshmem.json --device "$device" --db "$database" --quiet \
  --filter '/(nvshmem.*|multi_gpu)/.*GPUS:[12]/.*ITERATIONS:1000/.*N:4194304/' 2>&1 | tail -40
say "one iteration"
"$tailwave" run experiments/jacobi/nvshmem.json --device "$device" --db "$database" --quiet \
  --filter '/(nvshmem.*|multi_gpu|cub_block_reduce)/.*ITERATIONS:1/' 2>&1 | tail -40

say "outcomes"
outcomes="SELECT variant, parameters ->> 'GPUS' AS gpus, problem ->> 'N' AS n, problem ->> 'ITERATIONS' AS iterations, outcome,
    round(median_ns / 1000, 2) AS median_us, substr(detail, 1, 400) AS detail
  FROM current_trial LEFT JOIN trial_time USING (trial_id) ORDER BY iterations DESC, n, variant, gpus"
"$tailwave" query --db "$database" --sql "$outcomes"
unexpected="SELECT count(*) FROM current_trial WHERE outcome <> CASE
    WHEN CAST(parameters ->> 'GPUS' AS INTEGER) > 2 THEN outcome
    WHEN variant LIKE '%as_published' AND parameters ->> 'GPUS' = 2 THEN 'wrong_result' ELSE 'correct' END"
unexpected=$("$tailwave" query --db "$database" --format csv --sql "$unexpected" | tail -1)
[ "$unexpected" = 0 ] || { echo "outcomes that were not to be expected: $unexpected"; failed=1; }
"$tailwave" query phases --db "$database"
"$tailwave" query kernel_output --db "$database" | head -30

say "what is left behind"
[ "$(count_left)" = "$left_before" ] || { echo "shared memory or sockets of NVSHMEM:"; ls -d /dev/shm/*nvshmem* /tmp/*nvshmem*; failed=1; }
pgrep -xa tailwave && { echo "processes are left"; failed=1; }
say "done, status $failed"
exit $failed
