#include "json/json_file.h"

#include <string>

#include "json/compressed_file.h"
#include "json/parser.h"

namespace tailwave {
namespace {

// The text with the braces that a cachefile lacks while its run lasts; "" if that is not what is wrong with it.
std::string mended(std::string text, const ParsedJson& parsed) {
  if (parsed.open.empty() || parsed.open.size() > 2 || parsed.open.front() != "cache") return "";
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  if (text.back() == ',') text.pop_back();
  if (text.back() != '}' && text.back() != '{') return "";
  return text + std::string(parsed.open.size(), '}');
}

}  // namespace

JsonFile read_json_file(const std::filesystem::path& file) {
  std::string text = read_decompressed(file);
  ParsedJson parsed = parse_json(text, file.string());
  const std::string whole = mended(std::move(text), parsed);
  if (!whole.empty()) {
    ParsedJson completed = parse_json(whole, file.string());
    if (completed.diagnostics.empty()) return {*std::move(completed.json), true};
  }
  if (parsed.diagnostics.empty()) return {*std::move(parsed.json), false};
  Diagnostic& first = parsed.diagnostics.front();
  if (first.hint.empty()) first.hint = "fetch or export it again";
  throw Error(first);
}

}  // namespace tailwave
