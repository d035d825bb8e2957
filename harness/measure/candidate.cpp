#include "measure/candidate.h"

#include <fmt/format.h>

#include "core/hash.h"
#include "measure/launch_description.h"
#include "measure/launch_plan.h"
#include "measure/workspace.h"

namespace tailwave {

void Candidate::begin_anew() {
  gpu.reset();
  if (drift_block || !is_alive()) return;  // nothing of it was measured
  begun = 0;
  Trial fresh;
  fresh.key = std::move(trial.key);
  fresh.configuration = std::move(trial.configuration);
  fresh.build = std::move(trial.build);
  trial = std::move(fresh);
}

void Candidate::give_up(double at_least_ns, double limit_ns) {
  fail(Outcome::given_up,
       fmt::format("an execution takes at least {:.3g} s, which beside the best is hopeless: "
                   "beyond {:.3g} s nothing more is measured",
                   at_least_ns * 1e-9, limit_ns * 1e-9));
  trial.at_least_ns = at_least_ns;
}

std::string work_identity(const System& system, const Configuration& configuration,
                          const std::string& code_hash) {
  if (code_hash.empty()) return "";
  const VariantSpec& variant = *system.find_variant(configuration.variant);
  const Values scope = configuration.scope();
  FieldHasher hasher;
  hasher.add(code_hash).add(configuration.variant);
  for (const auto& [name, value] : configuration.problem) hasher.add(name).add(to_string(value));
  add_resolved_plans(hasher, variant, scope);
  for (const auto& [name, count] : buffer_counts(system, variant, scope)) {
    const BufferSpec& buffer = system.buffers.at(name);
    hasher.add(name).add(std::to_string(count)).add(to_string(buffer.gpu.evaluate(scope)));
    hasher.add(to_string(evaluate_memory(buffer.memory, scope, name)));
  }
  // What is asked of the result, and what is said of it, may depend on parameters that the code does not have.
  const Values known = scope_of_reference(system, scope);
  for (const auto& [name, comparison] : system.reference.compare)
    hasher.add(name)
        .add(to_string(comparison.tolerance.evaluate(known)))
        .add(to_string(comparison.absolute.evaluate(known)));
  for (const std::string& name : system.reference.by)
    if (const auto value = configuration.parameters.find(name); value != configuration.parameters.end())
      hasher.add(name).add(to_string(value->second));
  for (const auto& problem : system.verify.problems)
    for (const auto& [name, value] : problem)
      if (has_names_of(value, variant, system)) hasher.add(name).add(to_string(value.evaluate(scope)));
  for (const auto& [name, value] : evaluate_work(system, scope)) hasher.add(name).add(to_string(value));
  for (const auto& [name, limit] : system.limits) {
    for (const std::string& used : limit.seconds.names()) {
      const auto found = scope.find(used);
      if (found != scope.end()) hasher.add(used).add(to_string(found->second));
    }
  }
  return hasher.digest();
}

}  // namespace tailwave
