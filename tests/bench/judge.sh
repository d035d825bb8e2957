#!/usr/bin/env bash
# tests/bench/judge.sh TAILWAVE [DEVICE] [SOURCES] [REQUESTS] [BODIES]: how many judgements a second `tailwave judge --serve` gives
# of n-body sources that it has never seen, and of the same ones again; likewise of a fourth as many sources of a transpose
# of 64 MiB; then whether random requests (right, wrong, broken, crashing and malformed ones; 0: none) leave anything
# behind: memory (RSS) and descriptors of the service and of all its processes, by /proc, after a tenth of them and at the
# end. Ends with status 1 where a verdict is wrong or something grows.
set -euo pipefail
tailwave=$(realpath "$1") device=${2:-auto} sources=${3:-1000} requests=${4:-10000} bodies=${5:-4096}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
TAILWAVE_CACHE=$folder/cache python3 "$root/tests/bench/judge_rate.py" "$tailwave" "$root" "$device" "$sources" "$requests" "$bodies"
