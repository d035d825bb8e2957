#include "judge/draw.h"

#include <random>

#include "core/random.h"

namespace tailwave {

std::uint64_t random_session_seed() {
  constexpr unsigned kUnused = 64 - 53;
  std::random_device device;
  const std::uint64_t high = device();
  return ((high << 32U) ^ device()) >> kUnused;
}

void draw_inputs_of_session(System& system, std::uint64_t session_seed) {
  const std::uint64_t session = split_mix(session_seed + kGoldenGamma);
  for (auto& [name, buffer] : system.buffers)
    if (buffer.fill.kind == Fill::Kind::uniform) buffer.fill.seed = split_mix(buffer.fill.seed ^ session);
}

}  // namespace tailwave
