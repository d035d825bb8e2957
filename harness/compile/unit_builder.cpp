#include "compile/unit_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "compile/allowed_inputs.h"
#include "compile/cpu/toolkit_headers.h"
#include "compile/embedded.h"
#include "compile/name_clash.h"
#include "compile/prelude.h"
#include "core/outcome.h"
#include "core/stopwatch.h"

namespace tailwave {
namespace {

using Flags = std::vector<std::string>;

std::string with_inputs(const std::string& key, const std::map<std::string, std::string>& inputs) {
  if (inputs.empty()) return key;
  FieldHasher hasher;
  hasher.add(key);
  for (const auto& [file, hash] : inputs) hasher.add(file).add(hash);
  return hasher.digest();
}

// Whether an option names files to read, or folders of them.
bool names_files(const Flags& flags) {
  return std::ranges::any_of(flags, [](const std::string& flag) {
    return flag.starts_with("-I") || flag.starts_with("-i") || flag.starts_with("--i") ||
           flag.starts_with('@');
  });
}

bool makes_kernels(const UnitRecipe& recipe) {
  return recipe.kind == Artifact::Kind::cpu_kernels;
}

Artifact::Kind kind_of(const UnitRecipe& recipe, const BuildRequest& request) {
  const bool is_library = request.variant->target == VariantSpec::Target::library;
  return is_library ? Artifact::Kind::gpu_library : recipe.kind;
}

}  // namespace

UnitBuilder::UnitBuilder(const UnitRecipe& recipe, ArtifactCache cache,
                         std::shared_ptr<const UnitCompiler> compiler, std::string identity)
    : recipe_(recipe),
      cache_(std::move(cache)),
      compiler_(std::move(compiler)),
      identity_(std::move(identity)) {}

std::string UnitBuilder::version() const {
  return compiler_ ? compiler_->version() : "none";
}

FieldHasher UnitBuilder::begun_key(const BuildRequest& request) {
  const std::string digest = sources_.of(request.variant->source, request.system->directory);
  const std::scoped_lock lock(mutex_);
  const auto [entry, is_new] = begun_.try_emplace(digest);
  if (!is_new) return entry->second;
  FieldHasher& hasher = entry->second;
  hasher.add(recipe_.header).add(digest);
  for (const auto& [path, text] : embedded::compile::files()) hasher.add(path).add(text);
  for (const auto& [name, text] : cpu_toolkit_headers()) hasher.add(name).add(text);
  return hasher.condense();
}

std::string UnitBuilder::cache_key(const BuildRequest& request) {
  FieldHasher hasher = begun_key(request);
  hasher.add(to_string(request.variant->target));
  hasher.add(define_lines(*request.variant, request.configuration));
  for (const std::string& name : kernel_names(*request.variant)) hasher.add(name);
  for (const Flags& flags : {recipe_.flags(request), recipe_.extra_flags()})
    hasher.add(fmt::format("{}", fmt::join(flags, " ")));
  for (const auto& path : allowed_inputs()) hasher.add(path.string());
  hasher.add(compiler_ ? compiler_->identity() : identity_);
  if (compiler_)
    hasher.add(compiler_->version()).add(fmt::format("{}", fmt::join(compiler_->base_flags(), " ")));
  return hasher.digest();
}

std::string UnitBuilder::key(const BuildRequest& request) {
  std::string key = cache_key(request);
  if (!reads_elsewhere(request)) return key;
  const std::optional<Artifact> known = cache_.find(key);
  return known ? with_inputs(key, known->inputs) : key;
}

bool UnitBuilder::reads_elsewhere(const BuildRequest& request) const {
  return names_files(recipe_.flags(request)) || names_files(recipe_.extra_flags());
}

std::map<std::string, std::string> UnitBuilder::hashed(std::vector<std::filesystem::path> inputs,
                                                       const BuildRequest& request) const {
  if (inputs.empty()) return {};
  auto known = project_headers(request.variant->source, request.system->directory);
  known.push_back(std::filesystem::weakly_canonical(request.variant->source));
  std::erase_if(inputs, [&](const auto& file) { return std::ranges::find(known, file) != known.end(); });
  if (!inputs.empty() && !reads_elsewhere(request))
    throw Failure(
        Outcome::compile_error,
        fmt::format("{} includes {}, in a way that does not show before it is compiled\n  include it by "
                    "name, from the system's folder, or name its folder in an option: -I",
                    display_path(request.variant->source), display_path(inputs.front())));
  std::map<std::string, std::string> hashes;
  for (const std::filesystem::path& file : inputs)
    hashes.emplace(file.string(), content_hash(read_file(file)));
  return hashes;
}

std::string UnitBuilder::all_flags(const BuildRequest& request) const {
  Flags all = compiler_->base_flags();
  for (const Flags& flags : {recipe_.flags(request), recipe_.extra_flags()})
    all.insert(all.end(), flags.begin(), flags.end());
  return fmt::format("{}", fmt::join(all, " "));
}

UnitCompiler::Result UnitBuilder::compile(const BuildRequest& request) const {
  const SourceUnit unit = unit_of(recipe_, request);
  try {
    return compiler_->compile(unit.text, unit.headers, unit.includes, unit.flags, request.deadline_s,
                              recipe_.is_whole);
  } catch (const Failure& failure) {
    const auto sentence =
        missing_function(failure.what(), kernel_names(*request.variant), request.variant->source,
                         makes_kernels(recipe_) ? "kernel" : "function");
    if (sentence) throw Failure(failure.outcome(), *sentence);
    const std::string clash = blamed_clash(failure.what(), *request.variant, request.configuration);
    if (clash.empty()) throw;
    throw Failure(failure.outcome(), clash + failure.what());
  }
}

Artifact UnitBuilder::build(const BuildRequest& request) {
  const std::string key = cache_key(request);
  if (auto known = cache_.find(key)) {
    known->record.key = with_inputs(key, known->inputs);
    return *known;
  }

  const auto start = std::chrono::steady_clock::now();
  const UnitCompiler::Result compiled = compile(request);
  Artifact artifact;
  artifact.kind = kind_of(recipe_, request);
  for (const std::string& function : kernel_names(*request.variant))
    artifact.symbols.emplace(function, function);
  artifact.inputs = hashed(compiled.inputs, request);
  BuildRecord& record = artifact.record;
  record.key = key;
  record.compiler = compiler_->version();
  record.target = makes_kernels(recipe_) ? "cpu" : to_string(request.variant->target);
  record.options = all_flags(request);
  record.code_hash = content_hash(compiled.code);
  record.log = compiled.log;
  record.seconds = seconds_since(start);
  cache_.store(artifact, compiled.code);
  record.key = with_inputs(key, artifact.inputs);
  return artifact;
}

}  // namespace tailwave
