#include "compile/nvrtc_compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "compile/allowed_inputs.h"
#include "compile/cubin.h"
#include "compile/host_code.h"
#include "compile/prebuilt_code.h"
#include "compile/prelude.h"
#include "compile/standard_headers.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/stopwatch.h"
#include "spec/compiler_options.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

// Options that decide about the code and are the same wherever the project lies.
// nvcc includes what declares these in every file. The macro keeps the header from warning of the one that it includes.
std::string device_runtime_lines(const std::string& source) {
  constexpr std::array<std::string_view, 2> kOfDependentLaunches{"cudaGridDependencySynchronize",
                                                                 "cudaTriggerProgrammaticLaunchCompletion"};
  const bool names_any =
      std::any_of(kOfDependentLaunches.begin(), kOfDependentLaunches.end(),
                  [&](std::string_view name) { return source.find(name) != std::string::npos; });
  if (!names_any) return "";
  return "#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__\n"
         "#include <cuda_device_runtime_api.h>\n"
         "#undef __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__\n";
}

// Whether a source uses the name of a type and says itself what it is, in that order.
std::pair<bool, bool> uses_and_declares(const std::string& source, std::string_view name) {
  static constexpr std::array<std::string_view, 5> kDeclare{"using", "struct", "class", "union", "enum"};
  const Tokens found = tokens_of(source);
  bool uses = false, declares = false, in_typedef = false;
  std::string_view before;
  for (const SourceToken& token : found.tokens) {
    if (before == name) declares = declares || (in_typedef && token.text == ";");
    if (token.text == "typedef") in_typedef = true;
    if (token.text == ";") in_typedef = false;
    uses = uses || token.text == name;
    declares = declares || (token.text == name && among(before, kDeclare));
    before = token.text;
  }
  for (const SourceToken& line : found.directives)
    declares = declares || line.text.find("define " + std::string(name) + " ") != std::string_view::npos;
  return {uses, declares};
}

// Names of types that nvcc has from the host's headers, where the source has no others by these names.
std::string host_type_lines(const std::string& source) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kTypes{
      {{"uint", "unsigned int"}, {"ushort", "unsigned short"}, {"ulong", "unsigned long"}}};
  std::string lines;
  for (const auto& [name, type] : kTypes)
    if (const auto [uses, declares] = uses_and_declares(source, name); uses && !declares)
      lines += std::string("typedef ") + type + " " + name + ";\n";
  return lines;
}

std::vector<std::string> code_options(const BuildRequest& request, const std::string& architecture,
                                      const NvrtcLibrary& nvrtc) {
  std::vector<std::string> own = expand_options(*request.variant, request.configuration);
  std::erase_if(own, is_left_out_for_nvrtc);
  std::erase_if(own, asks_for_older_cpp);
  const bool own_standard = std::any_of(own.begin(), own.end(), [](const std::string& option) {
    return option.starts_with("--std") || option.starts_with("-std");
  });
  std::vector<std::string> options{"--gpu-architecture=sm_" + architecture, "--generate-line-info"};
  options.insert(options.end(), nvrtc.own_options().begin(), nvrtc.own_options().end());
  if (!own_standard) options.emplace_back("--std=c++17");
  // What has no word for where it runs is the device's: headers that host and device share are full of it.
  options.emplace_back("--device-as-default-execution-space");
  if (request.variant->pes) options.emplace_back("--relocatable-device-code=true");
  options.insert(options.end(), std::move_iterator(own.begin()), std::move_iterator(own.end()));
  return options;
}

std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const auto start = text.find(before);
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start + before.size());
  return text.substr(0, text.find(after));
}

// NVRTC looks a kernel's name up in a source of its own, "__nv_name_map". When all errors are there, the
// template itself is fine and lacks the kernel; the sentence then names it, else there is none.
std::optional<std::string> missing_kernel(std::string_view log, const std::filesystem::path& source) {
  constexpr std::string_view kPlace = "__nv_name_map(";
  constexpr std::string_view kError = "): error";
  for (auto at = log.find(kError); at != std::string_view::npos; at = log.find(kError, at + 1)) {
    const auto line_start = log.rfind('\n', at) + 1;
    if (!log.substr(line_start).starts_with(kPlace)) return std::nullopt;
  }
  const auto start = log.find(kPlace);
  if (start == std::string_view::npos) return std::nullopt;
  log.remove_prefix(start);
  std::string_view name = between(log, "nv_mangled_name ", "\n");
  while (name.ends_with(' ')) name.remove_suffix(1);
  return fmt::format("kernel '{}' not found in {}: {}", name, display_path(source),
                     between(log, "error: ", "\n"));
}

// The lines of a source that errors in a log point at.
std::set<int> blamed_lines(std::string_view log, const std::string& source) {
  std::set<int> lines;
  const std::string place = source + '(';
  for (auto at = log.find(place); at != std::string_view::npos; at = log.find(place, at + 1)) {
    const bool begins = at == 0 || log[at - 1] == '\n';
    const std::string_view rest = log.substr(at + place.size());
    const std::string_view number = rest.substr(0, rest.find(')'));
    if (!begins || !rest.substr(number.size()).starts_with("): error")) continue;
    int line = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), line).ec == std::errc())
      lines.insert(line);
  }
  return lines;
}

// Adds what the errors of an attempt blame to what is left out in the next one; false: there is nothing more.
bool leave_out(const std::string& log, const std::string& source, const HostCode& host,
               std::set<const HostCode::Declaration*>& left_out, bool& no_using_std) {
  // ::sqrt and cuda::std::sqrt: whoever calls one of them is not to blame.
  const bool ambiguous = log.find("more than one instance of overloaded function") != std::string::npos;
  if (ambiguous && !no_using_std) return no_using_std = true;
  const std::size_t before = left_out.size();
  for (const int line : blamed_lines(log, source))
    for (const HostCode::Declaration& one : host.declarations())
      if (one.first_line <= line && line <= one.last_line) left_out.insert(&one);
  return left_out.size() > before;
}

std::string note_on(const std::set<const HostCode::Declaration*>& left_out, bool no_using_std) {
  std::vector<std::string> names;
  for (const HostCode::Declaration* one : left_out) names.push_back(one->name);
  if (no_using_std) names.emplace_back("using namespace std");
  return fmt::format("(left out, since it does not compile for a GPU: {})", fmt::join(names, ", "));
}

// What stands beside a source goes before the header of that name that tailwave has.
std::map<std::string, std::string> headers_for(const BuildRequest& request) {
  std::map<std::string, std::string> headers = standard_headers();
  if (request.variant->pes)
    for (auto& [name, text] : NvshmemCode::headers()) headers.insert_or_assign(name, text);
  std::error_code ignored;
  std::erase_if(headers, [&](const auto& header) {
    return std::filesystem::is_regular_file(request.variant->source.parent_path() / header.first, ignored) ||
           std::filesystem::is_regular_file(request.system->directory / header.first, ignored);
  });
  return headers;
}

// Not in a cache yet: symbols, resources, variables and code_hash.
Artifact cubin_artifact(std::string_view code, const std::map<std::string, std::string>& symbols) {
  Artifact artifact;
  artifact.symbols = symbols;
  const Cubin cubin = read_cubin(code);
  for (const auto& [kernel, symbol] : symbols)
    for (KernelResources resources : cubin.kernels) {
      if (resources.kernel != symbol) continue;
      resources.kernel = kernel;
      artifact.resources.push_back(std::move(resources));
    }
  artifact.variables = cubin.variables;
  artifact.record.code_hash = cubin.code_hash;
  return artifact;
}

}  // namespace

NvrtcCompiler::NvrtcCompiler(std::shared_ptr<const NvrtcLibrary> nvrtc, ArtifactCache cache,
                             int compute_capability)
    : nvrtc_(std::move(nvrtc)),
      cache_(std::move(cache)),
      compute_capability_(compute_capability),
      target_(nearest_target(nvrtc_->targets(), compute_capability)),
      nvshmem_(nvrtc_, cache_, target_) {}

std::string NvrtcCompiler::architecture(const BuildRequest& request) const {
  constexpr int kFirstSpecific = 90;
  const bool specific = target_ == compute_capability_ && target_ >= kFirstSpecific && !request.variant->pes;
  return fmt::format("{}{}", target_, specific ? "a" : "");
}

std::string NvrtcCompiler::key(const BuildRequest& request) {
  FieldHasher hasher;
  if (request.variant->is_prebuilt()) {
    hasher.add("prebuilt")
        .add(request.variant->source.extension().string())
        .add(read_file(request.variant->source));
    for (const std::string& kernel : kernel_names(*request.variant)) hasher.add(kernel);
    return hasher.add(architecture(request)).add(std::to_string(compute_capability_)).add(version()).digest();
  }
  hasher.add("cubin").add(sources_.of(request.variant->source, request.system->directory));
  hasher.add(define_lines(*request.variant, request.configuration));
  for (const std::string& kernel : kernel_names(*request.variant)) hasher.add(kernel);
  for (const std::string& option : code_options(request, architecture(request), *nvrtc_)) hasher.add(option);
  for (const auto& path : allowed_inputs()) hasher.add(path.string());
  // Those of the project that take the place of one are among its sources.
  hasher.add(standard_headers_digest());
  if (request.variant->pes) hasher.add(nvshmem_.identity());
  // The capability wanted too: record.log tells when it is not the target.
  hasher.add(version()).add(nvrtc_->headers_version()).add(std::to_string(compute_capability_));
  return hasher.digest();
}

NvrtcResult NvrtcCompiler::compile(const BuildRequest& request, const std::vector<std::string>& own_options) {
  const std::filesystem::path& source = request.variant->source;
  std::vector<std::string> options = own_options;
  const auto add_folder = [&](const std::filesystem::path& folder) {
    const std::string option = "--include-path=" + display_path(folder);
    if (options.back() != option) options.push_back(option);
  };
  add_folder(source.parent_path());
  add_folder(request.system->directory);
  for (const std::filesystem::path& folder : nvrtc_->include_folders()) add_folder(folder);

  const std::string text = source_text(*request.variant, request.configuration);
  const std::string prelude = device_runtime_lines(text) + host_type_lines(text) +
                              prelude_lines(*request.variant, request.configuration);
  const std::vector<std::string> kernels = kernel_names(*request.variant);
  const auto headers = headers_for(request);
  const auto try_whole = [&](const std::string& code) {
    NvrtcResult compiled = nvrtc_->compile(prelude + code, display_path(source), kernels, options, headers);
    if (compiled.succeeded) whole_.insert(source);
    return compiled;
  };
  if (!nvrtc_->lean_option().empty() && !whole_.contains(source)) {
    std::vector<std::string> lean = options;
    lean.push_back(nvrtc_->lean_option());
    NvrtcResult compiled = nvrtc_->compile(prelude + text, display_path(source), kernels, lean, headers);
    if (compiled.succeeded) return compiled;
  }
  NvrtcResult compiled = try_whole(text);
  if (compiled.succeeded) return compiled;
  const std::string log_of_whole = compiled.log;
  whole_.insert(source);  // what has parts of the host takes two attempts, not three

  const HostCode host(text, kernels);
  std::set<const HostCode::Declaration*> left_out;
  bool no_using_std = false;
  while (leave_out(compiled.log, display_path(source), host, left_out, no_using_std)) {
    compiled = try_whole(host.without(left_out, no_using_std));
    if (!compiled.succeeded) continue;
    compiled.log = note_on(left_out, no_using_std) + (compiled.log.empty() ? "" : "\n") + compiled.log;
    return compiled;
  }
  // What lacks a part that was left out is better explained by what was wrong with that.
  const bool lacks_one = std::any_of(left_out.begin(), left_out.end(), [&](const HostCode::Declaration* one) {
    return compiled.log.find(fmt::format("\"{}\" is undefined", one->name)) != std::string::npos;
  });
  const std::string log = lacks_one ? log_of_whole : compiled.log;
  throw Failure(Outcome::compile_error,
                missing_kernel(log, source).value_or(log) +
                    (left_out.empty() || lacks_one ? "" : '\n' + note_on(left_out, no_using_std)));
}

Artifact NvrtcCompiler::build_prebuilt(const BuildRequest& request, const std::string& content_key) {
  const auto start = std::chrono::steady_clock::now();
  const std::filesystem::path& file = request.variant->source;
  PrebuiltCode prebuilt = read_prebuilt(file, compute_capability_);
  if (prebuilt.is_ptx) {
    std::string why_not;
    const auto linker = DeviceLinker::load(nvrtc_->file(), why_not);
    if (!linker) throw Failure(Outcome::unavailable, why_not);
    prebuilt.code = assembled(prebuilt, file, architecture(request), *linker);
  }
  const std::string& code = prebuilt.code;
  Artifact artifact = cubin_artifact(code, symbols_in(code, kernel_names(*request.variant), file));
  BuildRecord& record = artifact.record;
  record.key = content_key;
  record.compiler = prebuilt.is_ptx ? "nvJitLink beside " + version() : "none";
  record.target = fmt::format("sm_{}", prebuilt.is_ptx ? target_ : compute_capability_);
  record.seconds = seconds_since(start);
  cache_.store(artifact, code);
  return artifact;
}

Artifact NvrtcCompiler::build(const BuildRequest& request) {
  const std::string content_key = key(request);
  if (auto known = cache_.find(content_key)) return *known;

  if (request.variant->is_prebuilt()) return build_prebuilt(request, content_key);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> options = code_options(request, architecture(request), *nvrtc_);
  NvrtcResult compiled = compile(request, options);
  std::set<std::string> own_variables;
  if (request.variant->pes) {
    own_variables = variables_named_in(compiled.cubin);
    compiled.cubin = nvshmem_.link(compiled.cubin);
  }
  Artifact artifact = cubin_artifact(compiled.cubin, compiled.symbols);
  // NVSHMEM's own state goes on from launch to launch.
  if (request.variant->pes)
    std::erase_if(artifact.variables, [&](const std::string& name) { return !own_variables.contains(name); });
  BuildRecord& record = artifact.record;
  record.key = content_key;
  record.compiler = version();
  record.target = fmt::format("sm_{}", target_);
  record.options = fmt::format("{}", fmt::join(options, " "));
  if (target_ != compute_capability_)
    record.log = fmt::format("{} has no target sm_{}; this is code for sm_{}", version(), compute_capability_,
                             target_);
  if (!record.log.empty() && !compiled.log.empty()) record.log += '\n';
  record.log += compiled.log;
  record.seconds = seconds_since(start);
  cache_.store(artifact, compiled.cubin);
  return artifact;
}

std::optional<Ptx> NvrtcCompiler::ptx(const BuildRequest& request) {
  if (request.variant->pes)
    throw Failure(Outcome::unavailable,
                  "what uses NVSHMEM is linked of machine code: there is no PTX to change");
  if (request.variant->is_prebuilt())
    throw Failure(Outcome::unavailable, "what is code already is run as it is: there is no PTX to change");
  std::vector<std::string> options = code_options(request, architecture(request), *nvrtc_);
  options.front() = "--gpu-architecture=compute_" + architecture(request);
  NvrtcResult compiled = compile(request, options);
  return Ptx{std::move(compiled.ptx), std::move(compiled.symbols)};
}

}  // namespace tailwave
