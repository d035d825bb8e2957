// Feeds parsers with broken inputs: see ../README.md.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "campaign.h"
#include "core/error.h"

namespace tailwave::fuzz {
namespace {

constexpr const char* kUsage =
    "fuzz --target NAME [--inputs N | --seconds S] [--seed N] [--out FOLDER]\n"
    "fuzz --target NAME FILE...   what becomes of these inputs, in this process\n";

struct Arguments {
  std::string target;
  Settings settings;
  std::vector<std::string> files;
};

[[noreturn]] void refuse(const std::string& cause) {
  std::string names;
  for (const Target& target : all_targets()) names += fmt::format(" {}", target.name);
  throw Error(cause + "\n" + kUsage + "targets:" + names, Error::kBadUsage);
}

double number_of(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(number >= 0 && number < 1e15)) refuse("no number: '" + text + "'");
  return number;
}

Arguments arguments_of(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      arguments.files.push_back(words[i]);
      continue;
    }
    if (i + 1 == words.size()) refuse("nothing behind " + words[i]);
    const std::string &option = words[i], &value = words[i + 1];
    ++i;
    if (option == "--target")
      arguments.target = value;
    else if (option == "--inputs")
      arguments.settings.inputs = static_cast<std::uint64_t>(number_of(value));
    else if (option == "--seconds")
      arguments.settings.seconds = number_of(value);
    else if (option == "--seed")
      arguments.settings.seed = static_cast<std::uint64_t>(number_of(value));
    else if (option == "--out")
      arguments.settings.folder = value;
    else
      refuse("unknown option " + option);
  }
  return arguments;
}

const Target& find_target(const std::string& name) {
  for (const Target& target : all_targets())
    if (target.name == name) return target;
  refuse(name.empty() ? "no target" : "unknown target '" + name + "'");
}

void feed_files(const Target& target, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw Error(file + ": cannot be read", Error::kBadUsage);
    const std::string input{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    const std::string refusal = feed_once(target, input);
    fmt::print("{}: {}\n", file, refusal.empty() ? "accepted" : "refused: " + refusal);
  }
}

int run(const std::vector<std::string>& words) {
  const Arguments arguments = arguments_of(words);
  const Target& target = find_target(arguments.target);
  if (!arguments.files.empty()) {
    feed_files(target, arguments.files);
    return 0;
  }
  const Summary summary = run_campaign(target, arguments.settings);
  fmt::print("{}: {} inputs in {:.1f} s ({:.0f} a second), {} accepted, {} ways to be refused, {} findings\n",
             target.name, summary.inputs, summary.seconds,
             static_cast<double>(summary.inputs) / summary.seconds, summary.accepted, summary.different,
             summary.findings);
  return summary.findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tailwave::fuzz

int main(int count, char** words) {
  try {
    return tailwave::fuzz::run({words + 1, words + count});
  } catch (const tailwave::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_status();
  }
}
