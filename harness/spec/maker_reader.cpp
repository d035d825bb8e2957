#include "spec/maker_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "spec/argument_reader.h"
#include "spec/names.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

// It fills its own buffer, and the others have nothing yet.
void check_buffers(const std::string& buffer, const LaunchSpec& call, const Json& place, Reporter& reporter) {
  std::set<std::string> names;
  for (const Argument& argument : call.arguments) add_buffers_of(argument, names);
  if (names.erase(buffer) == 0)
    reporter.report(place.pointer(),
                    fmt::format("'{}' is none of the arguments, and the function fills it", buffer));
  if (!names.empty())
    reporter.report(place.pointer(),
                    fmt::format("'{}' is another buffer, which holds nothing yet", *names.begin()));
}

}  // namespace

void read_maker(const std::string& buffer, const Json& fill, System& system, Reporter& reporter) {
  Fill& filled = system.buffers.at(buffer).fill;
  if (filled.kind != Fill::Kind::function) return;
  const std::size_t before = reporter.diagnostics().size();
  const Json arguments = fill.find("args");
  if (const std::string why = why_not_a_function(filled.function);
      fill.find("function").as_text() != nullptr && !why.empty())
    reporter.report(fill.find("function").pointer(),
                    fmt::format("the name '{}' of the function {}", filled.function, why));
  Values defaults =
      system.find_variant(system.reference.variant) == nullptr ? Values() : reference_parameters(system, {});
  for (const auto& [name, quantity] : system.problem) defaults[name] = quantity.default_value;
  std::vector<std::string> known = problem_names(system);
  for (const auto& entry : defaults)
    if (!system.problem.contains(entry.first)) known.push_back(entry.first);
  VariantSpec maker{.target = VariantSpec::Target::host, .name = maker_of(buffer), .source = filled.file};
  LaunchSpec& call = maker.launches.emplace_back();
  call.kernel = filled.function;
  call.grid.fill(Expression::constant(std::int64_t{1}));
  call.block = call.grid;
  ArgumentReader reader(system, known, defaults, true, reporter);
  for (const Json& place : arguments.items()) {
    std::optional<Argument> argument = reader.read(place);
    if (argument) call.arguments.push_back(*std::move(argument));
  }
  if (!arguments || reporter.diagnostics().size() != before) return;  // it is reported
  check_buffers(buffer, call, arguments, reporter);
  filled.arguments.clear();
  for (const Argument& argument : call.arguments)
    for_each_leaf(argument, [&](const Argument& leaf) {
      if (const auto* scalar = std::get_if<ScalarArgument>(&leaf)) filled.arguments.push_back(scalar->value);
    });
  std::erase_if(system.makers, [&](const VariantSpec& one) { return one.name == maker.name; });
  system.makers.push_back(std::move(maker));
}

}  // namespace tailwave
