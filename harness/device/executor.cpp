#include "device/executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/outcome.h"

namespace tailwave {
namespace {

template <class Number>
double number_in(std::span<const std::byte> bytes) {
  Number number{};
  if (bytes.size() < sizeof number) throw std::invalid_argument("a loop's value has too few bytes");
  std::memcpy(&number, bytes.data(), sizeof number);
  return static_cast<double>(number);
}

double number_in(ScalarType type, std::span<const std::byte> bytes) {
  return visit_scalar(type, [&](auto number) { return number_in<decltype(number)>(bytes); });
}

}  // namespace

std::vector<Restoration> FreshStart::of_run(int run) const {
  std::vector<Restoration> all = restored;
  if (run >= others) return all;
  for (Restoration& one : all)
    if (one.random) one.random->draw += other_draws + static_cast<std::uint64_t>(run);
  return all;
}

LaunchTrace Executor::trace(Program& /*program*/, const Launch& /*launch*/, const NotedEntry& /*noted*/) {
  throw Failure(Outcome::launch_failed, "this device cannot trace blocks");
}

void refuse_symmetric(const Placement& place) {
  if (place.memory == MemoryKind::symmetric)
    throw Failure(Outcome::unavailable,
                  "this device has no processing elements, and so no memory that they share");
}

void Executor::use_pes(int pes) {
  if (pes > 0) throw Failure(Outcome::unavailable, "this device has no processing elements");
}

std::vector<std::optional<int>> Executor::active_clusters(Program& /*program*/,
                                                          std::span<const Launch> launches) {
  return std::vector<std::optional<int>>(launches.size());
}

CounterSource& Executor::counters() {
  throw Failure(Outcome::launch_failed, "this device has no hardware counters");
}

PowerState Executor::power_state() {
  throw Failure(Outcome::unavailable, "this device does not count energy: GPUs do, through NVML");
}

RunResult Executor::run(Program& program, std::span<const Launch> launches, const RunOptions& options) {
  return repeat(program, {}, launches, options, 1).at(0);
}

void Executor::upload(Buffer& buffer, std::span<const std::byte> bytes) {
  require_same_size(buffer.size_bytes(), bytes.size());
  upload(buffer, [bytes](std::size_t offset, std::span<std::byte> piece) {
    if (!piece.empty()) std::memcpy(piece.data(), bytes.data() + offset, piece.size());
  });
}

void Executor::download(const Buffer& buffer, std::span<std::byte> bytes) {
  require_same_size(buffer.size_bytes(), bytes.size());
  read({{}, {{&buffer, bytes}}});
}

bool leaves(const LoopExit& exit, std::span<const std::byte> element) {
  return number_in(exit.type, element) <= exit.at_most;
}

void require_valid(const RunOptions& options, std::span<const Launch> launches) {
  const auto require = [](bool kept, const char* rule) {
    if (!kept) throw std::invalid_argument(rule);
  };
  require(options.executions >= 1, "at least one execution is needed");
  require(options.sets >= 1, "at least one set of launches is needed");
  require(launches.size() % static_cast<std::size_t>(options.sets) == 0,
          "every set needs the same number of launches");
  require(!options.flush_cache || options.executions == 1, "the cache is flushed before one execution only");
  require(!options.graph || !has_exit(launches), "a loop that ends on a value cannot be a graph");
}

void require_room(const std::string& variable, std::size_t variable_bytes, std::size_t buffer_bytes) {
  if (buffer_bytes <= variable_bytes) return;
  throw Failure(Outcome::launch_failed,
                fmt::format("the variable '{}' has {} bytes, the buffer to copy into it {}", variable,
                            variable_bytes, buffer_bytes));
}

void require_equal_copy(const Buffer& from, const Buffer& to) {
  if (from.size_bytes() == to.size_bytes()) return;
  throw Failure(Outcome::launch_failed, fmt::format("a buffer of {} bytes is to be copied into one of {}",
                                                    from.size_bytes(), to.size_bytes()));
}

void require_same_size(std::size_t buffer_bytes, std::size_t other_bytes) {
  if (buffer_bytes == other_bytes) return;
  throw std::invalid_argument(
      fmt::format("a buffer of {} bytes and {} bytes of data", buffer_bytes, other_bytes));
}

}  // namespace tailwave
