#include "report/explained_factors.h"

#include <algorithm>

#include "occupancy/launch_speed.h"

namespace tailwave {
namespace {

std::optional<double> over(std::optional<double> value, std::optional<double> divisor) {
  if (!value || !divisor || *divisor <= 0) return std::nullopt;
  return *value / *divisor;
}

std::optional<GridOnDevice> launch_of(const ExplainedSide& side) {
  if (!side.waves || side.waves->grid < 1 || side.waves->block < 1 || side.sms < 1) return std::nullopt;
  const WaveFacts& facts = *side.waves;
  const std::int64_t blocks = facts.blocks_per_sm.value_or(0), sms = facts.sms.value_or(side.sms);
  const std::int64_t clusters = facts.cluster.value_or(0) * facts.active_clusters.value_or(0);
  return GridOnDevice{facts.grid, facts.block,
                      clusters > 0 && blocks > 0 ? filled_sms(clusters, blocks) : sms, blocks};
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

LaunchFacts launch_facts(const ExplainedSide& side) {
  LaunchFacts facts;
  const std::optional<GridOnDevice> launch = launch_of(side);
  if (!launch) return facts;
  facts.blocks = static_cast<double>(launch->grid);
  facts.sms = static_cast<double>(launch->sms);
  facts.block = static_cast<double>(launch->block);
  facts.used_sms = std::min(1.0, facts.blocks / facts.sms);
  facts.lanes = lane_share(*launch);
  if (launch->blocks_per_sm < 1) return facts;
  facts.balance = wave_balance(*launch);
  facts.hiding = latency_hiding(*launch);
  facts.warps = static_cast<double>(warps_at_once(*launch));
  return facts;
}

}  // namespace tailwave
