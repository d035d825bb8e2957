#include "measure/launch_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include "core/outcome.h"

namespace tailwave {
namespace {

[[noreturn]] void cannot_evaluate(const std::string& what, const Expression& expression,
                                  const ExpressionError& error) {
  throw Failure(Outcome::launch_failed, fmt::format("{} '{}': {}", what, expression.text(), error.what()));
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
    return visit_scalar(argument.type, [&]<class Number>(Number) {
      if constexpr (std::is_integral_v<Number>)
        return integer_bytes<Number>(argument.value.evaluate_int(scope), argument.value);
      else
        return scalar(static_cast<Number>(argument.value.evaluate_double(scope)));
    });
  } catch (const ExpressionError& error) {
    throw Failure(Outcome::launch_failed,
                  fmt::format("argument '{}': {}", argument.value.text(), error.what()));
  }
}

bool takes_place(const LaunchSpec& spec, const Values& scope) {
  if (!spec.when) return true;
  try {
    return truthy(spec.when->evaluate(scope));
  } catch (const ExpressionError& error) {
    cannot_evaluate("condition of '" + spec.kernel + "'", *spec.when, error);
  }
}

Launch resolve_shape(const LaunchSpec& spec, const Values& scope) {
  Launch launch;
  launch.kernel = spec.kernel;
  const std::string stream_of = "stream of '" + spec.kernel + "'";
  launch.stream = evaluate_number(spec.stream, scope, stream_of, kMostStreams);
  launch.gpu = evaluate_number(spec.gpu, scope, "gpu of '" + spec.kernel + "'", kMostGpus);
  for (const Expression& stream : spec.wait)
    launch.wait.push_back(evaluate_number(stream, scope, stream_of, kMostStreams));
  if (!spec.copied.empty()) return launch;
  launch.grid = evaluate_dim3(spec.grid, scope, "grid of '" + spec.kernel + "'");
  launch.block = evaluate_dim3(spec.block, scope, "block of '" + spec.kernel + "'");
  launch.dynamic_shared_bytes =
      evaluate_size(spec.dynamic_shared_bytes, scope, "dynamic_shared_bytes of '" + spec.kernel + "'");
  launch.cooperative = spec.cooperative;
  return launch;
}

const std::string& choose(const BufferChoice& choice, const Values& scope) {
  const std::int64_t index = evaluate_size(choice.index, scope, "index");
  if (index >= 0 && std::cmp_less(index, choice.buffers.size()))
    return choice.buffers[static_cast<std::size_t>(index)];
  throw Failure(Outcome::launch_failed, fmt::format("index '{}' is {}, expected 0 to {}", choice.index.text(),
                                                    index, choice.buffers.size() - 1));
}

// The name of the buffer that is handed over; null: it is a scalar.
const std::string* buffer_of(const Argument& argument, const Values& scope) {
  if (const auto* buffer = std::get_if<BufferArgument>(&argument)) return &buffer->buffer;
  if (const auto* choice = std::get_if<BufferChoice>(&argument)) return &choose(*choice, scope);
  return nullptr;
}

LaunchArgument resolve_argument(const Argument& argument, const Values& scope, const FindBuffer& find) {
  if (const std::string* const buffer = buffer_of(argument, scope)) return find(*buffer).buffer;
  return evaluate_scalar(std::get<ScalarArgument>(argument), scope);
}

// A loop, or one launch, which is a loop of one iteration.
struct Part {
  const LoopSpec* loop;
  std::span<const LaunchSpec> launches;
  std::size_t position;  // of the first, in the plan
};

std::vector<Part> parts_of(const std::vector<LaunchSpec>& plan) {
  std::vector<Part> parts;
  for (std::size_t begin = 0, end = 0; begin < plan.size(); begin = end) {
    const auto* const loop = plan[begin].loop.get();
    for (end = begin + 1; loop != nullptr && end < plan.size() && plan[end].loop.get() == loop;) ++end;
    parts.push_back({loop, std::span(plan).subspan(begin, end - begin), begin});
  }
  return parts;
}

// Calls visit(scope) for each iteration of a part.
template <class Visit>
void for_each_iteration(const Part& part, const Values& scope, Visit visit) {
  if (part.loop == nullptr) return visit(scope);
  const std::int64_t iterations = evaluate_size(part.loop->repeat, scope, "repeat");
  if (iterations < 0 || std::cmp_greater(iterations, kMostLaunches)) {
    throw Failure(Outcome::launch_failed, fmt::format("repeat '{}' is {}, expected 0 to {}",
                                                      part.loop->repeat.text(), iterations, kMostLaunches));
  }
  Values inner = scope;
  for (std::int64_t i = 0; i < iterations; ++i) {
    if (!part.loop->counter.empty()) inner[part.loop->counter] = i;
    visit(inner);
  }
}

double evaluate_end(const LoopSpec::Until& until, const Values& scope) {
  try {
    return until.at_most.evaluate_double(scope);
  } catch (const ExpressionError& error) {
    cannot_evaluate("at_most", until.at_most, error);
  }
}

void refuse_more_than_most(std::size_t launches) {
  if (launches >= kMostLaunches)
    throw Failure(Outcome::launch_failed, fmt::format("the plan has more than {} launches", kMostLaunches));
}

void add_launch(FieldHasher& hasher, const LaunchSpec& spec, const Values& scope) {
  const Launch launch = resolve_shape(spec, scope);
  hasher.add(launch.kernel);
  for (const Dim3& size : {launch.grid, launch.block})
    hasher.add(fmt::format("{} {} {}", size.x, size.y, size.z));
  hasher.add(fmt::format("{} {} {} {} {}", launch.dynamic_shared_bytes, launch.stream, launch.gpu,
                         launch.cooperative, fmt::join(launch.wait, ",")));
  for (const Argument& argument : spec.arguments) {
    if (const std::string* const buffer = buffer_of(argument, scope)) {
      hasher.add(*buffer);
    } else {
      const ScalarBytes scalar = evaluate_scalar(std::get<ScalarArgument>(argument), scope);
      hasher.add({reinterpret_cast<const char*>(scalar.bytes.data()), scalar.size});
    }
  }
  hasher.add(spec.copied);
}

class PlanResolver {
 public:
  explicit PlanResolver(const FindBuffer& find) : find_(find) {}

  void add(const Part& part, const Values& scope) {
    std::vector<std::size_t> exits;
    for_each_iteration(part, scope, [&](const Values& inner) {
      const std::size_t before = launches_.size();
      for (const LaunchSpec& spec : part.launches) add(spec, inner);
      const bool waits = part.loop != nullptr && part.loop->until && launches_.size() > before;
      if (!waits) return;
      launches_.back().exit = exit_of(*part.loop->until, inner);
      exits.push_back(launches_.size() - 1);
    });
    for (const std::size_t exit : exits) launches_[exit].exit->next = launches_.size();
  }

  std::vector<Launch> take() { return std::move(launches_); }

 private:
  void add(const LaunchSpec& spec, const Values& scope) {
    if (!takes_place(spec, scope)) return;
    refuse_more_than_most(launches_.size());
    Launch launch = resolve_shape(spec, scope);
    for (const Argument& argument : spec.arguments)
      launch.arguments.push_back(resolve_argument(argument, scope, find_));
    if (!spec.copied.empty()) launch.copied = find_(spec.copied).buffer;
    launches_.push_back(std::move(launch));
  }

  LoopExit exit_of(const LoopSpec::Until& until, const Values& scope) const {
    const FoundBuffer found = find_(until.buffer);
    return {.buffer = found.buffer, .type = found.type, .at_most = evaluate_end(until, scope)};
  }

  const FindBuffer& find_;
  std::vector<Launch> launches_;
};

}  // namespace

std::int64_t evaluate_size(const Expression& expression, const Values& scope, const std::string& what) {
  try {
    return expression.evaluate_int(scope);
  } catch (const ExpressionError& error) {
    cannot_evaluate(what, expression, error);
  }
}

int evaluate_number(const Expression& expression, const Values& scope, const std::string& what, int end) {
  const std::int64_t number = evaluate_size(expression, scope, what);
  if (number >= 0 && number < end) return static_cast<int>(number);
  throw Failure(Outcome::launch_failed, fmt::format("{} is {}, expected 0 to {}", what, number, end - 1));
}

std::vector<Launch> resolve_plan(const std::vector<LaunchSpec>& plan, const Values& scope,
                                 const FindBuffer& find) {
  PlanResolver resolver(find);
  for (const Part& part : parts_of(plan)) resolver.add(part, scope);
  return resolver.take();
}

void add_resolved_plan(FieldHasher& hasher, const std::vector<LaunchSpec>& plan, const Values& scope) {
  std::size_t launches = 0;
  for (const Part& part : parts_of(plan)) {
    for_each_iteration(part, scope, [&](const Values& inner) {
      const std::size_t before = launches;
      for (const LaunchSpec& spec : part.launches) {
        if (!takes_place(spec, inner)) continue;
        refuse_more_than_most(launches++);
        add_launch(hasher, spec, inner);
      }
      if (part.loop == nullptr || !part.loop->until || launches == before) return;
      hasher.add(part.loop->until->buffer).add(fmt::format("{}", evaluate_end(*part.loop->until, inner)));
    });
    hasher.add(fmt::format("until here {}", launches));  // where a loop that ends early goes on
  }
}

std::vector<LaunchShape> launch_shapes(const std::vector<LaunchSpec>& plan, const Values& scope) {
  std::vector<LaunchShape> shapes(plan.size());
  for (const Part& part : parts_of(plan)) {
    for_each_iteration(part, scope, [&](const Values& inner) {
      for (std::size_t i = 0; i < part.launches.size(); ++i) {
        if (!part.launches[i].copied.empty() || !takes_place(part.launches[i], inner)) continue;
        LaunchShape& shape = shapes[part.position + i];
        if (shape.count++ == 0) shape.launch = resolve_shape(part.launches[i], inner);
        shape.position = part.position + i;
      }
    });
  }
  std::erase_if(shapes, [](const LaunchShape& shape) { return shape.count == 0; });
  return shapes;
}

}  // namespace tailwave
