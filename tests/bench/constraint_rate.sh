#!/usr/bin/env bash
# tests/bench/constraint_rate.sh: the rate of python-constraint2 on the spaces of space_bench, if `cmake/setup.sh bench` could
# fetch it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if [ -x .deps/bench/bin/python ]; then .deps/bench/bin/python tests/bench/constraint_rate.py
else echo 'python-constraint2: not here (.deps/bench.log), so there is no rate beside enumerate_space'; fi
