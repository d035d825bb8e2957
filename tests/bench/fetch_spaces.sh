#!/usr/bin/env bash
# tests/bench/fetch_spaces.sh FOLDER [LIST]: the public spaces of spaces.txt, or of LIST, as FOLDER/NAME.json.gz, 45 MiB.
# What is there with the SHA-256 that is listed stays. TAILWAVE_SPACES_URL is where the paths of the list begin, such as
# file:///FOLDER of a copy.
set -euo pipefail
folder=$1 list=${2:-$(dirname "${BASH_SOURCE[0]}")/spaces.txt}
commit=8eeb99e7179e6838af95d392ac6c60cebfd8c434
base=${TAILWAVE_SPACES_URL:-https://raw.githubusercontent.com/AutoTuningAssociation/benchmark_hub/$commit}

say() { printf 'fetch_spaces: %s\n' "$*"; }
die() { printf 'fetch_spaces: %s\n' "$@" >&2; exit 1; }

has_hash() { [ "$(sha256sum <"$1")" = "$2  -" ]; }

# fetch NAME SHA256 PATH
fetch() {
  local file=$folder/$1.json.gz url=$base/$3 log
  if [ -f "$file" ] && has_hash "$file" "$2"; then return 0; fi
  log=$(curl --fail --silent --show-error --location --retry 2 --max-time 300 --output "$file.part" "$url" 2>&1) ||
    die "$1: $url cannot be fetched: ${log##*$'\n'}" \
        "TAILWAVE_SPACES_URL=file:///FOLDER takes a copy of the repository at commit $commit"
  if ! has_hash "$file.part" "$2"; then
    rm "$file.part"
    die "$1: the SHA-256 of $url is not the one that $list has ($2)"
  fi
  mv "$file.part" "$file"
  fetched=$((fetched + 1))
}

[ -r "$list" ] || die "$list cannot be read"
command -v curl >/dev/null || die "curl is missing: 'cmake/setup.sh search' installs it"
mkdir -p "$folder"
fetched=0 count=0
while IFS=$'\t' read -r name _ _ sha256 path; do
  case $name in '' | '#'*) continue ;; esac
  fetch "$name" "$sha256" "$path"
  count=$((count + 1))
done <"$list"
say "$count public spaces in $folder, $fetched of them fetched now"
