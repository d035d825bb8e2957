#!/usr/bin/env bash
# cmake/test.sh BUILD [CTEST OPTION...]: all tests of BUILD, in parallel. What failed is run once more, so that its output
# ends the log; it counts as failed all the same. Half as many again as there are cores: tests wait for processes.
set -uo pipefail
build=$1
shift
at_once=$(($(nproc) + ($(nproc) + 1) / 2))
ctest --test-dir "$build" --output-on-failure --timeout 300 --parallel $at_once --repeat after-timeout:2 "$@"
status=$?
grep -h '^skipped: ' "$build/Testing/Temporary/LastTest.log" # what ctest does not say
[ $status -ne 0 ] || exit 0
echo "What failed, once more:"
ctest --test-dir "$build" --output-on-failure --test-output-size-failed 6000 --test-output-truncation middle \
  --timeout 300 --rerun-failed "$@" # ctest knows them by numbers, which what is left out changes
exit 1
