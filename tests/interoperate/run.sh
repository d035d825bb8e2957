#!/usr/bin/env bash
# tests/interoperate/run.sh TAILWAVE FOLDER TOOL: runs an example of docs/interoperate by the program that it is for, jube or
# reframe, or reads figures as ramble does, in FOLDER, on the CPU device, with fewer bodies than it has, which takes a second; what was
# read is held against the database. Exits with 77, which CTest calls skipped, where the program is not here, and says why.
set -euo pipefail
tailwave=$(realpath "$1")
folder=$(realpath -m "$2")
tool=$3
source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
reframe=$source_folder/.deps/reframe/bin

skip() {
  echo "skipped: $*"
  exit 77
}

python3 -c '' 2>/dev/null || skip "there is no python3"
case $tool in
  jube) command -v jube >/dev/null || skip "there is no JUBE here (Debian: apt install jube)" ;;
  reframe) [ -x "$reframe/reframe" ] || skip "'cmake/setup.sh frameworks' found no packages on PyPI, or was not run" ;;
esac
rm -rf "$folder"
mkdir -p "$folder"/{bin,docs,experiments/nbody}
ln -s "$tailwave" "$folder/bin/tailwave"
export PATH=$folder/bin:$reframe:$PATH PYTHONDONTWRITEBYTECODE=1 TAILWAVE_LEASES=$folder/leases
cd "$folder"
cp -r "$source_folder/docs/interoperate" docs/
ln -s "$source_folder/kernel_templates" .
sed 's/"N": \[4096\]/"N": [512]/' "$source_folder/experiments/nbody/variants.json" >experiments/nbody/variants.json
grep -q '\[512\]' experiments/nbody/variants.json
exec python3 "$source_folder/tests/interoperate/${tool}_test.py" "$folder/docs/interoperate"
