#include "cli/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/printable.h"
#include "core/terminal_table.h"

namespace tailwave {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::shared_ptr<const OutputOptions> add_output_options(Command& command, JsonResult json) {
  auto options = std::make_shared<OutputOptions>();
  command.add_flag("-q,--quiet", options->quiet, "nothing but results and errors");
  if (json == JsonResult::offered)
    command.add_flag("--json", options->json, "the result as one JSON document on standard output");
  command
      .add_option("--color", options->colour,
                  "colours: auto (on a terminal, without NO_COLOR), always, never")
      ->one_of({"auto", "always", "never"})
      ->type_name("WHEN")
      ->capture_default_str();
  return options;
}

Console::Console(OutputOptions options) : options_(std::move(options)) {}

void Console::note(std::string_view text) const {
  if (!options_.quiet) fmt::print(stderr, "{}", printable(text));
}

void Console::warn(std::string_view text) {
  fmt::print(stderr, "{}", printable(text));
}

void Console::say(std::string_view text) const {
  if (!options_.json) fmt::print("{}", wrapped(printable(text), terminal_columns(STDOUT_FILENO)));
}

void Console::show(const Table& table) const {
  if (options_.json) return;
  fmt::print("{}", render_for_terminal(table, {terminal_columns(STDOUT_FILENO), colour_on(STDOUT_FILENO)}));
}

void Console::show_rows(const Table& table) const {
  const FactoredTable factored = without_constant_columns(table);
  if (!factored.common.empty()) say("all: " + factored.common + "\n");
  show(factored.rest);
}

void Console::result(const Table& table, TableFormat format) const {
  if (options_.json) format = TableFormat::json;
  if (format == TableFormat::table)
    show(table);
  else if (format == TableFormat::csv && isatty(STDOUT_FILENO) != 0)
    print_words(render(table, format));
  else
    fmt::print("{}", render(table, format));
}

void Console::result(const nlohmann::ordered_json& document) const {
  constexpr int kIndent = 1;
  if (options_.json)
    fmt::print("{}\n", printable_json(document.dump(kIndent, ' ', false,
                                                    nlohmann::ordered_json::error_handler_t::replace)));
}

bool Console::has_status_line() const {
  return !options_.quiet && isatty(STDERR_FILENO) != 0 && variable("TERM") != "dumb";
}

bool Console::colour_on(int descriptor) const {
  if (options_.colour != "auto") return options_.colour == "always";
  return isatty(descriptor) != 0 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

void print_words(std::string_view text) {
  fmt::print("{}", printable(text));
}

nlohmann::ordered_json to_json(const Table& table) {
  return nlohmann::ordered_json::parse(render(table, TableFormat::json));
}

std::size_t terminal_columns(int descriptor) {
  if (isatty(descriptor) == 0) return 0;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace tailwave
