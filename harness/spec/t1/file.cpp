#include "spec/t1/file.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "space/lexer.h"
#include "spec/paths.h"
#include "spec/t1/source.h"

namespace tailwave {
namespace {

// "_Z4stepPf" -> "step"; other names as they are.
std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return name;
  std::string signature = text.get();
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    const char c = signature[i];
    if (c == '(' && depth == 0) return signature.substr(begin, i - begin);
    if (c == ' ' && depth == 0) begin = i + 1;  // after the return type that templates have
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
  }
  return signature;
}

}  // namespace

std::string t1_kernel_name(const Json& root) {
  const std::string* name = root.find("KernelSpecification").find("KernelName").as_text();
  return name == nullptr ? "" : demangled(*name);
}

std::string t1_name_from(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    name += good ? c : '_';
  }
  const bool begins_well = !name.empty() && name.front() != '-' && (name.front() < '0' || name.front() > '9');
  return begins_well ? name : "t1_" + name;
}

Json T1File::beside_argument(const std::string& name) const {
  return side.find("buffers").find(name);
}

Json T1File::beside_kernel() const {
  return side.find("variants").find(t1_name_from(std::string(function_of(t1_kernel_name(root)))));
}

std::string problem_quantity(std::size_t dimension) {
  return std::string("problem_size_") + "xyz"[dimension];
}

std::vector<std::string> T1File::known_names() const {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  for (const auto& entry : problem_values) names.push_back(entry.first);
  return names;
}

const Parameter* T1File::find(const std::string& name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& parameter) { return parameter.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

Values T1File::default_scope() const {
  Values scope = defaults;
  scope.insert(problem_values.begin(), problem_values.end());
  return scope;
}

const std::string* required_text(const Json& parent, const char* key, Reporter& reporter) {
  const Json place = parent.find(key);
  if (!place) {
    reporter.report(parent.pointer(), "missing key '" + std::string(key) + "'");
  } else if (place.as_text() == nullptr) {
    reporter.report(place.pointer(), "expected a string, found " + with_article(place.type()));
  }
  return place.as_text();
}

std::optional<std::filesystem::path> t1_file_inside(const std::filesystem::path& folder, const Json& place,
                                                    const std::string& hint, Reporter& reporter) {
  const std::size_t before = reporter.diagnostics().size();
  auto file = file_inside(folder, place, reporter);
  if (reporter.diagnostics().size() == before) return file;
  Diagnostic& missing = reporter.diagnostics().back();
  if (missing.hint.empty() && missing.cause.starts_with("no file ")) missing.hint = hint;
  return file;
}

std::string with_problem_size(const std::string& text, const std::vector<std::string>& sizes) {
  std::string result;
  std::size_t copied = 0;
  std::vector<Token> tokens;
  try {
    tokens = tokenize(text);
  } catch (const ExpressionError&) {
    return text;
  }
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    const auto* dimension = std::get_if<std::int64_t>(&tokens[i + 2].value);
    const bool found = tokens[i].kind == Token::Kind::name && tokens[i].word == "ProblemSize" &&
                       tokens[i + 1].word == "[" && dimension != nullptr && tokens[i + 3].word == "]";
    if (!found || *dimension >= static_cast<std::int64_t>(sizes.size())) continue;
    result += text.substr(copied, static_cast<std::size_t>(tokens[i].column) - copied);
    result += "(" + sizes[static_cast<std::size_t>(*dimension)] + ")";
    copied = static_cast<std::size_t>(tokens[i + 3].column) + 1;
  }
  return result + text.substr(copied);
}

std::optional<Expression> read_t1_expression(const Json& place, const T1File& file) {
  if (place && !place.as_value()) {
    file.errors.report(place.pointer(), "expected an expression, found " + with_article(place.type()));
  }
  const std::string* const text = place.as_text();
  if (text == nullptr) return read_expression(place, {}, file.errors);
  return expression_of(with_problem_size(*text, file.problem), file.known_names(), place.pointer(),
                       file.errors);
}

}  // namespace tailwave
