#!/usr/bin/env bash
# cmake/alone.sh BUILD SIXTH: a sixth of what `make alone` does, every sixth file: compiled by itself, and linked with the
# others of the sixth, which finds what two of them define in two ways.
set -euo pipefail
cd "$1"
if ! command -v ninja >/dev/null || [ ! -f build.ninja ]; then
  exec cmake --build . --parallel "$(nproc)" --target alone
fi
ninja -t targets all | sed -nE 's,^((harness|cmake/alone)/.*\.o): CXX_COMPILER.*,\1,p' | sort |
  awk -v sixth="$2" 'NR % 6 == sixth % 6' >sixth.txt
mapfile -t objects <sixth.txt
ninja "${objects[@]}"
mapfile -t linked < <(grep '^harness/' sixth.txt)
g++ -flto -r -flinker-output=rel -Wodr -Werror=odr -Wlto-type-mismatch -Werror=lto-type-mismatch "${linked[@]}" -o sixth.o
