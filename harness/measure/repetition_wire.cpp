#include <algorithm>
#include <stdexcept>

#include "device/packing.h"
#include "measure/repetition.h"

namespace tailwave {
namespace {

std::size_t place_of(const System* system, std::span<const System* const> systems) {
  const auto place = std::find(systems.begin(), systems.end(), system);
  if (place == systems.end()) throw std::logic_error("a worker was not started with this system");
  return static_cast<std::size_t>(place - systems.begin());
}

}  // namespace

void put(Packet& packet, const Repetition& repetition, std::span<const System* const> systems) {
  packet << place_of(repetition.system, systems) << repetition;
}

Repetition take_repetition(Packet& packet, std::span<const System* const> systems) {
  const auto place = take<std::size_t>(packet);
  if (place >= systems.size()) throw std::out_of_range("a system that the worker does not have");
  auto repetition = take<Repetition>(packet);
  repetition.system = systems[place];
  return repetition;
}

}  // namespace tailwave
