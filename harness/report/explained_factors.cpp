#include "report/explained_factors.h"

namespace tailwave {
namespace {

std::optional<double> over(std::optional<double> value, std::optional<double> divisor) {
  if (!value || !divisor || *divisor <= 0) return std::nullopt;
  return *value / *divisor;
}

}  // namespace

CountedFactors counted_factors(const ExplainedSide& side) {
  CountedFactors one;
  if (!side.counted || side.sms == 0) return one;
  const CountedPlan& counted = *side.counted;
  const double sms = side.sms;
  one.time_ns = counted.sum("gpu__time_duration.sum");
  one.cycles = counted.sum("sm__cycles_elapsed.avg");
  one.instructions = counted.sum("smsp__inst_executed.sum");
  const auto warps = counted.sum("sm__warps_active.sum"), active = counted.sum("sm__cycles_active.avg");
  one.clock_mhz = over(one.cycles, one.time_ns);
  if (one.clock_mhz) *one.clock_mhz *= 1000;
  one.busy_sms = over(active, one.cycles);
  one.busy_ipc = over(over(one.instructions, sms), active);
  one.busy_warps = over(over(warps, sms), active);
  one.warp_cycles = over(warps, one.instructions);
  return one;
}

}  // namespace tailwave
