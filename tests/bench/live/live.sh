#!/bin/bash
# live.sh SECONDS SEEDS - both tuners on the same three spaces, alternating; run by hand in tailwave's tree on a machine with a GPU.
#   T=build/tailwave   the program (default: tailwave)      PY=python3   a Python >= 3.10 with kernel_tuner==1.5.0, numpy and cupy
#   SYSTEMS="conv7 sgemm spmv"   FIRST=1 (the first seed)   DEVICE=cuda:0   OUT_DIR=<this folder>/out
#   WALL=0   seconds after which nothing new is begun but the final measurement (0: no limit)   FINAL=1   0: leave that out
# What is in OUT_DIR already is not done again: the same command goes on after an interruption.
#   REF=warm   warm: the results of the host's reference (which Kernel Tuner, verifying nothing, has no counterpart of) are made before the
#              searches and put into tailwave's otherwise empty cache, so that its clock has no reference in it; cold: they are not,
#              and search_step.seconds has compiling (g++) and running the reference in it
# Neither tool finds anything else in a cache: tailwave has a fresh TAILWAVE_CACHE, CuPy a fresh CUPY_CACHE_DIR, the driver's is off.
set -u
S=${1:?seconds}; SEEDS=${2:?seeds}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
T=${T:-tailwave}; case $T in */*) T=$(cd "$(dirname "$T")" && pwd)/$(basename "$T");; esac
PY=${PY:-python3}; case $PY in */*) PY=$(cd "$(dirname "$PY")" && pwd)/$(basename "$PY");; esac
SYSTEMS=${SYSTEMS:-conv7 sgemm spmv}; FIRST=${FIRST:-1}; DEVICE=${DEVICE:-cuda:0}; WALL=${WALL:-0}; FINAL=${FINAL:-1}; REF=${REF:-warm}
OUT_DIR=${OUT_DIR:-$here/out}; mkdir -p "$OUT_DIR/log"; OUT_DIR=$(cd "$OUT_DIR" && pwd)
begin=$SECONDS
export CUDA_CACHE_DISABLE=1
STRATEGIES=(genetic_algorithm firefly_algorithm)
# A search may need its start-up and the reference beside SECONDS; what hangs is killed.
limit=$(awk -v s="$S" 'BEGIN {printf "%d", 1.2 * s + 90}')
cd "$here" || exit 1

has_time() { [ "$WALL" -eq 0 ] || [ $((SECONDS - begin + ${S%.*} + 15)) -lt "$WALL" ]; }

declare -A reference  # system -> folder with the reference's results, and no builds
prepare_reference() {  # system
  local dir
  [ "$REF" = warm ] && [ -z "${reference[$1]:-}" ] || return
  dir=$(mktemp -d); chmod 700 "$dir"
  TAILWAVE_CACHE=$dir timeout -k 10 240 "$T" tune "experiments/$1/space.json" --strategy random --budget 2 --final 0 --seed 999983 --start none \
    --device "$DEVICE" --db "$dir/ref.db" > "$OUT_DIR/log/reference_$1.log" 2>&1 < /dev/null
  echo "$(date +%T) reference of $1: rc $?, $(ls "$dir/references" 2>/dev/null | wc -l) results kept"
  find "$dir" -mindepth 1 -maxdepth 1 ! -name references -exec rm -rf {} +
  reference[$1]=$dir
}

tailwave_search() {  # system seed
  local db="$OUT_DIR/tw_$1_$2.db" cache rc
  [ -e "$db.done" ] && return
  has_time || { skipped=1; return; }
  rm -f "$db" "$db"-wal "$db"-shm
  prepare_reference "$1"
  cache=$(mktemp -d); chmod 700 "$cache"
  [ -d "${reference[$1]:-}/references" ] && cp -a "${reference[$1]}/references" "$cache/"
  TAILWAVE_CACHE=$cache timeout -k 10 "$limit" "$T" tune "experiments/$1/space.json" --budget "${S}s" --final 0 --seed "$2" --start none \
    --device "$DEVICE" --db "$db" > "$OUT_DIR/log/tw_$1_$2.log" 2>&1 < /dev/null
  rc=$?
  rm -rf "$cache"
  [ $rc -eq 0 ] && touch "$db.done"
  echo "$(date +%T) tailwave $1 seed $2: rc $rc, $(grep -a -E '^[0-9.]+ (s|min):' "$OUT_DIR/log/tw_$1_$2.log" | tail -1 | cut -c1-150)"
}

kernel_tuner_search() {  # system strategy seed
  local file="$OUT_DIR/kt_$1_$2_$3.json" cache rc
  [ -e "$file.done" ] && return
  has_time || { skipped=1; return; }
  cache=$(mktemp -d)
  CUPY_CACHE_DIR=$cache timeout -k 10 "$limit" "$PY" "kt_$1.py" "$2" "$S" "$3" "$file" > "$OUT_DIR/log/kt_$1_$2_$3.log" 2>&1 < /dev/null
  rc=$?
  rm -rf "$cache"
  [ $rc -eq 0 ] && touch "$file.done"
  echo "$(date +%T) kernel_tuner $1 $2 seed $3: rc $rc, $(tail -n 1 "$OUT_DIR/log/kt_$1_$2_$3.log" | cut -c1-150)"
}

skipped=0
for ((seed = FIRST; seed < FIRST + SEEDS; ++seed)); do
  for name in $SYSTEMS; do
    # Who comes first changes from seed to seed.
    if ((seed % 2)); then tailwave_search "$name" "$seed"; fi
    for strategy in "${STRATEGIES[@]}"; do kernel_tuner_search "$name" "$strategy" "$seed"; done
    if ((seed % 2 == 0)); then tailwave_search "$name" "$seed"; fi
  done
done
[ $skipped -eq 1 ] && echo "WALL=$WALL: some searches were not begun; the same command goes on with them"

if [ "$FINAL" = 1 ]; then
  for name in $SYSTEMS; do
    timeout 60 "$PY" table.py --best "$name" "$OUT_DIR" "experiments/$name/best.json" || continue
    rm -f "$OUT_DIR/best_$name.db"*
    cp "experiments/$name/best.json" "$OUT_DIR/best_$name.json"
    cache=$(mktemp -d); chmod 700 "$cache"
    TAILWAVE_CACHE=$cache timeout -k 10 400 "$T" run "experiments/$name/best.json" --device "$DEVICE" --db "$OUT_DIR/best_$name.db" \
      > "$OUT_DIR/log/best_$name.log" 2>&1 < /dev/null
    echo "$(date +%T) best of $name measured: rc $?"
    rm -rf "$cache"
  done
fi
for name in "${!reference[@]}"; do rm -rf "${reference[$name]}"; done
echo "SECONDS=$S SEEDS=$SEEDS FIRST=$FIRST REF=$REF DEVICE=$DEVICE $(nproc) processors $(nvidia-smi -L 2>/dev/null | head -1)" >> "$OUT_DIR/how.txt"
timeout 60 "$PY" table.py "$OUT_DIR" "$S" 2>&1 | tee "$OUT_DIR/table.txt"
exit 0
