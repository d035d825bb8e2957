#include "target.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"

namespace tailwave::fuzz {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> files_of(const fs::path& place, std::string_view ending) {
  if (!fs::is_directory(place)) return {place};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(place))
    if (entry.is_regular_file() && entry.path().filename().string().ends_with(ending))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// A recording has thousands of trials of one kind.
void shorten(OrderedJson& value) {
  constexpr std::size_t kMostItems = 3;
  if (value.is_array() && value.size() > kMostItems)
    value.erase(value.begin() + static_cast<std::ptrdiff_t>(kMostItems), value.end());
  if (value.is_structured())
    for (OrderedJson& inner : value) shorten(inner);
}

std::string seed_of(const fs::path& file) {
  constexpr std::size_t kLarge = 8192;
  std::string text = content_of(file);
  if (text.size() <= kLarge || file.extension() != ".json") return text.substr(0, kMostBytes);
  OrderedJson document = OrderedJson::parse(text, nullptr, false);
  if (document.is_discarded()) return text.substr(0, kMostBytes);
  shorten(document);
  return document.dump(1);
}

void add_lines(const std::string& text, std::vector<std::string>& corpus) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) corpus.push_back(line);
}

}  // namespace

fs::path project_folder() {
  return TAILWAVE_SOURCE_DIR;
}

const std::vector<Target>& all_targets() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> all;
    for (const auto& part : {text_targets(), spec_targets(), result_targets(), binary_targets()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return targets;
}

std::vector<std::string> corpus_of(const Target& target) {
  std::vector<std::string> corpus;
  const fs::path own = project_folder() / "tests/fuzz/corpus" / target.name;
  if (fs::is_directory(own)) {
    for (const fs::path& file : files_of(own, "")) {
      if (file.extension() == ".lines")
        add_lines(content_of(file), corpus);
      else
        corpus.push_back(content_of(file));
    }
  }
  for (const Target::Source& source : target.sources)
    for (const fs::path& file : files_of(project_folder() / source.path, source.ending))
      corpus.push_back(seed_of(file));
  if (target.made_seeds)
    for (std::string& seed : target.made_seeds()) corpus.push_back(std::move(seed));
  if (corpus.empty()) throw Error(fmt::format("the target '{}' has no corpus", target.name));
  return corpus;
}

}  // namespace tailwave::fuzz
