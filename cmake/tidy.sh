#!/usr/bin/env bash
# cmake/tidy.sh BUILD: clang-tidy over what BUILD compiles of harness/, in parallel. Most of its time goes into the headers of
# libraries, so it looks at a batch of files as one, and at each file of a batch alone where that finds anything: two
# files may give helpers of their own one name. What was clean is not looked at again until it, a project file that it
# includes, .clang-tidy or clang-tidy itself changes: the cache holds an empty file for each clean batch.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export work=$1/tidy cache=${XDG_CACHE_HOME:-$HOME/.cache}/tailwave/tidy
mkdir -p "$cache" "$work"
common=$(clang-tidy --version | cat - .clang-tidy "${BASH_SOURCE[0]}")
export common

# A line for each file: its path, then its flags as a shell reads them, without GCC's precompiled header.
sed -n "s|\\\\\(.\)|\1|g; s|^ *\"command\": \"[^ ]* \(.*\)\",*$|\1|p" "$1/compile_commands.json" |
  sed -nE "s, (-include [^ ]*/cmake_pch\.hxx|-Winvalid-pch|-fpch-preprocess|-flto|--param=[^ ]*),,g
           s,^(.*) -o [^ ]* -c $PWD/(harness/[^ ]*)\$,\2 \1,p" | sort -u >"$work/flags"

tidy() { # tidy FILE FLAGS
  eval "clang-tidy --quiet --config-file=.clang-tidy \"\$1\" -- $2 -Wno-unknown-warning-option" 2>/dev/null
}

tidy_batch() {
  local file flags all_flags='' includes key batch
  for file in "$@"; do
    flags=$(sed -n "s|^$file ||p" "$work/flags")
    all_flags+=" $flags"
  done
  includes=$(eval "g++ $all_flags -w -MM -MG \"\$@\"" | sed 's/^[^ ]*://' | tr -d '\\\n')
  key=$({ echo "$common" "$@"; for file in $(printf '%s\n' $includes | sort -u); do cat "$file"; done; } 2>/dev/null | sha256sum)
  key=${key%% *}
  [ ! -f "$cache/$key" ] || return 0
  batch=$work/$key.cpp
  printf '#include "%s"\n' "$@" >"$batch"
  if ! tidy "$batch" "$all_flags" >/dev/null; then
    for file in "$@"; do
      tidy "$file" "$(sed -n "s|^$file ||p" "$work/flags")" || { echo "clang-tidy: $file" >&2; return 1; }
    done
  fi
  touch "$cache/$key"
}
export -f tidy tidy_batch

# Files of one folder, eight at a time.
cut -d ' ' -f 1 "$work/flags" | awk -F / '
  $2 != folder || count == 8 { if (batch) print batch; batch = ""; count = 0 }
  { folder = $2; batch = batch " " $0; ++count }
  END { print batch }' |
  xargs -P "$(nproc)" -I FILES bash -c 'tidy_batch FILES' && echo 'tidy: ok'
