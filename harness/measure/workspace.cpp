#include "measure/workspace.h"

#include <fmt/format.h>

#include <utility>

#include "measure/inputs.h"

namespace tailwave {
namespace {

std::int64_t evaluate_size(const Expression& expression, const Values& scope, const std::string& what) {
  try {
    return expression.evaluate_int(scope);
  } catch (const ExpressionError& error) {
    throw Failure(Outcome::launch_failed, fmt::format("{} '{}': {}", what, expression.text(), error.what()));
  }
}

Dim3 evaluate_dim3(const std::array<Expression, 3>& sizes, const Values& scope, const std::string& what) {
  const Dim3 result{evaluate_size(sizes[0], scope, what), evaluate_size(sizes[1], scope, what),
                    evaluate_size(sizes[2], scope, what)};
  if (result.x < 1 || result.y < 1 || result.z < 1) {
    throw Failure(Outcome::launch_failed, fmt::format("{} is {} x {} x {}: every size must be at least 1",
                                                      what, result.x, result.y, result.z));
  }
  return result;
}

template <class Integer>
ScalarBytes integer_bytes(std::int64_t value, const Expression& expression) {
  if (!std::in_range<Integer>(value)) {
    throw Failure(Outcome::launch_failed,
                  fmt::format("argument '{}' is {}, which does not fit its type", expression.text(), value));
  }
  return scalar(static_cast<Integer>(value));
}

ScalarBytes evaluate_scalar(const ScalarArgument& argument, const Values& scope) {
  try {
    switch (argument.type) {
      case ScalarType::int32:
        return integer_bytes<std::int32_t>(argument.value.evaluate_int(scope), argument.value);
      case ScalarType::uint32:
        return integer_bytes<std::uint32_t>(argument.value.evaluate_int(scope), argument.value);
      case ScalarType::int64:
        return scalar(argument.value.evaluate_int(scope));
      case ScalarType::float32:
        return scalar(static_cast<float>(argument.value.evaluate_double(scope)));
      case ScalarType::float64:
        return scalar(argument.value.evaluate_double(scope));
    }
  } catch (const ExpressionError& error) {
    throw Failure(Outcome::launch_failed,
                  fmt::format("argument '{}': {}", argument.value.text(), error.what()));
  }
  throw std::logic_error("argument without a type");
}

}  // namespace

std::map<std::string, std::size_t> buffer_counts(const System& system, const VariantSpec& variant,
                                                 const Values& scope) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& name : used_buffers(system, variant)) {
    const std::int64_t count =
        evaluate_size(system.buffers.at(name).count, scope, "count of buffer '" + name + "'");
    if (count < 0) {
      throw Failure(Outcome::launch_failed, fmt::format("count of buffer '{}' is {}", name, count));
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
    contents[name] =
        spec.output_only ? make_poison(count * size_bytes(spec.type)) : make_input(spec, count, draw);
  }
  return contents;
}

const BufferContents& InputCache::get(const System& system, const VariantSpec& variant, const Values& scope,
                                      std::uint64_t draw) {
  std::string key = fmt::format("{} {}", system.name, draw);
  for (const auto& [name, count] : buffer_counts(system, variant, scope))
    key += fmt::format(" {} {}", name, count);
  return made_.get(key, [&] { return make_inputs(system, variant, scope, draw); });
}

Launch resolve_shape(const LaunchSpec& spec, const Values& scope) {
  Launch launch;
  launch.kernel = spec.kernel;
  launch.grid = evaluate_dim3(spec.grid, scope, "grid of '" + spec.kernel + "'");
  launch.block = evaluate_dim3(spec.block, scope, "block of '" + spec.kernel + "'");
  launch.dynamic_shared_bytes =
      evaluate_size(spec.dynamic_shared_bytes, scope, "dynamic_shared_bytes of '" + spec.kernel + "'");
  launch.stream = spec.stream;
  launch.cooperative = spec.cooperative;
  return launch;
}

Workspace::Workspace(Executor& executor, const System& system, const VariantSpec& variant,
                     const Values& scope)
    : executor_(executor), variant_(variant), scope_(scope) {
  for (const auto& [name, count] : buffer_counts(system, variant, scope)) {
    const std::size_t bytes = count * size_bytes(system.buffers.at(name).type);
    Copies& copies = buffers_[name];
    copies.live.push_back(executor.allocate(bytes));
    copies.pristine = executor.allocate(bytes);
  }
  resolve_all(1);
}

void Workspace::resolve_all(std::size_t sets) {
  prepare_ = resolve(variant_.prepare, sets);
  launches_ = resolve(variant_.launches, sets);
  finish_ = resolve(variant_.finish, 1);
}

std::vector<Launch> Workspace::resolve(const std::vector<LaunchSpec>& specs, std::size_t sets) const {
  std::vector<Launch> launches;
  for (std::size_t set = 0; set < sets; ++set) {
    for (const LaunchSpec& spec : specs) {
      Launch launch = resolve_shape(spec, scope_);
      for (const Argument& argument : spec.arguments) {
        if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
          launch.arguments.emplace_back(buffers_.at(buffer->buffer).live.at(set).get());
        } else {
          launch.arguments.emplace_back(evaluate_scalar(std::get<ScalarArgument>(argument), scope_));
        }
      }
      launches.push_back(std::move(launch));
    }
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
      copies.live.push_back(executor_.allocate(copies.pristine->size_bytes()));
  }
  resolve_all(static_cast<std::size_t>(wanted));
  return static_cast<int>(wanted);
}

void Workspace::upload(const BufferContents& inputs) {
  for (auto& [name, copies] : buffers_) executor_.upload(*copies.pristine, inputs.at(name));
  reset();
}

void Workspace::reset() {
  for (auto& [name, copies] : buffers_) {
    for (const auto& live : copies.live) executor_.copy(*live, *copies.pristine);
  }
}

std::vector<std::byte> Workspace::download(const std::string& buffer) const {
  const Buffer& live = *buffers_.at(buffer).live.front();
  std::vector<std::byte> bytes(live.size_bytes());
  executor_.download(live, bytes);
  return bytes;
}

std::string Workspace::guard_damage() const {
  for (const auto& [name, copies] : buffers_) {
    for (const auto& live : copies.live) {
      const std::string damage = executor_.guard_damage(*live);
      if (!damage.empty()) return fmt::format("guard words of buffer '{}' overwritten: {}", name, damage);
    }
  }
  return "";
}

}  // namespace tailwave
