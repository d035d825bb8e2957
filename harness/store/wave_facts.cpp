#include "store/wave_facts.h"

namespace tailwave {

std::optional<WaveFacts> wave_facts(const Statement& row, int first) {
  if (row.is_null(first + 1)) return std::nullopt;
  return WaveFacts{.occupancy_device = row.text(first),
                   .kernel = row.text(first + 1),
                   .grid = row.integer(first + 2),
                   .block = row.integer(first + 3),
                   .registers = row.optional_integer(first + 4),
                   .blocks_per_sm = row.optional_integer(first + 5),
                   .driver_blocks_per_sm = row.optional_integer(first + 6),
                   .spill_bytes = row.optional_integer(first + 7),
                   .limiter = row.text(first + 8),
                   .occupancy = row.optional_real(first + 9),
                   .waves = row.optional_real(first + 10),
                   .tail_fraction = row.optional_real(first + 11)};
}

}  // namespace tailwave
