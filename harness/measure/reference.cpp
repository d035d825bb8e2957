#include "measure/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "compile/prelude.h"
#include "core/hash.h"
#include "core/program_identity.h"
#include "measure/input_maker.h"
#include "measure/inputs.h"
#include "measure/telling.h"
#include "spec/system_fields.h"
#include "verify/compare.h"

namespace tailwave {

namespace {

// The files that buffers are filled with are those that the system was loaded with.
bool files_are_unchanged(const System& system) {
  return std::all_of(system.buffers.begin(), system.buffers.end(), [](const auto& entry) {
    const Fill& fill = entry.second.fill;
    return fill.kind != Fill::Kind::file || hash_of_file(fill.file) == fill.digest;
  });
}

// What was read with the manifest is what results and trials are known by.
void require_unchanged(const std::filesystem::path& file, const std::string& hash) {
  if (hash_of_file(file) != hash)
    throw Failure(Outcome::launch_failed,
                  fmt::format("{} has changed since the manifest was read", file.string()));
}

void require_unchanged(const PythonReference& python) {
  for (const auto& [name, hash] : python.files) require_unchanged(python.path_of(name), hash);
}

bool is_host(const System& system) {
  const VariantSpec* const variant = system.find_variant(system.reference.variant);
  return variant != nullptr && variant->target == VariantSpec::Target::host;
}

// What is computed anew may differ, if only it is weak.
std::string edition_of(const std::string& key) {
  static std::uint64_t last = 0;
  return fmt::format("{} {}", key, ++last);
}

std::string digest_of_buffers(const System& system) {
  FieldHasher hasher;
  add_buffers(hasher, system);
  return hasher.digest();
}

// A T1 file: nothing was written to be the reference.
bool has_no_other_variant(const System& system) {
  return system.variants.size() == 1 && !system.reference.variant.empty() && !is_host(system);
}

// Of results that are stored: those of other problems are not to be had.
BufferContents stored_results(const System& system, const Values& problem) {
  for (const auto& [name, value] : system.reference.stored_problem)
    if (const auto other = problem.find(name);
        other != problem.end() && to_string(other->second) != to_string(value))
      throw Failure(Outcome::launch_failed, fmt::format("the stored results are of {} = {}, not {}", name,
                                                        to_string(value), to_string(other->second)));
  BufferContents contents;
  for (const auto& [name, results] : system.reference.stored) {
    if (results.kind == Fill::Kind::file) require_unchanged(results.file, results.digest);
    BufferSpec buffer = system.buffers.at(name);
    buffer.fill = results;
    const auto count = static_cast<std::size_t>(buffer.count.evaluate_int(problem));
    contents[name] = Blob(make_input(buffer, count, 0, problem));
  }
  return contents;
}

// Where the manifest says what it is, and that in words.
std::pair<std::string, std::string> place_of_reference(const System& system) {
  const ReferenceSpec& reference = system.reference;
  if (has_no_other_variant(system))
    return {"/KernelSpecification", "the reference, the default configuration,"};
  if (reference.python)
    return {"/reference/python", fmt::format("the reference {}() in '{}'", reference.python->function,
                                             reference.python->file.filename().string())};
  if (!reference.stored.empty()) return {"/reference/stored", "what is stored as the reference"};
  return {"/reference/variant", fmt::format("the reference '{}'", reference.variant)};
}

void add_values(FieldHasher& hasher, const Values& values) {
  hasher.add(std::to_string(values.size()));
  for (const auto& [name, value] : values)
    hasher.add(name).add(std::to_string(value.index())).add(to_string(value));
}

// Vectors of one element are what a generator of T1 files leaves behind that did not know better.
std::string hint_of_sizes(const System& system, const Configuration& configuration, Outcome outcome) {
  std::vector<std::string> single;
  for (const auto& [name, buffer] : system.buffers) {
    try {
      if (buffer.count.evaluate_int(configuration.scope()) == 1) single.push_back("'" + name + "'");
    } catch (const ExpressionError&) {
      continue;  // it is said elsewhere
    }
  }
  const bool may_be_small = outcome == Outcome::illegal_access || outcome == Outcome::crashed;
  if (single.empty()) return may_be_small ? "is an argument's Size too small?" : "";
  return fmt::format("{} {} 1 element: is {} Size too small?", fmt::join(single, ", "),
                     single.size() == 1 ? "has" : "have each", single.size() == 1 ? "its" : "their");
}

// Of one that the system has beside its variants.
std::string hint_of_memory(const Failure& failure) {
  const bool is_outside =
      failure.outcome() == Outcome::illegal_access ||
      std::string_view(failure.what()).find("Segmentation fault") != std::string_view::npos;
  return is_outside
             ? R"(it reaches memory that it does not have: is a "count" too small, or a "grid" or "block" too large?)"
             : "";
}

// Empty, or how two results differ.
std::string difference(const System& system, const Configuration& configuration, const BufferContents& one,
                       const BufferContents& other) {
  for (const std::string& buffer : compared_buffers(system)) {
    const auto comparison =
        resolve(system.reference.compare.at(buffer), scope_of_reference(system, configuration.scope()));
    if (!comparison) continue;
    const Verification found = compare(system.buffers.at(buffer).type, one.at(buffer).bytes(),
                                       other.at(buffer).bytes(), *comparison);
    if (!found.passed) return fmt::format("buffer '{}': {} {:.3g}", buffer, found.norm, found.error);
  }
  return "";
}

}  // namespace

std::vector<std::string> compared_buffers(const System& system) {
  std::vector<std::string> compared;
  for (const auto& [buffer, comparison] : system.reference.compare)
    if (comparison.norm != Comparison::Norm::range) compared.push_back(buffer);
  return compared;
}

ReferenceProvider::Expected ReferenceProvider::expected(const System& system, const Values& problem,
                                                        std::uint64_t draw, const Values& parameters) {
  const Configuration configuration{system.name, system.reference.variant,
                                    reference_parameters(system, parameters), problem};
  // T1 files in several folders may call their systems the same, and experiments a regime.
  const std::string key = fmt::format("{} {} {} {}", system.file.string(), configuration.name(), draw,
                                      system.inputs.empty() ? "" : digest_of_buffers(system));
  auto known = std::find_if(latest_.begin(), latest_.end(), [&](const auto& one) { return one.key == key; });
  if (known == latest_.end()) {
    Computed computed = find_or_compute(system, configuration, draw);
    latest_.push_front({key, edition_of(key),
                        std::make_shared<const BufferContents>(std::move(computed.contents)),
                        std::move(computed.weakness)});
    known = latest_.begin();
    forget_oldest();
  }
  latest_.splice(latest_.begin(), latest_, known);
  if (!known->weakness.empty()) weakness_ = known->weakness;
  return {known->contents, known->edition, known->weakness};
}

// Problems of a verification may depend on parameters, so that one sweep asks for hundreds of small results beside the large
// ones, which stay. Both draws of the problem at hand stay in any case.
void ReferenceProvider::forget_oldest() {
  constexpr std::size_t kMostBytes = std::size_t{4} << 30, kMostRemembered = 4096;
  constexpr std::size_t kMostDescriptors = 256;  // a process may have a thousand
  std::size_t bytes = 0, descriptors = 0, place = 0;
  for (auto one = latest_.begin(); one != latest_.end(); ++place) {
    for (const auto& [name, blob] : *one->contents) {
      bytes += blob.bytes().size();
      descriptors += blob.descriptor() >= 0 ? 1 : 0;
    }
    const bool stays =
        place < 2 || (bytes <= kMostBytes && descriptors <= kMostDescriptors && place < kMostRemembered);
    one = stays ? std::next(one) : latest_.erase(one, latest_.end());
  }
}

void ReferenceProvider::rest() {
  if (!std::exchange(has_computed_, false)) return;
  for (Worker* worker : {tools_.cpu, tools_.gpu})
    if (worker != nullptr) worker->rest();
}

bool ReferenceProvider::on_gpu(const System& system) const {
  return !system.reference.variant.empty() && !is_host(system) && tools_.gpu != nullptr &&
         tools_.place != ReferencePlace::cpu;
}

Compiler& ReferenceProvider::compiler_of(const System& system) const {
  const bool by_gpu =
      on_gpu(system) && (!has_no_other_variant(system) || tools_.place == ReferencePlace::gpu);
  if (by_gpu) return *tools_.kernels;
  return is_host(system) || tools_.cpu_kernels == nullptr ? *tools_.host_compiler : *tools_.cpu_kernels;
}

ReferenceProvider::Computed ReferenceProvider::find_or_compute(const System& system,
                                                               const Configuration& configuration,
                                                               std::uint64_t draw) {
  if (!system.reference.stored.empty()) return compute(system, configuration, draw);
  const std::string key = key_of(system, configuration, draw);
  if (!key.empty())
    if (std::optional<BufferContents> kept = tools_.kept.find(key)) return {*std::move(kept), ""};
  Computed computed = compute(system, configuration, draw);
  has_computed_ = true;
  // What has changed meanwhile belongs to no key.
  if (!key.empty() && computed.weakness.empty() && key_of(system, configuration, draw) == key)
    tools_.kept.keep(key, computed.contents);
  return computed;
}

std::string ReferenceProvider::key_of(const System& system, const Configuration& configuration,
                                      std::uint64_t draw) const {
  const VariantSpec* const variant = system.find_variant(configuration.variant);
  const bool by_gpu = on_gpu(system) && !has_no_other_variant(system);
  if (!tools_.kept.keeps_any()) return "";
  FieldHasher hasher;
  try {
    if (!files_are_unchanged(system)) return "";
    if (system.reference.python) require_unchanged(*system.reference.python);
    hasher.add(program_identity());
    if (variant != nullptr) hasher.add(compiler_of(system).key({&system, variant, configuration}));
  } catch (const std::exception&) {
    return "";  // computing it meets that again
  }
  if (by_gpu) hasher.add(tools_.gpu->description().name).add(tools_.gpu->description().driver);
  if (variant != nullptr) add_plan(hasher, *variant);
  if (tools_.python) hasher.add(tools_.python->program.string()).add(tools_.python->versions);
  add_reference(hasher, system.reference);
  add_makers(hasher, tools_.host_compiler, system, configuration.problem, configuration.parameters);
  hasher.add(std::to_string(system.buffers.size()));
  add_buffers(hasher, system);
  add_values(hasher, configuration.scope());
  hasher.add(std::to_string(draw));
  const std::vector<std::string> compared = compared_buffers(system);
  hasher.add(std::to_string(compared.size()));
  for (const std::string& buffer : compared) hasher.add(buffer);
  return hasher.digest();
}

ReferenceProvider::Computed ReferenceProvider::compute(const System& system,
                                                       const Configuration& configuration,
                                                       std::uint64_t draw) {
  const bool own = has_no_other_variant(system);
  try {
    if (own) return compute_own(system, configuration, draw);
    if (!system.reference.stored.empty()) return {stored_results(system, configuration.scope()), ""};
    if (system.reference.python) return {compute_in_python(system, configuration, draw), ""};
    if (on_gpu(system))
      return {execute(*tools_.kernels, *tools_.gpu, system, configuration, draw, kDeadlineS), ""};
    Compiler* const compiler = is_host(system) ? tools_.host_compiler : tools_.cpu_kernels;
    if (compiler == nullptr) throw Failure(Outcome::compile_error, "no compiler makes it run on the CPU");
    return {execute(*compiler, *tools_.cpu, system, configuration, draw, kDeadlineS), ""};
  } catch (const Failure& failure) {
    const auto [place, what] = place_of_reference(system);
    throw Error(
        {.file = system.file.string(),
         .place = place,
         .cause = what + " cannot be computed, so nothing can be verified",
         .excerpt = failure.what(),
         .hint = own ? hint_of_sizes(system, configuration, failure.outcome()) : hint_of_memory(failure)},
        Error::kRunFailed);
  }
}

ReferenceProvider::Computed ReferenceProvider::compute_own(const System& system,
                                                           const Configuration& configuration,
                                                           std::uint64_t draw) {
  const bool has_gpu = on_gpu(system);
  const std::string name = system.file.string() + " " + configuration.name();
  std::string why_not_on_cpu = "no compiler makes it run on the CPU";
  if (tools_.place == ReferencePlace::gpu && has_gpu) {
    why_not_on_cpu = "as asked for";
  } else if (has_gpu && slow_on_cpu_.starts_with(name + ": ")) {
    why_not_on_cpu = slow_on_cpu_.substr(name.size() + 2);
  } else if (tools_.cpu_kernels != nullptr) {
    try {
      const double longest_s = has_gpu ? kLongOnCpuS : kDeadlineS;
      return {execute(*tools_.cpu_kernels, *tools_.cpu, system, configuration, draw, longest_s), ""};
    } catch (const Failure& failure) {
      if (!has_gpu) throw;
      why_not_on_cpu = fmt::format("on the CPU: {}: {}", to_string(failure.outcome()), failure.what());
      why_not_on_cpu = why_not_on_cpu.substr(0, why_not_on_cpu.find('\n'));
      slow_on_cpu_ = name + ": " + why_not_on_cpu;
    }
  }
  if (!has_gpu) throw Failure(Outcome::launch_failed, why_not_on_cpu);
  return compute_by_agreement(system, configuration, draw, why_not_on_cpu);
}

// The default configuration, and others until two agree.
ReferenceProvider::Computed ReferenceProvider::compute_by_agreement(const System& system,
                                                                    const Configuration& configuration,
                                                                    std::uint64_t draw,
                                                                    const std::string& why_not_on_cpu) {
  struct Answer {
    Configuration configuration;
    std::string code;
    BufferContents contents;
  };
  constexpr std::size_t kMostCandidates = 3, kMostTries = 24, kMostFailures = 4;  // before one ran
  const VariantSpec& variant = *system.find_variant(configuration.variant);
  std::vector<Configuration> all{configuration};
  if (tools_.others) {
    for (Configuration& other : tools_.others(system, configuration.problem))
      if (other.parameters != configuration.parameters) all.push_back(std::move(other));
  }
  std::vector<Answer> candidates;
  std::vector<std::string> report;
  std::size_t tries = 0;
  for (const Configuration& one : all) {
    if (candidates.size() == kMostCandidates || tries++ == kMostTries) break;
    if (candidates.empty() && report.size() == kMostFailures) break;
    Answer candidate{one, "", {}};
    try {
      candidate.code = tools_.build(*tools_.kernels, {&system, &variant, one}).record.code_hash;
      const bool is_known = std::any_of(candidates.begin(), candidates.end(), [&](const Answer& before) {
        return !candidate.code.empty() && before.code == candidate.code;
      });
      if (is_known) continue;
      candidate.contents = execute(*tools_.kernels, *tools_.gpu, system, one, draw, kDeadlineS);
    } catch (const Failure& failure) {
      report.push_back(fmt::format("{}: {}: {}", one.name(), to_string(failure.outcome()), failure.what()));
      continue;
    }
    for (const Answer& before : candidates) {
      const std::string how = difference(system, configuration, before.contents, candidate.contents);
      if (!how.empty()) {
        report.push_back(fmt::format("{} and {}: {}", before.configuration.name(), one.name(), how));
        continue;
      }
      return {before.contents,
              fmt::format("compared with two configurations that agree on the same GPU ({} and {}; {}), "
                          "which is weaker than an independent reference",
                          before.configuration.name(), one.name(), why_not_on_cpu)};
    }
    candidates.push_back(std::move(candidate));
  }
  if (candidates.size() < 2 && all.size() == 1 && candidates.size() == 1)
    return {std::move(candidates.front().contents),
            fmt::format("compared with the only configuration on the same GPU ({}), which says little",
                        why_not_on_cpu)};
  throw Failure(Outcome::wrong_result,
                fmt::format("no two configurations agree:\n  {}", fmt::join(report, "\n  ")));
}

BufferContents ReferenceProvider::compute_in_python(const System& system, const Configuration& configuration,
                                                    std::uint64_t draw) {
  if (!tools_.python) throw Failure(Outcome::unavailable, "no Python was looked for");
  const Telling telling(*tools_.cpu, tools_.tell,
                        fmt::format("the reference {}() in Python", system.reference.python->function));
  require_unchanged(*system.reference.python);
  BufferContents contents =
      run_python_reference(*tools_.cpu, *tools_.python, system, configuration, draw, kDeadlineS);
  require_unchanged(*system.reference.python);
  return contents;
}

BufferContents ReferenceProvider::execute(Compiler& compiler, Worker& worker, const System& system,
                                          const Configuration& configuration, std::uint64_t draw,
                                          double longest_s) const {
  const std::string what = fmt::format("the reference {} on the {}", configuration.name(),
                                       worker.description().kind == DeviceKind::cuda ? "GPU" : "CPU");
  const VariantSpec& variant = *system.find_variant(configuration.variant);
  Repetition wanted{.number = worker.new_number(),
                    .system = &system,
                    .configuration = configuration,
                    .artifact = tools_.build(compiler, {&system, &variant, configuration}),
                    .settings = {},
                    .steps = {{.draw = draw, .timed = false, .looked_at = true}},
                    .results = compared_buffers(system)};
  wanted.settings.deadline_s = longest_s;
  const bool may_give_up = longest_s < kDeadlineS;
  const Telling telling(worker, tools_.tell, what,
                        may_give_up ? longest_s : std::numeric_limits<double>::infinity());
  worker.begin(std::move(wanted));
  RepetitionResult result = worker.finish();
  if (result.outcome != Outcome::correct)
    throw Failure(result.outcome, result.detail + shown_below("; it printed", result.printed));
  Look& look = result.looks.at(0);
  if (!look.damage.empty()) throw Failure(Outcome::illegal_access, look.damage);
  return std::move(look.contents);
}

}  // namespace tailwave
