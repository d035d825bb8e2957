#include "spec/launch_reader.h"

#include <algorithm>
#include <array>

#include "core/trial.h"
#include "spec/argument_reader.h"
#include "spec/command_reader.h"
#include "spec/names.h"
#include "spec/system_reader.h"
#include "spec/t1/source.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 18> kCudaOnly{"gpu",     "copy",       "symbol",
                                                     "to",      "prefetch",   "kernel",
                                                     "grid",    "block",      "dynamic_shared_bytes",
                                                     "stream",  "wait",       "cooperative",
                                                     "sms",     "collective", "buffer",
                                                     "cluster", "dependent",  "priority"};
constexpr std::array<std::string_view, 11> kNotOfACopy{
    "kernel", "function", "grid",      "block",   "dynamic_shared_bytes", "args", "cooperative",
    "sms",    "cluster",  "dependent", "priority"};
constexpr std::array<std::string_view, 4> kOfACopyOnly{"copy", "symbol", "to", "prefetch"};
constexpr std::array<std::string_view, 2> kNotOfAPrefetch{"copy", "symbol"};
constexpr std::array<std::string_view, 2> kOfACollectiveOnly{"collective", "buffer"};
constexpr std::array<std::string_view, 2> kLoopOnly{"counter", "until"};
constexpr std::array<std::string_view, 22> kLaunchOnly{
    "gpu",      "copy",       "symbol", "to",          "prefetch",
    "kernel",   "function",   "grid",   "block",       "dynamic_shared_bytes",
    "args",     "stream",     "wait",   "cooperative", "sms",
    "when",     "collective", "buffer", "cluster",     "dependent",
    "priority", "command"};
constexpr std::array<std::string_view, 1> kNotOfADependent{"wait"};

// Reads what one variant launches; knows the scope and the defaults for all its expressions.
class LaunchReader {
 public:
  LaunchReader(const System& system, const VariantSpec& variant, Reporter& reporter)
      : system_(system),
        variant_(variant),
        reporter_(reporter),
        known_(names_in_scope(system, variant)),
        defaults_(default_scope(system, variant)) {
    if (!variant.pes) return;
    known_.insert(known_.end(), {"PE", "PES"});
    add_pe(defaults_, 0, 1);
    try {
      add_pe(defaults_, 0, static_cast<int>(variant.pes->evaluate_int(default_scope(system, variant))));
    } catch (const ExpressionError&) {
      return;  // reported where it stands
    }
  }

  std::vector<LaunchSpec> read_all(const Json& plan) {
    std::vector<LaunchSpec> all;
    for (const Json& place : plan.items()) {
      if (is_loop(place)) {
        read_loop(place, all);
      } else {
        all.push_back(read(place));
      }
    }
    return all;
  }

 private:
  static bool is_loop(const Json& place) { return place.find("repeat") || place.find("launches"); }

  void read_loop(const Json& place, std::vector<LaunchSpec>& all) {
    for (const std::string_view key : kLaunchOnly) {
      if (place.find(key))
        reporter_.report(place.find(key).pointer(),
                         "'" + std::string(key) + "' has no meaning beside 'repeat'",
                         "it belongs to one of the loop's 'launches'");
    }
    require_key(place, "repeat", reporter_);
    require_key(place, "launches", reporter_);
    const auto loop = std::make_shared<LoopSpec>();
    if (const auto repeat = read_expression(place.find("repeat"), known_, reporter_)) {
      loop->repeat = *repeat;
      check_whole(*repeat, defaults_, 0, place.find("repeat").pointer(), reporter_);
    }
    const std::vector<std::string> outer_names = known_;
    const Values outer_defaults = defaults_;
    read_counter(place.find("counter"), *loop);
    read_until(place.find("until"), *loop);
    for (const Json& launch : place.find("launches").items()) {
      if (is_loop(launch)) {
        reporter_.report(launch.pointer(), "a loop cannot hold a loop",
                         "its 'launches' are launches and copies");
        continue;
      }
      all.push_back(read(launch));
      all.back().loop = loop;
    }
    known_ = outer_names;
    defaults_ = outer_defaults;
  }

  void read_counter(const Json& place, LoopSpec& loop) {
    if (place.as_text() == nullptr) return;
    loop.counter = *place.as_text();
    const std::string why = why_not_a_parameter_name(loop.counter);
    if (!why.empty()) reporter_.report(place.pointer(), "the name '" + loop.counter + "' " + why);
    if (defaults_.contains(loop.counter) || system_.buffers.contains(loop.counter)) {
      reporter_.report(
          place.pointer(),
          "'" + loop.counter + "' is a counter and a parameter, problem quantity or buffer, too");
      return;
    }
    known_.push_back(loop.counter);
    defaults_.emplace(loop.counter, std::int64_t{0});
  }

  void read_until(const Json& place, LoopSpec& loop) {
    const Json buffer = place.find("buffer");
    const auto at_most = read_expression(place.find("at_most"), known_, reporter_);
    if (buffer.as_text() == nullptr || !require_buffer(buffer, system_, reporter_) || !at_most) return;
    loop.until = LoopSpec::Until{*buffer.as_text(), *at_most};
    const auto value = try_evaluate(*at_most, defaults_, place.find("at_most").pointer(), reporter_);
    if (value && std::holds_alternative<std::string>(*value)) {
      report_value(*at_most, *value, "a number", defaults_, place.find("at_most").pointer(), reporter_);
    }
  }

  LaunchSpec read(const Json& place) {
    for (const std::string_view key : kLoopOnly) {
      if (place.find(key))
        reporter_.report(place.find(key).pointer(),
                         "'" + std::string(key) + "' has no meaning without 'repeat'");
    }
    LaunchSpec launch;
    launch.grid.fill(Expression::constant(std::int64_t{1}));
    launch.block = launch.grid;
    launch.when = read_expression(place.find("when"), known_, reporter_);
    taken_ = takes_place(launch, place.find("when").pointer());
    if (variant_.is_program()) {
      read_program(place, launch);
      return launch;
    }
    if (place.find("command"))
      reporter_.report(
          place.find("command").pointer(),
          "'command' has no meaning in a " + std::string(to_string(variant_.target)) + " variant",
          R"(it is what a variant with "target": "program" runs)");
    const bool cuda = variant_.target == VariantSpec::Target::cuda;
    if (cuda) read_streams(place, launch);
    if (cuda && place.find("prefetch")) {
      read_prefetch(place, launch);
      return launch;
    }
    if (cuda && (place.find("copy") || place.find("symbol") || place.find("to"))) {
      read_copy(place, launch);
      return launch;
    }
    if (cuda && (place.find("collective") || place.find("buffer"))) {
      read_collective(place, launch);
      return launch;
    }
    if (cuda) {
      read_kernel(place, launch);
    } else {
      read_function(place, launch);
    }
    ArgumentReader arguments(system_, known_, defaults_, taken_, reporter_);
    if (!place.find("args") && !launch.kernel.empty()) read_signature(place.pointer(), arguments, launch);
    for (const Json& argument : place.find("args").items()) {
      if (auto read = arguments.read(argument)) launch.arguments.push_back(std::move(*read));
    }
    return launch;
  }

  void read_program(const Json& place, LaunchSpec& launch) {
    for (const std::string_view key : kLaunchOnly) {
      if (key != "command" && key != "when" && place.find(key))
        reporter_.report(place.find(key).pointer(), "'" + std::string(key) + "' has no meaning for a program",
                         "it gets what it needs in its 'command'");
    }
    require_key(place, "command", reporter_);
    launch.kernel = variant_.source.filename().string();
    read_command(place.find("command"), system_, known_, defaults_, taken_, launch, reporter_);
  }

  // Without "args" the names of the function's parameters are those of its arguments.
  void read_signature(const std::string& pointer, ArgumentReader& arguments, LaunchSpec& launch) {
    if (variant_.source.empty()) return;  // reported
    if (!outline_) outline_ = T1Source(variant_.source, std::filesystem::canonical(system_.directory));
    const auto* parameters =
        outline_->parameters_of(launch.kernel, variant_.target == VariantSpec::Target::cuda);
    if (parameters == nullptr)
      return reporter_.report(pointer, "missing key 'args'",
                              "the source has no one '" + launch.kernel +
                                  "' whose parameters' names would be those of the arguments");
    launch.arguments = arguments.read_by_name(*parameters, pointer);
  }

  void read_function(const Json& place, LaunchSpec& launch) {
    for (const std::string_view key : kCudaOnly) {
      if (!place.find(key)) continue;
      reporter_.report(
          place.find(key).pointer(),
          fmt::format("'{}' has no meaning in a {} variant", key, to_string(variant_.target)),
          key == "kernel" ? fmt::format("a {} variant has 'function'", to_string(variant_.target)) : "");
    }
    require_key(place, "function", reporter_);
    read_name(place.find("function"), why_not_a_function, launch);
  }

  void read_copy(const Json& place, LaunchSpec& launch) {
    refuse_beside(place, kNotOfACopy, "copy", reporter_);
    refuse_beside(place, kOfACollectiveOnly, "copy", reporter_);
    require_key(place, "copy", reporter_);
    const Json buffer = place.find("copy"), to = place.find("to"), symbol = place.find("symbol");
    if (buffer.as_text() != nullptr && require_buffer(buffer, system_, reporter_))
      launch.copied = *buffer.as_text();
    if (to && symbol)
      return reporter_.report(to.pointer(), "'to' has no meaning beside 'symbol'",
                              "a copy goes into another buffer, or into a variable of the program");
    if (!to && !symbol)
      return reporter_.report(place.pointer(), "missing key 'to' or 'symbol'",
                              R"(where the copy goes: "to" is a buffer, "symbol" a variable of the program)");
    read_name(symbol, why_not_a_function, launch);
    if (to.as_text() == nullptr || !require_buffer(to, system_, reporter_)) return;
    launch.copied_to = *to.as_text();
    launch.kernel = "copy";
    if (launch.copied_to == launch.copied)
      return reporter_.report(to.pointer(), "'" + launch.copied + "' is copied into itself");
    const auto from_bytes = bytes_of(launch.copied), to_bytes = bytes_of(launch.copied_to);
    if (taken_ && from_bytes && to_bytes && *from_bytes != *to_bytes)
      reporter_.report(to.pointer(),
                       "'" + launch.copied_to + "' has " + std::to_string(*to_bytes) + " bytes, and '" +
                           launch.copied + "' " + std::to_string(*from_bytes) + ", with the defaults",
                       "a copy takes a buffer into one of as many bytes");
  }

  // With the defaults; empty where that has no value, which is reported where it stands.
  [[nodiscard]] std::optional<std::int64_t> bytes_of(const std::string& buffer) const {
    const auto found = system_.buffers.find(buffer);
    if (found == system_.buffers.end()) return {};
    try {
      constexpr std::int64_t kMost = std::int64_t{1} << 50;
      const std::int64_t count = found->second.count.evaluate_int(defaults_);
      if (count < 1 || count > kMost) return {};
      return count * static_cast<std::int64_t>(size_bytes(found->second.type));
    } catch (const ExpressionError&) {
      return {};
    }
  }

  void read_prefetch(const Json& place, LaunchSpec& launch) {
    const std::size_t before = reporter_.diagnostics().size();
    refuse_beside(place, kNotOfACopy, "prefetch", reporter_);
    refuse_beside(place, kOfACollectiveOnly, "prefetch", reporter_);
    refuse_beside(place, kNotOfAPrefetch, "prefetch", reporter_);
    require_key(place, "to", reporter_);
    const Json buffer = place.find("prefetch"), to = place.find("to");
    launch.kernel = "prefetch";
    if (buffer.as_text() != nullptr && require_buffer(buffer, system_, reporter_))
      launch.prefetched = *buffer.as_text();
    if (to.as_text() == nullptr) return;
    launch.to_host = *to.as_text() == "host";
    if (!launch.to_host && *to.as_text() != "device")
      reporter_.report(to.pointer(), "'" + *to.as_text() + "' is no place to move managed memory to",
                       R"(it is "host" or "device")");
    if (taken_ && reporter_.diagnostics().size() == before && !launch.prefetched.empty() &&
        !lies_in(MemoryKind::managed, system_.buffers.at(launch.prefetched)))
      reporter_.report(buffer.pointer(), "the buffer '" + launch.prefetched + "' is not in managed memory",
                       R"(a prefetch moves pages: "memory": "managed")");
  }

  void read_collective(const Json& place, LaunchSpec& launch) {
    refuse_beside(place, kNotOfACopy, "collective", reporter_);
    refuse_beside(place, kOfACopyOnly, "collective", reporter_);
    require_key(place, "collective", reporter_);
    const Json kind = place.find("collective");
    if (kind.as_text() == nullptr) return;
    launch.collective = find_enum<Collective>(*kind.as_text()).value_or(Collective::none);
    launch.kernel = *kind.as_text();
    if (!variant_.pes)
      reporter_.report(kind.pointer(),
                       "the variant has no 'pes', whose processing elements would do it together",
                       R"("pes": "GPUS" runs it on so many)");
    const Json buffer = place.find("buffer");
    if (launch.collective == Collective::barrier && buffer)
      return reporter_.report(buffer.pointer(), "'buffer' has no meaning for a barrier");
    if (launch.collective != Collective::sum) return;
    require_key(place, "buffer", reporter_);
    if (buffer.as_text() == nullptr || !require_buffer(buffer, system_, reporter_)) return;
    launch.summed = *buffer.as_text();
    const ScalarType type = system_.buffers.at(launch.summed).type;
    if (is_small_float(type) && size_bytes(type) == 1)
      reporter_.report(buffer.pointer(), "the buffer '" + launch.summed + "' has the type " +
                                             std::string(to_string(type)) + ", of which there are no sums");
    if (!lies_in(MemoryKind::symmetric, system_.buffers.at(launch.summed)))
      reporter_.report(buffer.pointer(), "the buffer '" + launch.summed + "' is not symmetric",
                       R"(what all add up lies with each of them: "memory": "symmetric")");
  }

  // With the defaults.
  [[nodiscard]] bool lies_in(MemoryKind memory, const BufferSpec& buffer) const {
    try {
      return to_string(buffer.memory.evaluate(defaults_)) == to_string(memory);
    } catch (const ExpressionError&) {
      return true;  // reported where it stands
    }
  }

  void read_streams(const Json& place, LaunchSpec& launch) {
    launch.stream = read_number(place.find("stream"), kMostStreams).value_or(Expression());
    launch.gpu = read_number(place.find("gpu"), kMostGpus).value_or(Expression());
    if (variant_.pes && place.find("gpu"))
      reporter_.report(place.find("gpu").pointer(), "'gpu' has no meaning in a variant with 'pes'",
                       "each processing element launches on its own GPU");
    for (const Json& item : place.find("wait").items()) {
      if (const auto stream = read_number(item, kMostStreams)) launch.wait.push_back(*stream);
    }
  }

  void read_kernel(const Json& place, LaunchSpec& launch) {
    if (place.find("function")) {
      reporter_.report(place.find("function").pointer(), "'function' has no meaning in a cuda variant",
                       "a cuda variant has 'kernel'");
    }
    for (const char* key : {"kernel", "grid", "block"}) require_key(place, key, reporter_);
    read_name(place.find("kernel"), why_not_a_kernel, launch);
    read_size(place.find("grid"), launch.grid);
    read_size(place.find("block"), launch.block);
    const Json bytes = place.find("dynamic_shared_bytes");
    if (const auto expression = read_expression(bytes, known_, reporter_)) {
      launch.dynamic_shared_bytes = *expression;
      if (taken_) check_whole(*expression, defaults_, 0, bytes.pointer(), reporter_);
    }
    launch.cooperative = place.find("cooperative").as_flag().value_or(false);
    launch.sms = read_number(place.find("sms"), kMostSms + 1).value_or(Expression());
    read_cluster(place.find("cluster"), launch);
    read_priority(place.find("priority"), launch);
    if (const auto dependent = read_expression(place.find("dependent"), known_, reporter_)) {
      launch.dependent = *dependent;
      refuse_beside(place, kNotOfADependent, "dependent", reporter_);
      if (taken_) (void)try_evaluate(*dependent, defaults_, place.find("dependent").pointer(), reporter_);
    }
  }

  void read_cluster(const Json& place, LaunchSpec& launch) {
    if (!place) return;
    const std::size_t before = reporter_.diagnostics().size();
    std::array<Expression, 3> cluster;
    cluster.fill(Expression::constant(std::int64_t{1}));
    read_size(place, cluster);
    launch.cluster = cluster;
    if (!taken_ || reporter_.diagnostics().size() != before) return;
    try {
      std::int64_t blocks = 1;
      for (std::size_t i = 0; i < cluster.size(); ++i) {
        const std::int64_t size = cluster.at(i).evaluate_int(defaults_);
        const std::int64_t grid = launch.grid.at(i).evaluate_int(defaults_);
        blocks = size > kMostClusterBlocks ? size : blocks * size;
        if (grid % size != 0)
          reporter_.report(place.pointer(), "a grid of " + std::to_string(grid) + " in " + "xyz"[i] +
                                                " is no multiple of the cluster's " + std::to_string(size) +
                                                ", with the defaults");
      }
      if (blocks > kMostClusterBlocks)
        reporter_.report(place.pointer(),
                         "a cluster of " + std::to_string(blocks) + " blocks, with the defaults",
                         "it has at most 8, and on some GPUs up to " + std::to_string(kMostClusterBlocks));
    } catch (const ExpressionError&) {
      return;  // of the grid: reported where it stands
    }
  }

  void read_priority(const Json& place, LaunchSpec& launch) {
    const auto priority = read_expression(place, known_, reporter_);
    if (!priority) return;
    launch.priority = *priority;
    if (!taken_) return;
    const auto value = try_evaluate(*priority, defaults_, place.pointer(), reporter_);
    if (!value) return;
    try {
      const std::int64_t number = priority->evaluate_int(defaults_);
      if (number <= 0 && number >= -kMostPriority) return;
    } catch (const ExpressionError&) {
      // is none that is whole
    }
    report_value(*priority, *value, "a whole number from -" + std::to_string(kMostPriority) + " to 0",
                 defaults_, place.pointer(), reporter_);
  }

  void read_name(const Json& place, std::string (*why_not)(std::string_view), LaunchSpec& launch) {
    if (place.as_text() == nullptr) return;
    launch.kernel = *place.as_text();
    const std::string why = why_not(launch.kernel);
    if (!why.empty()) reporter_.report(place.pointer(), "'" + launch.kernel + "' " + why);
  }

  void read_size(const Json& place, std::array<Expression, 3>& size) {
    std::vector<Json> places = place.items();
    if (place.as_value()) places = {place};
    for (std::size_t i = 0; i < std::min(places.size(), size.size()); ++i) {
      const auto expression = read_expression(places[i], known_, reporter_);
      if (!expression) continue;
      size.at(i) = *expression;
      if (taken_) check_whole(*expression, defaults_, 1, places[i].pointer(), reporter_);
    }
  }

  // Of a stream or a GPU, or of SMs.
  std::optional<Expression> read_number(const Json& place, std::size_t end) {
    auto number = read_expression(place, known_, reporter_);
    if (number && taken_) check_below(*number, defaults_, end, place.pointer(), reporter_);
    return number;
  }

  // Whether the launch takes place with the defaults, so that its expressions have a meaning.
  bool takes_place(const LaunchSpec& launch, const std::string& pointer) {
    if (!launch.when) return true;
    const auto value = try_evaluate(*launch.when, defaults_, pointer, reporter_);
    return value && truthy(*value);
  }

  const System& system_;
  const VariantSpec& variant_;
  Reporter& reporter_;
  std::vector<std::string> known_;
  Values defaults_;
  bool taken_ = true;  // the launch at hand, with the defaults
  std::optional<T1Source> outline_;
};

}  // namespace

std::vector<LaunchSpec> read_plan(const Json& plan, const System& system, const VariantSpec& variant,
                                  Reporter& reporter) {
  return LaunchReader(system, variant, reporter).read_all(plan);
}

}  // namespace tailwave
