#!/usr/bin/env bash
# cmake/test.sh BUILD [CTEST OPTION...]: all tests of BUILD, in parallel. What failed is run once more, so that its output
# ends the log; it counts as failed all the same, unless all that was wrong is that LeakSanitizer's own tracer died after
# tests that had passed ("Tracer caught signal 11", seen in two of some thousand runs).
set -uo pipefail
build=$1
shift
ctest --test-dir "$build" --output-on-failure --timeout 300 --parallel "$(nproc)" --repeat after-timeout:2 "$@"
status=$?
logs=$build/Testing/Temporary
grep -h '^skipped: ' "$logs/LastTest.log" # what ctest does not say
[ $status -ne 0 ] || exit 0
failed=$(wc -l <"$logs/LastTestsFailed.log")
died=$(grep -c 'LeakSanitizer has encountered a fatal error' "$logs/LastTest.log")
echo "What failed, once more:"
ctest --test-dir "$build" --output-on-failure --test-output-size-failed 6000 --test-output-truncation middle \
  --timeout 300 --rerun-failed || exit 1
[ "$failed" -eq "$died" ] || exit 1
echo "LeakSanitizer itself had failed, in $died tests that passed now."
