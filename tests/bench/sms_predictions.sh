#!/usr/bin/env bash
# tests/bench/sms_predictions.sh TAILWAVE [DEVICE]: how near `plan --from` comes on a GPU that can be had: the same one with
# 16, 32, 64 and 104 of its SMs. Everything runs, and is counted, on the whole GPU; from that the others are predicted, and then
# they are measured. A row a configuration and number of SMs, then by what predictions rest on: how many of the measured times
# are in the 80 % and in the 95 % interval, and how far off the predictions are.
set -euo pipefail
tailwave=$(realpath "$1") device=${2:-auto}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
systems=tests/bench/systems/experiments
specs=(experiments/nbody/scaling.json experiments/jacobi/reduction.json "$systems/streams/shapes.json" "$systems/rows/kinds.json"
       "$systems/rows/clusters.json")
sms=(16 32 64 104)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
database=$folder/db

for spec in "${specs[@]}"; do
  "$tailwave" run "$spec" --device "$device" --db "$database" --counters --counters-most 20 --quiet >/dev/null || true
  for some in "${sms[@]}"; do
    "$tailwave" run "$spec" --device "$device" --db "$database" --sms "$some" --quiet >/dev/null || true
  done
done
name=$("$tailwave" query --db "$database" --format csv --sql "SELECT name FROM device WHERE kind = 'cuda' AND name NOT LIKE '%SMs)'" | sed -n 2p)
for spec in "${specs[@]}"; do
  for some in "${sms[@]}"; do
    "$tailwave" plan "$spec" --from "$name" --target "$name:$some" --db "$database" --format csv --quiet >"$folder/$some.csv" ||
      continue
    awk -v sms="$some" 'NR > 1 { print sms "," $0 }' "$folder/$some.csv" >>"$folder/rows.csv"
  done
done
python3 - "$folder/$some.csv" "$folder/rows.csv" <<'END'
import csv, statistics, sys
columns = ["sms"] + next(csv.reader(open(sys.argv[1])))
rows = [dict(zip(columns, row)) for row in csv.reader(open(sys.argv[2]))]
judged = {}
print("SMs  predicted  measured  off %   80 % interval        basis     limit    configuration")
for row in rows:
    if row["outcome"] != "predicted" or not row["measured_us"]:
        print(row["sms"], row["configuration"], row["outcome"], row["why"])
        continue
    predicted, measured = float(row["predicted_us"]), float(row["measured_us"])
    low80, high80, low95, high95 = (float(row[key]) for key in ("low_80_us", "high_80_us", "low_95_us", "high_95_us"))
    off = 100 * (predicted / measured - 1)
    judged.setdefault(row["basis"], []).append((low80 <= measured <= high80, low95 <= measured <= high95, abs(off)))
    print(f"{row['sms']:>3} {predicted:10.2f} {measured:9.2f} {off:+6.1f}   {low80:8.2f} to {high80:8.2f} {row['basis']:>9} {row['limit']:>9} "
          f"{row['configuration']}")
for basis, found in sorted(judged.items()):
    print(f"by {basis}: {len(found)} times, {sum(one[0] for one in found)} in the 80 % interval, {sum(one[1] for one in found)} in the "
          f"95 % interval, off by {statistics.median(one[2] for one in found):.1f} % (median)")
END
