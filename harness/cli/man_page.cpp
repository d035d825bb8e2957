// `tailwave man`: the manual page, written from the parser that --help comes from.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "cli/cli_words.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "core/version.h"

namespace tailwave {
namespace {

// Text that roff prints as it is.
std::string roff(std::string_view text) {
  std::string escaped;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) escaped += "\\&";
    line_start = c == '\n';
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
  }
  return escaped;
}

// Lines that keep their ends: examples.
std::string as_written(const std::string& text) {
  return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", roff(text));
}

std::string option_entry(const Command& command, const Option& option) {
  std::string names;
  for (const std::string& name : option.long_names())
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff("--" + name));
  for (const std::string& name : option.short_names())
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff("-" + name));
  if (names.empty()) names = fmt::format("\\fI{}\\fR", roff(option.name()));
  const OfferedValues values = offered_values(command, option);
  if (!option.is_positional() && values.kind != OfferedValues::Kind::none)
    names += values.kind == OfferedValues::Kind::files ? " \\fIFILE\\fR" : " \\fIVALUE\\fR";
  std::string text = roff(option.description());
  if (!option.default_str().empty()) text += roff(" (default: " + option.default_str() + ")");
  if (option.is_required()) text += "; required";
  return fmt::format(".TP\n{}\n{}\n", names, text);
}

std::string command_section(const Command& command) {
  std::string synopsis = fmt::format("\\fBtailwave {}\\fR", roff(command.name()));
  std::string entries;
  for (const Option* option : positional_options(command)) {
    const std::string name = fmt::format("\\fI{}\\fR", roff(option->name()));
    synopsis += option->is_required() ? " " + name : " [" + name + "]";
    entries += option_entry(command, *option);
  }
  for (const Option* option : dashed_options(command)) entries += option_entry(command, *option);
  return fmt::format(".SS {}\n{} [\\fIoptions\\fR]\n.PP\n{}\n{}{}", roff(command.name()), synopsis,
                     roff(command.description()), entries, as_written(command.footer()));
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kVariables{
    {{"TAILWAVE_CACHE",
      "the folder of compiled kernels and references' results; "
      "else $XDG_CACHE_HOME/tailwave or ~/.cache/tailwave"},
     {"TAILWAVE_LEASES",
      "the folder in which a run holds the device that it measures on; else /tmp/tailwave-leases"},
     {"TAILWAVE_NVRTC", "the file of NVRTC; else the loader's path and the CUDA toolkits that are found"},
     {"TAILWAVE_NVDISASM",
      "nvdisasm or cuobjdump, for show; else those on PATH and in the CUDA toolkits that are found"},
     {"CUDA_PATH, CUDA_HOME", "a CUDA toolkit to look for NVRTC and headers in"},
     {"CXX", "the host compiler, for host variants and the CPU device; else g++, clang++ or c++"},
     {"TAILWAVE_HOST_CXXFLAGS", "options for it"},
     {"TAILWAVE_SANDBOX", "off: compilers and what they make of specs can read and write what the user can"},
     {"TAILWAVE_CHARTS", "a Python that has vl-convert, which draws the charts of reports"},
     {"NO_COLOR", "if it is not empty: no colours"},
     {"TERM", "dumb: no colours and no line that is written over"}}};

std::string man_page(const Command& app) {
  std::string text =
      fmt::format(".TH TAILWAVE 1 \"\" \"tailwave {}\" \"User Commands\"\n", roff(program_version()));
  text += ".SH NAME\ntailwave \\- find, measure and explain the fastest configuration of a CUDA kernel\n";
  text += ".SH SYNOPSIS\n\\fBtailwave\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n";
  text += fmt::format(".SH DESCRIPTION\n{}\n.PP\n{}\n", roff(app.description()),
                      R"(\fBtailwave \fICOMMAND\fB \-\-help\fR says what this page says of one command.)");
  text += ".SH COMMANDS\n";
  for (const auto& command : app.commands()) text += command_section(*command);
  text += ".SH ENVIRONMENT\n";
  for (const auto& [name, meaning] : kVariables)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(name), roff(meaning));
  text += ".SH NOTES\n" + roff(app.footer()) + "\n";
  return text;
}

}  // namespace

void add_man(Command& app) {
  Command* command = app.add_subcommand("man", "Write the manual page, in roff");
  command->footer("Example: tailwave man | man -l -");
  command->callback([&app] { fmt::print("{}", man_page(app)); });
}

}  // namespace tailwave
