#include "measure/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/outcome.h"
#include "measure/launch_plan.h"

namespace tailwave {

std::map<std::string, std::size_t> buffer_counts(const System& system, const VariantSpec& variant,
                                                 const Values& scope) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& name : used_buffers(system, variant)) {
    const std::int64_t count =
        evaluate_size(system.buffers.at(name).count, scope, "count of buffer '" + name + "'");
    if (count < 1) {
      throw Failure(Outcome::launch_failed,
                    fmt::format("count of buffer '{}' is {}, expected at least 1", name, count));
    }
    counts[name] = static_cast<std::size_t>(count);
  }
  return counts;
}

Workspace::Workspace(DeviceData& data, const System& system, const VariantSpec& variant, const Values& scope)
    : data_(data),
      system_(system),
      variant_(variant),
      scope_(scope),
      counts_(buffer_counts(system, variant, scope)) {
  std::vector<DeviceData::Wanted> wanted;
  const Values of_fills = scope_of_reference(system, scope);
  for (const auto& [name, count] : counts_) {
    const BufferSpec& spec = system.buffers.at(name);
    wanted.push_back({name, count, evaluate_placement(spec, scope, name), of_fills, is_maker(variant.name)});
  }
  data_.prepare(system, wanted);
  data_.drop_sets();
  resolve_all(1);
}

void Workspace::resolve_all(std::size_t sets) {
  sets_ = sets;
  prepare_ = resolve(variant_.prepare, sets);
  launches_ = resolve(variant_.launches, sets);
  finish_ = resolve(variant_.finish, 1);
  if (launches_.empty()) throw Failure(Outcome::launch_failed, "no launch takes place");
}

std::vector<Launch> Workspace::resolve(const std::vector<LaunchSpec>& plan, std::size_t sets) const {
  std::vector<Launch> launches;
  for (std::size_t set = 0; set < sets; ++set) {
    const auto find = [&](const std::string& name) {
      return FoundBuffer{system_.buffers.at(name).type, &data_.live(name, set)};
    };
    for (int pe = 0; pe < std::max(1, evaluate_pes(variant_, scope_)); ++pe) {
      std::vector<Launch> resolved = resolve_plan(plan, scope_of_pe(variant_, scope_, pe), find);
      for (Launch& launch : resolved) launch.pe = pe;
      std::move(resolved.begin(), resolved.end(), std::back_inserter(launches));
    }
  }
  return launches;
}

std::int64_t Workspace::bytes_of_a_set() const {
  std::int64_t bytes = 0;
  for (const auto& [name, count] : counts_) {
    const MemoryKind memory = evaluate_memory(system_.buffers.at(name).memory, scope_, name);
    if (memory == MemoryKind::pinned || memory == MemoryKind::pageable) continue;  // in no cache of the GPU
    bytes += static_cast<std::int64_t>(buffer(name).size_bytes());
  }
  return bytes;
}

int Workspace::rotate(std::int64_t cache_bytes) {
  const std::int64_t bytes = bytes_of_a_set();
  const std::int64_t wanted = bytes == 0 ? 1 : 1 + (2 * cache_bytes - 1) / bytes;
  if (wanted > kMostSets) {
    throw Failure(
        Outcome::launch_failed,
        fmt::format("cache mode rotate: {} bytes of buffers fill twice the cache of {} bytes with {} sets, "
                    "more than {}",
                    bytes, cache_bytes, wanted, kMostSets));
  }
  resolve_all(static_cast<std::size_t>(wanted));
  return static_cast<int>(wanted);
}

FreshStart Workspace::fresh_start(std::uint64_t draw, int sets) const {
  constexpr std::uint64_t kDrawsASet = std::uint64_t{1} << 32U;
  FreshStart start{.restored = {}, .prepare = part_of(prepare_, sets)};
  for (int set = 0; set < sets; ++set) {
    const auto number = static_cast<std::uint64_t>(set);
    for (const auto& [name, count] : counts_)
      start.restored.push_back(data_.restoration(name, draw + number * kDrawsASet, number));
  }
  return start;
}

}  // namespace tailwave
