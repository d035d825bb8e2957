#include "measure/workspace.h"

#include <fmt/format.h>

#include <cstring>

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

template <class Number>
ScalarBytes bytes_of(Number number) {
  ScalarBytes scalar;
  static_assert(sizeof number <= sizeof scalar.bytes);
  std::memcpy(scalar.bytes.data(), &number, sizeof number);
  scalar.size = sizeof number;
  return scalar;
}

template <class Integer>
ScalarBytes integer_bytes(std::int64_t value, const Expression& expression) {
  if (!std::in_range<Integer>(value)) {
    throw Failure(Outcome::launch_failed,
                  fmt::format("argument '{}' is {}, which does not fit its type", expression.text(), value));
  }
  return bytes_of(static_cast<Integer>(value));
}

ScalarBytes evaluate_scalar(const ScalarArgument& argument, const Values& scope) {
  try {
    switch (argument.type) {
      case ScalarType::int32:
        return integer_bytes<std::int32_t>(argument.value.evaluate_int(scope), argument.value);
      case ScalarType::uint32:
        return integer_bytes<std::uint32_t>(argument.value.evaluate_int(scope), argument.value);
      case ScalarType::int64:
        return bytes_of(argument.value.evaluate_int(scope));
      case ScalarType::float32:
        return bytes_of(static_cast<float>(argument.value.evaluate_double(scope)));
      case ScalarType::float64:
        return bytes_of(argument.value.evaluate_double(scope));
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
    : executor_(executor) {
  for (const auto& [name, count] : buffer_counts(system, variant, scope)) {
    const std::size_t bytes = count * size_bytes(system.buffers.at(name).type);
    buffers_[name] = {executor.allocate(bytes), executor.allocate(bytes)};
  }
  prepare_ = resolve(variant.prepare, scope);
  launches_ = resolve(variant.launches, scope);
  finish_ = resolve(variant.finish, scope);
}

std::vector<Launch> Workspace::resolve(const std::vector<LaunchSpec>& specs, const Values& scope) const {
  std::vector<Launch> launches;
  for (const LaunchSpec& spec : specs) {
    Launch launch = resolve_shape(spec, scope);
    for (const Argument& argument : spec.arguments) {
      if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
        launch.arguments.emplace_back(buffers_.at(buffer->buffer).live.get());
      } else {
        launch.arguments.emplace_back(evaluate_scalar(std::get<ScalarArgument>(argument), scope));
      }
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

void Workspace::upload(const BufferContents& inputs) {
  for (auto& [name, pair] : buffers_) executor_.upload(*pair.pristine, inputs.at(name));
  reset();
}

void Workspace::reset() {
  for (auto& [name, pair] : buffers_) executor_.copy(*pair.live, *pair.pristine);
}

std::vector<std::byte> Workspace::download(const std::string& buffer) const {
  const Buffer& live = *buffers_.at(buffer).live;
  std::vector<std::byte> bytes(live.size_bytes());
  executor_.download(live, bytes);
  return bytes;
}

std::string Workspace::guard_damage() const {
  for (const auto& [name, pair] : buffers_) {
    const std::string damage = executor_.guard_damage(*pair.live);
    if (!damage.empty()) return fmt::format("guard words of buffer '{}' overwritten: {}", name, damage);
  }
  return "";
}

}  // namespace tailwave
