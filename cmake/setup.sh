#!/usr/bin/env bash
# Installs what is missing: packages of Debian 12 or Ubuntu 24.04, and CUDA's compiler and headers.
#
#   cmake/setup.sh [retry] [charts] [bench] [search] [browser] [frameworks] [tidy] [format] [portable] [deb]
#
# retry     looks again for CUDA, and for the wheels of charts, bench, browser and reframe, after an earlier call found none
# charts    also what draws charts (vl-convert, in a Python environment of its own), and the script of it for browsers,
#           which the build puts into the program; going without is no failure
# bench     also what enumeration is compared with (python-constraint2), in the same way
# search    also what fetches recorded spaces and prints the table of strategies on them (curl, python3)
# browser   also what opens the report in the tests (playwright and axe, in the same way), where a Chromium is; on Debian with CI set
#           also Chromium
# frameworks  also the benchmark frameworks that run examples in the tests: ReFrame, in the same way; on Debian with CI set
#           also JUBE
# slurm     also what a Slurm of one node is for the tests, unpacked into .deps/slurm and not installed; on Debian with CI set
# tidy      also clang-tidy        format    also clang-format
# deb       also what finds the dependencies of a package
# portable  also a static Google Benchmark, which the distributions do not package
#
# Does nothing, quickly, when nothing is missing. TAILWAVE_CUDA=toolkit|wheels|none forces where CUDA comes from.
# Everything that is not a package lies in .deps/; .deps/cuda.cmake holds the choice for CMake.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
deps=$PWD/.deps

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$@" >&2; exit 1; }
wanted() { [[ " $features " == *" $1 "* ]]; }

as_root() {
  if [ "$(id -u)" = 0 ]; then env DEBIAN_FRONTEND=noninteractive "$@"
  else sudo -n env DEBIAN_FRONTEND=noninteractive "$@"; fi
}

missing_packages() {
  comm -23 <(printf '%s\n' "$@" | sort) \
    <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | sed -n 's/ installed$//p' | sort)
}

# install_packages NAME...: installs those that are missing; fails with the command to type when it may not.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "this is neither Debian nor Ubuntu; assuming that these are here: $*"
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
    die "these packages are missing: ${missing[*]}" "neither root nor sudo without a password; please run" \
        "  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}"
  fi
  say "installing ${missing[*]}"
  mkdir -p "$deps"
  local log=$deps/apt.log
  as_root apt-get -q update >"$log" 2>&1 || true # an unreachable list matters only if the next line fails
  as_root apt-get -q -y -o DPkg::Lock::Timeout=120 install --no-install-recommends "${missing[@]}" \
    </dev/null >>"$log" 2>&1 || { tail -n 20 "$log" >&2; die "apt-get failed; all of its output: $log"; }
}

# --- CUDA: a toolkit, else the nvidia wheels, else none ------------------------------------------------------

# Sets cuda_include and cuda_library from the toolkit in folder $1, if it is a whole one.
use_toolkit() {
  local library
  [ -f "$1/include/cuda_occupancy.h" ] && [ -f "$1/include/nvrtc.h" ] && [ -f "$1/include/cuda.h" ] || return 1
  for library in "$1"/lib64 "$1"/targets/*/lib "$1"/lib/*-linux-gnu "$1"/lib; do
    if compgen -G "$library/libnvrtc.so*" >/dev/null; then
      cuda_include=$1/include cuda_library=$library
      return 0
    fi
  done
  return 1
}

find_toolkit() {
  local nvcc folder
  nvcc=$(command -v nvcc || true)
  [ -z "$nvcc" ] || nvcc=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
  while read -r folder; do
    if [ -n "$folder" ] && use_toolkit "$folder"; then return 0; fi
  done < <(printf '%s\n' "${CUDA_PATH:-}" "${CUDA_HOME:-}" "$nvcc" /usr/local/cuda
           compgen -G '/usr/local/cuda-*' | sort -rV)
  return 1
}

# Of one CUDA release: NVRTC; cuda.h and cuda_occupancy.h; the headers that those and templates include; CUPTI.
wheels='nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88 nvidia-cuda-cccl==13.0.85'
wheels+=' nvidia-cuda-cupti==13.0.85'

fetch_wheels() {
  local new=$deps/cuda.new
  if ! python3 -m pip --version >/dev/null 2>&1; then
    # In a subshell: without root this machine still has the CPU device.
    (install_packages python3 python3-pip) || return 1
  fi
  say "fetching NVRTC, CUPTI and CUDA headers: $wheels"
  rm -rf "$new" && mkdir -p "$new"
  # shellcheck disable=SC2086
  PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 python3 -m pip install --quiet --retries 1 \
    --no-deps --only-binary :all: --target "$new" $wheels </dev/null >"$deps/pip.log" 2>&1 || return 1
  rm -rf "$deps/cuda"
  mv "$new"/nvidia/cu13 "$deps/cuda"
  rm -rf "$new"
  echo "$wheels" >"$deps/cuda/wheels"
}

use_wheels() {
  if [ "$(cat "$deps/cuda/wheels" 2>/dev/null)" != "$wheels" ]; then
    if [ -f "$deps/cuda.failed" ] && ! wanted retry; then return 1; fi
    mkdir -p "$deps"
    if ! fetch_wheels; then
      touch "$deps/cuda.failed"
      return 1
    fi
  fi
  rm -f "$deps/cuda.failed"
  use_toolkit "$deps/cuda"
}

# Stores the choice; leaves an unchanged file alone so that CMake has nothing to do.
store_cuda() {
  local text
  text=$(printf '# Written by cmake/setup.sh: where CUDA comes from (%s).\nset(%s "%s")\nset(%s "%s")' \
    "$1" TAILWAVE_CUDA_INCLUDE "$cuda_include" TAILWAVE_CUDA_LIBRARY "$cuda_library")
  if [ "$(cat "$deps/cuda.cmake" 2>/dev/null)" = "$text" ] && ! wanted retry; then return 0; fi
  mkdir -p "$deps"
  echo "$text" >"$deps/cuda.cmake"
  case $1 in
    none) say "CUDA: none (no toolkit, no wheels); this build has the CPU device alone" ;;
    *) say "CUDA: $1, headers in $cuda_include, libraries in $cuda_library" ;;
  esac
}

choose_cuda() {
  local cuda_include="" cuda_library=""
  case ${TAILWAVE_CUDA:-auto} in
    auto)
      if find_toolkit; then store_cuda toolkit
      elif use_wheels; then store_cuda wheels
      else store_cuda none; fi ;;
    toolkit) find_toolkit || die "TAILWAVE_CUDA=toolkit, but no CUDA toolkit was found; set CUDA_PATH to its folder"
      store_cuda toolkit ;;
    wheels) features+=" retry "
      use_wheels || die "TAILWAVE_CUDA=wheels, but the wheels could not be fetched; see $deps/pip.log"
      store_cuda wheels ;;
    none) store_cuda none ;;
    *) die "TAILWAVE_CUDA is '$TAILWAVE_CUDA'; it may be toolkit, wheels, none or auto" ;;
  esac
}

# --- pinned wheels, each in an environment of its own --------------------------------------------------------

chart_wheel='vl-convert-python==1.9.0.post1'
bench_wheel='python-constraint2==2.9.0'
browser_wheels='playwright==1.65.2 greenlet==3.5.6 axe-playwright-python==0.1.8'

# ReFrame and what it imports; not polars, without which it keeps no history of results.
reframe_wheels='reframe-hpc==4.10.4 archspec==0.2.7 argcomplete==3.7.2 attrs==26.1.0 certifi==2026.10.19.post1'
reframe_wheels+=' charset-normalizer==3.5.3 ClusterShell==1.10.1 fasteners==0.20 idna==3.20 Jinja2==3.1.6 jsonschema==4.26.0'
reframe_wheels+=' jsonschema-specifications==2025.9.1 lxml==6.1.3 MarkupSafe==3.0.4 PyYAML==6.0.4 referencing==0.37.0'
reframe_wheels+=' requests==2.34.2 rpds-py==2026.9.1 semver==3.1.2 tabulate==0.10.0 typing-extensions==4.16.0 urllib3==2.8.0'

# fetch_wheel NAME WHEELS: into .deps/NAME
fetch_wheel() {
  rm -rf "${deps:?}/$1"
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    (install_packages python3 python3-venv) || return 1
  fi
  # shellcheck disable=SC2086
  python3 -m venv "$deps/$1" &&
    PIP_DISABLE_PIP_VERSION_CHECK=1 "$deps/$1/bin/python" -m pip install --quiet --retries 1 --no-deps \
      --only-binary :all: $2 </dev/null
}

# use_wheel NAME WHEELS CONSEQUENCE: says CONSEQUENCE, once, where it cannot be had
use_wheel() {
  [ "$(cat "$deps/$1/wheel" 2>/dev/null)" != "$2" ] || return 0
  if [ -f "$deps/$1.failed" ] && ! wanted retry; then return 0; fi
  say "fetching $2"
  mkdir -p "$deps"
  if fetch_wheel "$1" "$2" >"$deps/$1.log" 2>&1; then
    echo "$2" >"$deps/$1/wheel"
    rm -f "$deps/$1.failed"
  else
    rm -rf "${deps:?}/$1"
    touch "$deps/$1.failed"
    say "that failed (.deps/$1.log); $3, and 'make setup' tries again"
  fi
}

# What draws charts in a browser, for the build: made anew where what it is made of is newer.
make_chart_script() {
  local script=$deps/charts/vega.js.gz file
  [ -x "$deps/charts/bin/python" ] || return 0
  for file in analysis/charts/bundle.py analysis/charts/vega.LICENSES.txt "$deps/charts/wheel"; do
    if ! [ "$script" -nt "$file" ]; then
      "$deps/charts/bin/python" -I analysis/charts/bundle.py "$script"
      return
    fi
  done
}

# Ubuntu's package of Chromium is none: it points to a snap.
use_browser() {
  if [ -n "${CI:-}" ] && grep -qx 'ID=debian' /etc/os-release; then
    (install_packages chromium) || say "no Chromium: no test opens the report"
  fi
  if command -v chromium chromium-browser google-chrome >/dev/null; then
    use_wheel browser "$browser_wheels" 'no test opens the report'
  fi
}

use_frameworks() {
  if [ -n "${CI:-}" ] && grep -qx 'ID=debian' /etc/os-release; then
    (install_packages jube) || say "no JUBE: no test runs its example"
  fi
  use_wheel reframe "$reframe_wheels" 'no test runs the example of ReFrame'
}

# --- a Slurm for the tests, which the machine does not have afterwards -------------------------------------------

# Sets `archives` to a folder with the packages NAME... and those that they need and that are missing here.
fetch_packages() {
  archives=$deps/slurm.archives
  mkdir -p "$archives/partial"
  as_root apt-get -q update || true
  as_root apt-get -q -y -o "Dir::Cache::archives=$archives" -o DPkg::Lock::Timeout=120 --download-only \
    install --no-install-recommends "$@" </dev/null
}

# Slurm's daemons look at the name by which they were called, which Debian's alternatives give them.
unpack_slurm() {
  local archives archive name
  rm -rf "$deps/slurm"
  fetch_packages slurmctld slurmd slurm-client munge || return 1
  for archive in "$archives"/*.deb; do dpkg-deb -x "$archive" "$deps/slurm" || return 1; done
  for name in slurmctld slurmd slurmstepd; do ln -sf "$name-wlm" "$deps/slurm/usr/sbin/$name" || return 1; done
  rm -rf "$archives"
}

use_slurm() {
  [ ! -x "$deps/slurm/usr/sbin/slurmd" ] || return 0
  if [ -z "${CI:-}" ] || ! grep -qx 'ID=debian' /etc/os-release; then return 0; fi
  if [ -f "$deps/slurm.failed" ] && ! wanted retry; then return 0; fi
  say "fetching Slurm"
  mkdir -p "$deps"
  if unpack_slurm >"$deps/slurm.log" 2>&1; then
    rm -f "$deps/slurm.failed"
  else
    rm -rf "$deps/slurm"
    touch "$deps/slurm.failed"
    say "that failed (.deps/slurm.log); no test submits to Slurm, and 'make setup' tries again"
  fi
}

# --- a static Google Benchmark, from the distribution's source package ---------------------------------------

# The distribution's own package archives as deb-src lines; nothing where apt has no lists yet.
source_lists() {
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' 2>/dev/null |
    awk '$4 ~ /^(Debian|Ubuntu)$/ { print "deb-src", $1, $2, $3 }' | sort -u
}

build_benchmark() {
  local work=$deps/benchmark-source log=$deps/benchmark.log
  [ -f "$deps/benchmark/lib/libbenchmark.a" ] && return 0
  say "building a static Google Benchmark"
  install_packages dpkg-dev
  rm -rf "$work" && mkdir -p "$work/lists/partial"
  source_lists >"$work/sources.list"
  if [ ! -s "$work/sources.list" ]; then
    as_root apt-get -q update >"$log" 2>&1 || true
    source_lists >"$work/sources.list"
  fi
  {
    (cd "$work" &&
      local_apt=(-o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=-
                 -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work" -o "APT::Sandbox::User=$(id -un)") &&
      apt-get -q "${local_apt[@]}" update &&
      apt-get -q "${local_apt[@]}" source benchmark) &&
      source=$(echo "$work"/benchmark-*/) && source=${source%/} &&
      cmake -S "$source" -B "$work/build" -DGIT_VERSION="${source##*-}" -DCMAKE_BUILD_TYPE=Release \
      -DBUILD_SHARED_LIBS=OFF -DBENCHMARK_ENABLE_TESTING=OFF -DBENCHMARK_ENABLE_WERROR=OFF \
      -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX="$deps/benchmark" &&
    cmake --build "$work/build" --parallel "$(nproc)" --target install
  } >"$log" 2>&1 || { tail -n 20 "$log" >&2; die "that failed; all of its output: $log"; }
  rm -rf "$work"
}

features=" $* "
packages=(g++ make cmake ninja-build nlohmann-json3-dev libfmt-dev libcli11-dev libsqlite3-dev zlib1g-dev
          libbenchmark-dev libgtest-dev libgmock-dev libboost-context-dev libxxhash-dev
          libcmark-gfm-dev libcmark-gfm-extensions-dev libre2-dev)
wanted format && packages+=(clang-format-14)
wanted tidy && packages+=(clang-tidy)
wanted deb && packages+=(dpkg-dev)
wanted search && packages+=(curl python3)
# Without these, tests of references in Python and of fetching spaces say why they are skipped.
[ -z "${CI:-}" ] || packages+=(python3-numpy curl)
install_packages "${packages[@]}"
choose_cuda
wanted_wheel() { wanted "$1" || { wanted retry && [ -f "$deps/${2:-$1}.failed" ]; }; }
if wanted_wheel charts; then
  use_wheel charts "$chart_wheel" 'reports will have no charts'
  make_chart_script || say "the script of charts could not be made; charts are pictures alone"
fi
if wanted_wheel bench; then use_wheel bench "$bench_wheel" "'make bench' compares no enumeration"; fi
if wanted_wheel browser; then use_browser; fi
if wanted_wheel frameworks reframe; then use_frameworks; fi
if wanted_wheel slurm; then use_slurm; fi
if wanted portable; then build_benchmark; fi
if wanted retry; then say "everything is here"; fi
