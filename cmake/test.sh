#!/usr/bin/env bash
# cmake/test.sh BUILD [CTEST OPTION...]: all tests of BUILD, in parallel. What failed is run once more; it counts as failed
# all the same, and how it failed at first ends the log. Half as many again as there are cores: tests wait for processes.
set -uo pipefail
build=$1
shift
at_once=$(($(nproc) + ($(nproc) + 1) / 2))
ctest --test-dir "$build" --output-on-failure --timeout 300 --parallel $at_once --repeat after-timeout:2 "$@"
status=$?
log=$build/Testing/Temporary/LastTest.log
grep -h '^skipped: ' "$log" # what ctest does not say
[ $status -ne 0 ] || exit 0
# Of each that failed, what it printed from the first failure on.
how=$(awk '
  / Testing: / { name = $NF; lines = 0; from = 0; next }
  /^Output:$/ { of_test = 1; next }
  /^<end of output>$/ { of_test = 0; next }
  of_test { line[++lines] = $0; if (!from && /: Failure$|ERROR: |runtime error: |^[Ee]rror/) from = lines }
  /^Test Failed\.$/ {
    if (!from) from = lines > 12 ? lines - 11 : 1
    print "--- " name
    for (i = from; i <= lines && i < from + 12; ++i) print line[i]
  }' "$log")
echo "What failed, once more:"
ctest --test-dir "$build" --output-on-failure --test-output-size-failed 6000 --test-output-truncation middle \
  --timeout 300 --rerun-failed "$@" # ctest knows them by numbers, which what is left out changes
printf 'How it failed at first:\n%s\n' "$how"
exit 1
