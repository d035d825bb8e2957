#!/usr/bin/env bash
# tests/python/run.sh TAILWAVE: the Python package as pip installs it, against this program. Exits with 77, skipped, without
# a python3 of 3.9 or later.
set -euo pipefail
tailwave=$1
source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
  echo "skipped: there is no python3 of 3.9 or later"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PYTHONDONTWRITEBYTECODE=1 TAILWAVE_LEASES=$folder/leases
# What `pip install .` does, without pip, which not every python3 has.
(cd "$source_folder" && python3 - "$folder" <<'END'
import sys
sys.path.insert(0, "harness/python")
import build_tailwave
import zipfile
zipfile.ZipFile(f"{sys.argv[1]}/" + build_tailwave.build_wheel(sys.argv[1])).extractall(f"{sys.argv[1]}/package")
END
)
cd "$folder"
PYTHONPATH="$folder/package" TAILWAVE="$tailwave" TAILWAVE_SOURCE_DIR="$source_folder" \
  python3 "$source_folder/tests/python/judge_test.py"
PYTHONPATH="$folder/package${PYTHONPATH:+:$PYTHONPATH}" TAILWAVE="$tailwave" \
  python3 "$source_folder/tests/python/from_triton_test.py"
mkdir results
for test in results plots; do
  PYTHONPATH="$folder/package${PYTHONPATH:+:$PYTHONPATH}" TAILWAVE="$tailwave" TAILWAVE_SOURCE_DIR="$source_folder" \
    python3 "$source_folder/tests/python/${test}_test.py"
done
