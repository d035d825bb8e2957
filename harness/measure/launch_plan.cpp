#include "measure/launch_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>

#include "core/outcome.h"
#include "occupancy/clusters.h"
#include "spec/view_limits.h"

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

bool evaluate_flag(const Expression& expression, const Values& scope, const std::string& what) {
  try {
    return truthy(expression.evaluate(scope));
  } catch (const ExpressionError& error) {
    cannot_evaluate(what, expression, error);
  }
}

bool takes_place(const LaunchSpec& spec, const Values& scope) {
  return !spec.when || evaluate_flag(*spec.when, scope, "condition of '" + spec.kernel + "'");
}

int evaluate_priority(const LaunchSpec& spec, const Values& scope) {
  const std::int64_t priority = evaluate_size(spec.priority, scope, "priority of '" + spec.kernel + "'");
  if (priority <= 0 && priority >= -kMostPriority) return static_cast<int>(priority);
  throw Failure(Outcome::launch_failed, fmt::format("priority of '{}' is {}, expected -{} to 0", spec.kernel,
                                                    priority, kMostPriority));
}

Launch resolve_shape(const LaunchSpec& spec, const Values& scope) {
  Launch launch;
  launch.kernel = spec.kernel;
  const std::string stream_of = "stream of '" + spec.kernel + "'";
  launch.stream = evaluate_number(spec.stream, scope, stream_of, kMostStreams);
  launch.gpu = evaluate_number(spec.gpu, scope, "gpu of '" + spec.kernel + "'", kMostGpus);
  for (const Expression& stream : spec.wait)
    launch.wait.push_back(evaluate_number(stream, scope, stream_of, kMostStreams));
  launch.collective = spec.collective;
  if (!spec.is_kernel()) return launch;
  launch.grid = evaluate_dim3(spec.grid, scope, "grid of '" + spec.kernel + "'");
  launch.block = evaluate_dim3(spec.block, scope, "block of '" + spec.kernel + "'");
  launch.dynamic_shared_bytes =
      evaluate_size(spec.dynamic_shared_bytes, scope, "dynamic_shared_bytes of '" + spec.kernel + "'");
  launch.cooperative = spec.cooperative;
  launch.sms = evaluate_number(spec.sms, scope, "sms of '" + spec.kernel + "'", kMostSms + 1);
  if (spec.cluster) {
    launch.cluster = evaluate_dim3(*spec.cluster, scope, "cluster of '" + spec.kernel + "'");
    require_whole_clusters(launch.kernel, launch.grid, *launch.cluster);
  }
  launch.dependent = evaluate_flag(spec.dependent, scope, "dependent of '" + spec.kernel + "'");
  launch.priority = evaluate_priority(spec, scope);
  if (launch.sms > 0 && launch.gpu > 0)
    throw Failure(Outcome::launch_failed,
                  fmt::format("sms of '{}' is {}, on GPU {}: only launches on the run's own GPU can have it",
                              spec.kernel, launch.sms, launch.gpu));
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

// Bytes from the buffer's first to the one that is pointed to, or just behind the last.
std::int64_t offset_bytes(const BufferArgument& argument, const Values& scope, const FoundBuffer& found) {
  const std::int64_t scalar =
      evaluate_size(*argument.offset, scope, "offset in buffer '" + argument.buffer + "'");
  const auto count = static_cast<std::int64_t>(found.buffer->size_bytes() / size_bytes(found.type));
  if (scalar >= 0 && scalar <= count) return scalar * static_cast<std::int64_t>(size_bytes(found.type));
  throw Failure(Outcome::launch_failed,
                fmt::format("offset in buffer '{}' is {}, expected 0 to {}", argument.buffer, scalar, count));
}

// Of an argument or of a part of a struct.
StructBytes resolve_bytes(const Argument& argument, const Values& scope, const FindBuffer& find) {
  StructBytes whole;
  whole.bytes.resize(layout_of(argument).bytes);
  for_each_placed_leaf(argument, [&](const Argument& leaf, std::size_t place) {
    std::byte* const bytes = whole.bytes.data() + place;
    if (const auto* const raw = std::get_if<BytesArgument>(&leaf)) {
      std::memcpy(bytes, raw->bytes.data(), raw->bytes.size());
    } else if (const std::string* const buffer = buffer_of(leaf, scope)) {
      const FoundBuffer found = find(*buffer);
      whole.addresses.emplace_back(place, found.buffer);
      const auto* const one = std::get_if<BufferArgument>(&leaf);
      if (one == nullptr || !one->offset) return;
      const std::int64_t offset = offset_bytes(*one, scope, found);
      std::memcpy(bytes, &offset, sizeof offset);
    } else {
      const ScalarBytes scalar = evaluate_scalar(std::get<ScalarArgument>(leaf), scope);
      std::memcpy(bytes, scalar.bytes.data(), scalar.size);
    }
  });
  return whole;
}

void require_view(const std::string& buffer, const std::string& obstacle) {
  if (obstacle.empty()) return;
  throw Failure(Outcome::launch_failed, fmt::format("argument of buffer '{}': {}", buffer, obstacle));
}

std::int64_t scalars_of(const FoundBuffer& found) {
  return static_cast<std::int64_t>(found.buffer->size_bytes() / size_bytes(found.type));
}

// What evaluate() gives of a view of the buffer.
template <class Evaluate>
auto evaluate_view(const std::string& buffer, Evaluate evaluate) {
  try {
    return evaluate();
  } catch (const ExpressionError& error) {
    throw Failure(Outcome::launch_failed, fmt::format("argument of buffer '{}': {}", buffer, error.what()));
  }
}

TextureView resolve_texture(const TextureArgument& argument, const Values& scope, const FindBuffer& find) {
  const FoundBuffer found = find(argument.buffer);
  TextureView texture{found.buffer, found.type,
                      evaluate_view(argument.buffer, [&] { return evaluate_size(argument, scope); }),
                      argument.look};
  require_view(argument.buffer, texture_obstacle(texture.look, texture.size, found.type, scalars_of(found)));
  return texture;
}

TensorMapView resolve_tensor_map(const TensorMapArgument& argument, const Values& scope,
                                 const FindBuffer& find) {
  const FoundBuffer found = find(argument.buffer);
  TensorMapView map{found.buffer, found.type,
                    evaluate_view(argument.buffer, [&] { return evaluate_tensor_map(argument, scope); })};
  require_view(argument.buffer, tensor_map_obstacle(map.shape, found.type, scalars_of(found)));
  return map;
}

LaunchArgument resolve_argument(const Argument& argument, const Values& scope, const FindBuffer& find) {
  const auto* const buffer_argument = std::get_if<BufferArgument>(&argument);
  if (std::holds_alternative<StructArgument>(argument) || std::holds_alternative<BytesArgument>(argument) ||
      (buffer_argument != nullptr && buffer_argument->offset))
    return resolve_bytes(argument, scope, find);
  if (const auto* const texture = std::get_if<TextureArgument>(&argument))
    return resolve_texture(*texture, scope, find);
  if (const auto* const map = std::get_if<TensorMapArgument>(&argument))
    return resolve_tensor_map(*map, scope, find);
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

// Calls visitor.launch(spec, position, scope) for each launch and copy of a plan that takes place, in order, position
// in the manifest's plan; visitor.may_end(until, scope) after an iteration that had any, where its loop may end; and
// visitor.end_part(launches) after each loop and each launch outside of one, with the number of launches so far.
template <class Visitor>
void visit_plan(const std::vector<LaunchSpec>& plan, const Values& scope, Visitor& visitor) {
  std::size_t launches = 0;
  for (const Part& part : parts_of(plan)) {
    for_each_iteration(part, scope, [&](const Values& inner) {
      const std::size_t before = launches;
      for (std::size_t i = 0; i < part.launches.size(); ++i) {
        if (!takes_place(part.launches[i], inner)) continue;
        if (launches++ == kMostLaunches)
          throw Failure(Outcome::launch_failed,
                        fmt::format("the plan has more than {} launches", kMostLaunches));
        visitor.launch(part.launches[i], part.position + i, inner);
      }
      if (part.loop != nullptr && part.loop->until && launches > before)
        visitor.may_end(*part.loop->until, inner);
    });
    visitor.end_part(launches);
  }
}

void add_command(const LaunchSpec& spec, const Values& scope, Launch& launch) {
  for (const CommandWord& word : spec.command) {
    try {
      launch.command.push_back(word.with(scope));
    } catch (const ExpressionError& error) {
      throw Failure(Outcome::launch_failed, fmt::format("'{}' in a command: {}", word.written, error.what()));
    }
  }
  if (spec.command.empty()) return;
  for (const Argument& argument : spec.arguments)
    launch.files.push_back(file_of_buffer(std::get<BufferArgument>(argument).buffer));
  launch.reports = spec.reports;
}

class PlanResolver {
 public:
  explicit PlanResolver(const FindBuffer& find) : find_(find) {}

  void launch(const LaunchSpec& spec, std::size_t /*position*/, const Values& scope) {
    Launch launch = resolve_shape(spec, scope);
    for (const Argument& argument : spec.arguments)
      launch.arguments.push_back(resolve_argument(argument, scope, find_));
    add_command(spec, scope, launch);
    if (!spec.copied.empty()) launch.copied = find_(spec.copied).buffer;
    if (!spec.copied_to.empty()) launch.copied_to = find_(spec.copied_to).buffer;
    if (!spec.prefetched.empty()) launch.prefetched = find_(spec.prefetched).buffer;
    launch.to_host = spec.to_host;
    if (!spec.summed.empty()) {
      const FoundBuffer summed = find_(spec.summed);
      launch.summed = summed.buffer;
      launch.summed_type = summed.type;
    }
    launches_.push_back(std::move(launch));
  }

  void may_end(const LoopSpec::Until& until, const Values& scope) {
    const FoundBuffer found = find_(until.buffer);
    launches_.back().exit =
        LoopExit{.buffer = found.buffer, .type = found.type, .at_most = evaluate_end(until, scope)};
    exits_.push_back(launches_.size() - 1);
  }

  void end_part(std::size_t launches) {
    for (const std::size_t exit : exits_) launches_[exit].exit->next = launches;
    exits_.clear();
  }

  std::vector<Launch> take() { return std::move(launches_); }

 private:
  const FindBuffer& find_;
  std::vector<Launch> launches_;
  std::vector<std::size_t> exits_;  // of the part that is being resolved
};

class PlanHasher {
 public:
  explicit PlanHasher(FieldHasher& hasher) : hasher_(hasher) {}

  void launch(const LaunchSpec& spec, std::size_t /*position*/, const Values& scope) {
    const Launch launch = resolve_shape(spec, scope);
    hasher_.add(launch.kernel);
    for (const Dim3& size : {launch.grid, launch.block})
      hasher_.add(fmt::format("{} {} {}", size.x, size.y, size.z));
    hasher_.add(fmt::format("{} {} {} {} {} {}", launch.dynamic_shared_bytes, launch.stream, launch.gpu,
                            launch.cooperative, launch.sms, fmt::join(launch.wait, ",")));
    if (launch.cluster)
      hasher_.add(fmt::format("clusters {} {} {}", launch.cluster->x, launch.cluster->y, launch.cluster->z));
    if (launch.dependent) hasher_.add("dependent");
    if (launch.priority != 0) hasher_.add(fmt::format("priority {}", launch.priority));
    for (const Argument& argument : spec.arguments) add(argument, scope);
    hasher_.add(spec.copied);
    if (!spec.copied_to.empty()) hasher_.add("to").add(spec.copied_to);
    if (!spec.prefetched.empty())
      hasher_.add("prefetch").add(spec.prefetched).add(spec.to_host ? "to host" : "to device");
    if (spec.collective != Collective::none) hasher_.add(to_string(spec.collective)).add(spec.summed);
  }

  void may_end(const LoopSpec::Until& until, const Values& scope) {
    hasher_.add(until.buffer).add(fmt::format("{}", evaluate_end(until, scope)));
  }

  void end_part(std::size_t launches) {
    hasher_.add(fmt::format("until here {}", launches));  // where a loop that ends early goes on
  }

 private:
  void add_view(const TextureArgument& texture, const Values& scope) {
    const TextureLook& look = texture.look;
    hasher_.add("texture").add(texture.buffer);
    hasher_.add(fmt::format(
        "{}", fmt::join(evaluate_view(texture.buffer, [&] { return evaluate_size(texture, scope); }), " ")));
    hasher_.add(fmt::format("{} {} {} {} {} {}", to_string(look.layout), to_string(look.filter),
                            to_string(look.address), look.normalized, to_string(look.read), look.channels));
  }

  void add_view(const TensorMapArgument& map, const Values& scope) {
    const TensorMapShape shape = evaluate_view(map.buffer, [&] { return evaluate_tensor_map(map, scope); });
    hasher_.add("tensor map").add(map.buffer);
    for (const auto* list : {&shape.dims, &shape.box, &shape.strides})
      hasher_.add(fmt::format("{}", fmt::join(*list, " ")));
    hasher_.add(fmt::format("{} {} {} {}", shape.swizzle, shape.interleave, shape.l2_promotion,
                            shape.nan_out_of_bounds));
  }

  void add(const Argument& argument, const Values& scope) {
    if (const auto* const texture = std::get_if<TextureArgument>(&argument)) return add_view(*texture, scope);
    if (const auto* const map = std::get_if<TensorMapArgument>(&argument)) return add_view(*map, scope);
    if (std::holds_alternative<StructArgument>(argument))
      hasher_.add("struct").add(std::to_string(layout_of(argument).bytes));
    for_each_placed_leaf(argument, [&](const Argument& leaf, std::size_t offset) {
      if (offset > 0) hasher_.add(std::to_string(offset));
      if (const std::string* const buffer = buffer_of(leaf, scope)) {
        hasher_.add(*buffer);
        const auto* const one = std::get_if<BufferArgument>(&leaf);
        if (one != nullptr && one->offset)
          hasher_.add(fmt::format("from {}", evaluate_size(*one->offset, scope, "offset")));
      } else if (const auto* const raw = std::get_if<BytesArgument>(&leaf)) {
        hasher_.add(raw->bytes);
      } else {
        const ScalarBytes scalar = evaluate_scalar(std::get<ScalarArgument>(leaf), scope);
        hasher_.add({reinterpret_cast<const char*>(scalar.bytes.data()), scalar.size});
      }
    });
  }

  FieldHasher& hasher_;
};

class ShapeCollector {
 public:
  explicit ShapeCollector(std::size_t positions) : records_(positions) {
    for (LaunchRecord& record : records_) record.count = 0;
  }

  void launch(const LaunchSpec& spec, std::size_t position, const Values& scope) {
    if (!spec.is_kernel()) return;
    LaunchRecord& record = records_[position];
    if (record.count++ > 0) return;
    const Launch shape = resolve_shape(spec, scope);
    record.position = static_cast<int>(position);
    record.kernel = shape.kernel;
    record.grid = shape.grid;
    record.block = shape.block;
    record.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    if (shape.sms > 0) record.sms_asked = shape.sms;
    record.cluster = shape.cluster;
  }

  void may_end(const LoopSpec::Until& /*until*/, const Values& /*scope*/) {}
  void end_part(std::size_t /*launches*/) {}

  std::vector<LaunchRecord> take() {
    std::erase_if(records_, [](const LaunchRecord& record) { return record.count == 0; });
    return std::move(records_);
  }

 private:
  std::vector<LaunchRecord> records_;  // by position
};

}  // namespace

int evaluate_pes(const VariantSpec& variant, const Values& scope) {
  if (!variant.pes) return 0;
  const std::int64_t pes = evaluate_size(*variant.pes, scope, "pes");
  if (pes >= 1 && std::in_range<int>(pes)) return static_cast<int>(pes);
  throw Failure(Outcome::launch_failed,
                fmt::format("pes '{}' is {}, expected at least 1", variant.pes->text(), pes));
}

Values scope_of_pe(const VariantSpec& variant, const Values& scope, int pe) {
  Values own = scope;
  if (variant.pes) add_pe(own, pe, evaluate_pes(variant, scope));
  return own;
}

std::int64_t evaluate_size(const Expression& expression, const Values& scope, const std::string& what) {
  try {
    return expression.evaluate_int(scope);
  } catch (const ExpressionError& error) {
    cannot_evaluate(what, expression, error);
  }
}

MemoryKind evaluate_memory(const Expression& memory, const Values& scope, const std::string& buffer) {
  const std::string what = "memory of buffer '" + buffer + "'";
  try {
    const std::string name = to_string(memory.evaluate(scope));
    if (const auto kind = find_enum<MemoryKind>(name)) return *kind;
    throw Failure(Outcome::launch_failed, fmt::format("{} is {}, expected one of {}", what, name,
                                                      fmt::join(EnumNames<MemoryKind>::names, ", ")));
  } catch (const ExpressionError& error) {
    cannot_evaluate(what, memory, error);
  }
}

Placement evaluate_placement(const BufferSpec& spec, const Values& scope, const std::string& buffer) {
  return {evaluate_number(spec.gpu, scope, "gpu of buffer '" + buffer + "'", kMostGpus),
          evaluate_memory(spec.memory, scope, buffer)};
}

int evaluate_number(const Expression& expression, const Values& scope, const std::string& what, int end) {
  const std::int64_t number = evaluate_size(expression, scope, what);
  if (number >= 0 && number < end) return static_cast<int>(number);
  throw Failure(Outcome::launch_failed, fmt::format("{} is {}, expected 0 to {}", what, number, end - 1));
}

std::vector<Launch> resolve_plan(const std::vector<LaunchSpec>& plan, const Values& scope,
                                 const FindBuffer& find) {
  PlanResolver resolver(find);
  visit_plan(plan, scope, resolver);
  return resolver.take();
}

void add_resolved_plan(FieldHasher& hasher, const std::vector<LaunchSpec>& plan, const Values& scope) {
  PlanHasher visitor(hasher);
  visit_plan(plan, scope, visitor);
}

void add_resolved_plans(FieldHasher& hasher, const VariantSpec& variant, const Values& scope) {
  const int pes = evaluate_pes(variant, scope);
  if (pes > 0) hasher.add(fmt::format("on {} processing elements", pes));
  for (int pe = 0; pe < std::max(1, pes); ++pe) {
    const Values own = scope_of_pe(variant, scope, pe);
    for (const auto* part : {&variant.prepare, &variant.launches, &variant.finish})
      add_resolved_plan(hasher, *part, own);
  }
}

std::vector<LaunchRecord> launch_shapes(const std::vector<LaunchSpec>& plan, const Values& scope) {
  ShapeCollector shapes(plan.size());
  visit_plan(plan, scope, shapes);
  return shapes.take();
}

bool may_end_early(const std::vector<LaunchSpec>& plan, const Values& scope) {
  return std::ranges::any_of(plan, [&](const LaunchSpec& launch) {
    return launch.loop && launch.loop->until && evaluate_size(launch.loop->repeat, scope, "repeat") > 1;
  });
}

}  // namespace tailwave
