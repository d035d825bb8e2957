#!/usr/bin/env bash
# cmake/alone.sh BUILD EIGHTH: an eighth of what `make alone` does, every eighth file: compiled by itself, and linked with the
# others of the eighth, which finds what two of them define in two ways.
set -euo pipefail
cd "$1"
if ! command -v ninja >/dev/null || [ ! -f build.ninja ]; then
  exec cmake --build . --parallel "$(nproc)" --target alone
fi
ninja -t targets all | sed -nE 's,^((harness|cmake/alone)/.*\.o): CXX_COMPILER.*,\1,p' | sort |
  awk -v eighth="$2" 'NR % 8 == eighth % 8' >eighth.txt
mapfile -t objects <eighth.txt
ninja "${objects[@]}"
# Only what the whole is linked of: objects that others load (harness/capture) are not made for link-time optimisation, and
# the linker of GCC 12 crashes where both meet.
ninja -t query cmake/alone/harness_at_once | sed -nE 's,^ +(harness/.*\.o)$,\1,p' | sort >whole.txt
mapfile -t linked < <(comm -12 whole.txt <(sort eighth.txt))
if [ ${#linked[@]} -eq 0 ]; then
  echo 'alone: no object of this eighth is one that harness_at_once is linked of' >&2
  exit 1
fi
g++ -flto -r -flinker-output=rel -Wodr -Werror=odr -Wlto-type-mismatch -Werror=lto-type-mismatch "${linked[@]}" -o eighth.o
