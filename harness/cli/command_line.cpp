#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace tailwave {

Option* Option::required(bool is_required) {
  option_->required(is_required);
  return this;
}

Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}

Option* Option::default_str(const std::string& text) {
  option_->default_str(text);
  return this;
}

Option* Option::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

Option* Option::check(const ValueCheck& check) {
  option_->check(
      CLI::Validator([wrong = check.wrong](const std::string& value) { return wrong(value); }, check.name));
  return this;
}

Option* Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return this;
}

Option* Option::delimiter(char separator) {
  option_->delimiter(separator);
  return this;
}

Option* Option::one_value_each() {
  option_->allow_extra_args(false);
  return this;
}

Option* Option::optional_value(const std::string& without) {
  option_->expected(0, 1)->default_str(without);
  return this;
}

Option* Option::hidden() {
  option_->group("");
  return this;
}

Option* Option::excludes(const Option* other) {
  option_->excludes(other->option_);
  return this;
}

Option* Option::excludes(const std::vector<std::string>& others) {
  for (const std::string& other : others) option_->excludes(other);
  return this;
}

std::vector<std::string> Option::long_names() const {
  return option_->get_lnames();
}

std::vector<std::string> Option::short_names() const {
  return option_->get_snames();
}

std::string Option::name() const {
  if (!option_->get_lnames().empty()) return "--" + option_->get_lnames().front();
  if (!option_->get_snames().empty()) return "-" + option_->get_snames().front();
  return option_->get_name(true);
}

std::string Option::all_names() const {
  return option_->get_name();
}

std::string Option::description() const {
  return option_->get_description();
}

std::string Option::type_name() const {
  return option_->get_type_name();
}

std::string Option::default_str() const {
  return option_->get_default_str();
}

bool Option::is_required() const {
  return option_->get_required();
}

bool Option::is_positional() const {
  return option_->get_positional();
}

bool Option::is_hidden() const {
  return option_->get_group().empty();
}

bool Option::is_flag() const {
  return !is_positional() && option_->get_expected_max() == 0;
}

const std::vector<std::string>& Option::results() const {
  return option_->results();
}

Command::Command(const std::string& name, const std::string& description)
    : program_(std::make_unique<CLI::App>(description, name)), app_(program_.get()) {
  app_->require_subcommand(1);
}

Command::Command(CLI::App* app, const Command* parent) : app_(app), parent_(parent) {}

Command::~Command() = default;

Option* Command::keep(CLI::Option* option) {
  return options_.emplace_back(std::make_unique<Option>(option)).get();
}

Option* Command::add_option(const std::string& names, std::string& value, const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Option* Command::add_option(const std::string& names, std::optional<std::string>& value,
                            const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Option* Command::add_option(const std::string& names, std::optional<std::int64_t>& value,
                            const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Option* Command::add_option(const std::string& names, std::vector<std::string>& values,
                            const std::string& description) {
  return keep(app_->add_option(names, values, description));
}

Option* Command::add_option(const std::string& names, std::uint64_t& value, const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Option* Command::add_option(const std::string& names, std::int64_t& value, const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Option* Command::add_option(const std::string& names, unsigned& value, const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Option* Command::add_option(const std::string& names, int& value, const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Option* Command::add_option(const std::string& names, double& value, const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Option* Command::add_flag(const std::string& names, bool& value, const std::string& description) {
  return keep(app_->add_flag(names, value, description));
}

Option* Command::add_flag_with_word(const std::string& name, std::string& value,
                                    const std::vector<std::string>& words, const std::string& description) {
  CLI::Option* const option =
      app_->add_flag(fmt::format("{}{{{}}}", name, words.front()), value, description);
  option->check(CLI::IsMember(words));
  return keep(option);
}

Option* Command::add_flag(const std::string& names, const std::function<void()>& given,
                          const std::string& description) {
  return keep(app_->add_flag_callback(names, given, description));
}

Option* Command::add_parsed(const std::string& names, const std::function<void(const std::string&)>& read,
                            const std::string& description) {
  return keep(app_->add_option_function<std::string>(names, read, description));
}

Option* Command::add_words(const std::string& names, const std::vector<std::string>& words,
                           const std::function<void(const std::string&)>& choose,
                           const std::string& description) {
  CLI::Option* const option = app_->add_option_function<std::string>(names, choose, description);
  option->transform(CLI::IsMember(words, CLI::ignore_case));
  return keep(option);
}

void Command::set_version_flag(const std::string& names, const std::function<std::string()>& text,
                               const std::string& description) {
  keep(app_->set_version_flag(names, text, description));
}

Command* Command::add_subcommand(const std::string& name, const std::string& description) {
  return commands_
      .emplace_back(std::unique_ptr<Command>(new Command(app_->add_subcommand(name, description), this)))
      .get();
}

void Command::footer(const std::string& text) {
  app_->footer(text);
}

void Command::callback(const std::function<void()>& action) {
  app_->callback(action);
}

Option* Command::get_option(const std::string& name) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const auto& option) { return option->name() == name; });
  return found == options_.end() ? nullptr : found->get();
}

void Command::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw CommandLineError{error.what()};
    app_->exit(error);
  }
}

std::string Command::name() const {
  return app_->get_name();
}

std::string Command::description() const {
  return app_->get_description();
}

std::string Command::footer() const {
  return app_->get_footer();
}

std::string Command::help() const {
  // Not CLI::App::help() of the program, which is that of the command being parsed.
  if (parent_ == nullptr)
    return app_->get_formatter()->make_help(app_, app_->get_name(), CLI::AppFormatMode::Normal);
  return app_->help(parent_->name());
}

const Command& Command::given() const {
  for (const auto& command : commands_)
    if (command->app_->parsed()) return *command;
  return *this;
}

std::vector<std::string> Command::remaining() const {
  return app_->remaining();
}

}  // namespace tailwave
