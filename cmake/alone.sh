#!/usr/bin/env bash
# cmake/alone.sh BUILD THIRD: a third of what `make alone` does, every third file: compiled by itself, and linked with the
# others of the third, which finds what two of them define in two ways.
set -euo pipefail
cd "$1"
if ! command -v ninja >/dev/null || [ ! -f build.ninja ]; then
  exec cmake --build . --parallel "$(nproc)" --target alone
fi
ninja -t targets all | sed -nE 's,^((harness|cmake/alone)/.*\.o): CXX_COMPILER.*,\1,p' | sort |
  awk -v third="$2" 'NR % 3 == third % 3' >third.txt
mapfile -t objects <third.txt
ninja "${objects[@]}"
mapfile -t linked < <(grep '^harness/' third.txt)
g++ -flto -r -flinker-output=rel -Wodr -Werror=odr -Wlto-type-mismatch -Werror=lto-type-mismatch "${linked[@]}" -o third.o
