#include "measure/input_maker.h"

#include <fmt/format.h>

#include <algorithm>

#include "compile/source_check.h"
#include "core/hash.h"
#include "core/outcome.h"
#include "core/program_identity.h"
#include "spec/system_fields.h"

namespace tailwave {

Configuration maker_configuration(const System& system, const VariantSpec& maker,
                                  const Configuration& configuration) {
  Values own;
  for (const auto& [name, value] : reference_parameters(system, configuration.parameters))
    if (std::ranges::find(system.reference.by, name) != system.reference.by.end()) own.emplace(name, value);
  return {system.name, maker.name, own, configuration.problem};
}

void InputMaker::complete(Repetition& repetition) {
  const System& system = *repetition.system;
  if (system.makers.empty() || is_maker(repetition.configuration.variant)) return;
  repetition.inputs = inputs_of(system, repetition.configuration);
  for (Step& step : repetition.steps) {
    if (step.problem.empty()) continue;
    Configuration changed = repetition.configuration;
    for (const auto& [name, value] : step.problem) changed.problem[name] = value;
    step.inputs = inputs_of(system, changed);
  }
}

MadeInputs InputMaker::inputs_of(const System& system, const Configuration& configuration) {
  MadeInputs inputs;
  for (const auto& [buffer, spec] : system.buffers) {
    if (spec.fill.kind != Fill::Kind::function || spec.output_only) continue;
    const VariantSpec& maker = *system.find_variant(maker_of(buffer));
    inputs[buffer] = made(system, maker, buffer, maker_configuration(system, maker, configuration));
  }
  return inputs;
}

MadeInput InputMaker::made(const System& system, const VariantSpec& maker, const std::string& buffer,
                           const Configuration& configuration) {
  constexpr std::size_t kMostRemembered = 16;
  FieldHasher hasher;
  try {
    hasher.add(program_identity()).add(tools_.host_compiler->key({&system, &maker, configuration}));
  } catch (const Failure& failure) {
    hasher.add(failure.what());  // building it meets that again
  }
  add_plan(hasher, maker);
  hasher.add(buffer)
      .add(to_string(system.buffers.at(buffer).type))
      .add(system.buffers.at(buffer).count.text());
  for (const auto& [name, value] : configuration.scope())
    hasher.add(name).add(std::to_string(value.index())).add(to_string(value));
  const std::string key = hasher.digest();
  const auto known = std::ranges::find(latest_, key, &MadeInput::key);
  if (known != latest_.end()) {
    latest_.splice(latest_.begin(), latest_, known);
    return latest_.front();
  }
  std::optional<BufferContents> kept = tools_.kept.find(key);
  Blob contents = kept ? kept->at(buffer) : call(system, maker, buffer, configuration);
  if (!kept) tools_.kept.keep(key, {{buffer, contents}});
  latest_.push_front({key, std::move(contents)});
  if (latest_.size() > kMostRemembered) latest_.pop_back();
  return latest_.front();
}

Blob InputMaker::call(const System& system, const VariantSpec& maker, const std::string& buffer,
                      const Configuration& configuration) const {
  require_fitting_maker(system, maker);
  try {
    Repetition wanted{.number = tools_.cpu->new_number(),
                      .system = &system,
                      .configuration = configuration,
                      .artifact = tools_.build(*tools_.host_compiler, {&system, &maker, configuration}),
                      .settings = {},
                      .steps = {{.draw = 0, .timed = false, .looked_at = true}},
                      .results = {buffer}};
    wanted.settings.deadline_s = ReferenceProvider::kDeadlineS;
    tools_.cpu->begin(std::move(wanted));
    RepetitionResult result = tools_.cpu->finish();
    if (result.outcome != Outcome::correct) throw Failure(result.outcome, result.detail);
    Look& look = result.looks.at(0);
    if (!look.damage.empty()) throw Failure(Outcome::illegal_access, look.damage);
    return std::move(look.contents.at(buffer));
  } catch (const Failure& failure) {
    throw Error({.file = system.file.string(),
                 .place = system.inputs.empty() ? "/buffers/" + buffer + "/fill" : "",
                 .cause = fmt::format("{}(), which fills the buffer '{}', does not run",
                                      maker.launches.at(0).kernel, buffer),
                 .excerpt = fmt::format("{}: {}", to_string(failure.outcome()), failure.what())},
                Error::kRunFailed);
  }
}

void add_makers(FieldHasher& hasher, Compiler* host_compiler, const System& system, const Values& problem,
                const Values& parameters) {
  for (const VariantSpec& maker : system.makers) {
    hasher.add(maker.name);
    add_plan(hasher, maker);
    if (host_compiler == nullptr) continue;
    try {
      hasher.add(host_compiler->key(
          {&system, &maker, maker_configuration(system, maker, {system.name, "", parameters, problem})}));
    } catch (const Failure& failure) {
      hasher.add(failure.what());
    }
  }
}

}  // namespace tailwave
