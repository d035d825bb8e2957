#include "measure/workspace.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "measure/inputs.h"
#include "measure/launch_plan.h"

namespace tailwave {
namespace {

std::string overwritten(const std::string& buffer, const std::string& damage) {
  return damage.empty() ? "" : fmt::format("guard words of buffer '{}' overwritten: {}", buffer, damage);
}

}  // namespace

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

BufferContents make_inputs(const System& system, const VariantSpec& variant, const Values& scope,
                           std::uint64_t draw) {
  BufferContents contents;
  for (const auto& [name, count] : buffer_counts(system, variant, scope)) {
    const BufferSpec& spec = system.buffers.at(name);
    if (!uniform_byte(spec)) contents[name] = make_input(spec, count, draw);
  }
  return contents;
}

std::shared_ptr<const BufferContents> InputCache::get(const System& system, const VariantSpec& variant,
                                                      const Values& scope, std::uint64_t draw) {
  std::string key = fmt::format("{} {} {}", system.file.string(), system.name, draw);
  for (const auto& [name, count] : buffer_counts(system, variant, scope))
    key += fmt::format(" {} {}", name, count);
  return made_.get(key, [&] { return make_inputs(system, variant, scope, draw); });
}

Workspace::Workspace(Executor& executor, const System& system, const VariantSpec& variant,
                     const Values& scope)
    : executor_(executor), system_(system), variant_(variant), scope_(scope) {
  for (const auto& [name, count] : buffer_counts(system, variant, scope)) {
    const std::size_t bytes = count * size_bytes(system.buffers.at(name).type);
    Copies& copies = buffers_[name];
    copies.gpu =
        evaluate_number(system.buffers.at(name).gpu, scope, "gpu of buffer '" + name + "'", kMostGpus);
    copies.live.push_back(executor.allocate_on(copies.gpu, bytes));
    copies.pristine = executor.allocate_on(copies.gpu, bytes);
  }
  resolve_all(1);
}

void Workspace::resolve_all(std::size_t sets) {
  prepare_ = resolve(variant_.prepare, sets);
  launches_ = resolve(variant_.launches, sets);
  finish_ = resolve(variant_.finish, 1);
  if (launches_.empty()) throw Failure(Outcome::launch_failed, "no launch takes place");
}

std::vector<Launch> Workspace::resolve(const std::vector<LaunchSpec>& plan, std::size_t sets) const {
  std::vector<Launch> launches;
  for (std::size_t set = 0; set < sets; ++set) {
    const auto find = [&](const std::string& name) {
      return FoundBuffer{system_.buffers.at(name).type, buffers_.at(name).live.at(set).get()};
    };
    std::vector<Launch> resolved = resolve_plan(plan, scope_, find);
    std::move(resolved.begin(), resolved.end(), std::back_inserter(launches));
  }
  return launches;
}

int Workspace::rotate(std::int64_t cache_bytes) {
  std::int64_t bytes = 0;
  for (const auto& [name, copies] : buffers_)
    bytes += static_cast<std::int64_t>(copies.pristine->size_bytes());
  const std::int64_t wanted = bytes == 0 ? 1 : 1 + (2 * cache_bytes - 1) / bytes;
  if (wanted > kMostSets) {
    throw Failure(
        Outcome::launch_failed,
        fmt::format("cache mode rotate: {} bytes of buffers fill twice the cache of {} bytes with {} sets, "
                    "more than {}",
                    bytes, cache_bytes, wanted, kMostSets));
  }
  for (auto& [name, copies] : buffers_) {
    while (static_cast<std::int64_t>(copies.live.size()) < wanted)
      copies.live.push_back(executor_.allocate_on(copies.gpu, copies.pristine->size_bytes()));
  }
  resolve_all(static_cast<std::size_t>(wanted));
  return static_cast<int>(wanted);
}

void Workspace::upload(const BufferContents& inputs) {
  for (auto& [name, copies] : buffers_) {
    if (const auto byte = uniform_byte(system_.buffers.at(name))) {
      executor_.fill(*copies.pristine, *byte);
    } else {
      executor_.upload(*copies.pristine, inputs.at(name));
    }
  }
  reset();
}

void Workspace::reset() {
  for (const auto& [to, from] : fresh_start().copies) executor_.copy(*to, *from);
}

FreshStart Workspace::fresh_start() const {
  FreshStart start{{}, prepare_};
  for (const auto& [name, copies] : buffers_) {
    for (const auto& live : copies.live) start.copies.emplace_back(live.get(), copies.pristine.get());
  }
  return start;
}

Workspace::Execution Workspace::execute(Program& program, const std::vector<std::string>& wanted) const {
  Execution execution;
  const Guarded guarded = this->guarded();
  ReadingRun reading{prepare_, launches_, finish_, guarded.buffers, {}};
  std::size_t at_once = 0;
  for (const std::string& name : wanted) {
    const Buffer& live = *buffers_.at(name).live.front();
    if (at_once + live.size_bytes() > kMostAtOnce) continue;
    at_once += live.size_bytes();
    std::vector<std::byte>& bytes = execution.results[name];
    bytes.resize(live.size_bytes());
    reading.read.emplace_back(&live, bytes);
  }
  const Readings readings = executor_.run_and_read(program, reading);
  execution.run_s = readings.run_s;
  for (std::size_t i = 0; i < guarded.names.size() && execution.damage.empty(); ++i)
    execution.damage = overwritten(*guarded.names[i], readings.damage[i]);
  return execution;
}

std::vector<std::byte> Workspace::take_result(Execution& execution, const std::string& buffer) const {
  auto result = execution.results.extract(buffer);
  return result.empty() ? download(buffer) : std::move(result.mapped());
}

std::vector<std::byte> Workspace::download(const std::string& buffer) const {
  const Buffer& live = *buffers_.at(buffer).live.front();
  std::vector<std::byte> bytes(live.size_bytes());
  executor_.download(live, bytes);
  return bytes;
}

std::string Workspace::guard_damage() const {
  const Guarded guarded = this->guarded();
  for (std::size_t i = 0; i < guarded.names.size(); ++i) {
    const std::string damage = executor_.guard_damage(*guarded.buffers[i]);
    if (!damage.empty()) return overwritten(*guarded.names[i], damage);
  }
  return "";
}

Workspace::Guarded Workspace::guarded() const {
  Guarded guarded;
  for (const auto& [name, copies] : buffers_) {
    for (const auto& live : copies.live) {
      guarded.names.push_back(&name);
      guarded.buffers.push_back(live.get());
    }
  }
  return guarded;
}

void run_untimed(Executor& executor, Program& program, const std::vector<Launch>& part) {
  if (!part.empty()) executor.run(program, part, {.timed = false});
}

}  // namespace tailwave
