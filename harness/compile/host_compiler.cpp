#include "compile/host_compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/allowed_inputs.h"
#include "compile/cpu/toolkit_headers.h"
#include "compile/cpu/translator.h"
#include "compile/embedded.h"
#include "compile/host_code.h"
#include "compile/name_clash.h"
#include "compile/prelude.h"
#include "compile/project_sources.h"
#include "core/hash.h"
#include "core/outcome.h"
#include "core/stopwatch.h"
#include "spec/compiler_options.h"

namespace tailwave {
namespace {

using Flags = std::vector<std::string>;

// How the two compilers differ.
struct Recipe {
  Artifact::Kind kind;
  const char* header;                               // compiled before the source
  std::array<std::string_view, 3> header_prefixes;  // of the embedded headers that it can include
  const char* entry;                                // makes a table entry of a function
  std::string (*translate)(std::string_view);
  Flags (*flags)(const BuildRequest&);
};

Flags host_flags(const BuildRequest& request) {
  Flags flags{"-std=c++20", "-ffp-contract=off"};
  for (std::string& option : expand_options(*request.variant, request.configuration))
    flags.push_back(std::move(option));
  return flags;
}

// `option` without the first of the prefixes that it has, after which there is an '='.
std::optional<std::string> option_value(const std::string& option,
                                        std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (option.starts_with(name) && option.size() > name.size() && option[name.size()] == '=')
      return option.substr(name.size() + 1);
  return std::nullopt;
}

Flags kernel_flags(const BuildRequest& request) {
  Flags flags{"-std=c++17", "-fno-exceptions", "-ffp-contract=fast", "-fno-trapping-math"};
  for (const std::string& option : expand_options(*request.variant, request.configuration)) {
    if (option == "--use_fast_math" || option == "-use_fast_math") {
      // A GPU knows infinities, NaNs and the sign of 0 all the same; without them GCC adds what a branch leaves out.
      flags.insert(flags.end(), {"-ffast-math", "-fno-finite-math-only", "-fsigned-zeros"});
    } else if (const auto contract = option_value(option, {"--fmad", "-fmad"})) {
      flags.push_back(fmt::format("-ffp-contract={}", *contract == "false" ? "off" : "fast"));
    } else if (const auto language = option_value(option, {"--std", "-std"})) {
      if (!asks_for_older_cpp(option)) flags.push_back("-std=" + *language);
    } else if (const auto macro = option_value(option, {"--define-macro"})) {
      flags.push_back("-D" + *macro);
    } else if (option.starts_with("-D")) {
      flags.push_back(option);
    }
  }
  return flags;
}

const Recipe kHostRecipe{Artifact::Kind::host_library,
                         "tailwave_host.h",
                         {"tailwave_", "cuda_fp", "cuda_bf"},
                         "host_entry",
                         [](std::string_view text) { return std::string(text); },
                         host_flags};
const Recipe kKernelRecipe{Artifact::Kind::cpu_kernels, "tailwave_cuda.h", {"", "", ""}, "kernel_entry",
                           translate_for_cpu,           kernel_flags};

constexpr std::string_view kHeaderFolder = "cpu/include/";
constexpr std::string_view kSmallFloat = "../core/small_float.h",
                           kSmallFloatHeader = "tailwave_small_float.h";
constexpr std::string_view kTableFile = "tailwave-table";

std::string string_literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

// The table that the executor looks for. It names functions as the manifest does, each on the line with its number
// in a file that missing_function() recognises.
std::string function_table(const Recipe& recipe, const std::vector<std::string>& functions) {
  std::string text = fmt::format(
      "\n#line 1 \"{}\"\nstatic constexpr ::tailwave_cpu::Entry tailwave_entries[] = {{\n", kTableFile);
  for (const std::string& function : functions)
    text += fmt::format("::tailwave_cpu::{0}<{1}>({2}, {1}),\n", recipe.entry, function,
                        string_literal(function));
  text += fmt::format(
      "}};\n"
      "extern \"C\" __attribute__((visibility(\"default\"), used)) "
      "const ::tailwave_cpu::Table tailwave_table{{::tailwave_cpu::kAbiVersion, {}, tailwave_entries, "
      "&::tailwave_cpu::stream}};\n",
      functions.size());
  return text;
}

// When all errors of a log are in the function table, the source is fine and lacks a function: the sentence that
// names it.
std::optional<std::string> missing_function(std::string_view log, const std::vector<std::string>& functions,
                                            const std::filesystem::path& source, const char* noun) {
  std::optional<std::string> sentence;
  constexpr std::string_view kError = "error: ";
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    const auto error = line.find(kError);
    if (error == std::string_view::npos) continue;
    if (!line.starts_with(kTableFile)) return std::nullopt;
    const std::size_t number = std::strtoul(line.data() + kTableFile.size() + 1, nullptr, 10);
    if (sentence || number < 2 || number > functions.size() + 1) continue;
    sentence = fmt::format("{} '{}' not found in {}: {}", noun, functions[number - 2], display_path(source),
                           line.substr(error + kError.size()));
  }
  return sentence;
}

// A CUDA source without what calls the CUDA runtime, which the CPU device has none of.
std::string for_the_cpu(const BuildRequest& request, const std::string& text) {
  if (request.variant->is_host_code()) return text;
  return without_runtime_calls(text, kernel_names(*request.variant));
}

// Those that are named somewhere, and not the project's own.
void add_toolkit_headers(const std::string& texts, std::vector<HostToolchain::File>& files) {
  for (const auto& [name, text] : cpu_toolkit_headers()) {
    const bool is_own = std::any_of(files.begin(), files.end(), [&, &header = name](const auto& file) {
      return file.name.ends_with("/" + header);
    });
    if (!is_own && texts.find(name) != std::string::npos) files.push_back({name, text});
  }
}

std::vector<HostToolchain::File> headers(const Recipe& recipe, const BuildRequest& request) {
  std::vector<HostToolchain::File> files;
  for (const auto& [path, text] : embedded::compile::files()) {
    const bool is_header = path.starts_with(kHeaderFolder);
    const std::string_view name = is_header ? path.substr(kHeaderFolder.size()) : kSmallFloatHeader;
    const bool is_wanted = std::any_of(recipe.header_prefixes.begin(), recipe.header_prefixes.end(),
                                       [&](std::string_view prefix) { return name.starts_with(prefix); });
    if ((is_header && is_wanted) || path == kSmallFloat)
      files.push_back({std::string(name), std::string(text)});
  }
  const auto root = std::filesystem::weakly_canonical(request.system->directory);
  std::string texts = source_text(*request.variant, request.configuration);
  for (const auto& header : project_headers(request.variant->source, request.system->directory)) {
    texts += read_file(header);
    files.push_back({"project" / header.lexically_relative(root),
                     fmt::format("#line 1 {}\n{}", string_literal(display_path(header)),
                                 recipe.translate(for_the_cpu(request, read_file(header))))});
  }
  if (recipe.kind == Artifact::Kind::cpu_kernels) add_toolkit_headers(texts, files);
  return files;
}

std::string unit_text(const Recipe& recipe, const BuildRequest& request) {
  return fmt::format(
      "#include \"{}\"\n{}#line 1 {}\n{}{}", recipe.header,
      define_lines(*request.variant, request.configuration),
      string_literal(display_path(request.variant->source)),
      recipe.translate(for_the_cpu(request, source_text(*request.variant, request.configuration))),
      function_table(recipe, kernel_names(*request.variant)));
}

// Folders for #include "x" in the source: its own and the system's.
std::vector<std::string> include_folders(const BuildRequest& request) {
  const auto root = std::filesystem::weakly_canonical(request.system->directory);
  const auto own =
      std::filesystem::weakly_canonical(request.variant->source).parent_path().lexically_relative(root);
  return {("project" / own).lexically_normal().string(), "project"};
}

constexpr const char* kNoCompiler =
    "no host compiler found: none of $CXX, g++, clang++ and c++ answers to --version";

std::string version_of(const std::shared_ptr<const HostToolchain>& toolchain) {
  return toolchain ? toolchain->version() : "none";
}

Artifact::Kind kind_of(const Recipe& recipe, const BuildRequest& request) {
  const bool is_library = request.variant->target == VariantSpec::Target::library;
  return is_library ? Artifact::Kind::gpu_library : recipe.kind;
}

FieldHasher begun_key(const Recipe& recipe, HostKeys& keys, const BuildRequest& request) {
  const std::string digest = keys.sources.of(request.variant->source, request.system->directory);
  const std::scoped_lock lock(keys.mutex);
  const auto [entry, is_new] = keys.begun.try_emplace(digest);
  if (!is_new) return entry->second;
  FieldHasher& hasher = entry->second;
  hasher.add(recipe.header).add(digest);
  for (const auto& [path, text] : embedded::compile::files()) hasher.add(path).add(text);
  for (const auto& [name, text] : cpu_toolkit_headers()) hasher.add(name).add(text);
  return hasher.condense();
}

// Of what is known before a build; the build is cached under it.
std::string cache_key(const Recipe& recipe, HostKeys& keys, const HostToolchain* toolchain,
                      const BuildRequest& request) {
  FieldHasher hasher = begun_key(recipe, keys, request);
  hasher.add(to_string(request.variant->target));
  hasher.add(define_lines(*request.variant, request.configuration));
  for (const std::string& name : kernel_names(*request.variant)) hasher.add(name);
  for (const Flags& flags : {recipe.flags(request), HostToolchain::extra_flags()})
    hasher.add(fmt::format("{}", fmt::join(flags, " ")));
  for (const auto& path : allowed_inputs()) hasher.add(path.string());
  hasher.add(toolchain != nullptr ? toolchain->cpu() : HostToolchain::cpu_identity());
  if (toolchain != nullptr)
    hasher.add(toolchain->version()).add(fmt::format("{}", fmt::join(toolchain->base_flags(), " ")));
  return hasher.digest();
}

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

bool reads_elsewhere(const Recipe& recipe, const BuildRequest& request) {
  return names_files(recipe.flags(request)) || names_files(HostToolchain::extra_flags());
}

std::string content_key(const Recipe& recipe, const ArtifactCache& cache, HostKeys& keys,
                        const HostToolchain* toolchain, const BuildRequest& request) {
  std::string key = cache_key(recipe, keys, toolchain, request);
  if (!reads_elsewhere(recipe, request)) return key;
  const std::optional<Artifact> known = cache.find(key);
  return known ? with_inputs(key, known->inputs) : key;
}

// Headers that nothing of the request names would be in no key before the build. The project's are in it.
std::map<std::string, std::string> hashed_inputs(std::vector<std::filesystem::path> inputs,
                                                 const Recipe& recipe, const BuildRequest& request) {
  if (inputs.empty()) return {};
  const auto known = project_headers(request.variant->source, request.system->directory);
  std::erase_if(inputs, [&](const auto& file) { return std::ranges::find(known, file) != known.end(); });
  if (!inputs.empty() && !reads_elsewhere(recipe, request))
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

std::string joined_flags(const HostToolchain& toolchain, const Flags& own) {
  Flags all = toolchain.base_flags();
  for (const Flags& flags : {own, HostToolchain::extra_flags()})
    all.insert(all.end(), flags.begin(), flags.end());
  return fmt::format("{}", fmt::join(all, " "));
}

Artifact build_with(const Recipe& recipe, const ArtifactCache& cache, HostKeys& keys,
                    const HostToolchain* toolchain, const BuildRequest& request) {
  if (toolchain == nullptr) throw Failure(Outcome::compile_error, kNoCompiler);
  const std::string key = cache_key(recipe, keys, toolchain, request);
  if (auto known = cache.find(key)) {
    known->record.key = with_inputs(key, known->inputs);
    return *known;
  }

  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> functions = kernel_names(*request.variant);
  const Flags flags = recipe.flags(request);
  HostToolchain::Result compiled;
  try {
    compiled =
        toolchain->compile(unit_text(recipe, request), headers(recipe, request), include_folders(request),
                           flags, request.deadline_s, recipe.kind == Artifact::Kind::cpu_kernels);
  } catch (const Failure& failure) {
    const char* noun = recipe.kind == Artifact::Kind::cpu_kernels ? "kernel" : "function";
    const auto sentence = missing_function(failure.what(), functions, request.variant->source, noun);
    if (sentence) throw Failure(failure.outcome(), *sentence);
    const std::string clash = blamed_clash(failure.what(), *request.variant, request.configuration);
    if (clash.empty()) throw;
    throw Failure(failure.outcome(), clash + failure.what());
  }

  Artifact artifact;
  artifact.kind = kind_of(recipe, request);
  for (const std::string& function : functions) artifact.symbols.emplace(function, function);
  artifact.inputs = hashed_inputs(compiled.inputs, recipe, request);
  BuildRecord& record = artifact.record;
  record.key = key;
  record.compiler = toolchain->version();
  record.target = recipe.kind == Artifact::Kind::cpu_kernels ? "cpu" : to_string(request.variant->target);
  record.options = joined_flags(*toolchain, flags);
  record.code_hash = content_hash(compiled.code);
  record.log = compiled.log;
  record.seconds = seconds_since(start);
  cache.store(artifact, compiled.code);
  record.key = with_inputs(key, artifact.inputs);
  return artifact;
}

void require_available(const VariantSpec& variant) {
  if (const std::string& why_not = variant.unavailable_on_cpu; !why_not.empty())
    throw Failure(Outcome::unavailable, why_not);
}

}  // namespace

SourceUnit kernel_unit(const BuildRequest& request) {
  require_available(*request.variant);
  return {unit_text(kKernelRecipe, request), headers(kKernelRecipe, request), include_folders(request),
          kernel_flags(request)};
}

SourceUnit host_unit(const BuildRequest& request) {
  return {unit_text(kHostRecipe, request), headers(kHostRecipe, request), include_folders(request),
          host_flags(request)};
}

std::string_view cpu_header(std::string_view name) {
  return embedded::compile::file(std::string(kHeaderFolder) + std::string(name));
}

HostCompiler::HostCompiler(ArtifactCache cache, std::shared_ptr<const HostToolchain> toolchain)
    : cache_(std::move(cache)), toolchain_(std::move(toolchain)) {}

Artifact HostCompiler::build(const BuildRequest& request) {
  return build_with(kHostRecipe, cache_, keys_, toolchain_.get(), request);
}

std::string HostCompiler::key(const BuildRequest& request) {
  return content_key(kHostRecipe, cache_, keys_, toolchain_.get(), request);
}

std::string HostCompiler::obstacle() const {
  return toolchain_ ? "" : kNoCompiler;
}

std::string HostCompiler::version() const {
  return version_of(toolchain_);
}

CpuKernelCompiler::CpuKernelCompiler(ArtifactCache cache, std::shared_ptr<const HostToolchain> toolchain)
    : cache_(std::move(cache)), toolchain_(std::move(toolchain)) {}

Artifact CpuKernelCompiler::build(const BuildRequest& request) {
  require_available(*request.variant);
  return build_with(kKernelRecipe, cache_, keys_, toolchain_.get(), request);
}

std::string CpuKernelCompiler::key(const BuildRequest& request) {
  return content_key(kKernelRecipe, cache_, keys_, toolchain_.get(), request);
}

std::string CpuKernelCompiler::obstacle() const {
  return toolchain_ ? "" : kNoCompiler;
}

std::string CpuKernelCompiler::version() const {
  return version_of(toolchain_);
}

}  // namespace tailwave
