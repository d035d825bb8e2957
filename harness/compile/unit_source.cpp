#include "compile/unit_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "compile/cpu/toolkit_headers.h"
#include "compile/embedded.h"
#include "compile/host_code.h"
#include "compile/prelude.h"
#include "compile/project_sources.h"

namespace tailwave {
namespace {

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
std::string function_table(const UnitRecipe& recipe, const std::vector<std::string>& functions) {
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

// A CUDA source without what calls the CUDA runtime, which the CPU device has none of.
std::string for_the_cpu(const BuildRequest& request, const std::string& text) {
  if (request.variant->is_host_code()) return text;
  return without_runtime_calls(text, kernel_names(*request.variant));
}

// Those that are named somewhere, and not the project's own.
void add_toolkit_headers(const std::string& texts, std::vector<UnitCompiler::File>& files) {
  for (const auto& [name, text] : cpu_toolkit_headers()) {
    const bool is_own = std::any_of(files.begin(), files.end(), [&, &header = name](const auto& file) {
      return file.name.ends_with("/" + header);
    });
    if (!is_own && texts.find(name) != std::string::npos) files.push_back({name, text});
  }
}

std::vector<UnitCompiler::File> headers(const UnitRecipe& recipe, const BuildRequest& request) {
  std::vector<UnitCompiler::File> files;
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

std::string unit_text(const UnitRecipe& recipe, const BuildRequest& request) {
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

}  // namespace

SourceUnit unit_of(const UnitRecipe& recipe, const BuildRequest& request) {
  return {unit_text(recipe, request), headers(recipe, request), include_folders(request),
          recipe.flags(request)};
}

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

std::string_view cpu_header(std::string_view name) {
  return embedded::compile::file(std::string(kHeaderFolder) + std::string(name));
}

}  // namespace tailwave
