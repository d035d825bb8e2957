#!/usr/bin/env bash
# tests/bench/search_test.sh: what `make bench-search` is made of. Exits with 77, skipped, without python3 or curl.
set -euo pipefail
for program in python3 curl; do
  command -v "$program" >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done
exec python3 -B "$(dirname "${BASH_SOURCE[0]}")/search_test.py"
