#!/usr/bin/env bash
# tests/bench/search_test.sh TAILWAVE: what `make bench-search` is made of. Exits with 77, skipped, without python3 or curl.
set -euo pipefail
for program in python3 curl; do
  command -v "$program" >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done
PYTHONDONTWRITEBYTECODE=1 TAILWAVE=$1 exec python3 "$(dirname "${BASH_SOURCE[0]}")/search_test.py"
