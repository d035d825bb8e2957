#!/usr/bin/env bash
# tests/slurm/run.sh TAILWAVE FOLDER: submits an experiment to a real Slurm of its own, kills a task, a daemon of Slurm and a
# merge under way, and asks for the answer of one run. Exits with 77, which CTest calls skipped, where that cannot be done
# here, and says why.
set -euo pipefail
tailwave=$1
folder=$2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=$PWD/tests/slurm
source tests/slurm/site.sh

skip() {
  echo "skipped: $*"
  exit 77
}

fail() {
  echo "failed: $*" >&2
  "$tailwave" status "$submission" >&2 || true
  squeue --states=all >&2 || true
  tail -n 5 "$submission"/logs/* "$folder"/site/slurm*.log >&2 || true
  exit 1
}

[ "$(id -u)" = 0 ] || skip "slurmd has to be root to start jobs"
[ -x .deps/slurm/usr/sbin/slurmd ] || skip "'CI=1 cmake/setup.sh slurm' was not run, found no packages, or this is not Debian"
command -v python3 >/dev/null || skip "there is no python3 here"
[ ! -e "$folder" ] || rm -r "$folder"
mkdir -p "$folder/site" "$folder/project" "$folder/leases"
folder=$(realpath "$folder")
submission="$folder/it's a submission"
killer=""
trap '[ -z "$killer" ] || kill "$killer" 2>/dev/null || true; end_site' EXIT
trap 'exit 1' INT TERM
begin_site "$folder/site" || { echo "skipped: this machine does not let a Slurm start"; exit 77; }
export TAILWAVE_LEASES=$folder/leases TAILWAVE_CACHE=$folder/cache TMPDIR=$folder

# --- an experiment whose times are said, not taken: 36 configurations, of which one fails --------------------------

cd "$folder/project"
mkdir -p kernel_templates/said experiments/said
cat >kernel_templates/said/copy.sh <<SCRIPT
cp "\$1" "\$2"
[ ! -e '$folder/project/slow' ] || sleep 0.05
[ "\$3" != 7 ] || exit 1
echo "{\"time_s\": \$((3 + (\$3 - 20) * (\$3 - 20)))e-6}"
SCRIPT
cat >kernel_templates/said/same.cpp <<'SOURCE'
extern "C" void same(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = x[i]; }
SOURCE
cat >kernel_templates/said/system.json <<'JSON'
{ "schema_version": 1, "name": "said", "problem": {"N": {"type": "int", "default": 100}},
  "buffers": {"x": {"type": "float32", "count": "N", "fill": {"kind": "uniform"}},
              "y": {"type": "float32", "count": "N", "output_only": true}},
  "reference": {"variant": "same", "compare": {"y": {"norm": "exact"}}},
  "variants": {
    "same": {"target": "host", "source": "same.cpp", "launches": [{"function": "same", "args": ["x", "y", "N"]}]},
    "copy": {"target": "reporting_program", "source": "copy.sh", "parameters": {"WAY": 1},
             "launches": [{"command": ["sh", "{program}", "{x}", "{y}", "{WAY}"]}]}}}
JSON
ways=$(seq -s, 36)
cat >experiments/said/ways.json <<JSON
{ "schema_version": 1, "name": "ways", "system": "said", "question": "Which?",
  "cases": [{"variant": "copy", "parameters": {"WAY": [$ways]}}],
  "metric": {"name": "time"}, "measure": {"samples": 6, "time_cap_s": 60, "warmup": 0}}
JSON

# --- helpers --------------------------------------------------------------------------------------------------

# task K: the process of a task
task() { python3 -I "$here/process.py" find "$tailwave" submit "$submission" --task "$1"; }

# within SECONDS WHAT COMMAND...: until it succeeds
within() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || fail "$what"
    sleep 0.1
  done
}

state() { "$tailwave" status "$submission" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["state"])'; }
state_is() { [ "$(state)" = "$1" ]; }
has_published() { [ -s "$submission/shards/$1.db" ]; }
is_running() { [ -n "$(task "$1")" ]; }
ask() { "$tailwave" query --db "$1" --format csv --sql "$2" | tail -n 1; }

# A node that comes back without the daemon of a job.
has_lost() {
  restart_node
  [ -z "$(squeue --noheader --states=RUNNING --format=%A --jobs="$1")" ]
}

# --- the test -------------------------------------------------------------------------------------------------

"$tailwave" run experiments/said/ways.json --device cpu --db one.db >one.log 2>&1
touch slow # until what is to be killed was
"$tailwave" submit experiments/said/ways.json --tasks 6 --gres gpu:1 --device cpu --publish-every 1 \
  --folder "$submission" -- --time=10 --comment='two "words"'

python3 -I "$here/process.py" kill "$tailwave" submit "$submission" --merge &
killer=$!
within 60 "task 1 never ran" has_published 1
kill -9 "$(task 1)"
echo "killed task 1"

within 60 "task 3 never published" has_published 3
is_running 3 || fail "task 3 ended before its daemon could be killed"
job=$(squeue --noheader --array --states=RUNNING --format='%A %K' | awk '$2 == 3 {print $1}')
daemon=$(python3 -I "$here/process.py" find "slurmstepd: [$job.batch]")
kill -9 "${daemon:?no slurmstepd of job $job}"
rm slow
within 60 "Slurm never saw that the daemon of task 3 is gone" has_lost "$job"
echo "killed slurmstepd of task 3"

wait "$killer"
killer=""
echo "killed the merge"
within 60 "the submission never came to rest" state_is ended
"$tailwave" submit "$submission"
within 60 "the submission was never complete" state_is complete

[ "$(ask "$submission/merged.db" "SELECT count(*) || ' ' || count(DISTINCT configuration_id) FROM trial")" = '36 36' ] ||
  fail "rows were lost or doubled"
"$tailwave" query best --db one.db --json >one.json
"$tailwave" query best --db "$submission/merged.db" --json >merged.json
cmp one.json merged.json || fail "the answer is not that of one run"
"$tailwave" status "$submission"
echo "36 configurations once each, and the answer of one run"
