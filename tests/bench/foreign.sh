#!/usr/bin/env bash
# tests/bench/foreign.sh BUILD [OUT] [CLONES...]: how good predictions for other GPUs are on public measurements, as
# Markdown. The data, 70 MiB, are fetched once into OUT (build/foreign) by foreign_data.py; CLONES are its --clone
# NAME=FOLDER.
set -euo pipefail
build=$(realpath "$1") out=${2:-$1/foreign}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
clones=()
for clone in "${@:3}"; do clones+=(--clone "$clone"); done
if [ ! -f "$out/done" ]; then
  python3 "$here/foreign_data.py" "$out" ${clones[@]+"${clones[@]}"}
  touch "$out/done"
fi
"$build/tests/bench/foreign_record" "$out"
