#include "spec/command_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "spec/system_reader.h"

namespace tailwave {
namespace {

class CommandReader {
 public:
  // `launch` may be null: then there are no buffers, but a source.
  CommandReader(const System& system, const std::vector<std::string>& known, const Values& defaults,
                bool taken, LaunchSpec* launch, Reporter& reporter)
      : system_(system),
        known_(known),
        defaults_(defaults),
        taken_(taken),
        launch_(launch),
        reporter_(reporter) {}

  std::vector<CommandWord> read(const Json& place) {
    std::vector<CommandWord> words;
    for (const Json& item : place.items()) {
      if (item.as_text() == nullptr || !check_one_line(item, reporter_)) continue;
      words.push_back(read_word(*item.as_text(), item.pointer()));
      if (words.back().written.empty()) reporter_.report(item.pointer(), "an empty word in a command");
    }
    if (!has_program_)
      reporter_.report(
          place.pointer(), "the command does not name {program}",
          launch_ == nullptr
              ? "it is the file that the command is to make"
              : "it is the variant's source, or what 'build' makes of it: [\"{program}\", ...] or "
                "[\"python3\", \"{program}\", ...]");
    return words;
  }

 private:
  CommandWord read_word(const std::string& written, const std::string& pointer) {
    CommandWord word{written, {}};
    std::string text;
    for (std::size_t at = 0; at < written.size(); ++at) {
      const char letter = written[at];
      const bool doubled = at + 1 < written.size() && written[at + 1] == letter;
      if (letter != '{' && letter != '}') {
        text += letter;
      } else if (doubled) {
        text += letter;
        ++at;
      } else {
        const std::size_t end = letter == '}' ? std::string::npos : written.find('}', at);
        if (end == std::string::npos) {
          reporter_.report(pointer,
                           std::string("a '") + letter + "' without its other brace in '" + written + "'",
                           "a brace of the command's own is written twice: '{{' or '}}'");
          return word;
        }
        if (!text.empty()) word.parts.emplace_back(std::exchange(text, ""));
        add_named(written.substr(at + 1, end - at - 1), pointer, word);
        at = end;
      }
    }
    if (!text.empty()) word.parts.emplace_back(text);
    return word;
  }

  void add_named(const std::string& name, const std::string& pointer, CommandWord& word) {
    if (name == "program") {
      has_program_ = true;
      word.parts.emplace_back(CommandWord::Place::program);
    } else if (name == "source" && launch_ == nullptr) {
      word.parts.emplace_back(CommandWord::Place::source);
    } else if (launch_ != nullptr && system_.buffers.contains(name)) {
      add_buffer(name);
      word.parts.emplace_back(file_of_buffer(name));
    } else if (const auto expression = expression_of(name, known_, pointer, reporter_)) {
      if (taken_) (void)try_evaluate(*expression, defaults_, pointer, reporter_);
      word.parts.emplace_back(*expression);
    }
  }

  void add_buffer(const std::string& name) {
    const auto is_it = [&](const Argument& argument) {
      return std::get<BufferArgument>(argument).buffer == name;
    };
    if (std::none_of(launch_->arguments.begin(), launch_->arguments.end(), is_it))
      launch_->arguments.emplace_back(BufferArgument{name});
  }

  const System& system_;
  const std::vector<std::string>& known_;
  const Values& defaults_;
  bool taken_;
  LaunchSpec* launch_;
  Reporter& reporter_;
  bool has_program_ = false;
};

}  // namespace

void read_command(const Json& place, const System& system, const std::vector<std::string>& known,
                  const Values& defaults, bool taken, LaunchSpec& launch, Reporter& reporter) {
  if (place) launch.command = CommandReader(system, known, defaults, taken, &launch, reporter).read(place);
  for (const auto& [name, metric] : system.reported) launch.reports.push_back(name);
}

std::vector<CommandWord> read_build(const Json& place, const System& system, const VariantSpec& variant,
                                    Reporter& reporter) {
  if (!place) return {};
  return CommandReader(system, names_in_scope(system, variant), default_scope(system, variant), true, nullptr,
                       reporter)
      .read(place);
}

}  // namespace tailwave
