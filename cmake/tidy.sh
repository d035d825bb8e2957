#!/usr/bin/env bash
# cmake/tidy.sh BUILD [1..8]: clang-tidy over what BUILD compiles of harness/, or an eighth of its folders. Nearly all of its time goes into the headers of other
# libraries (eight files take 52 s, the forty of their folder 58), so it looks at the files of a folder as one, as the
# release build compiles them; what one of them shadows of another is nobody's concern. A folder that was clean is not
# looked at again until a file of it, a project file that it includes, .clang-tidy or clang-tidy itself changes: the cache
# holds an empty file for each clean folder.
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

tidy_folder() {
  local files flags includes key batch
  files=$(cut -d ' ' -f 1 "$work/flags" | grep -E "^harness/$1(/|\$)")
  flags=$(grep -E "^harness/$1[/ ]" "$work/flags" | cut -d ' ' -f 2- | tr '\n' ' ')
  includes=$(eval "g++ $flags -w -MM -MG $(echo $files)" | sed 's/^[^ ]*://' | tr -d '\\\n')
  key=$({ echo "$common" "$files"; for file in $(printf '%s\n' $includes | sort -u); do cat "$file"; done; } 2>/dev/null | sha256sum)
  key=${key%% *}
  [ ! -f "$cache/$key" ] || return 0
  batch=$work/$1.cpp
  printf '#include "%s"\n' $files >"$batch"
  eval "clang-tidy --quiet --config-file=.clang-tidy \"$batch\" -- $flags -Wno-unknown-warning-option -Wno-shadow" 2>/dev/null ||
    { echo "clang-tidy: harness/$1" >&2; return 1; }
  touch "$cache/$key"
}
export -f tidy_folder

cut -d ' ' -f 1 "$work/flags" | cut -d / -f 2 | sort | uniq -c | sort -rn |
  awk -v eighth="${2:-}" 'eighth == "" || NR % 8 == eighth % 8 { print $2 }' |
  xargs -P "$(nproc)" -I FOLDER bash -c 'tidy_folder FOLDER' && echo 'tidy: ok'
