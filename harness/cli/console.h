#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "cli/command_line.h"
#include "core/table.h"

namespace tailwave {

// How a command is asked to talk. Shared with the options that fill it.
struct OutputOptions {
  bool quiet = false;
  bool json = false;
  std::string colour = "auto";
};

// Adds --quiet and --color and, where the command has a result in JSON, --json.
enum class JsonResult { none, offered };
std::shared_ptr<const OutputOptions> add_output_options(Command& command, JsonResult json);

// Where a command's words go. Results go to standard output, in JSON where that was asked for, as one document;
// remarks go to standard error and are left out with --quiet. Errors are thrown and always said. All but csv, which
// is data, has no character that steers a terminal (core/printable.h). Colours and folding to the width are for a
// terminal alone; NO_COLOR, if not empty, and TERM=dumb turn colours off, --color always on.
class Console {
 public:
  explicit Console(OutputOptions options);

  // A remark, which ends its line itself.
  void note(std::string_view text) const;
  // What did not work, though the command goes on: quiet or not. Ends its line itself.
  static void warn(std::string_view text);
  // Words around a result for people, on a terminal no wider than that; left out in JSON.
  void say(std::string_view text) const;
  // A table for people; left out in JSON.
  void show(const Table& table) const;
  // The same; what is the same in all rows is said once before it.
  void show_rows(const Table& table) const;
  // A table in the format asked for, in which --json is another word for json. On a terminal csv, too, is printable().
  void result(const Table& table, TableFormat format) const;
  // The result of --json; left out without it.
  void result(const nlohmann::ordered_json& document) const;

  [[nodiscard]] bool quiet() const { return options_.quiet; }
  [[nodiscard]] bool json() const { return options_.json; }
  // Whether a line on standard error can be written over: it is a terminal and may be written to.
  [[nodiscard]] bool has_status_line() const;
  [[nodiscard]] bool colours_errors() const { return colour_on(2); }

 private:
  [[nodiscard]] bool colour_on(int descriptor) const;

  OutputOptions options_;
};

// Words for people on standard output, as printable() text.
void print_words(std::string_view text);

// The rows as objects.
nlohmann::ordered_json to_json(const Table& table);

// Columns of the terminal that a descriptor is; 0 when it is none.
std::size_t terminal_columns(int descriptor);

}  // namespace tailwave
