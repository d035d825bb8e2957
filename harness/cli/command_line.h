#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class Option;
}  // namespace CLI

namespace tailwave {

// The command line as CLI11 reads it. CLI11 is a header of 9,000 lines whose code every file that includes it
// compiles again; command_line.cpp alone does. Names and meanings of the functions that declare options are CLI11's.

// What an option's value must be: gives what would be right, or "" for a value that is.
struct ValueCheck {
  std::function<std::string(const std::string& value)> wrong;
  std::string name;  // for the help: "1 to 1000"
};

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option* required(bool is_required = true);
  Option* capture_default_str();  // the help shows the value that the variable has now
  Option* default_str(const std::string& text);
  Option* type_name(const std::string& name);
  Option* check(const ValueCheck& check);
  Option* one_of(const std::vector<std::string>& words);
  Option* delimiter(char separator);
  Option* one_value_each();                            // of an option that may be given several times
  Option* optional_value(const std::string& without);  // given without one, it has this
  Option* hidden();
  Option* excludes(const Option* other);
  Option* excludes(const std::vector<std::string>& others);

  [[nodiscard]] std::vector<std::string> long_names() const;
  [[nodiscard]] std::vector<std::string> short_names() const;
  // "--device", "-x" where there is no long name, or that of a positional.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string all_names() const;  // as CLI11's messages have them: "-q,--quiet"
  [[nodiscard]] std::string description() const;
  [[nodiscard]] std::string type_name() const;
  [[nodiscard]] std::string default_str() const;
  [[nodiscard]] bool is_required() const;
  [[nodiscard]] bool is_positional() const;
  [[nodiscard]] bool is_hidden() const;
  [[nodiscard]] bool is_flag() const;
  [[nodiscard]] const std::vector<std::string>& results() const;  // as they were given

 private:
  friend class Command;
  CLI::Option* option_;
};

// The program, or one of its commands.
class Command {
 public:
  Command(const std::string& name, const std::string& description);  // the program
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  // Variables are written while the line is parsed, and have to live as long.
  Option* add_option(const std::string& names, std::string& value, const std::string& description);
  Option* add_option(const std::string& names, std::optional<std::string>& value,
                     const std::string& description);
  Option* add_option(const std::string& names, std::optional<std::int64_t>& value,
                     const std::string& description);
  Option* add_option(const std::string& names, std::vector<std::string>& values,
                     const std::string& description);
  Option* add_option(const std::string& names, std::uint64_t& value, const std::string& description);
  Option* add_option(const std::string& names, std::int64_t& value, const std::string& description);
  Option* add_option(const std::string& names, unsigned& value, const std::string& description);
  Option* add_option(const std::string& names, int& value, const std::string& description);
  Option* add_option(const std::string& names, double& value, const std::string& description);
  // Calls `read` with its value, which its check has let pass, while the line is parsed.
  Option* add_parsed(const std::string& names, const std::function<void(const std::string&)>& read,
                     const std::string& description);
  Option* add_flag(const std::string& names, bool& value, const std::string& description);
  // Calls `given` while the line is parsed.
  Option* add_flag(const std::string& names, const std::function<void()>& given,
                   const std::string& description);
  // A flag that may have a word behind '=', one of those: --name is --name=FIRST.
  Option* add_flag_with_word(const std::string& name, std::string& value,
                             const std::vector<std::string>& words, const std::string& description);
  // One of several words, in upper or lower case.
  template <class Choice>
  Option* add_choice(const std::string& names, Choice& value, const std::map<std::string, Choice>& words,
                     const std::string& description) {
    std::vector<std::string> known;
    for (const auto& [word, choice] : words) known.push_back(word);
    return add_words(
        names, known, [&value, words](const std::string& word) { value = words.at(word); }, description);
  }
  void set_version_flag(const std::string& names, const std::function<std::string()>& text,
                        const std::string& description);

  Command* add_subcommand(const std::string& name, const std::string& description);
  void footer(const std::string& text);
  void callback(const std::function<void()>& action);  // when the line has been parsed
  [[nodiscard]] Option* get_option(const std::string& name) const;

  // Of a program: reads the line, and calls what is to be done or prints --help or --version. Throws
  // CommandLineError for what it does not understand.
  void parse(int argc, char** argv);

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string description() const;
  [[nodiscard]] std::string footer() const;
  [[nodiscard]] std::string help() const;  // of itself, whatever is being parsed
  [[nodiscard]] const Command* parent() const { return parent_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Command>>& commands() const { return commands_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Option>>& options() const { return options_; }
  [[nodiscard]] const Command& given() const;                // the command of the line, or itself
  [[nodiscard]] std::vector<std::string> remaining() const;  // words that nothing took

 private:
  Command(CLI::App* app, const Command* parent);
  Option* add_words(const std::string& names, const std::vector<std::string>& words,
                    const std::function<void(const std::string&)>& choose, const std::string& description);
  Option* keep(CLI::Option* option);

  std::unique_ptr<CLI::App> program_;  // of the program alone
  CLI::App* app_;
  const Command* parent_ = nullptr;
  std::vector<std::unique_ptr<Command>> commands_;
  std::vector<std::unique_ptr<Option>> options_;
};

// What CLI11 says of a line that it refuses.
struct CommandLineError {
  std::string message;
};

}  // namespace tailwave
