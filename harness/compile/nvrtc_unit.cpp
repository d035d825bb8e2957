#include "compile/nvrtc_unit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "compile/host_headers.h"
#include "compile/include_scan.h"
#include "compile/kernel_hint.h"
#include "compile/name_clash.h"
#include "compile/nvrtc_log.h"
#include "compile/nvshmem_code.h"
#include "compile/prelude.h"
#include "compile/source_parts.h"
#include "compile/standard_headers.h"
#include "core/outcome.h"

namespace tailwave {
namespace {

// Empty where there are none.
std::string note_on_headers(const std::set<std::string>& absent) {
  if (absent.empty()) return "";
  return fmt::format("(left out, since it was not found: {})", fmt::join(absent, ", "));
}

std::string joined_lines(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : "\n") + second;
}

// Of a source whose device code may lack what the host's headers declare.
std::string hint_on_headers(const std::string& text, const std::set<std::string>& absent) {
  std::set<std::string> names;
  for (const IncludeDirective& one : include_directives(text))
    if (is_of_a_host_library(one.name)) names.insert('<' + one.name + '>');
  std::string hint;
  if (!absent.empty())
    hint = fmt::format(
        "(not found: {}; name its folder in an option, -I, or put what is the host's under "
        "#ifndef __CUDACC_RTC__)",
        fmt::join(absent, ", "));
  if (names.empty()) return hint;
  return joined_lines(hint, fmt::format("(for a GPU there is nothing in {}, which the host calls: put what "
                                        "uses that under #ifndef __CUDACC_RTC__)",
                                        fmt::join(names, ", ")));
}

// What a compiler's errors are about when it takes a kernel, or parts of the language, for wrong.
std::string explained(const std::string& log, const BuildRequest& request, const std::string& text) {
  const std::filesystem::path& source = request.variant->source;
  if (const auto missing = missing_kernel(log)) {
    const std::string hint = hint_for_kernel(missing->name, text);
    return fmt::format("kernel '{}' not found in {}: {}{}", missing->name, display_path(source),
                       missing->cause, hint.empty() ? "" : "; " + hint);
  }
  const std::string undefined = undefined_function(log);
  const std::string cause =
      undefined.empty() ? ""
                        : fmt::format(
                              "{}: {} is declared and called, and no file that is compiled defines it: "
                              "#include the one that does\n",
                              display_path(source), undefined);
  return cause + blamed_clash(log, *request.variant, request.configuration) + errors_first(log) +
         hint_on_language(log);
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
                                const std::string& further_option) {
  for (;;) {
    std::vector<std::string> all = options;
    like.add_options(all);
    if (!further_option.empty()) all.push_back(further_option);
    std::map<std::string, std::string> all_headers = headers;
    like.add_headers(all_headers);
    NvrtcResult result =
        nvrtc.compile(like.lines() + prelude + like.source(code), name, kernels, all, all_headers);
    if (!result.succeeded && like.learn(result.log, !nvrtc.include_folders().empty())) continue;
    if (result.succeeded) result.log = joined_lines(note_on_headers(like.absent_headers()), result.log);
    return result;
  }
}

NvrtcUnit nvrtc_unit(const BuildRequest& request, std::vector<std::string> options, const NvrtcLibrary& nvrtc,
                     const NvccLikeness& like) {
  std::vector<std::filesystem::path> folders{request.variant->source.parent_path(),
                                             request.system->directory};
  std::ranges::copy(nvrtc.include_folders(), std::back_inserter(folders));
  for (const std::filesystem::path& folder : folders) {
    const std::string option = "--include-path=" + display_path(folder);
    if (options.back() != option) options.push_back(option);
  }
  std::string text = source_text(*request.variant, request.configuration);
  return {.name = display_path(request.variant->source),
          .prelude = prelude_lines(*request.variant, request.configuration),
          .text = std::move(text),
          .kernels = kernel_names(*request.variant),
          .options = std::move(options),
          .headers = headers_for(request),
          .like = like};
}

NvrtcResult compile_without_host_code(const NvrtcLibrary& nvrtc, NvrtcUnit& unit, const BuildRequest& request,
                                      const std::string& log_of_whole) {
  SourceParts parts(unit.text, unit.name, request.variant->source, request.system->directory, unit.kernels);
  const std::map<std::string, std::string> of_toolkit = unit.headers;
  std::string log = log_of_whole;
  while (parts.leave_out(log)) {
    unit.headers = parts.headers();
    unit.headers.insert(of_toolkit.begin(), of_toolkit.end());
    NvrtcResult compiled = unit.compiled(nvrtc, parts.source());
    log = compiled.log;
    if (!compiled.succeeded) continue;
    compiled.log = joined_lines(parts.note(), log);
    return compiled;
  }
  // What lacks a part that was left out is better explained by what was wrong with that.
  const bool lacks_one = parts.is_missed(log);
  if (lacks_one) log = log_of_whole;
  const std::string note = lacks_one ? "" : parts.note();
  const std::string hint = hint_on_headers(unit.text, unit.like.absent_headers());
  throw Failure(Outcome::compile_error,
                joined_lines(joined_lines(explained(log, request, unit.text), hint), note));
}

}  // namespace tailwave
