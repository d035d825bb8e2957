#!/usr/bin/env bash
# cmake/tidy.sh BUILD: clang-tidy over what BUILD compiles of harness/, a library or a file at a time, in
# parallel. What was clean is not looked at again until it, a project file that it includes, .clang-tidy or clang-tidy
# itself changes: the cache holds an empty file for each clean state.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export build=$1 cache=${XDG_CACHE_HOME:-$HOME/.cache}/tailwave/tidy
mkdir -p "$cache"
common=$(clang-tidy --version | cat - .clang-tidy)
export common

tidy_one() {
  local file=$1 includes key
  includes=$(g++ -std=c++20 -MM -MG -DTAILWAVE_WITH_CUDA -I harness -I . "$file" | tr -d '\\\n')
  key=$({ echo "$common"; for used in $includes; do [ ! -f "$used" ] || cat "$used"; done; } | sha256sum)
  key=$cache/${key%% *}
  [ -f "$key" ] && return 0
  clang-tidy --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option "$file" 2>/dev/null || { echo "clang-tidy: $file" >&2; return 1; }
  touch "$key"
}
export -f tidy_one

# Embedded text files (build/embedded) are not looked at.
sed -n "s|.*\"file\": \"$PWD/\(.*\)\".*|\1|p" "$build/compile_commands.json" |
  grep -E "^($build/)?harness/" | sort -u |
  xargs -P "$(nproc)" -I FILE bash -c 'tidy_one FILE' && echo 'tidy: ok'
