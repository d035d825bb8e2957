#include "compile/nvrtc_unit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "compile/host_code.h"
#include "compile/prelude.h"
#include "compile/standard_headers.h"
#include "core/outcome.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

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

}  // namespace

NvrtcResult NvrtcUnit::compiled(const NvrtcLibrary& nvrtc, const std::string& code,
                                const std::string& further_option) const {
  std::vector<std::string> all = options;
  if (!further_option.empty()) all.push_back(further_option);
  return nvrtc.compile(prelude + code, name, kernels, all, headers);
}

NvrtcUnit nvrtc_unit(const BuildRequest& request, std::vector<std::string> options,
                     const NvrtcLibrary& nvrtc) {
  std::vector<std::filesystem::path> folders{request.variant->source.parent_path(),
                                             request.system->directory};
  std::ranges::copy(nvrtc.include_folders(), std::back_inserter(folders));
  for (const std::filesystem::path& folder : folders) {
    const std::string option = "--include-path=" + display_path(folder);
    if (options.back() != option) options.push_back(option);
  }
  std::string text = source_text(*request.variant, request.configuration);
  std::string prelude = device_runtime_lines(text) + host_type_lines(text) +
                        prelude_lines(*request.variant, request.configuration);
  return {.name = display_path(request.variant->source),
          .prelude = std::move(prelude),
          .text = std::move(text),
          .kernels = kernel_names(*request.variant),
          .options = std::move(options),
          .headers = headers_for(request)};
}

NvrtcResult compile_without_host_code(const NvrtcLibrary& nvrtc, const NvrtcUnit& unit,
                                      const std::filesystem::path& source, const std::string& log_of_whole) {
  const HostCode host(unit.text, unit.kernels);
  std::set<const HostCode::Declaration*> left_out;
  bool no_using_std = false;
  std::string log = log_of_whole;
  while (leave_out(log, unit.name, host, left_out, no_using_std)) {
    NvrtcResult compiled = unit.compiled(nvrtc, host.without(left_out, no_using_std));
    log = compiled.log;
    if (!compiled.succeeded) continue;
    compiled.log = note_on(left_out, no_using_std) + (log.empty() ? "" : "\n") + log;
    return compiled;
  }
  // What lacks a part that was left out is better explained by what was wrong with that.
  const bool lacks_one = std::any_of(left_out.begin(), left_out.end(), [&](const HostCode::Declaration* one) {
    return log.find(fmt::format("\"{}\" is undefined", one->name)) != std::string::npos;
  });
  if (lacks_one) log = log_of_whole;
  throw Failure(Outcome::compile_error,
                missing_kernel(log, source).value_or(log) +
                    (left_out.empty() || lacks_one ? "" : '\n' + note_on(left_out, no_using_std)));
}

}  // namespace tailwave
